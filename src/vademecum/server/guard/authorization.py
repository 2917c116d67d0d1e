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
"""The owner of what is made on a server without keys, by the local user."""

_CHALLENGE = (("WWW-Authenticate", 'Bearer realm="vademecum"'),)
_HINT = "Send Authorization: Bearer KEY, or X-API-Key: KEY. Create a key with: vademecum keys add NAME"


READERS = "readers"
"""Where a collection keeps the ids of the keys that it is shared with."""


class Caller(NamedTuple):
    """The sender of a request.

    Attributes:
        owner: The id of their key: what collections, sessions and traces they make belong to.
        role: `admin` sees and changes everything, `user` what is theirs and reads what is everybody's.
        per_minute: How many requests a minute they have; None for any number.
    """

    owner: str
    role: Role
    per_minute: int | None = None

    @property
    def is_admin(self) -> bool:
        """Whether everything is open to them."""
        return self.role == "admin"


HERE = Caller(LOCAL, "admin")
"""The person at this machine, where no key has been made."""


def authorise(keys: Keys, sign_ins: SignIns, headers: Mapping[str, str], *, is_local: bool) -> Caller:
    """Tell who sent a request: by the key that it carries, or by the cookie of a signed-in user.

    Args:
        keys: Those there are.
        sign_ins: Who is signed in.
        headers: Of the request, their names in lower case.
        is_local: Whether only this machine can reach the server; then a server without keys is open to it.

    Raises:
        HttpError: They have no key, or a wrong one (401).
        StoreError: The keys cannot be read; nobody is let in.
    """
    token = _token(headers)
    if not keys.are_needed and is_local and not token:
        return HERE
    key = keys.find(token) if token else sign_ins.find(headers.get("cookie", ""))
    if not token and key is None:
        raise HttpError(401, "KEY_MISSING", "An API key is required.", _HINT, _CHALLENGE)
    if key is None:
        if not keys.are_needed and is_local:  # clients that must send some key
            return HERE
        raise HttpError(401, "KEY_UNKNOWN", "Unknown API key.", _HINT, _CHALLENGE)
    return Caller(key.id, key.role, key.per_minute)


def may(caller: Caller, owner: str, *, changing: bool = False) -> bool:
    """Whether a caller may read, or change, what belongs to an owner; "" is everybody's to read."""
    return caller.is_admin or owner == caller.owner or (owner == "" and not changing)


def may_ask(caller: Caller, collection: Collection) -> bool:
    """Whether a caller may ask a collection: it is theirs or everybody's, or its owner shares it with their key."""
    return may(caller, collection.owner) or caller.owner in collection.metadata.get(READERS, ())


def theirs(collections: Collections, caller: Caller, name: str, *, changing: bool = False) -> Collection:
    """A collection that a caller may ask, or change. One that they may not even ask is as good as none.

    Raises:
        CollectionMissing: There is none of that name for them.
        CollectionRefused: They may ask it, and not change it.
        StoreError: It cannot be read.
    """
    try:
        found = collections.get(name)
    except (ConfigError, CollectionMissing):  # what is not a name names none
        found = None
    if found is None or not may_ask(caller, found):
        message = f"Collection {printable(name, 60)} not found."
        raise CollectionMissing(message, hint="List them with GET /v1/models, or list_sources.")
    if changing and not may(caller, found.owner, changing=True):
        who = "its owner" if found.owner else "an admin"
        message = f"Only {who} can change the collection {found.name}."
        raise CollectionRefused(
            message, hint="Create your own collection, or ask the administrator of the server."
        )
    return found


def all_theirs(collections: Collections, caller: Caller) -> list[Collection]:
    """The collections that a caller may ask, by name."""
    return [one for one in collections.list() if may_ask(caller, one)]


def is_admin(scope: Mapping[str, Any]) -> bool:
    """Whether a request comes from who runs the server, by what was found out of it."""
    caller = scope.get("vademecum.caller")
    return bool(caller and caller.is_admin)


def demand_admin(caller: Caller) -> None:
    """Let only admins go on.

    Raises:
        HttpError: The caller is none (403).
    """
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
