"""Embedders and language models: one module per vendor."""
