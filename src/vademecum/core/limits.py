"""Limits that apply to every interface."""

CONTEXT_TOKENS = 4096
"""The default size of a context, in tokens. The rest of a longer question is ignored."""

CHARACTERS_A_TOKEN = 4
"""The assumed number of characters per token."""
