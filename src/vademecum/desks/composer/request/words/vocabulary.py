"""The vocabulary of requests, and the possible meanings of each word.

One file (`data/vocabulary.txt`) has the grammar's words, the names of targets, fields, values and what a template cannot hold; software
comes from the table of concepts, capabilities from their phrases. Everything is looked up by its tokens, the longest phrase first.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from vademecum.desks.composer.packages.concepts import concepts, package_names, phrases
from vademecum.desks.composer.packages.names import is_word, releases_of
from vademecum.desks.composer.request.words.english import is_english
from vademecum.desks.composer.request.words.lexer import Token, tokens_of
from vademecum.desks.composer.request.words.spelling import corrected

_FILE = Path(__file__).parents[2] / "data" / "vocabulary.txt"
_NAMES = Path(__file__).parents[2] / "data" / "known_names.txt"
_SHORTEST_PLURAL = 4


class Sense(NamedTuple):
    """What a phrase may mean.

    Attributes:
        kind: The section of the vocabulary (`version`, `flag`, `package`, `negator`).
        value: Which one of it (`ubuntu24`, `encryption`, `nginx`); "" where the kind says it all.
    """

    kind: str
    value: str = ""


class Term(NamedTuple):
    """One or more tokens that mean something together.

    Attributes:
        senses: What they may mean; none for words that nobody knows and for values (sizes, paths, quoted text).
        note: How it was read, if not as written ("tcpdmp is read as tcpdump").
    """

    senses: tuple[Sense, ...]
    token: Token
    text: str
    start: int
    end: int
    note: str = ""

    def sense(self, *kinds: str) -> Sense | None:
        """The first sense of one of some kinds."""
        return next((sense for sense in self.senses if sense.kind in kinds), None)

    def has(self, *kinds: str) -> bool:
        """Return whether it may be of one of some kinds."""
        return any(sense.kind in kinds for sense in self.senses)

    def means(self, kind: str, *values: str) -> bool:
        """Return whether it may be one of some values of a kind."""
        return any(sense.kind == kind and sense.value in values for sense in self.senses)


class Vocabulary:
    """Phrases by their tokens."""

    def __init__(self, packages: Collection[str] = ()) -> None:
        self._phrases = _phrases()
        self._parts = _parts()
        self._packages = frozenset(packages) | _known_names()

    def terms(self, text: str, tokens: Sequence[Token]) -> Iterator[Term]:
        """The tokens of a request as terms: at each place the longest phrase that is known."""
        at = 0
        tokens = [self._spelled(token) for token in tokens]
        norms = [_part(token) for token in tokens]
        while at < len(tokens):
            senses, length = self._longest(norms, at)
            if length and self._is_whole(tokens, at, length):
                first, last = tokens[at], tokens[at + length - 1]
                note = _note(tokens[at : at + length])
                if note and length > 1:
                    first = first._replace(norm=" ".join(norms[at : at + length]))
                said = text[first.start : last.end]
                yield Term(_as_written(senses, said), first, said, first.start, last.end, note)
                at += length
                continue
            yield self._single(tokens[at])
            at += 1

    def _spelled(self, token: Token) -> Token:
        """A word with a slip of the pen put right, towards words of the vocabulary only."""
        if (
            token.norm in _english()
            or token.kind != "word"
            or token.norm in self._parts
            or _singular(token.norm) in self._parts
            or token.norm in self._packages
            or releases_of(token.norm)
        ):
            return token
        right = corrected(token.norm, self._parts, lacks_letter=not is_english(token.norm))
        if is_english(token.norm):  # "tuner" is not tuned, but "mosquito" is mosquitto
            right = right if right not in package_names() or _squeezed(right) == _squeezed(token.norm) else ""
        else:
            right = right or corrected(token.norm, self._packages)
        if _digits(right) != _digits(token.norm):
            return token  # "root2" is a name of its own
        return token._replace(norm=right) if right else token

    def senses_of(self, phrase: str) -> tuple[Sense, ...]:
        """What a whole phrase means."""
        norms = [_part(token) for token in tokens_of(phrase)]
        senses, length = self._longest(norms, 0) if norms else ((), 0)
        return senses if length == len(norms) else ()

    def package(self, said: str, concept: str) -> str:
        """What the table of concepts knows a package by: what was said, if it knows that, else the first phrase of the concept."""
        if said in phrases() or concept not in concepts():
            return said
        if said.replace(" ", "-") in concepts()[concept].every_name():
            return said.replace(" ", "-")
        return concepts()[concept].phrases[0]

    def _single(self, token: Token) -> Term:
        """A token that no phrase begins with: a package, a slip of the pen, or a word that nobody knows."""
        if token.kind == "quoted":
            senses = tuple(sense for sense in self.senses_of(token.norm) if sense.kind in _QUOTABLE)
            if not senses and token.norm in self._packages:
                senses = (Sense("package", token.norm),)
            return Term(senses, token, token.text, token.start, token.end)
        if token.kind != "word":
            return Term((), token, token.text, token.start, token.end)
        if token.norm in self._packages:
            return Term(
                (Sense("package", token.norm),), token, token.text, token.start, token.end, _note([token])
            )
        if releases_of(token.norm):
            senses = (Sense("package", token.norm), *([Sense("ordinary")] if is_word(token.norm) else []))
            return Term(senses, token, token.text, token.start, token.end, _note([token]))
        if _FAMILY.fullmatch(token.text):
            return Term((Sense("family", token.norm),), token, token.text, token.start, token.end)
        return Term((), token._replace(norm=token.text.lower()), token.text, token.start, token.end)

    def _longest(self, norms: Sequence[str], at: int) -> tuple[tuple[Sense, ...], int]:
        first = norms[at]
        for start in dict.fromkeys([first, _singular(first)]):
            for rest, senses in self._phrases.get(start, ()):
                end = at + 1 + len(rest)
                if end <= len(norms) and all(
                    wanted == norm or wanted == _singular(norm)
                    for wanted, norm in zip(rest, norms[at + 1 : end], strict=True)
                ):
                    return senses, end - at
        return (), 0

    @staticmethod
    def _is_whole(tokens: Sequence[Token], at: int, length: int) -> bool:
        """Return whether no quotation or line end lies within."""
        return length == 1 or all(
            token.kind not in {"quoted", "secret"} for token in tokens[at : at + length]
        )


def _as_written(senses: tuple[Sense, ...], said: str) -> tuple[Sense, ...]:
    """Return what a phrase may mean as it is written: in capitals ("CUPS") software is no ordinary word."""
    is_name = (
        said.isupper()
        and said.isalpha()
        and len(said) > 2
        and any(sense.kind == "package" for sense in senses)
    )
    return tuple(sense for sense in senses if sense.kind not in {"ordinary", "filler"}) if is_name else senses


def _digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))


def _squeezed(word: str) -> str:
    """A word with doubled letters once."""
    return re.sub(r"(.)\1", r"\1", word)


def _part(token: Token) -> str:
    """What a token is looked up as. Quoted text stands for itself, and never for a word of the grammar."""
    return f'"{token.norm}"' if token.kind == "quoted" else token.norm


def _note(tokens: Sequence[Token]) -> str:
    """How words were read that were not written so."""
    return "; ".join(
        f"{token.text} is read as {token.norm}"
        for token in tokens
        if token.kind == "word" and token.norm.lstrip("-") != token.text.lower().replace("’", "'")
    )


def _singular(word: str) -> str:
    return (
        word[:-1]
        if len(word) > _SHORTEST_PLURAL and word.endswith("s") and not word.endswith("ss") and word != "roots"
        else word
    )


_QUOTABLE = frozenset(["package", "kernel_word", "artifact", "mount", "filesystem", "version", "image_type"])
"""Kinds of words that mean the same in quotes."""

_Rows = dict[str, tuple[tuple[tuple[str, ...], tuple[Sense, ...]], ...]]


@cache
def _phrases() -> _Rows:
    """Every phrase by its first part: its further parts, and what it means; longer ones first."""
    found: dict[tuple[str, ...], list[Sense]] = {}
    for phrase, sense in _every():
        for spelled in dict.fromkeys(
            [phrase, phrase.replace("-", " ").strip() if phrase[0] != "-" else phrase]
        ):
            key = _parts_of(spelled)
            senses = found.setdefault(key, [])
            firm = [other for other in senses if other.kind not in {"ordinary", "ability"}]
            if key and sense not in senses and (sense.kind not in _SOFT or not firm):
                senses.append(sense)
    rows: dict[str, list[tuple[tuple[str, ...], tuple[Sense, ...]]]] = {}
    for key, senses in found.items():
        if key:
            rows.setdefault(key[0], []).append((key[1:], tuple(senses)))
    return {first: tuple(sorted(parts, key=lambda row: -len(row[0]))) for first, parts in rows.items()}


def _parts_of(phrase: str) -> tuple[str, ...]:
    """The parts of a phrase, as a request's tokens are looked up. Plain words need no scanner: most phrases are, and there are ten thousand."""
    if phrase.startswith("-"):
        return (phrase,)
    if phrase.isascii() and phrase.replace(" ", "").isalpha():
        return tuple(phrase.split())
    return tuple(_part(token) for token in tokens_of(phrase))


@cache
def _known_names() -> frozenset[str]:
    """Names of packages that distributions have, besides those that the table of concepts has."""
    lines = _NAMES.read_text("utf-8").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


_FAMILY = re.compile(
    r"(?:python3|lib[a-z0-9]+|fonts|php|ruby|golang|node|perl|linux|gstreamer1\.0|ros|firmware|gnome|kde|xserver|openjdk|java|mysql|mariadb|postgresql|apache2|"
    r"prometheus|collectd|zabbix|mesa|xorg|vim|cloud|dracut|qemu|libvirt|virt|hunspell|aspell|language|dnf|apt|rpm)(?:-[a-z0-9+.]+)+"
    r"|[a-z0-9]+(?:-[a-z0-9+.]+)*-(?:dev|devel)"
)
"""Names that packages of one family have. Whether there is such a package only an index knows."""


@cache
def _parts() -> frozenset[str]:
    """Every word of every phrase."""
    return frozenset(
        part for first, rows in _phrases().items() for rest, _ in rows for part in (first, *rest)
    )


_GRAMMAR = frozenset(
    """field flag mount negator removal off on report condition version distribution architecture unavailable""".split()  # noqa: SIM905
)
"""Kinds of words that no phrase of a capability may swallow."""

_SOFT = frozenset(["filler", "capability", "ability"])
"""Kinds that a phrase is only of if it is of no other."""


def _every() -> Iterator[tuple[str, Sense]]:
    from vademecum.desks.composer.request.words.phrases import capability_phrases  # noqa: PLC0415 - it reads word vectors

    own = _own()
    yield from (
        row for row in own if row[1].kind not in {"english", "unasked", "technical", "kernel_parameter"}
    )
    grammar = {phrase for phrase, sense in own if sense.kind in _GRAMMAR}
    for phrase, concept in phrases().items():
        yield phrase, Sense("package", concept)
    for capability, said in capability_phrases().items():
        for phrase in said:
            words = phrase.lower().split()
            if (
                not phrase.startswith("/")
                and not grammar & set(words)
                and not any(word[:1].isdigit() for word in words)
            ):
                yield phrase.lower(), Sense("capability", capability)


@cache
def _own() -> tuple[tuple[str, Sense], ...]:
    return tuple(_file(_FILE.read_text("utf-8")))


@cache
def section(kind: str) -> frozenset[str]:
    """The phrases of one section."""
    return frozenset(phrase for phrase, sense in _own() if sense.kind == kind)


@cache
def values(kind: str) -> frozenset[str]:
    """The values of one section."""
    return frozenset(sense.value for _, sense in _own() if sense.kind == kind)


@cache
def _english() -> frozenset[str]:
    """Words that are near the name of some software, and are meant as they are written."""
    return section("english")


def _file(text: str) -> Iterator[tuple[str, Sense]]:
    kind = ""
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            kind = line[1:-1]
        elif line and not line.startswith("#"):
            value, equals, phrases = line.partition(" = ")
            for phrase in (phrases if equals else line).split(";"):
                if phrase.strip():
                    yield phrase.strip().lower(), Sense(kind, value if equals else "")
