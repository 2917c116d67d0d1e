"""Words and terms: the tokens that the lexical index counts.

A *word* is a stretch of letters and digits as written; compounds (`read-only`, `epoll_wait`, `/etc/fstab`)
count whole and in parts. A *term* is a word's stem (English Snowball, Porter 2001) or an option as written
(`-R`, `--recursive`), as a 32-bit number, so that no vocabulary has to be kept.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from zlib import crc32

from Stemmer import Stemmer

WORDS_VERSION = 5
"""What counts as a term, and how fields are weighed (`retrieval.lexical`). A changed rule gets a new number: an index remembers it."""

WORD = re.compile(r"(?<![\w-])--?[A-Za-z0-9][\w-]*|\w[\w.+-]*[\w+]|\w")
"""An option, a word or compound, or a single letter."""

_PARTS = re.compile(r"[^\W_]+")
_LONGEST_WORD = 64
_MOST_PARTS = 4
"""A compound of more parts counts by its parts alone: such names are many, and each is rare."""

STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be been before being both but by can could did do
    does doing done each etc for from had has have having he her here him his how however i if in into is
    it its itself just let may me might my no nor not of off on only onto or other our out over own same
    shall she should so some such than that the their them then there these they this those through thus
    to too under until upon us use used uses using very via was we were what when where whether which while
    who whom whose why will with within without would yet you your""".split()  # noqa: SIM905 - one word list reads best
)
"""Words that say nothing about a topic. Not indexed."""

_CACHED = 1 << 17
"""Words remembered; they follow Zipf's law, so that nearly all are met again."""

_stemmer = Stemmer("english", 0)


@lru_cache(maxsize=_CACHED >> 2)
def stem(word: str) -> str:
    """The stem of a lower-case word."""
    return str(_stemmer.stemWord(word))


def stems(words: Sequence[str]) -> list[str]:
    """The stems of many lower-case words that will hardly be met again; none is remembered."""
    return list(_stemmer.stemWords(words))


def number(term: str) -> int:
    """The 32-bit number of a term (CRC-32 of its UTF-8 form; some 30 collisions in 500,000 terms)."""
    return crc32(term.encode())


def parts(word: str) -> list[str]:
    """Lower-case letters-and-digits stretches of a word (`epoll_wait` gives `epoll`, `wait`)."""
    return _PARTS.findall(word.lower())


@lru_cache(maxsize=_CACHED)
def terms_of_word(word: str) -> tuple[str, ...]:
    """The terms of one word as found by `WORD`; empty for stop words and single letters."""
    if word[0] == "-":
        long_name = word.lstrip("-")
        option = word if len(word) <= _LONGEST_WORD else word[:_LONGEST_WORD]
        inner = terms_of_word(long_name) if len(long_name) > 1 else ()
        return (option, *inner)
    lowered = word.lower()
    if lowered in STOP_WORDS or len(lowered) == 1:
        return ()
    pieces = _PARTS.findall(lowered)
    if len(pieces) == 1 and pieces[0] == lowered:
        return (stem(lowered),) if len(lowered) <= _LONGEST_WORD else ()
    found = [stem(piece) for piece in pieces if 1 < len(piece) <= _LONGEST_WORD and piece not in STOP_WORDS]
    if len(pieces) <= _MOST_PARTS and len(lowered) <= _LONGEST_WORD:
        found.append(lowered)
    return tuple(dict.fromkeys(found))


def terms(text: str) -> list[str]:
    """The terms of a text, in order, with repeats."""
    found: list[str] = []
    for word in WORD.findall(text):
        found.extend(terms_of_word(word))
    return found


def numbers_in(text: str) -> list[int]:
    """The term numbers of a text, in order, with repeats: `numbers` of all its words, for much text.

    No word holds white space. So a text is cut there, and what is between is looked up whole, with the
    signs around it: nearly all of it was met before, and need not be searched for words again.
    """
    return list(chain.from_iterable(map(_known.__getitem__, text.split())))


def numbers(words: Iterable[str]) -> list[int]:
    """Term numbers of words as found by `WORD`, in order, with repeats."""
    return list(chain.from_iterable(map(numbers_of_word, words)))


@lru_cache(maxsize=_CACHED)
def numbers_of_word(word: str) -> tuple[int, ...]:
    """The term numbers of one word as found by `WORD`."""
    return tuple(number(term) for term in terms_of_word(word))


class _Known(dict[str, tuple[int, ...]]):
    """The term numbers of what is between white space, once it was met."""

    def __missing__(self, stretch: str) -> tuple[int, ...]:
        found = tuple(number(term) for term in terms(stretch))
        if len(stretch) <= _LONGEST_WORD:
            if len(self) >= _CACHED:
                self.clear()
            self[stretch] = found
        return found


_known = _Known()
