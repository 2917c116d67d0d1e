"""Suggest the known name that a mistyped name probably means."""

from collections.abc import Iterable

_LONGEST = 80


def closest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most similar to a name, or "" if none is similar.

    >>> closest("trheshold", ["threshold", "timeout"])
    'threshold'
    """
    from difflib import get_close_matches  # noqa: PLC0415 - needed only for a mistake

    return next(iter(get_close_matches(name[:_LONGEST], list(known), n=1)), "")
