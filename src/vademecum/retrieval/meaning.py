"""The texts of a document that are embedded: its summary line and its needs."""

from vademecum.core.passages import Wording
from vademecum.text.words import terms

LINE = "line"
"""The name of a document's dense vector."""

NEED = "need"
"""The name of the dense vector of its needs."""


def placed(title: str, heading: str, words: str) -> str:
    """Return the text that a passage is embedded as: its headings and its text."""
    above = heading if heading.startswith(title) else f"{title} > {heading}"
    return f"{above.replace(' > ', '. ')}. {words}"


def line_of(title: str, summary: str) -> Wording:
    """Return the text that a document is embedded as: its title in words, and its one-line description."""
    text = f"{title.partition('(')[0].replace('_', ' ').replace('-', ' ')}: {summary}"
    return Wording(text, terms(text))
