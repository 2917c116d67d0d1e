"""Parse a model's reply while it streams: the requested JSON, or prose with markers like [1]."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from vademecum.answering.verify import Part
from vademecum.text.sentences import fold, sentences


class Claim(NamedTuple):
    """A sentence or step, as the model wrote it.

    Attributes:
        text: The sentence, without markup and markers.
        command: The command of a step; otherwise "".
    """

    part: Part
    text: str
    command: str
    cites: tuple[int, ...]
    quotes: tuple[str, ...]

    @property
    def said(self) -> str:
        """The whole claim on one line."""
        return f"{self.command}: {self.text}" if self.command and self.text else self.command or self.text


MOST_CLAIMS = 40
"""The maximum number of claims that are read from a reply."""

_NUMBERS_IN = r"(\d{1,3}(?:\s*[,;&]\s*\d{1,3})*)"
_MARK = re.compile(
    rf"\s*(?:\[(?:passages? |sources? )?{_NUMBERS_IN}\](?!\()|\((?:passages?|sources?) {_NUMBERS_IN}\)|【{_NUMBERS_IN}[^】\n]{{0,20}}】)",
    re.IGNORECASE,
)
_LONE_MARK = re.compile(r"\s*(?:\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]\s*)+")
_LIST_ITEM = re.compile(r"\s*(?:(\d{1,2})[.)]|[-*•])\s+")
_HEADING = re.compile(
    r"\s*(?:#{1,6}\s*)?\**(summary|answer|steps?|procedure|references?|sources?|citations?)\**\s*:?\**\s*",
    re.IGNORECASE,
)
_BEHIND = frozenset({"reference", "references", "source", "sources", "citation", "citations"})
_FENCE = re.compile(r"\s*`{3,}\w*\s*")
_COMMAND = re.compile(r"`([^`\n]{1,300})`\s*(?::|—|–|-)?\s*(.*)", re.DOTALL)
_EMPHASIS = re.compile(r"(\*{1,3}|_{2,3})(?=\S)(.+?)(?<=\S)\1")
_TEXTS = ("text", "sentence", "summary", "step", "description", "explanation", "action", "content")
_COMMANDS = ("command", "cmd", "code")
_CITES = ("citations", "citation", "cites", "cite", "passages", "passage", "sources", "source", "references")
_NUMBERS = ("passage", "number", "id", "index", "source", "n")
_QUOTES = ("quote", "quotes", "text", "evidence", "span")
_STEPS = frozenset({"steps", "step", "procedure"})
_DECODER = json.JSONDecoder(strict=False)


class Reader:
    """Parses a reply incrementally, and returns each sentence as soon as it is complete."""

    def __init__(self) -> None:
        self._text = ""
        self._length = 0
        self._way: _Json | _Prose | None = None
        self._count = 0

    def feed(self, piece: str) -> list[Claim]:
        """Add a part of the reply. Return the sentences that it completes."""
        self._length += len(piece)
        if self._length > _LONGEST:
            return []
        self._text += piece
        if self._way is None:
            began = self._text.lstrip("\ufeff \t\r\n")
            if not began or (began.startswith("`") and len(began) < _ENOUGH and "\n" not in began):
                return []
            fence = _FENCE.match(began)
            began = began[fence.end() :] if fence else began
            if not began:
                return []
            self._way = _Json() if began[0] in "{[" else _Prose()
            piece = began
        return self._most(self._way.feed(piece))

    def end(self) -> list[Claim]:
        """Return the remaining sentences at the end of the reply."""
        if self._way is None:
            self._way = _Prose()
            self._way.feed(self._text)
        return self._most(self._way.end())

    def _most(self, claims: list[Claim]) -> list[Claim]:
        claims = claims[: MOST_CLAIMS - self._count]
        self._count += len(claims)
        return claims


_ENOUGH = 12
_LONGEST = 100_000
"""The maximum length of a reply in characters."""

_LONGEST_LINE = 4000
_MAY_END = re.compile(r"[.!?]\s")


def corrected(text: str) -> dict[int, Claim]:
    """Return rewritten sentences by the index of those that they replace."""
    found: dict[int, Claim] = {}
    begin, end = text.find("{"), text.rfind("}")
    try:
        data = json.loads(text[begin : end + 1], strict=False) if begin >= 0 else None
    except (ValueError, RecursionError):
        data = None
    listed = data.get("corrected") if isinstance(data, dict) else None
    for one in listed if isinstance(listed, list) else ():
        place = one.get("place") if isinstance(one, dict) else None
        claims = _claims("summary", one)
        if type(place) is int and len(claims) == 1:
            found.setdefault(place, claims[0])
    return found


class _Json:
    """A parser of a JSON object with lists, which returns each complete element."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._key = ""
        self._within = "start"
        self._waiting: list[Claim] = []
        self._common: tuple[int, ...] = ()
        self._quotes: tuple[str, ...] = ()

    def feed(self, piece: str) -> list[Claim]:
        self._text += piece
        found: list[Claim] = []
        for key, value in self._values():
            if key in _CITES:
                numbers, quotes = _cited(value)
                self._common += numbers
                self._quotes += quotes
                continue
            found += _claims("steps" if key in _STEPS else "summary", value)
        ready = [one for one in found if one.cites or one.quotes]
        self._waiting += [one for one in found if not (one.cites or one.quotes)]
        return ready

    def end(self) -> list[Claim]:
        waiting, self._waiting = self._waiting, []
        return [one._replace(cites=self._common, quotes=self._quotes) for one in waiting]

    def _values(self) -> Iterator[tuple[str, Any]]:
        """Return the complete values: elements of lists under a key, and values directly under a key."""
        while True:
            self._skip(" \t\r\n,")
            if self._at >= len(self._text):
                return
            letter = self._text[self._at]
            if self._within == "start":
                self._within = "list" if letter == "[" else "object"
                self._key = "summary"
                self._at += 1
            elif self._within == "list" and letter == "]":
                self._within = "object"
                self._at += 1
            elif self._within == "object":
                if letter in "}]":
                    self._at = len(self._text)
                    return
                if letter == ":":
                    self._at += 1
                    self._within = "value"
                elif not self._read_key():
                    return
            elif self._within == "value" and letter == "[":
                self._within = "list"
                self._at += 1
            else:
                value, whole = self._decoded()
                if not whole:
                    return
                if self._within == "value":
                    self._within = "object"
                yield self._key, value

    def _read_key(self) -> bool:
        key, whole = self._decoded()
        if not whole:
            return False
        self._key = key.strip().lower() if isinstance(key, str) else ""
        return True

    def _decoded(self) -> tuple[Any, bool]:
        """Return the value that begins here, if it is complete."""
        try:
            value, end = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError):
            return None, False
        if not isinstance(value, str | list | dict) and self._text[end : end + 1] not in _BEHIND_VALUES:
            return None, False  # a number may go on
        self._at = end
        return value, True

    def _skip(self, letters: str) -> None:
        while self._at < len(self._text) and self._text[self._at] in letters:
            self._at += 1


_BEHIND_VALUES = tuple(",]} \t\r\n")


class _Prose:
    """A parser of paragraphs and lists, sentence by sentence."""

    def __init__(self) -> None:
        self._text = ""
        self._part: Part = "summary"
        self._over = False
        self._in_list = False

    def feed(self, piece: str) -> list[Claim]:
        self._text += piece
        found: list[Claim] = []
        while "\n" in self._text:
            line, self._text = self._text.split("\n", 1)
            found += self._line(line)
        if not self._in_list and not _LIST_ITEM.match(self._text) and not _HEADING.match(self._text):
            found += self._finished()
        return found

    def end(self) -> list[Claim]:
        line, self._text = self._text, ""
        return self._line(line)

    def _finished(self) -> list[Claim]:
        """Return the sentences of the current line except the last, which may be followed by markers."""
        if len(self._text) > _LONGEST_LINE:
            self._text = ""
        pieces = list(_with_marks(self._text)) if _MAY_END.search(self._text) else []
        if len(pieces) < 2 or self._text[pieces[-1][0]] in "[【(":
            return []
        start = pieces[-1][0]
        done, self._text = self._text[:start], self._text[start:]
        return [] if self._over else [*_sentences_of(self._part, done)]

    def _line(self, line: str) -> list[Claim]:
        self._in_list = False
        if not line.strip() or _FENCE.fullmatch(line):
            return []
        heading = _HEADING.match(line)
        if heading and (heading.end() == len(line) or line[heading.end() - 1] == ":" or ":" in heading[0]):
            name = heading[1].lower()
            self._over = name in _BEHIND
            self._part = "steps" if name in _STEPS else "summary"
            line = line[heading.end() :]
        if self._over or not line.strip():
            return []
        item = _LIST_ITEM.match(line)
        if item is None:
            return [*_sentences_of(self._part, line)]
        part: Part = "steps" if item[1] else self._part
        line = line[item.end() :]
        command = _COMMAND.match(line)
        if command and (command[2] or part == "steps"):
            plain, cites = _without_marks(command[2])
            return [Claim(part, _tidy(plain), command[1].strip(), cites, ())]
        return [*_sentences_of(part, line)]


def _claims(part: Part, value: Any) -> list[Claim]:
    """Return the claims in a list element or a text."""
    if isinstance(value, str):
        return [*_sentences_of(part, value)]
    if isinstance(value, list):
        return [claim for element in value for claim in _claims(part, element)]
    if not isinstance(value, dict):
        return []
    data = {str(key).lower(): one for key, one in value.items()}
    text = next((data[key] for key in _TEXTS if isinstance(data.get(key), str)), "")
    command = next((data[key] for key in _COMMANDS if isinstance(data.get(key), str)), "")
    numbers, quotes = _cited([data[key] for key in _CITES if key in data])
    quotes += tuple(data[key] for key in _QUOTES if key != "text" and isinstance(data.get(key), str))
    claims = [*_sentences_of(part, text)] or [Claim(part, "", "", (), ())]
    if command.strip():
        claims[0] = claims[0]._replace(command=command.strip().strip("`"))
    return [
        claim._replace(cites=claim.cites or numbers, quotes=quotes)
        for claim in claims
        if claim.text or claim.command
    ]


def _cited(value: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the cited numbers and quotations, in any notation."""
    if isinstance(value, bool):
        return (), ()
    if isinstance(value, int):
        return (value,), ()
    if isinstance(value, float):
        return ((int(value),), ()) if value.is_integer() else ((), ())
    if isinstance(value, str):
        numbers = (
            tuple(int(one) for one in re.findall(r"\d{1,3}", value)) if len(value) < _LONG_NUMBER else ()
        )
        return (numbers, ()) if numbers or len(value) < _LONG_NUMBER else ((), (value,))
    if isinstance(value, list):
        found = [_cited(one) for one in value]
        return tuple(number for one, _ in found for number in one), tuple(
            said for _, one in found for said in one
        )
    if isinstance(value, dict):
        data = {str(key).lower(): one for key, one in value.items()}
        numbers = next((_cited(data[key])[0] for key in _NUMBERS if key in data), ())
        return numbers, tuple(
            data[key] for key in _QUOTES if isinstance(data.get(key), str) and data[key].strip()
        )
    return (), ()


_LONG_NUMBER = 24


def _sentences_of(part: Part, text: str) -> Iterator[Claim]:
    """Return the sentences of a text, each with the numbers in its markers."""
    for start, end in _with_marks(text):
        plain, cites = _without_marks(text[start:end])
        if tidy := _tidy(plain):
            yield Claim(part, tidy, "", cites, ())


def _with_marks(text: str) -> Iterator[tuple[int, int]]:
    """Split a text into sentences. A marker after a full stop belongs to the sentence before it."""
    pieces = list(sentences(text, 0, len(text)))
    place = 0
    while place < len(pieces):
        start, end = pieces[place]
        if mark := _LONE_MARK.match(text, end):
            end = mark.end()
        place += 1
        while place < len(pieces) and pieces[place][0] < end:
            if pieces[place][1] > end:
                pieces[place] = (end, pieces[place][1])
                break
            place += 1
        if text[start:end].strip():
            yield start, end


def _without_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """Remove markers such as `[1]` from a text, and return their numbers. `(2)` is not a marker, because manual pages have such names."""
    marks = ("".join(group or "" for group in found.groups()) for found in _MARK.finditer(text))
    numbers = [int(one) for mark in marks for one in re.findall(r"\d+", mark)]
    return _MARK.sub("", text), tuple(dict.fromkeys(numbers))


def _tidy(text: str) -> str:
    """Remove emphasis from a sentence, and fold white space."""
    return fold(_EMPHASIS.sub(r"\2", text)).strip()
