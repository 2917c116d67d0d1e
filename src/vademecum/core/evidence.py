"""Evidence (the documents that an answer may use) and drafts."""

from typing import NamedTuple


class ScoredPassage(NamedTuple):
    """A passage of a chosen document, judged against the question.

    Attributes:
        kind: `SECTION`, `OPTION` or `ITEM`.
        start: First code point.
        end: One past the last.
        tag_end: One past the tag of an option or item; else equal to `start`.
        heading: Path of headings.
        anchor: Fragment within the document, or "".
        score: Fit to the question within this document; 0 when it shares nothing with it.
        coverage: Share (0-1) of the question's rarity that it has, words of the document's name left out.
        typed: How likely (0-1) an entry is part of the line that does what was asked.
    """

    kind: int
    start: int
    end: int
    tag_end: int
    heading: str
    anchor: str
    score: float
    coverage: float
    typed: float = 0.0


class Evidence(NamedTuple):
    """A document that was chosen to answer from.

    Attributes:
        alias: The source.
        digest: SHA-256 of the document.
        reference: How people cite it.
        title: What a person reads as its title.
        summary: Its one line, or "".
        text: The whole text.
        passages: In reading order.
    """

    alias: str
    digest: str
    reference: str
    title: str
    summary: str
    text: str
    passages: tuple[ScoredPassage, ...]


class Span(NamedTuple):
    """A stretch of a chosen document.

    Attributes:
        evidence: Position of the document in the chosen ones.
        start: First code point.
        end: One past the last.
        anchor: Fragment within the document, or "".
    """

    evidence: int
    start: int
    end: int
    anchor: str


COMPOSED = "composed"
"""The origin of a line that was put together: no page has it as it is."""


class DraftStatement(NamedTuple):
    """A sentence or step before verification, with the spans it claims to rest on; `origin` as in `answers.Statement`."""

    text: str
    command: str
    spans: tuple[Span, ...]
    origin: str = ""


class Unit(NamedTuple):
    """The smallest stretch of running text that may be quoted: a sentence, a list item, a table row.

    Attributes:
        evidence: Position of its document among the chosen ones.
        start: First code point in the document's text.
        end: One past the last.
        anchor: Fragment within the document, or "".
        text: What is there; of a row, its cells behind the names of their columns.
        before: The unit before it in its paragraph, of a list's item what introduces the list, or "".
        heading: The headings it is under, its document's title first.
        head: Where the table's first row stands, as (start, end); empty for all but rows.
        position: Its place among the units of its passage, from 0.
        passage: The rank of its passage, from 0.
        lag: How far the score of its passage is behind the best one's, 0 or more.
        introduction: Where the unit that introduces its list stands, as (start, end); empty for all but items of such a list.
        number: Its number in its list, 0 for none.
    """

    evidence: int
    start: int
    end: int
    anchor: str
    text: str
    before: str
    heading: str
    head: tuple[int, int] | None
    position: int
    passage: int
    lag: float
    introduction: tuple[int, int] | None = None
    number: int = 0


class Draft(NamedTuple):
    """An answer before verification."""

    summary: tuple[DraftStatement, ...]
    steps: tuple[DraftStatement, ...]
