"""The HTTP client: host allow-list, deadline, retries, event streams, redaction of keys."""

from vademecum.net.address import Place, place_of
from vademecum.net.client import Client
from vademecum.net.events import json_lines, server_events
from vademecum.net.exchange import Exchange
from vademecum.net.secret import Secret
from vademecum.net.sockets import Limits

__all__ = ["Client", "Exchange", "Limits", "Place", "Secret", "json_lines", "place_of", "server_events"]
