"""Passages at rest and their search: flat files on this machine, or rows on a server."""

from importlib import import_module
from typing import TYPE_CHECKING

from vademecum.core.errors import ConfigError

if TYPE_CHECKING:
    from vademecum.core.stores import Store

_STORES = {
    "postgresql": ("vademecum.stores.postgres", "PostgresStore"),
    "postgres": ("vademecum.stores.postgres", "PostgresStore"),
}
"""The module and class of each store, by how its address begins."""

ADDRESSES = tuple(f"{scheme}://" for scheme in _STORES)
"""How the address of a store begins."""


def open_store(url: str) -> "Store":
    """The store of an address. Nothing is connected to before it is used.

    Raises:
        ConfigError: There is no such store.
        StoreError: What it needs is not installed, or the address cannot be used.
    """
    scheme = url.partition("://")[0]
    if scheme not in _STORES:
        raise ConfigError(f"There is no store {scheme}.", hint=f"There are: {', '.join(_STORES)}.")
    module, name = _STORES[scheme]
    store: Store = getattr(import_module(module), name)(url)
    return store
