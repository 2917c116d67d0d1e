"""Search results."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result of a search: a document, and its passage that fits the question best.

    Attributes:
        rank: From 1.
        alias: The source.
        document: `<alias>:<sha256 of the document>`.
        reference: How people cite the document (`chmod(1)`).
        names: Every reference the document answers to.
        title: The document's title.
        summary: The document's one line, or "".
        passage: `<alias>:<sha256 of the document>:<n>`.
        location: Reference and anchor (`chmod(1)#SETTING`).
        start: First code point of the passage in the document's text.
        end: One past its last.
        quote: `document.text[start:end]`.
        score: What ranked it; comparable within one search only, higher is better.
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
