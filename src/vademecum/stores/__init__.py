"""Passages at rest and their search: flat files on this machine, or rows on a server."""

from importlib import import_module
from typing import TYPE_CHECKING

from vademecum.core.errors import ConfigError

if TYPE_CHECKING:
    from vademecum.core.stores import Store

STORES = {
    "postgresql": ("vademecum.stores.postgres", "PostgresStore"),
    "qdrant": ("vademecum.stores.qdrant", "QdrantStore"),
    "weaviate": ("vademecum.stores.weaviate", "WeaviateStore"),
    "chroma": ("vademecum.stores.chroma", "ChromaStore"),
}
"""The module and class of each store, by how its address begins."""

_SHORT = {"postgres": "postgresql"}

ADDRESSES = tuple(f"{scheme}://" for scheme in (*STORES, *_SHORT)) + tuple(
    f"{scheme}+https://" for scheme in STORES if scheme != "postgresql"
)
"""How the address of a store begins."""


def open_store(url: str) -> "Store":
    """The store of an address. Nothing is connected to before it is used.

    Raises:
        ConfigError: There is no such store. The message does not quote the address, which may hold a password.
        StoreError: What it needs is not installed, or the address cannot be used.
    """
    if not url.startswith(ADDRESSES):
        raise ConfigError("The address of a store cannot be read.", hint=f"It begins with {_ways()}.")
    kind = url.partition("://")[0].partition("+")[0]
    module, name = STORES[_SHORT.get(kind, kind)]
    store: Store = getattr(import_module(module), name)(url)
    return store


def _ways() -> str:
    *first, last = (f"{scheme}://" for scheme in STORES)
    return f"{', '.join(first)} or {last}"
