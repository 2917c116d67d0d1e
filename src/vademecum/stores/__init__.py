"""Passages at rest and their search: flat files."""
