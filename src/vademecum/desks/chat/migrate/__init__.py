"""Conversion of older chat configurations."""
