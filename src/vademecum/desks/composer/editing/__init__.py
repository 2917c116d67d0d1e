"""Edits of a template: each fulfils one wish, or reports why it cannot."""
