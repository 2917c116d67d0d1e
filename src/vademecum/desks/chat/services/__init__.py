"""Services that collections are queried through: this machine, and other servers."""

from vademecum.desks.chat.services.opening import OpenService, open_service
from vademecum.desks.chat.services.query import Answered, Calls, Closable, Query

__all__ = ["Answered", "Calls", "Closable", "OpenService", "Query", "open_service"]
