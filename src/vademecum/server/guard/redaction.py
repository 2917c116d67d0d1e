"""The parts of an answer that may leave this machine."""

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_PLACE = re.compile(r"(?<![\w.:/])/([\w.+-]+)(?:/[^\s/'\"]*)*/([\w.+-]*[\w+-])")
_ADDRESS = re.compile(
    r"\b(?:https?|wss?|postgres(?:ql)?)://[^\s,;)\]}'\"]+|\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\b[A-Za-z][\w.-]*:\d{2,5}\b(?![\w:])"
)
_SAID = re.compile(r"(\(status \d{3}[^)]*\)): .+", re.DOTALL)
_STATES = frozenset(
    """reasons warnings notes problem problems detail hint failed why reason error""".split()  # noqa: SIM905
)
"""Fields that report the server's state. They may contain messages of other servers."""


def published(data: Any, *, is_admin: bool) -> Any:
    """Return plain data without the paths of documents on this machine's disk, which are private.

    >>> published({"sources": [{"title": "x", "url": "file:///home/anna/x.md"}]}, is_admin=True)
    {'sources': [{'title': 'x', 'url': ''}]}
    >>> published({"reasons": ["http://10.0.0.5:8000 cannot answer now (status 503): queue of team 7 full"]}, is_admin=False)
    {'reasons': ['another server cannot answer now (status 503).']}
    """
    if isinstance(data, (str, int, float)):  # most values; the check for a Mapping is slower
        return data
    if isinstance(data, Mapping):
        return {
            name: ""
            if name == "url" and isinstance(value, str) and value.startswith("file:")
            else _without_servers_in(value)
            if name in _STATES and not is_admin
            else published(value, is_admin=is_admin)
            for name, value in data.items()
        }
    return [published(one, is_admin=is_admin) for one in data] if isinstance(data, (list, tuple)) else data


def _without_servers_in(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_without_servers_in(inner) for inner in value]
    return without_servers(value) if isinstance(value, str) else published(value, is_admin=False)


def without_servers(text: str) -> str:
    """Return a text without the addresses and the messages of other servers."""
    return _ADDRESS.sub("another server", _SAID.sub(r"\1.", text))


def without_places(text: str) -> str:
    """Return a text in which paths of this machine are reduced to their last component.

    >>> without_places("There is no index in /usr/share/books/index yet. See GET /v1/models.")
    'There is no index in index yet. See GET /v1/models.'
    """
    return _PLACE.sub(lambda found: found[2] if found[1] in _roots() else found[0], text)


@lru_cache(maxsize=1)
def _roots() -> frozenset[str]:
    """Return the first components of this machine's paths."""
    return frozenset(os.listdir("/"))  # noqa: PTH208 - only the names are needed
