"""What may leave this machine of an answer."""

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_PLACE = re.compile(r"(?<![\w.:/])/([\w.+-]+)(?:/[^\s/'\"]*)*/([\w.+-]*[\w+-])")


def published(data: Any) -> Any:
    """Plain data without the places of documents on this machine's disk, which are nobody's business elsewhere.

    >>> published({"sources": [{"title": "x", "url": "file:///home/anna/x.md"}]})
    {'sources': [{'title': 'x', 'url': ''}]}
    """
    if isinstance(data, (str, int, float)):  # most of it; a Mapping is told from the rest more slowly
        return data
    if isinstance(data, Mapping):
        return {
            name: ""
            if name == "url" and isinstance(value, str) and value.startswith("file:")
            else published(value)
            for name, value in data.items()
        }
    return [published(one) for one in data] if isinstance(data, (list, tuple)) else data


def without_places(text: str) -> str:
    """A text in which files of this machine stand without their folders.

    >>> without_places("There is no index in /usr/share/books/index yet. See GET /v1/models.")
    'There is no index in index yet. See GET /v1/models.'
    """
    return _PLACE.sub(lambda found: found[2] if found[1] in _roots() else found[0], text)


@lru_cache(maxsize=1)
def _roots() -> frozenset[str]:
    """What paths of this machine begin with."""
    return frozenset(os.listdir("/"))  # noqa: PTH208 - their names alone
