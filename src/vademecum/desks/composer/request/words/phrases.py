"""Phrases for each capability and their terms. They are precomputed, because this takes a tenth of a second."""

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from math import log
from pathlib import Path
from typing import NamedTuple

from vademecum.files.folders import desk_folder
from vademecum.files.write import replace_file
from vademecum.providers.builtin import word_table
from vademecum.text.patterns import Pattern
from vademecum.text.words import terms

PHRASES = Path(__file__).with_name("phrases.txt")

_VERSION = 2
_FORMAT = 2
"""Of the file in which they are kept."""

_HEADING = Pattern(r"\[([\w-]+)\]", flags=0)
_DENIALS = Pattern(r"\b(?:without|no|not|nothing|nobody|never|instead|don't|can't|isn't)\b")


class Phrase(NamedTuple):
    """A phrase of a capability.

    Attributes:
        rarity: Of all its terms together.
        denies: Whether it speaks of what is not there.
    """

    capability: str
    text: str
    terms: tuple[str, ...]
    rarity: float
    denies: bool


class Lexicon(NamedTuple):
    """All phrases, in columns: a request needs few of them, and making thousands of objects takes longer than answering.

    Attributes:
        terms: The terms of each, parted by blanks.
        denying: The numbers of those that speak of what is not there.
        by_term: The numbers of the phrases that have a term, parted by blanks.
        keywords: Technical keywords, lower case: capabilities' names of one word, and phrases that are one proper name (`LUKS`).
    """

    capabilities: list[str]
    texts: list[str]
    terms: list[str]
    rarities: list[float]
    denying: list[int]
    by_term: dict[str, str]
    rarity: dict[str, float]
    keywords: list[str]

    def phrase(self, at: int) -> Phrase:
        """A phrase by its number."""
        own = tuple(self.terms[at].split(" "))
        return Phrase(self.capabilities[at], self.texts[at], own, self.rarities[at], at in self.denying)

    def having(self, term: str) -> Iterator[int]:
        """The numbers of the phrases that have a term."""
        return map(int, self.by_term.get(term, "").split())


@cache
def lexicon() -> Lexicon:
    """All phrases, ready to be looked for."""
    text = PHRASES.read_text(encoding="utf-8")
    file = Path(desk_folder("composer"), "templates", f"phrases-{_FORMAT}-{_key(text)}.json")
    known = _load(file)
    if known is None:
        known = _made(text)
        with suppress(OSError):  # where they cannot be kept they are made again
            replace_file(file, json.dumps(known, separators=(",", ":")))
    return known


def capability_phrases() -> dict[str, tuple[str, ...]]:
    """The phrases of each capability, as written."""
    return _parsed(PHRASES.read_text(encoding="utf-8"))


def denies(text: str) -> bool:
    """Return whether a text speaks of what is not there, or does not happen."""
    return bool(_DENIALS.search(text))


def stamp() -> str:
    """Changes with every change of a phrase or of the word vectors."""
    return f"{_key(PHRASES.read_text(encoding='utf-8'))} {word_table().name}"


def _key(text: str) -> str:
    return sha256(f"{_VERSION}\0{text}".encode()).hexdigest()[:16]


def _parsed(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.split("\n"):
        if heading := _HEADING.fullmatch(line.strip()):
            name = heading[1]
            found[name] = []
        elif name and not line.startswith("#"):
            found[name].append(line)
    return {
        name: tuple(dict.fromkeys(_split(f"{name.replace('-', ' ')}; {' '.join(lines)}")))
        for name, lines in found.items()
    }


def _split(text: str) -> Iterator[str]:
    return (phrase for part in text.split(";") if (phrase := " ".join(part.split())))


def _made(text: str) -> Lexicon:
    split = [
        (name, phrase, tuple(dict.fromkeys(terms(phrase))))
        for name, phrases in _parsed(text).items()
        for phrase in phrases
    ]
    split = [one for one in split if one[2]]
    spread: dict[str, set[str]] = {}
    by_term: dict[str, list[int]] = {}
    for at, (name, _, own) in enumerate(split):
        for term in own:
            spread.setdefault(term, set()).add(name)
            by_term.setdefault(term, []).append(at)
    count = len({name for name, _, _ in split})
    rarity = {
        term: log(1 + (count - len(names) + 0.5) / (len(names) + 0.5)) for term, names in spread.items()
    }
    keywords = {name for name, _, _ in split if name.isalnum()}
    keywords |= {phrase.lower() for _, phrase, _ in split if phrase.isalnum() and phrase[0].isupper()}
    return Lexicon(
        [name for name, _, _ in split],
        [phrase for _, phrase, _ in split],
        [" ".join(own) for _, _, own in split],
        [sum(rarity[term] for term in own) for _, _, own in split],
        [at for at, (_, phrase, _) in enumerate(split) if denies(phrase)],
        {term: " ".join(map(str, places)) for term, places in by_term.items()},
        rarity,
        sorted(keywords),
    )


def _load(file: Path) -> Lexicon | None:
    with suppress(OSError, ValueError, TypeError, RecursionError):
        found = Lexicon(*json.loads(file.read_bytes()))
        if len({len(column) for column in found[:4]}) == 1 and isinstance(found.by_term, dict):
            return found
    return None
