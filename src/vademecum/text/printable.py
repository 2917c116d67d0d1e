"""Make names safe to print: no line breaks, and no terminal control sequences."""

import re

_ACTS = re.compile(
    r"!\[|\]\(|<(?=/?(?:a|audio|base|embed|form|iframe|img|link|meta|object|script|style|svg|video)\b)",
    re.IGNORECASE,
)
"""What begins an image, a link, or an element that fetches, runs or changes something where Markdown is shown."""


def printable(text: str, longest: int = 0) -> str:
    r"""The text with all that is not a visible character or a space written as an escape.

    Line ends, other control characters, marks that turn the direction of writing, and bytes of a file name that
    are not text become `\n`, `\x1b`, `\u202e` and the like.

    Args:
        text: A name, a path, a message.
        longest: At most this many characters, the last one a mark that something is missing; 0 for no limit.

    >>> printable("a\nb")
    'a\\nb'
    >>> printable("abcdef", 4)
    'abc…'
    """
    if not text.isprintable():
        text = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return f"{text[: longest - 1]}…" if 0 < longest < len(text) else text


def inert(text: str) -> str:
    r"""A text that a Markdown reader shows as it is, without fetching or running what is in it: no image, link or element.

    >>> print(inert("![](http://host.example/?secret)"))
    !\[]\(http://host.example/?secret)
    """
    return _ACTS.sub(lambda found: found[0][:-1] + "\\" + found[0][-1], text)
