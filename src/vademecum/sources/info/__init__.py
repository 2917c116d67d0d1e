"""GNU info manuals: each node in a folder of `.info` files becomes one document."""

from vademecum.sources.info.source import InfoSource

__all__ = ["InfoSource"]
