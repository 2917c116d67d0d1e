"""What is taken out of a server's JSON: only what is there, and of the kind it must be."""

from typing import Any, TypeVar

Kind = TypeVar("Kind")


def dig(data: object, *way: str | int, kind: type[Kind]) -> Kind | None:
    """The value at the end of a way through mappings and lists; None if there is none of this kind.

    A number is never a truth value.

    >>> dig({"choices": [{"text": "hi"}]}, "choices", 0, "text", kind=str)
    'hi'
    """
    found: Any = data
    for step in way:
        if isinstance(step, str):
            found = found.get(step) if isinstance(found, dict) else None
        else:
            found = found[step] if isinstance(found, list) and step < len(found) else None
    if isinstance(found, bool) and kind is not bool:
        return None
    return found if isinstance(found, kind) else None


def text_in(data: object, *way: str | int) -> str:
    r"""The text at the end of a way, "" for none; halves of characters become U+FFFD, so that it can be printed.

    >>> text_in({"a": "x\ud83d"}, "a")
    'x�'
    """
    text = dig(data, *way, kind=str) or ""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def count_in(data: object, *way: str | int) -> int | None:
    """The number of something at the end of a way; None for none, or one below zero."""
    number = dig(data, *way, kind=int)
    return number if number is not None and number >= 0 else None
