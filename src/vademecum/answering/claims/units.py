"""The sentences of a passage, each with its tag or heading."""

import re
from collections import defaultdict
from collections.abc import Sequence

from vademecum.answering.claims.lexicon import STOP_WORDS
from vademecum.answering.claims.likeness import GROUPS_OF
from vademecum.answering.claims.words import LAST_FACT, WORD, Word, stem, words_of
from vademecum.text.sentences import CLAUSE_END

_TAG = re.compile(r"([^.]{1,70}?):\s+(?=\S)")
_TAG_WORDS = 4
_LIST_WORDS = 8
_SHORT = 6
_LABEL = re.compile(r"[^\s,:|()\[\]=\"'`“”‘’]+")
_NAMED = re.compile(r"(?<![\w-])--[\w-]+=(\w+)|[\"'“‘`](\w+)[\"'”’`]")


class Unit:
    """A sentence of a passage.

    Attributes:
        start: First code point, in the document.
        above: The words of its tag or heading, if that is not part of it.
        tag_start: The start of its tag; `start` if it has none.
    """

    __slots__ = (
        "above",
        "by_group",
        "by_head",
        "by_key",
        "by_part",
        "end",
        "facts",
        "is_heading",
        "line",
        "place",
        "start",
        "tag",
        "tag_start",
        "words",
    )

    def __init__(self, start: int, end: int, line: int, place: int) -> None:
        self.start, self.end, self.line, self.place = start, end, line, place
        self.words: list[Word] = []
        self.above: list[Word] = []
        self.tag: list[Word] = []
        self.tag_start = start
        self.is_heading = False
        self.facts: list[Word] = []
        self.by_key: dict[str, list[Word]] = {}
        self.by_part: dict[str, list[Word]] = {}
        self.by_group: dict[int, list[Word]] = {}
        self.by_head: dict[str, list[Word]] = {}

    def index(self) -> None:
        """Index its words."""
        by_key: dict[str, list[Word]] = defaultdict(list)
        by_part: dict[str, list[Word]] = defaultdict(list)
        by_group: dict[int, list[Word]] = defaultdict(list)
        by_head: dict[str, list[Word]] = defaultdict(list)
        for word in (*self.words, *self.above):
            if word.kind <= LAST_FACT:
                self.facts.append(word)
                for part in parts_of(word):
                    by_part[part].append(word)
            else:
                by_part[word.text].append(word)
            by_key[word.key].append(word)
            for key in word.also:
                by_key[key].append(word)
            if word.kind == WORD and word.weight:
                by_head[word.key[:HEAD]].append(word)
                for group in GROUPS_OF.get(word.key, ()):
                    by_group[group].append(word)
        self.by_key, self.by_part, self.by_group, self.by_head = by_key, by_part, by_group, by_head


HEAD = 4
"""The minimum length of the common prefix of two words with the same stem."""

_PARTS = re.compile(r"[^\W_]+")


def parts_of(fact: Word) -> set[str]:
    """Return a name, path or option and its parts, in lowercase (`st_mode`: st, mode)."""
    lowered = fact.text.lower()
    return {*_PARTS.findall(lowered), lowered, lowered.lstrip("-."), stem(lowered)}


class Text:
    """A passage, divided into sentences."""

    def __init__(self, text: str, start: int, end: int, tags: Sequence[tuple[int, int]] = ()) -> None:
        self.start, self.end = start, end
        pieces = list(_pieces(text, start, end, dict(tags)))
        self.labels = _labels(text, pieces)
        words = words_of(text[start:end], self.labels)
        for word in words:
            word.start += start
        self.units = _units(pieces, words)


_Piece = tuple[int, int, int, tuple[int, int] | None, tuple[int, int] | None]
"""Start, end, line, the tag above it, and the tag that it is or begins with."""


def _pieces(text: str, start: int, end: int, tags: dict[int, int]) -> list[_Piece]:
    found: list[_Piece] = []
    place = start
    heading: tuple[int, int] | None = None
    for number, line in enumerate(text[start:end].split("\n")):
        body = line.strip()
        if body:
            first = place + line.index(body[0])
            last = first + len(body)
            tag = _tag(text, first, last, tags)
            short = tag is None and len(body.split()) <= _SHORT and body[-1] not in ".;!?"
            above = tag or heading
            begin = first
            for match in CLAUSE_END.finditer(text, first, last):
                if text[begin : match.end()].strip():
                    found.append((begin, match.end(), number, above, tag if begin == first else None))
                begin = match.end()
            if text[begin:last].strip():
                own = tag if begin == first else None
                found.append((begin, last, number, above, (first, last) if short else own))
            heading = (first, last) if short else None
        place += len(line) + 1
    return found


def _tag(text: str, start: int, end: int, tags: dict[int, int]) -> tuple[int, int] | None:
    """Return the tag at the beginning of a line."""
    if start in tags and tags[start] < end:
        return start, tags[start]
    match = _TAG.match(text, start, end)
    if match is None:
        return None
    count = len(match[1].split())
    listed = "," in match[1] and count <= _LIST_WORDS
    return (start, match.end(1)) if text[start] in '-+"/' or count <= _TAG_WORDS or listed else None


def _labels(text: str, pieces: Sequence[_Piece]) -> frozenset[str]:
    """Return words in tags and in quotation marks, which may be names."""
    found: set[str] = set()
    for start, end, _, _, tag in pieces:
        if tag:
            found.update(_LABEL.findall(text, *tag))
        for match in _NAMED.finditer(text, start, end):
            found.add(match[1] or match[2])
    return frozenset(
        word for word in found if word.lower() not in STOP_WORDS and not (word.isupper() and len(word) > 3)
    )


def _units(pieces: Sequence[_Piece], words: Sequence[Word]) -> list[Unit]:
    units = []
    at = 0
    tagged: dict[tuple[int, int], list[Word]] = {}
    for place, (start, end, line, above, tag) in enumerate(pieces):
        unit = Unit(start, end, line, place)
        while at < len(words) and words[at].start < start:
            at += 1
        first = at
        while at < len(words) and words[at].start < end:
            at += 1
        unit.words = list(words[first:at])
        if tag:
            unit.tag = [word for word in unit.words if tag[0] <= word.start < tag[1]]
            tagged[tag] = unit.tag
            unit.is_heading = tag == (start, end)
        if above and above != tag:
            unit.above = tagged.get(above, [])
            unit.tag_start = above[0]
        unit.index()
        units.append(unit)
    return units
