"""What may leave this machine of an answer."""

from collections.abc import Mapping
from typing import Any


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
