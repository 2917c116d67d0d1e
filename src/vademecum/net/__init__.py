"""The HTTP client: host allow-list, deadline, retries, event streams, redaction of keys.

Its names are imported when they are used, so that addresses and keys can be read without the packages of the client.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vademecum.net.address import Place, place_of
    from vademecum.net.client import Client
    from vademecum.net.events import json_lines, server_events
    from vademecum.net.exchange import Exchange
    from vademecum.net.secret import Secret
    from vademecum.net.sockets import Limits

__all__ = ["Client", "Exchange", "Limits", "Place", "Secret", "json_lines", "place_of", "server_events"]

_MODULES = {
    "Limits": "sockets",
    "Place": "address",
    "json_lines": "events",
    "place_of": "address",
    "server_events": "events",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    return getattr(import_module(f"vademecum.net.{_MODULES.get(name, name.lower())}"), name)
