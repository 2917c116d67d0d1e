"""GNU info manuals: a folder of `.info` files becomes one document a node."""

from vademecum.sources.info.source import InfoSource

__all__ = ["InfoSource"]
