"""Storage and search of passages: flat files on this machine, or an engine on a server."""

from importlib import import_module
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qsl, quote, urlencode

from vademecum.core.errors import ConfigError

if TYPE_CHECKING:
    from vademecum.core.engines import Engine, Records
    from vademecum.extensions import Extension

STORES = {
    "postgresql": ("vademecum.stores.postgres", "PostgresEngine"),
    "opensearch": ("vademecum.stores.opensearch", "OpenSearchEngine"),
    "qdrant": ("vademecum.stores.qdrant", "QdrantEngine"),
    "weaviate": ("vademecum.stores.weaviate", "WeaviateEngine"),
}
"""The module and class of each engine, by the scheme of its address."""

_SHORT = {"postgres": "postgresql"}

ADDRESSES = tuple(f"{scheme}://" for scheme in (*STORES, *_SHORT)) + tuple(
    f"{scheme}+https://" for scheme in STORES if scheme != "postgresql"
)
"""The schemes of store addresses."""

_FIRST, _LAST = ", ".join(f"{scheme}://" for scheme in [*STORES][:-1]), f"{[*STORES][-1]}://"
WAYS = f"{_FIRST} or {_LAST}"
"""The schemes, as text."""


def open_engine(url: str) -> "Engine":
    """Open the engine with an address. It connects on first use."""
    engine: Engine
    if url.startswith(ADDRESSES):
        kind = url.partition("://")[0].partition("+")[0]
        module, name = STORES[_SHORT.get(kind, kind)]
        engine = getattr(import_module(module), name)(url)
        return engine
    extension = _extension(url)
    if url.startswith(("chroma://", "chroma+https://")):
        message = "An index cannot be kept in Chroma, which does not search by words."
        raise ConfigError(message, hint=f"Name another engine: {WAYS}.")
    if extension is None:
        raise ConfigError("The address of a store cannot be read.", hint=f"It begins with {WAYS}.")
    engine = extension.load()(url)
    return engine


def open_records(url: str) -> "Records":
    """Open the server with a collection that another program fills. It connects on first use."""
    if url.startswith(("chroma://", "chroma+https://")):
        from vademecum.stores.chroma import server  # noqa: PLC0415 - one of several

        return server.records_at(url)
    if not is_address(url):
        message = "The address of a collection cannot be read."
        raise ConfigError(message, hint=f"It begins with {_FIRST}, {_LAST} or chroma://.")
    engine = open_engine(url)
    if not hasattr(engine, "records"):
        message = f"{engine.name} cannot be searched for what other programs have put there."
        raise ConfigError(message, hint=f"Name a collection at {WAYS}, or chroma://.")
    return cast("Records", engine)


def is_address(url: str) -> bool:
    """Return whether this is the address of a store, of ours or of an extension."""
    return url.startswith(ADDRESSES) or _extension(url) is not None


def _extension(url: str) -> "Extension | None":
    scheme, mark, _ = url.partition("://")
    if not mark:
        return None
    from vademecum import extensions  # noqa: PLC0415 - for addresses that are not built in

    return extensions.find("stores", scheme)


def part_of(url: str, name: str) -> str:
    """Return the address of another index on the same server.

    Args:
        name: The name of the part: lowercase letters, digits, - and _.

    >>> part_of("qdrant://localhost/rag_embedding?timeout=5", "robots")
    'qdrant://localhost/rag_embedding-robots?timeout=5'
    >>> part_of("postgresql://localhost/library", "robots")
    'postgresql://localhost/library?schema=vademecum_robots'
    """
    address, _, options = url.partition("?")
    if address.startswith("postgres"):
        found = dict(parse_qsl(options))
        found["schema"] = f"{found.get('schema', 'vademecum')}_{name.replace('-', '_')}"
        return f"{address}?{urlencode(found, quote_via=quote)}"
    scheme, _, place = address.partition("://")
    host, _, named = place.partition("/")
    return f"{scheme}://{host}/{named.strip('/') or 'vademecum'}-{name}{'?' + options if options else ''}"
