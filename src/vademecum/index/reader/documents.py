"""A document for readers: its blocks and table of contents, with offsets into the indexed text."""

from collections.abc import Iterator
from itertools import islice
from operator import attrgetter
from typing import Literal, NamedTuple, cast

from vademecum.core.candidates import DocumentId
from vademecum.core.documents import Block
from vademecum.core.errors import StoreError
from vademecum.index.reader.index import Index
from vademecum.stores.flat import FlatReader
from vademecum.stores.flat.layout import DocumentRecord

BlockKind = Literal["heading", "term", "meaning", "code", "row", "paragraph"]

_MOST_SECTIONS = 2000


class TextBlock(NamedTuple):
    """A range of a document that is displayed as a unit.

    Attributes:
        kind: `heading`; `term` (the tag of an option or item); `meaning` (its description); `code` (preformatted
            lines); `row` (of a table, with ` | ` between its cells); or `paragraph`.
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
    blocks = _stored(flat, record)
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
        blocks=tuple(_shown(text, first, last, blocks)),
        sections=tuple(islice(_sections(text, blocks), _MOST_SECTIONS)),
    )


def anchor_at(index: Index, id_: str, place: int) -> str:
    """Return the anchor of the heading that an offset is under, or "".

    Raises:
        StoreError: The index has no such document.
    """
    found = _place(index, id_)
    flat = index.segments[found.segment].flat
    above = [
        block
        for block in _stored(flat, flat.document(found.document))
        if block.kind == "heading" and block.start <= place
    ]
    return above[-1].anchor if above else ""


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


def _stored(flat: FlatReader, record: DocumentRecord) -> list[Block]:
    """Return the blocks of a document, in order."""
    numbers = range(record.first_passage, record.first_passage + record.passages)
    return sorted(
        {block for number in numbers for block in flat.blocks(flat.passage(number))}, key=attrgetter("start")
    )


def _shown(text: str, first: int, last: int, blocks: list[Block]) -> Iterator[TextBlock]:
    """Yield what whole lines consist of. Text that is in no block is paragraphs."""
    at = first
    for block in blocks:
        start = (
            text.rfind("\n", 0, block.start) + 1 if block.kind != "item" else block.start
        )  # with its bullet
        if block.end <= first or start >= last:
            continue
        yield from _as_lines(text, at, max(at, start))
        at = max(at, min(block.end, last))
        if block.kind == "item":
            yield TextBlock("term", block.start, block.tag_end)
            body = block.end - len(text[block.tag_end : block.end].lstrip())
            yield from _as_lines(text, body, block.end, "meaning")
        elif block.kind in {"code", "heading"}:
            yield TextBlock(cast("BlockKind", block.kind), max(start, first), min(block.end, last))
        else:
            kind: BlockKind = "row" if block.kind == "table" else "paragraph"
            yield from _as_lines(text, max(start, first), min(block.end, last), kind)
    yield from _as_lines(text, at, last)


def _as_lines(text: str, first: int, last: int, kind: BlockKind = "paragraph") -> Iterator[TextBlock]:
    """Yield the lines of a range that are not empty."""
    start = first
    while start < last:
        end = text.find("\n", start, last)
        end = last if end < 0 else end
        if text[start:end].strip():
            yield TextBlock(kind, start, end)
        start = end + 1


def _sections(text: str, blocks: list[Block]) -> Iterator[TextSection]:
    """Yield the headings, each with the start of its text."""
    levels: list[int] = []
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block.kind == "heading":
            levels = [*(level for level in levels if level < block.level), block.level]
            start = following.start if following and following.kind != "heading" else block.end
            yield TextSection(text[block.start : block.end], len(levels), start, block.anchor)
