"""tldr pages: each page of examples in a folder or zip file becomes one document."""

from vademecum.sources.tldr.source import TldrSource

__all__ = ["TldrSource"]
