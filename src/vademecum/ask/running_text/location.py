"""Find selected text in the documents, regardless of differences in white space and markup."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from vademecum.core.candidates import DocumentId
from vademecum.core.errors import AnswerError
from vademecum.index.reader.index import Index
from vademecum.retrieval.question.question import analyse

_FROM_PASSAGES = 60
_LOOKED_UP = 3000
_MOST_BYTES = 16 << 20
"""The maximum total size of the documents that are all searched if the likely ones do not contain the selection."""


class Located(NamedTuple):
    """A range of a document.

    Attributes:
        start: The first code point of the range.
        end: The end of the range, exclusive.
    """

    place: DocumentId
    text: str
    start: int
    end: int


def locate(index: Index, selection: str) -> Located | None:
    """Return the position of a selection, or None if no document contains it.

    Only letters and digits are compared. Line breaks, bullets, quotes and Markdown syntax may differ.
    """
    wanted = _bare(selection)
    if not wanted:
        return None
    for place in _likely_first(index, selection):
        flat = index.segments[place.segment].flat
        record = flat.document(place.document)
        text = flat.text(record)
        at = _kept_bare(text).find(wanted)
        if at >= 0:
            start, end = _stretch(text, at, at + len(wanted))
            return Located(place, text, start, _with_tail(text, end, selection))
    return None


def _likely_first(index: Index, selection: str) -> Iterator[DocumentId]:
    """Yield the documents that share the most terms with a selection, then all others, unless they are too large."""
    seen: dict[DocumentId, None] = {}
    try:
        question = analyse(selection[:_LOOKED_UP], index)
    except AnswerError:
        return
    for place, _ in index.passages(question.vector(), _FROM_PASSAGES):
        if place not in seen:
            seen[place] = None
            yield place
    if sum(segment.info.text_bytes for segment in index.segments) <= _MOST_BYTES:
        for place in index.places():
            if place not in seen:
                yield place


@lru_cache(maxsize=1024)
def _kept_bare(text: str) -> str:
    return _bare(text)


def _bare(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def _stretch(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the range of a text that contains the letters and digits of these numbers."""
    places = [at for at, sign in enumerate(text) if sign.isalnum()]
    return places[first], places[last - 1] + 1


def _with_tail(text: str, end: int, selection: str) -> int:
    """Return the end, extended by the punctuation that also ends the selection: a full stop, a bracket."""
    said = selection.rstrip()
    bare = len(said)
    while bare and not said[bare - 1].isalnum():
        bare -= 1
    for sign in said[bare:]:
        if end < len(text) and text[end] == sign:
            end += 1
        else:
            break
    return end
