"""Chroma: the client of its server."""

from vademecum.stores.chroma.server import ChromaServer

__all__ = ["ChromaServer"]
