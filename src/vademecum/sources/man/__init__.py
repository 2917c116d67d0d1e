"""Manual pages: a folder of `man1`, `man3`, ... becomes one document a page."""

from vademecum.sources.man.source import ManSource

__all__ = ["ManSource"]
