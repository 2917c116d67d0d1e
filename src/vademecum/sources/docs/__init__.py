"""Folders of documents: each Markdown, HTML, text, PDF, Word or EPUB file becomes one document."""

from vademecum.sources.docs.source import DocsSource

__all__ = ["DocsSource"]
