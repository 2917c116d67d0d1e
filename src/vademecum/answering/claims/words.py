"""The words of a sentence or passage, each classified as a number, option, path, name or plain word."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from vademecum.answering.claims.lexicon import (
    GLUE_WORDS,
    IRREGULAR,
    LIGHT_WORDS,
    NEGATIONS,
    NUMBER_WORDS,
    ORDINALS,
    PREFIXED,
    SIZES,
    STOP_WORDS,
    UNLIKE,
    VAGUE_NUMBERS,
)
from vademecum.text.words import stem as regular_stem

NUMBER, ORDINAL, OPTION, PATH, NAME, WORD, NEGATION = range(7)
"""Kinds of words. The first five are facts: replacing one changes the claim."""

LAST_FACT = NAME

_TOKEN = re.compile(
    r"""
 (?P<path>(?<!\w)(?:~|\$\w+|\$\{\w+\})?(?:/[\w.$*+~{}@%-]+)+/?|(?<!\w)~/|(?<![\w./])/(?![\w/])|(?<!\w)\.[a-z]\w+(?:/[\w.*-]+)*)
|(?P<option>(?<![\w-])--?(?:\[no-\])?[A-Za-z0-9?\#@][\w-]*|(?<![\w+])\+[A-Z0-9]\w*)
|(?P<number>(?<!\w)v?[-+]?\d[\d,]*(?:\.\d+)*(?:[a-zA-Z%]{1,3}\b)?(?!\w))
|(?P<word>[^\W_](?:[\w.+-]*[\w+])?(?:['’][st]\b)?(?:\(\d?\w{0,3}\))?|_\w+(?:\(\d?\))?)
|(?P<mark>[.;:,!?()])
""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"v?([-+]?\d+(?:\.\d+)*)([a-zA-Z%]*)$")
_JOINED_NUMBER = re.compile(r"(\d+)-([a-z]+)$")
_JOINED_OPTION = re.compile(r"-[A-Za-z]\d+$")
_NUMBER_OPTION = re.compile(r"-\d+$")
_CALL = re.compile(r"\(\w*\)$")
_MOST_DIGITS = 18
_LINKS = frozenset(
    """and or but if when unless because while which that so although whether where then otherwise as since than before after
    until without with""".split()  # noqa: SIM905 - one word list reads best
)


class Word:
    """A word and its position.

    Attributes:
        also: Equivalent keys (`-n5` is also `-n`; 1k is also 1024).
        unlike: Whether a prefix negates the key (`unrecoverable` has the key of `recoverable`).
    """

    __slots__ = ("also", "clause", "key", "kind", "place", "start", "text", "unlike", "weight")

    def __init__(
        self,
        kind: int,
        text: str,
        key: str,
        start: int,
        weight: float,
        *,
        also: tuple[str, ...] = (),
        unlike: bool = False,
    ) -> None:
        self.kind = kind
        self.text = text
        self.key = key
        self.start = start
        self.weight = weight
        self.also = also
        self.unlike = unlike
        self.place = self.clause = 0

    def __repr__(self) -> str:
        return f"{self.text}:{self.kind}"


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """Return the stem of a lowercase word, including irregular forms."""
    return regular_stem(IRREGULAR.get(word, word))


_WEIGHTS = dict.fromkeys(map(stem, LIGHT_WORDS), 0.6) | dict.fromkeys(map(stem, GLUE_WORDS), 0.25)


def words_of(text: str, labels: Collection[str] = ()) -> list[Word]:
    """Split a text into words.

    Args:
        text: A sentence or passage.
        labels: Words that are names in this passage (`auto`, `N`), as written.
    """
    found: list[Word] = []
    clause = 0
    for match in _TOKEN.finditer(text):
        kind, said, start = match.lastgroup, match[0], match.start()
        if kind == "mark":
            clause += 1
            continue
        new = _READ[kind](said, start, labels) if kind != "word" else _word(said, start, labels)  # type: ignore[index]
        for word in new:
            if word.text in _LINKS:
                clause += 1
            word.clause = clause
            word.place = len(found)
            found.append(word)
    _with_sizes(found)
    return found


def _path(said: str, start: int, _labels: Collection[str]) -> Sequence[Word]:
    said = said.rstrip(".")
    return (Word(PATH, said, said.rstrip("/") or said, start, 1.5),)


def _option(said: str, start: int, _labels: Collection[str]) -> Sequence[Word]:
    key = said.replace("[no-]", "")
    also: tuple[str, ...] = ()
    if _JOINED_OPTION.match(key):
        also = (key[:2],)
    elif _NUMBER_OPTION.match(key):
        also = (key[1:],)
    return (Word(OPTION, said, key, start, 1.5, also=also),)


def _number(said: str, start: int, _labels: Collection[str]) -> Sequence[Word]:
    match = _NUMBER.match(said.replace(",", ""))
    if match is None:
        return (Word(NAME, said, said.lower(), start, 1.2),)
    key, unit = match[1].lstrip("+"), match[2].lower()
    whole = "." not in key and len(key) < _MOST_DIGITS
    key = str(int(key)) if whole else key
    also = [str(int(key) * SIZES[unit])] if unit in SIZES and whole else []
    if said[0] in "-+":
        also.append(key.lstrip("-"))
    return (Word(NUMBER, said, key, start, 1.5, also=tuple(also)),)


_READ = {"path": _path, "option": _option, "number": _number}


def _word(said: str, start: int, labels: Collection[str]) -> Sequence[Word]:
    if said.endswith(("'s", "’s")):
        said = said[:-2]
    lowered = said.lower()
    if lowered.endswith(("n't", "n’t")) or lowered == "cannot":
        base = lowered[:-3]
        base = {"ca": "can", "can": "can", "wo": "will", "sha": "shall"}.get(base, base)
        return Word(WORD, base, stem(base), start, 0.0), Word(NEGATION, "not", "not", start, 0.3)
    if lowered in {"i.e", "e.g"}:
        return ()
    if joined := _JOINED_NUMBER.match(lowered):
        behind = start + joined.start(2)
        return (
            Word(
                NUMBER,
                joined[1],
                str(int(joined[1])) if len(joined[1]) < _MOST_DIGITS else joined[1],
                start,
                1.5,
            ),
            *_word(said[joined.start(2) :], behind, labels),
        )
    if "-" in said and "_" not in said and not any(letter.isdigit() for letter in said) and said[-1] != ")":
        return list(_parts(said, start, labels))
    if lowered in SIZES:
        return (Word(WORD, lowered, lowered, start, 0.3),)
    if _is_name(said):
        return (Word(NAME, said, _CALL.sub("", said).lower(), start, 1.5),)
    if said in labels:
        return (Word(NAME, said, lowered, start, 1.0),)
    if lowered in NUMBER_WORDS:
        return (Word(NUMBER, said, NUMBER_WORDS[lowered], start, 0.2 if lowered in VAGUE_NUMBERS else 0.6),)
    if lowered in ORDINALS:
        return (Word(ORDINAL, said, ORDINALS[lowered], start, 0.8),)
    if lowered in NEGATIONS:
        return (Word(NEGATION, lowered, lowered, start, 0.3),)
    return (_plain_word(lowered, start, unlike=False),)


def _parts(said: str, start: int, labels: Collection[str]) -> Iterator[Word]:
    """Return the parts of a compound."""
    unlike = False
    for part in said.split("-"):
        if part.lower() in {"non", "un"}:
            unlike = True
        elif part:
            for word in _word(part, start, labels):
                word.unlike ^= unlike and word.kind == WORD
                yield word
            unlike = False
        start += len(part) + 1


def _plain_word(part: str, start: int, *, unlike: bool) -> Word:
    if part in STOP_WORDS:
        return Word(WORD, part, stem(part), start, 0.0)
    match = PREFIXED.match(part)
    base = UNLIKE.get(part) or (match[1] if match else "")
    part_stem = stem(base or part)
    unlike ^= bool(base)
    return Word(WORD, part, part_stem, start, _WEIGHTS.get(part_stem, 1.0), unlike=unlike)


@lru_cache(maxsize=1 << 14)
def _is_name(said: str) -> bool:
    """Return whether a word is a technical name: `SIGHUP`, `st_mode`, `fsync()`, `utf8`, `.gz`."""
    if said[-1] == ")":
        return True
    capitals = sum(letter.isupper() for letter in said)
    inner = any(letter.isupper() for letter in said[1:])
    return (
        "_" in said
        or "." in said
        or any(letter.isdigit() for letter in said)
        or (inner and capitals > 1)
        or (inner and not said.isupper())
    )


def _with_sizes(found: Sequence[Word]) -> None:
    """Add the value of sizes as a key: `1 KiB` is also 1024."""
    for number, unit in pairwise(found):
        if (
            number.kind == NUMBER
            and unit.text.lower() in SIZES
            and number.key.isdigit()
            and len(number.key) < _MOST_DIGITS
        ):
            number.also = (*number.also, str(int(number.key) * SIZES[unit.text.lower()]))
            unit.weight = 0.3
