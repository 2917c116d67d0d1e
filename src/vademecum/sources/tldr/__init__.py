"""tldr-pages: a folder or zip of short pages of examples becomes one document a command."""

from vademecum.sources.tldr.source import TldrSource

__all__ = ["TldrSource"]
