"""The texts of a document that are embedded: its summary line and its needs."""

from vademecum.core.passages import Wording
from vademecum.text.words import terms

LINE = "line"
"""The name of a document's dense vector."""

NEED = "need"
"""The name of the dense vector of its needs."""

PASSAGE = "passage"
"""The name of the dense vector of the passages of running text, always by the word table. A store does not have it."""


WORDS = "words"
"""The name of the distances that word vectors measure, instead of a transformer."""

SMALL = {
    word: f"<{words[0]}>"
    for words in (
        "not no without never except don't doesn't didn't isn't aren't cannot can't excluding exclude omit avoid prevent ignore skip but".split(),  # noqa: SIM905
        ("only", "just"),
        ("all", "every", "each"),
        ("first",),
        ("last",),
        ("before",),
        ("after",),
    )
    for word in words
}
"""Small words that change what a task does, each with a term for its group. Most of them are no search terms."""


def task_terms(text: Wording) -> list[str]:
    """Return the terms that a need is embedded by: those of its text, and those of its small words."""
    words = [word.strip(".,:;?!()\"'") for word in text.text.lower().split()]
    return [*text.terms, *dict.fromkeys(SMALL[word] for word in words if word in SMALL)]


def line_of(title: str, summary: str) -> Wording:
    """Return the text that a document is embedded as: its title in words, and its one-line description."""
    text = f"{title.partition('(')[0].replace('_', ' ').replace('-', ' ')}: {summary}"
    return Wording(text, terms(text))
