"""Passages at rest and their search: flat files for the text, an engine for the vectors."""
