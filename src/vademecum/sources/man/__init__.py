"""Manual pages: each page in a folder of `man1`, `man3`, ... becomes one document."""

from vademecum.sources.man.source import ManSource

__all__ = ["ManSource"]
