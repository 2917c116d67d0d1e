"""Folders of documents: each file of a known format becomes one document."""

from vademecum.sources.docs.source import DocsSource

__all__ = ["DocsSource"]
