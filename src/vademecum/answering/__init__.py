"""Compose an answer from evidence, verify it, and render it."""
