"""Chroma: a store of rows, and the client of its server."""

from vademecum.stores.chroma.server import ChromaServer
from vademecum.stores.chroma.store import ChromaStore

__all__ = ["ChromaServer", "ChromaStore"]
