"""What of a document is embedded: its line, its needs, and where it is running text every passage."""

from vademecum.core.passages import Wording
from vademecum.retrieval.words import terms

LINE = "line"
"""The dense vector that a document has."""

NEED = "need"
"""The one that each of its needs has."""

PASSAGE = "passage"
"""The one that each of its passages has, where passages are embedded."""


def wording_of(title: str, heading: str, words: str) -> Wording:
    """The text behind a passage's dense vector: where it stands, and what it says."""
    above = heading if heading.startswith(title) else f"{title} > {heading}"
    text = f"{above.replace(' > ', '. ')}. {words}"
    return Wording(text, terms(text))


def line_of(title: str, summary: str) -> Wording:
    """What stands for a document: its title in words, and its one line."""
    text = f"{title.partition('(')[0].replace('_', ' ').replace('-', ' ')}: {summary}"
    return Wording(text, terms(text))
