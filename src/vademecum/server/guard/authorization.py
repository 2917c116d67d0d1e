"""Authentication and authorization of callers, for all routes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from vademecum.core.errors import CollectionMissing, CollectionRefused, ConfigError
from vademecum.library.collections import Collection, Collections
from vademecum.server.errors import HttpError
from vademecum.server.guard.keys import Keys, Role
from vademecum.server.guard.sign_in import SignIns
from vademecum.text.printable import printable

LOCAL = "local"
"""The owner of everything that the local user creates on a server without keys."""

_CHALLENGE = (("WWW-Authenticate", 'Bearer realm="vademecum"'),)
_HINT = "Send Authorization: Bearer KEY, or X-API-Key: KEY. Create a key with: vademecum keys add NAME"

READERS = "readers"
"""The metadata field of a collection with the ids of the keys that it is shared with."""


class Caller(NamedTuple):
    """The sender of a request.

    Attributes:
        owner: The id of the caller's key. It owns the collections, sessions and traces that the caller creates.
        role: `admin` can see and change everything; `user` can see and change what it owns, and read what is public;
            `widget` can query what is shared with it, and nothing else.
        per_minute: The maximum number of requests per minute; None for no limit.
        origins: For a widget, the origins of the pages that may use it.
        per_day: For a widget, the maximum number of questions per day.
    """

    owner: str
    role: Role
    per_minute: int | None = None
    origins: tuple[str, ...] = ()
    per_day: int = 0

    @property
    def is_widget(self) -> bool:
        """Return whether the key is part of a web page, so that everyone can have it."""
        return self.role == "widget"

    @property
    def is_admin(self) -> bool:
        """Return whether the caller can see and change everything."""
        return self.role == "admin"


HERE = Caller(LOCAL, "admin")
"""The local user of a server without keys."""


def authorise(keys: Keys, sign_ins: SignIns, headers: Mapping[str, str], *, is_local: bool) -> Caller:
    """Return the sender of a request, identified by a key or by the cookie of a signed-in user."""
    token = _token(headers)
    if not keys.are_needed and is_local and not token:
        return HERE
    key = keys.find(token) if token else sign_ins.find(headers.get("cookie", ""))
    if not token and key is None:
        raise HttpError(401, "KEY_MISSING", "An API key is required.", _HINT, _CHALLENGE)
    if key is None:
        if not keys.are_needed and is_local:  # some clients always send a key
            return HERE
        raise HttpError(401, "KEY_UNKNOWN", "Unknown API key.", _HINT, _CHALLENGE)
    return Caller(key.id, key.role, key.per_minute, key.origins, key.per_day)


def may(caller: Caller, owner: str, *, changing: bool = False) -> bool:
    """Return whether a caller may read, or change, what an owner owns. Everyone may read what belongs to ""."""
    return caller.is_admin or owner == caller.owner or (owner == "" and not changing and not caller.is_widget)


def may_ask(caller: Caller, collection: Collection) -> bool:
    """Return whether a caller may query a collection: it is their own, public, or shared with their key."""
    return may(caller, collection.owner) or caller.owner in collection.metadata.get(READERS, ())


def theirs(collections: Collections, caller: Caller, name: str, *, changing: bool = False) -> Collection:
    """Return a collection that a caller may query, or change. If they may not query it, it counts as missing."""
    try:
        found = collections.get(name)
    except (ConfigError, CollectionMissing):  # an invalid name, or no such collection
        found = None
    if found is None or not may_ask(caller, found):
        message = f"Collection {printable(name, 60)} not found."
        raise CollectionMissing(message, hint="List them with GET /v1/models.")
    if changing and not may(caller, found.owner, changing=True):
        who = "its owner" if found.owner else "an admin"
        message = f"Only {who} can change the collection {found.name}."
        raise CollectionRefused(
            message, hint="Create your own collection, or ask the administrator of the server."
        )
    return found


def all_theirs(collections: Collections, caller: Caller) -> list[Collection]:
    """Return the collections that a caller may query, sorted by name."""
    return [one for one in collections.list() if may_ask(caller, one)]


def is_admin(scope: Mapping[str, Any]) -> bool:
    """Return whether a request comes from an admin. This is false before the caller is known."""
    caller = scope.get("vademecum.caller")
    return bool(caller and caller.is_admin)


def demand_admin(caller: Caller) -> None:
    """Check that the caller is an admin."""
    if not caller.is_admin:
        raise HttpError(
            403,
            "ADMIN_ONLY",
            "This requires a key with the role admin.",
            "Ask the administrator of the server.",
        )


def _token(headers: Mapping[str, str]) -> str:
    kind, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else headers.get("x-api-key", "").strip()
