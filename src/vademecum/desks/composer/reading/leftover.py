"""What nothing was made of: the words of a request that are neither understood nor mere grammar."""

import re
from collections.abc import Iterator

from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import Request
from vademecum.desks.composer.reading.word_lists import is_noise

_WORD = Pattern(r"[A-Za-z][\w+.'-]*[\w+]|[A-Za-z]", flags=0)
_MOST = 12


def unread(request: Request) -> tuple[str, ...]:
    """The stretches of words left over, in their order."""
    return tuple(dict.fromkeys(_stretches(request)))[:_MOST]


def _stretches(request: Request) -> Iterator[str]:
    """Neighbours that only white space parts are one stretch; words that say nothing are left out at its ends."""
    stretch: list[re.Match[str]] = []
    for one in _WORD.finditer(request.left):
        if request.left[one.start() - 1 : one.start()] in {"<", "/", "@", "="} or len(one[0]) > 40:
            continue
        noise = is_noise(one[0].lower().removesuffix("'s"))
        if stretch and request.left[stretch[-1].end() : one.start()].strip(" "):
            yield from _told(stretch)
            stretch = []
        if noise:
            yield from _told(stretch)
            stretch = []
        else:
            stretch.append(one)
    yield from _told(stretch)


def _told(stretch: list[re.Match[str]]) -> Iterator[str]:
    if stretch:
        yield " ".join(one[0] for one in stretch)
