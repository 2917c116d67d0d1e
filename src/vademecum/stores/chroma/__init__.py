"""Chroma: a store of rows, and its server by HTTP."""

from vademecum.stores.chroma.server import ChromaServer
from vademecum.stores.chroma.store import ChromaStore

__all__ = ["ChromaServer", "ChromaStore"]
