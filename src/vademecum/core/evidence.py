"""Evidence (the documents that an answer may use) and drafts."""

from typing import NamedTuple

from vademecum.core.documents import Block


class ScoredPassage(NamedTuple):
    """A passage of a chosen document, scored for the question.

    Attributes:
        kind: `SECTION`, `OPTION` or `ITEM`.
        start: The first code point.
        end: The end (exclusive).
        tag_end: The end (exclusive) of the tag of an option or item; otherwise equal to `start`.
        heading: The path of its headings.
        anchor: The fragment within the document, or "".
        score: The score for the question within this document; 0 if it shares nothing with the question.
        coverage: The share (0-1) of the question's rarity that it contains, without words of the document's name.
        blocks: The blocks of the document that it overlaps, headings included.
    """

    kind: int
    start: int
    end: int
    tag_end: int
    heading: str
    anchor: str
    score: float
    coverage: float
    blocks: tuple[Block, ...] = ()


class Evidence(NamedTuple):
    """A document that was chosen as the basis of an answer.

    Attributes:
        alias: The alias of the source.
        digest: The SHA-256 hash of the document.
        reference: The reference of the document (`chmod(1)`).
        title: Its title.
        summary: Its one-line description, or "".
        text: The whole text.
        passages: Its passages, in reading order.
    """

    alias: str
    digest: str
    reference: str
    title: str
    summary: str
    text: str
    passages: tuple[ScoredPassage, ...]


class Span(NamedTuple):
    """A range of a chosen document.

    Attributes:
        evidence: The index of the document among the chosen ones.
        start: The first code point.
        end: The end (exclusive).
        anchor: The fragment within the document, or "".
    """

    evidence: int
    start: int
    end: int
    anchor: str


COMPOSED, BY_MODEL = "composed", "written"
"""The origin of a command line of a task, and of one that a model wrote. Several quotations state their words."""

LINES = frozenset({COMPOSED, BY_MODEL})
"""The origins of command lines."""

COPIED, REWORDED, REPLACED = "copied", "reworded", "replaced"
"""The origin of a statement that a model chose or copied, of one in its words, and of one that replaces its words."""


class DraftStatement(NamedTuple):
    """A sentence or step before verification, with the spans that it cites.

    `origin` is as in `answers.Statement`. `data` are words of a composed command that need no source: values of options, and operands.
    `whole` are the statements that are shown for a sentence that is offered to a model, such as all of its block; empty for itself.
    """

    text: str
    command: str
    spans: tuple[Span, ...]
    origin: str = ""
    data: frozenset[str] = frozenset()
    whole: tuple["DraftStatement", ...] = ()


class Unit(NamedTuple):
    """A part of a document that is quoted as one: running text from a sentence on with what it introduces, code, an entry, or a row.

    Attributes:
        evidence: The index of its document among the chosen ones.
        start: The first code point of its running text; of code alone, of the code.
        end: The end of its running text (exclusive).
        anchor: The fragment of the heading that it is under, or "".
        text: Its text. In a table row, each cell is preceded by the name of its column; in an entry, the text by its
            tag.
        before: The previous unit of its paragraph; for a list item, the introduction of the list; or "".
        heading: Its headings, starting with the title of its document.
        head: The (start, end) of the first row of its table, or of the tag of its entry; None for other units.
        position: Its index among the units of its passage, from 0.
        passage: The rank of its passage, from 0.
        lag: The difference between the best passage score and that of its passage, at least 0.
        introduction: The (start, end) of the unit that introduces its list; None if there is none.
        number: Its number in its list, or 0.
        kind: `paragraph`, `item` (of a list), `list` (with what introduces it), `code` (likewise), `entry` or `row`.
        code: The ranges of the lines of code that it introduces, which are at the end of `text`.
        lead: The length of its first sentence, with the tag or the names of columns.
        depends: Whether its first sentence depends on the one before, so that it does not lead an answer.
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
    kind: str = "paragraph"
    code: tuple[tuple[int, int], ...] = ()
    lead: int = 0
    depends: bool = False


class Draft(NamedTuple):
    """An answer before verification."""

    summary: tuple[DraftStatement, ...]
    steps: tuple[DraftStatement, ...]
