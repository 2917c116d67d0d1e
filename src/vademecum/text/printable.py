"""Make names safe to print: no line breaks, and no terminal control sequences."""

import re

_ACTS = re.compile(
    r"!\[|\]\(|<(?=/?(?:a|audio|base|embed|form|iframe|img|link|meta|object|script|style|svg|video)\b)",
    re.IGNORECASE,
)
"""The beginning of an image, of a link, or of an element that fetches, runs or changes something when Markdown is
rendered.
"""


def printable(text: str, longest: int = 0) -> str:
    r"""Return a text in which every character that is neither visible nor a space is escaped.

    Line ends, other control characters, characters that change the direction of text, and undecodable bytes of a file
    name become `\n`, `\x1b`, `\u202e` and the like.

    Args:
        text: A name, a path or a message.
        longest: The maximum number of characters. A longer text ends in an ellipsis; 0 means no limit.

    >>> printable("a\nb")
    'a\\nb'
    >>> printable("abcdef", 4)
    'abc…'
    """
    if not text.isprintable():
        text = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return f"{text[: longest - 1]}…" if 0 < longest < len(text) else text


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "page"), counted(1298, "passage")
    ('1 page', '1,298 passages')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def inert(text: str) -> str:
    r"""Escape images, links and active elements, so that a Markdown renderer fetches and runs nothing.

    >>> print(inert("![](http://host.example/?secret)"))
    !\[]\(http://host.example/?secret)
    """
    return _ACTS.sub(lambda found: found[0][:-1] + "\\" + found[0][-1], text)
