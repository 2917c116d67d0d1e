"""Words and terms: the tokens that the lexical index counts.

A *word* is a run of letters and digits as written. Compounds (`read-only`, `epoll_wait`, `/etc/fstab`) count as a whole
and in parts. A *term* is the stem of a word (English Snowball, Porter 2001) or an option as written (`-R`,
`--recursive`). Terms are represented by 32-bit numbers, so that no vocabulary needs to be stored.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import TypeVar
from zlib import crc32

from Stemmer import Stemmer

WORDS_VERSION = 5
"""The version of the term rules and of the field weights (`retrieval.lexical`). Increment it when a rule changes:
indexes store it.
"""

WORD = re.compile(r"(?<![\w-])--?[A-Za-z0-9][\w-]*|\w[\w.+-]*[\w+]|\w")
"""A pattern for an option, a word or compound, or a single letter."""

_PARTS = re.compile(r"[^\W_]+")
_LONGEST_WORD = 64
_MOST_PARTS = 4
"""The maximum number of parts of a compound that also counts as a whole. Longer compounds are numerous and
individually rare.
"""

STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be been before being both but by can could did do
    does doing done each etc for from had has have having he her here him his how however i if in into is
    it its itself just let may me might my no nor not of off on only onto or other our out over own same
    shall she should so some such than that the their them then there these they this those through thus
    to too under until upon us use used uses using very via was we were what when where whether which while
    who whom whose why will with within without would yet you your""".split()  # noqa: SIM905 - one word list reads best
)
"""Words that say nothing about a topic. They are not indexed."""

_CACHED = 1 << 16
"""The number of cached words. By Zipf's law, nearly all words occur again."""

_stemmer = Stemmer("english", 0)


@lru_cache(maxsize=_CACHED >> 3)
def stem(word: str) -> str:
    """Return the stem of a lower-case word."""
    return str(_stemmer.stemWord(word))


def stems(words: Sequence[str]) -> list[str]:
    """Return the stems of many lower-case words that are unlikely to occur again. They are not cached."""
    return list(_stemmer.stemWords(words))


def number(term: str) -> int:
    """Return the 32-bit number of a term: the CRC-32 of its UTF-8 form (about 30 collisions in 500,000 terms)."""
    return crc32(term.encode())


def parts(word: str) -> list[str]:
    """Return the runs of letters and digits in a word, in lower case (`epoll_wait` gives `epoll`, `wait`)."""
    return _PARTS.findall(word.lower())


@lru_cache(maxsize=_CACHED >> 3)
def terms_of_word(word: str) -> tuple[str, ...]:
    """Return the terms of a word that `WORD` matched; empty for stop words and single letters."""
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
    """Return the terms of a text in order, with repetitions.

    Words contain no white space. The text is therefore split at white space, and each piece is looked up whole,
    including punctuation. Nearly all pieces are cached and need not be searched for words again.
    """
    return list(chain.from_iterable(map(_terms.__getitem__, text.split())))


def numbers_in(text: str) -> list[int]:
    """Return the term numbers of a text in order, with repetitions, as fast as `terms`."""
    return list(chain.from_iterable(map(_numbers.__getitem__, text.split())))


def numbers(words: Iterable[str]) -> list[int]:
    """Return the term numbers of words that `WORD` matched, in order, with repetitions."""
    return list(chain.from_iterable(map(numbers_of_word, words)))


@lru_cache(maxsize=_CACHED >> 3)
def numbers_of_word(word: str) -> tuple[int, ...]:
    """Return the term numbers of a word that `WORD` matched."""
    return tuple(number(term) for term in terms_of_word(word))


_Of = TypeVar("_Of")


class _Known(dict[str, tuple[_Of, ...]]):
    """A cache of what the words between white space become."""

    def __init__(self, of_word: Callable[[str], Iterable[_Of]]) -> None:
        self._of_word = of_word

    def __missing__(self, stretch: str) -> tuple[_Of, ...]:
        found = tuple(chain.from_iterable(map(self._of_word, WORD.findall(stretch))))
        if len(stretch) <= _LONGEST_WORD:
            if len(self) >= _CACHED:
                self.clear()
            self[stretch] = found
        return found


_terms, _numbers = _Known(terms_of_word), _Known(numbers_of_word)
