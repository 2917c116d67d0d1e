"""Folders of documents: Markdown, HTML, text, PDF and Word files, each one document."""

from vademecum.sources.docs.source import DocsSource

__all__ = ["DocsSource"]
