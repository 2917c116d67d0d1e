"""The client of a Chroma server, for version 2 of its HTTP API."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote
from weakref import finalize

from vademecum.core.errors import ModelMissing, ProviderError, ProviderRefused, StoreError

try:
    from vademecum.net import Client, Limits, Place
except ImportError as error:
    message = f"Chroma needs the extra chroma ({error.name} is not installed)."
    raise StoreError(message, hint="Install it with: pip install 'vademecum[chroma]'") from error

from vademecum.net.secret import Secret

LIMITS = Limits(timeout_s=60.0, retries=2, first_pause_s=0.2, answer_bytes=1 << 30, stream_bytes=1 << 30)
PAGE = 500
"""How many records or collections are asked for at once."""

_ID = re.compile(r"[0-9a-f-]{36}")
_OLD = "Check that the address names a Chroma server, 1.0 or newer."


class Missing(StoreError):
    """The server has nothing at this path."""


class Made(NamedTuple):
    """A collection: its id, its name, its metadata, and the distance it measures by ("" where it does not say)."""

    id: str
    name: str
    metadata: Mapping[str, Any]
    space: str


class ChromaServer:
    """Asks a server, 1.0 or newer. Every method raises `StoreError` when it cannot be reached, refuses, or answers rubbish.

    Args:
        place: Its address.
        name: As messages have it.
        key: What it asks for; None for nothing.
        tenant: The tenant.
        database: The tenant's database.
        hint: What to do when it does not answer.
    """

    def __init__(
        self,
        place: Place,
        *,
        name: str,
        key: Secret | None = None,
        tenant: str = "default_tenant",
        database: str = "default_database",
        hint: str,
    ) -> None:
        self.name = name
        self._hint = hint
        self._place = place
        self._headers = {"x-chroma-token": key} if key else {}
        self._client = Client()
        self._client.allow(place)
        self.close = finalize(self, self._client.close)
        """Give its connections back."""
        self._path = f"/tenants/{quote(tenant, safe='')}/databases/{quote(database, safe='')}/collections"

    def check(self) -> None:
        """See that it answers."""
        if not isinstance(self._call("GET", "/heartbeat"), dict):
            raise self.strange()

    def collections(self) -> Iterator[Made]:
        """All collections."""
        offset = 0
        while True:
            answer = self._call("GET", f"{self._path}?limit={PAGE}&offset={offset}")
            if not isinstance(answer, list):
                raise self.strange()
            yield from map(self._checked, answer)
            if len(answer) < PAGE:
                return
            offset += PAGE

    def find(self, name: str) -> Made | None:
        """A collection by its name."""
        try:
            return self._checked(self._call("GET", f"{self._path}/{name}"))
        except Missing:
            return None

    def make(
        self,
        name: str,
        metadata: Mapping[str, Any],
        configuration: Mapping[str, Any] | None = None,
        *,
        once: bool = False,
    ) -> Made:
        """Make a collection, or find it; with `once` it is an error if it is there."""
        body = {
            "name": name,
            "metadata": metadata,
            "configuration": configuration,
            "get_or_create": not once,
        }
        limits = LIMITS._replace(retries=0) if once else LIMITS
        return self._checked(self._call("POST", self._path, body, limits))

    def delete(self, name: str) -> None:
        """Delete a collection, if it is there."""
        try:
            self._call("DELETE", f"{self._path}/{name}")
        except Missing:
            return

    def ask(self, collection: str, what: str, body: Mapping[str, Any]) -> Any:
        """Have a collection, by its id, do something: `upsert`, `get`, `query`, `delete`.

        Raises:
            Missing: There is none of that id.
        """
        return self._call("POST", f"{self._path}/{collection}/{what}", body)

    def strange(self) -> StoreError:
        """The error that an answer is not one."""
        return StoreError(f"{self.name} answers what a Chroma server does not.", hint=_OLD)

    def _checked(self, entry: object) -> Made:
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            number, metadata = entry.get("id"), entry.get("metadata")
            if isinstance(number, str) and _ID.fullmatch(number):
                known = metadata if isinstance(metadata, dict) else {}
                return Made(number, entry["name"], known, _space(entry.get("configuration_json"), known))
        raise self.strange()

    def _call(self, method: str, path: str, body: object = None, limits: Limits = LIMITS) -> Any:
        exchange = self._client.exchange(
            self._place, f"/api/v2{path}", method=method, body=body, headers=self._headers, limits=limits
        )
        try:
            return exchange.read_json()
        except ModelMissing as error:
            raise Missing(f"{self.name} does not know {path}.", hint=_OLD) from error
        except ProviderRefused as error:
            raise StoreError(f"{self.name}: {error.message}", hint=self._hint) from error
        except ProviderError as error:
            raise StoreError(f"{self.name}: {error.message}", hint=self._hint) from error


def _space(configuration: object, metadata: Mapping[str, Any]) -> str:
    """The distance that a collection measures by."""
    for index in ("hnsw", "spann"):
        settings = configuration.get(index) if isinstance(configuration, dict) else None
        if isinstance(settings, dict) and isinstance(settings.get("space"), str):
            return str(settings["space"])
    return str(metadata.get("hnsw:space", ""))
