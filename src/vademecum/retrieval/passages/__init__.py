"""Passages: divided from documents, joined, measured and ranked."""
