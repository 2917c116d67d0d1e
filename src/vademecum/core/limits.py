"""Limits that apply to every interface."""

CONTEXT_TOKENS = 4096
"""How much of a question is looked at, unless told otherwise."""

CHARACTERS_A_TOKEN = 4
"""What a token is taken for."""
