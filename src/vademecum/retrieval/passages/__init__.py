"""Passages: cut from documents, joined, measured and ranked."""
