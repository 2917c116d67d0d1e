"""A document for readers: its blocks and table of contents, with offsets into the indexed text."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple

from vademecum.core.candidates import DocumentId
from vademecum.core.errors import StoreError
from vademecum.core.passages import SECTION
from vademecum.index.reader.index import Index
from vademecum.stores.flat import FlatReader, PassageRecord

BlockKind = Literal["heading", "term", "meaning", "code", "paragraph"]

_HEADINGS = " > "
_SHARED = "; "
"""The separators between the headings of a path, and between headings that share one passage."""

_MOST_SECTIONS = 2000
_LONGEST_HEADING = 120

_OPENERS = "{[(:,\\"
_CLOSERS = "}])"
_LONGEST_OPENER = 100
"""Lines without indentation that are still code: those that open an indented range, and those that close it."""


class TextBlock(NamedTuple):
    """A range of a document that is displayed as a unit.

    Attributes:
        kind: `heading`; `term` (the tag of an option or item); `meaning` (its description); `code` (preformatted
            lines); or `paragraph`.
        start: The first code point in the document's text.
        end: The end (exclusive). Line breaks between blocks belong to no block.

    Example:
        >>> document = library.document(library.documents()[0].id)
        >>> [block.kind for block in document.blocks]
        ['heading', 'paragraph', 'paragraph']
    """

    kind: BlockKind
    start: int
    end: int


class TextSection(NamedTuple):
    """An entry of the table of contents.

    Attributes:
        title: The heading.
        level: Its depth, from 1.
        start: The first code point of its text.
        anchor: Its fragment within the document, or "".

    Example:
        >>> library.document(library.documents()[0].id).sections[0].anchor
        'the-office'
    """

    title: str
    level: int
    start: int
    anchor: str


class DocumentText(NamedTuple):
    """A document, or a range of it.

    Attributes:
        id: `<alias>:<sha256>`.
        alias: The alias of the source.
        key: Its location within the source.
        reference: Its reference (`chmod(1)`).
        title: Its title.
        summary: Its one-line description, or "".
        length: The length of the whole text in code points.
        start: The start of the range.
        end: The end of the range (exclusive).
        text: The text of the range.
        blocks: The blocks of the range, in order.
        sections: The table of contents of the whole document.

    Example:
        >>> document = library.document(library.documents()[0].id)
        >>> document.title, document.text[document.sections[0].start :].splitlines()[0]
        ('The office', 'The office is open from nine to five on working days.')
    """

    id: str
    alias: str
    key: str
    reference: str
    title: str
    summary: str
    length: int
    start: int
    end: int
    text: str
    blocks: tuple[TextBlock, ...]
    sections: tuple[TextSection, ...]


class DocumentEntry(NamedTuple):
    """A document in a list.

    Attributes:
        id: `<alias>:<sha256>`.
        reference: Its reference (`chmod(1)`).
        title: Its title.
        summary: Its one-line description, or "".

    Example:
        >>> library.documents(words="train")[0].title
        'Travel'
    """

    id: str
    reference: str
    title: str
    summary: str


def list_documents(index: Index, alias: str = "", words: str = "") -> list[DocumentEntry]:
    """Return documents of the index, ordered by reference.

    Args:
        index: The index.
        alias: The alias of a source; "" for all sources.
        words: Only documents whose reference, title and summary together contain all of these words, ignoring case.
            Documents whose reference begins with the first word come first. Blank for all documents.
    """
    wanted = words.casefold().split()
    found: list[tuple[bool, str, DocumentEntry]] = []
    for place in index.places():
        segment = index.segments[place.segment]
        if alias and segment.info.alias != alias:
            continue
        record = segment.flat.document(place.document)
        strings = segment.flat.strings(record)
        said = f"{strings.reference}\n{strings.title}\n{strings.summary}".casefold()
        if all(word in said for word in wanted):
            listed = DocumentEntry(
                f"{segment.info.alias}:{record.digest.hex()}",
                strings.reference,
                strings.title,
                strings.summary,
            )
            reference = strings.reference.casefold().lstrip("_.-")
            found.append((bool(wanted) and not reference.startswith(wanted[0]), reference, listed))
    return [listed for _, _, listed in sorted(found)]


def read_document(index: Index, id_: str, start: int = 0, end: int | None = None) -> DocumentText:
    """Return a document of the index, or the lines of it that overlap a range.

    Args:
        index: The index.
        id_: `<alias>:<sha256>`.
        start: The first code point of the range.
        end: The end of the range (exclusive); by default, the end of the document.

    Raises:
        StoreError: The index has no such document.
    """
    place = _place(index, id_)
    segment = index.segments[place.segment]
    flat = segment.flat
    record = flat.document(place.document)
    strings = flat.strings(record)
    text = flat.text(record)
    first, last = _whole_lines(text, start, len(text) if end is None else end)
    passages = [
        flat.passage(number) for number in range(record.first_passage, record.first_passage + record.passages)
    ]
    sections = tuple(_sections(flat, passages))
    return DocumentText(
        id=id_,
        alias=segment.info.alias,
        key=strings.key,
        reference=strings.reference,
        title=strings.title,
        summary=strings.summary,
        length=len(text),
        start=first,
        end=last,
        text=text[first:last],
        blocks=tuple(_blocks(text, first, last, passages, {section.title for section in sections})),
        sections=sections,
    )


def anchor_at(index: Index, id_: str, place: int) -> str:
    """Return the anchor of the last passage of running text that begins at or before an offset, or "".

    Raises:
        StoreError: The index has no such document.
    """
    found = _place(index, id_)
    flat = index.segments[found.segment].flat
    record = flat.document(found.document)
    passages = (
        flat.passage(number)
        for number in reversed(range(record.first_passage, record.first_passage + record.passages))
    )
    return next(
        (
            flat.label(passage.anchor)
            for passage in passages
            if passage.kind == SECTION and passage.start <= place
        ),
        "",
    )


def _place(index: Index, id_: str) -> DocumentId:
    """Return the location of a document."""
    place = index.place(id_)
    if place is None:
        message = f"The index has no document {id_}."
        raise StoreError(message, hint="It may have changed: ask again.")
    return place


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range extended to whole lines."""
    start = min(max(start, 0), len(text))
    end = min(max(end, start), len(text))
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return first, len(text) if last < 0 else last


def _blocks(
    text: str, first: int, last: int, passages: list[PassageRecord], titles: set[str]
) -> Iterator[TextBlock]:
    """Yield the blocks of whole lines. Headings are outside of sections; terms are the tags of options and items."""
    sections = [(passage.start, passage.end) for passage in passages if passage.kind == SECTION]
    items = [passage for passage in passages if passage.kind != SECTION]
    terms = [(item.start, item.tag_end) for item in items]
    explained = [(item.start, item.end) for item in items]
    lines = [(start, end) for start, end in _lines(text, first, last) if text[start:end].strip()]
    code: list[int] = []
    for start, end in lines:
        following = text[end + 1 : end + 2]
        kind: BlockKind = "meaning" if _within(explained, start) else "paragraph"
        if end - start <= _LONGEST_HEADING and (not _within(sections, start) or text[start:end] in titles):
            kind = "heading"
        elif _within(terms, start):
            kind = "term"
        elif (
            text[start].isspace()
            or (code and text[start] in _CLOSERS)
            or (following.isspace() and end - start <= _LONGEST_OPENER and text[end - 1] in _OPENERS)
        ):
            code = [code[0] if code else start, end]
            continue
        if code:
            yield TextBlock("code", *code)
            code = []
        yield TextBlock(kind, start, end)
    if code:
        yield TextBlock("code", *code)


def _lines(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    start = first
    while start < last:
        end = text.find("\n", start, last)
        end = last if end < 0 else end
        yield start, end
        start = end + 1


def _within(stretches: list[tuple[int, int]], at: int) -> bool:
    """Return whether an offset is in one of several ranges, which are in order."""
    position = bisect_left(stretches, (at + 1,)) - 1
    return position >= 0 and at < stretches[position][1]


def _sections(flat: FlatReader, passages: list[PassageRecord]) -> Iterator[TextSection]:
    """Yield each heading once, with the start of its text."""
    path: list[str] = []
    count = 0
    for passage in passages:
        if passage.kind != SECTION:
            continue
        for heading in _paths(flat.label(passage.heading)):
            if heading and heading != path[: len(heading)] and count < _MOST_SECTIONS:
                path = heading
                count += 1
                yield TextSection(heading[-1], len(heading), passage.start, flat.label(passage.anchor))


def _paths(label: str) -> list[list[str]]:
    first, *others = label.split(_SHARED)
    path = first.split(_HEADINGS)
    return [path, *([*path[:-1], other] for other in others)]
