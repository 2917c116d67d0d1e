"""Word tables of technical English, written by hand in `data/lexicon.json`."""

import re
from pathlib import Path

from vademecum.core.fitted import read_fitted

_LEXICON = read_fitted(Path(__file__).parents[1] / "data/lexicon.json")


def _groups(table: str) -> list[list[str]]:
    return [line.split() for line in _LEXICON[table]]


def _words(table: str) -> frozenset[str]:
    return frozenset(word for group in _groups(table) for word in group)


STOP_WORDS = _words("stop_words")
"""Words with little meaning on their own."""

LIGHT_WORDS = _words("light_words")
"""Words that fit almost any subject."""

GLUE_WORDS = _words("glue_words")
"""Connecting words, which may be in other positions than in the text."""

NEGATIONS = _words("negations")
"""Words that negate what follows."""

SOFT_NEGATIONS = _words("soft_negations")
"""Words that may negate what follows."""

WIDENING: tuple[str, ...] = tuple(_LEXICON["widening"])
"""Phrases that say that something holds in any case."""

NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()  # noqa: SIM905
    )
} | {
    "once": "1",
    "twice": "2",
    "single": "1",
    "both": "2",
    "half": "1/2",
    "twenty": "20",
    "thirty": "30",
    "sixty": "60",
    "hundred": "100",
    "thousand": "1000",
    "dozen": "12",
    "double": "2",
    "pair": "2",
}
"""Numbers in words."""

VAGUE_NUMBERS = frozenset(["one", "once", "single", "both", "half", "double", "pair"])
"""Number words that rarely mean a number."""

ORDINALS = {
    word: f"#{number}"
    for number, word in enumerate(
        "zeroth first second third fourth fifth sixth seventh eighth ninth tenth".split()  # noqa: SIM905
    )
} | {"last": "#last", "final": "#last"}

SIZES = {"k": 1024, "kib": 1024, "m": 1024**2, "mib": 1024**2, "g": 1024**3, "gib": 1024**3}
"""Units of sizes, and their values."""

PREFIXED = re.compile(r"(?:un(?!der|i[tqovf]|til|less|link|ix|to)|non(?!e|ce))([a-z]{4,})$")
"""Words with a negating prefix."""

UNLIKE = dict(_groups("unlike"))
"""Other negated words, and their opposites."""

IRREGULAR = dict(_groups("irregular"))
"""Irregular forms."""

SYNONYMS = _groups("synonyms")
"""Synonyms in manuals, one group per line."""

ANTONYMS = _groups("antonyms")
"""Pairs of antonyms."""

KINDS = _groups("kinds")
"""Words that are not interchangeable, one kind per line."""
