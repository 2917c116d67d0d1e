"""A selection as documents of its own: it is found in the collections, and then searched like any other text."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from vademecum.ask.kinds import Corpus, Selected
from vademecum.ask.running_text.location import Located, locate
from vademecum.core.documents import Block, digest
from vademecum.core.errors import StoreError
from vademecum.core.passages import SECTION, Entry, Passage
from vademecum.index.reader.index import Index
from vademecum.index.segments import Segment, SegmentWriter, open_segment

ALIAS = "selection"
"""The alias and reference of a selection that is in no document."""

_TITLE = "Selected text"


def selected_at(corpus: Corpus, document: str, start: int, end: int) -> tuple[Selected, Index]:
    """Return a range of a document as a selection, with the index of the selection alone."""
    index = corpus.index
    place = index.place(document)
    if place is None:
        raise StoreError(f"The index has no document {document}.", hint="It may have changed: search again.")
    flat = index.segments[place.segment].flat
    return _selected(index, Located(place, flat.text(flat.document(place.document)), start, end))


def selected_from(corpora: Sequence[Corpus], forms: Sequence[str]) -> tuple[Selected, Index, Corpus]:
    """Return a text, in one of its forms, as a selection of the first corpus with it, otherwise on its own with the words of the first one."""
    for corpus in corpora:
        for form in forms:
            if found := locate(corpus.index.running_text(), form):
                return *_selected(corpus.index, found), corpus
    text = forms[0].strip()
    whole = Block("paragraph", 0, len(text))
    passage = Passage(SECTION, 0, len(text), 0, "", "", (whole,))
    sha = digest(ALIAS, text)
    entry = Entry(ALIAS, "", sha, ALIAS, _TITLE, "", (ALIAS,), (), text, (passage,))
    base = corpora[0].index.running_text()
    selected = Selected(ALIAS, 0, len(text), is_located=False, numbers=(0,))
    return selected, base.alone(_segment_of(entry, ALIAS, base)), corpora[0]


def _selected(index: Index, found: Located) -> tuple[Selected, Index]:
    """Return a range of a document as passages of their own, which end where the range ends."""
    segment = index.segments[found.place.segment]
    flat = segment.flat
    record = flat.document(found.place.document)
    start, end = found.start, found.end
    numbers = range(record.first_passage, record.first_passage + record.passages)
    sections = [(number, flat.passage(number)) for number in numbers]
    sections = [(number, passage) for number, passage in sections if passage.kind == SECTION]
    touched = [
        (number, max(start, passage.start), min(end, passage.end), passage)
        for number, passage in sections
        if passage.start < end and start < passage.end
    ]
    if not touched and sections:  # between passages, such as a heading
        number, passage = next((section for section in sections if section[1].start >= end), sections[0])
        touched = [(number, start, end, passage)]
    passages = [
        Passage(
            SECTION,
            first,
            last,
            first,
            flat.label(passage.heading),
            flat.label(passage.anchor),
            tuple(_within(flat.blocks(passage), first, last)),
        )
        for _, first, last, passage in touched
    ]
    strings = flat.strings(record)
    entry = Entry(
        key=ALIAS,
        fingerprint="",
        digest=record.digest.hex(),
        reference=strings.reference,
        title=strings.title,
        summary=strings.summary,
        names=strings.names,
        links=(),
        text=found.text[:end],  # what follows must not be cited; what precedes keeps the offsets right
        passages=tuple(passages),
    )
    selected = Selected(
        strings.reference,
        passages[0].start if passages else start,
        passages[-1].end if passages else end,
        is_located=True,
        numbers=[number - record.first_passage for number, *_ in touched],
    )
    alias = segment.info.alias
    return selected, index.like(f"{alias}:{record.digest.hex()}").alone(_segment_of(entry, alias, index))


def _within(blocks: Sequence[Block], start: int, end: int) -> list[Block]:
    """Return the blocks of a range, cut to it, with the headings above; a range that has only headings is a block of its own."""
    found = [
        block._replace(
            start=max(start, block.start),
            end=min(end, block.end),
            tag_end=min(end, max(start, block.tag_end)),
        )
        for block in blocks
        if block.kind != "heading" and block.start < end and start < block.end
    ]
    headings = [block for block in blocks if block.kind == "heading" and block.start < end]
    found = found or [Block("paragraph", start, end, tag_end=start)]
    return sorted([*headings, *found], key=lambda block: block.start)


def _segment_of(entry: Entry, alias: str, index: Index) -> Segment:
    """Return an open segment of one document; its files are removed already."""
    with TemporaryDirectory(prefix="vademecum-selected-") as name:
        folder = Path(name, ALIAS)
        writer = SegmentWriter(folder, alias, "", index.embedder, "documents")
        writer.add(entry)
        return open_segment(folder, writer.commit())
