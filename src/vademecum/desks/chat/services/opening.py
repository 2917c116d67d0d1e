"""Open a service by its configuration. Addresses come only from the configuration."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from vademecum.core.errors import ConfigError
from vademecum.core.protocols import Embedder
from vademecum.desks.chat.config.model import Embedding, Service
from vademecum.desks.chat.services.local import LocalService
from vademecum.desks.chat.services.query import Answered, Query
from vademecum.library.collections import Collections

if TYPE_CHECKING:
    from vademecum.net import Client


class OpenService(Protocol):
    """An open service. Can be used by any number of threads."""

    def names(self, query: Query) -> list[str]:
        """Return the names of the collections."""
        ...

    def ask(self, name: str, query: Query, limit: int) -> Answered:
        """Query a collection for the documents that are nearest to the question."""
        ...


def open_service(
    service: Service,
    *,
    collections: Collections,
    client_of: "Callable[[], Client]",
    embedder_of: Callable[[Embedding | None], Embedder],
) -> OpenService:
    """Open a service."""
    if service.type == "local":
        return LocalService(collections)
    try:
        from vademecum.desks.chat.services.chromadb import ChromaService  # noqa: PLC0415 - 0.2 s, only for servers
        from vademecum.desks.chat.services.chromadb_wrapper import WrapperService  # noqa: PLC0415 - the same
        from vademecum.net import place_of  # noqa: PLC0415 - the same
    except ModuleNotFoundError as error:
        message = f"Remote services require {error.name}, which is not installed."
        raise ConfigError(message, hint="Install it with: pip install 'vademecum[models]'") from error
    client, place = client_of(), place_of(service.url)
    if service.type == "chromadb-wrapper":
        return WrapperService(client, place)
    return ChromaService(
        client,
        place,
        tenant=service.tenant,
        database=service.database,
        embedder=embedder_of(service.embedding),
    )
