"""The texts of a document that are embedded: its summary line and its needs."""

from vademecum.core.passages import Wording
from vademecum.text.words import terms

LINE = "line"
"""The dense vector that a document has."""

NEED = "need"
"""The one that each of its needs has."""


def placed(title: str, heading: str, words: str) -> str:
    """A passage as it is compared in meaning: where it is, and what it says."""
    above = heading if heading.startswith(title) else f"{title} > {heading}"
    return f"{above.replace(' > ', '. ')}. {words}"


def line_of(title: str, summary: str) -> Wording:
    """What stands for a document: its title in words, and its one line."""
    text = f"{title.partition('(')[0].replace('_', ' ').replace('-', ' ')}: {summary}"
    return Wording(text, terms(text))
