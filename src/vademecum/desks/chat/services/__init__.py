"""The transports by which collections are asked: this machine's own, and servers of others."""

from vademecum.desks.chat.services.opening import OpenService, open_service
from vademecum.desks.chat.services.query import Answered, Calls, Closable, Query

__all__ = ["Answered", "Calls", "Closable", "OpenService", "Query", "open_service"]
