"""Search results."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A search result: a document with its best passage.

    Attributes:
        rank: The rank, from 1.
        alias: The alias of the source.
        document: `<alias>:<sha256 of the document>`.
        reference: The reference of the document (`chmod(1)`).
        names: All references to the document.
        title: The title of the document.
        summary: The one-line description of the document, or "".
        passage: `<alias>:<sha256 of the document>:<n>`.
        location: The reference and anchor (`chmod(1)#SETTING`).
        start: The first code point of the passage in the document's text.
        end: The end of the passage (exclusive).
        quote: `document.text[start:end]`.
        score: The ranking score. Higher is better. It is comparable only within one search.
    """

    rank: int
    alias: str
    document: str
    reference: str
    names: tuple[str, ...]
    title: str
    summary: str
    passage: str
    location: str
    start: int
    end: int
    quote: str
    score: float
