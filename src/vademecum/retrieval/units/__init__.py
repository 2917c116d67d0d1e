"""Sentences, items and rows: measured, ranked, and how likely the first one answers."""
