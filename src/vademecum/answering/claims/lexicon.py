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
"""Words that carry little by themselves."""

LIGHT_WORDS = _words("light_words")
"""Words that are said of almost anything."""

GLUE_WORDS = _words("glue_words")
"""Words that hold a sentence together in other places than they do in the text."""

NEGATIONS = _words("negations")
"""Words that turn what follows into its opposite."""

SOFT_NEGATIONS = _words("soft_negations")
"""Words that may do so."""

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
"""Words that are seldom meant as a number."""

ORDINALS = {
    word: f"#{number}"
    for number, word in enumerate(
        "zeroth first second third fourth fifth sixth seventh eighth ninth tenth".split()  # noqa: SIM905
    )
} | {"last": "#last", "final": "#last"}

SIZES = {"k": 1024, "kib": 1024, "m": 1024**2, "mib": 1024**2, "g": 1024**3, "gib": 1024**3}
"""Units behind a number, and what they stand for."""

PREFIXED = re.compile(r"(?:un(?!der|i[tqovf]|til|less|link|ix|to)|non(?!e|ce))([a-z]{4,})$")
"""Words whose first letters turn them into their opposite."""

UNLIKE = dict(_groups("unlike"))
"""Others of that kind, and what they are the opposite of."""

IRREGULAR = dict(_groups("irregular"))
"""Forms that no stemmer knows."""

SYNONYMS = _groups("synonyms")
"""Words that may stand for each other in a manual, a group a line."""

ANTONYMS = _groups("antonyms")
"""Pairs of words of which one in the place of the other turns a sentence around."""

KINDS = _groups("kinds")
"""Words of which one in the place of another says another thing, a kind a line."""
