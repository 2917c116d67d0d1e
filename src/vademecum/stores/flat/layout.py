"""The record layouts of the flat files, and the encoding of short document fields."""

from collections.abc import Iterable
from struct import Struct
from typing import NamedTuple

DOCUMENT = Struct("<QQIIIIIII32s")
PASSAGE = Struct("<IIIIIIIIIIBxxx")
NEED = Struct("<QII")
"""The layout of a need: the offset of its words in `need_texts.bin`, their length in bytes, and its document. The
words are the numbers of the passages that meet the need, its line, and its text, separated by `FIELD`.
"""

FIELD, VALUE, ESCAPE = "\x1f", "\x1e", "\x1d"
"""The separator of the fields of a document's strings, the terminator of each value in a field with several values,
and the escape character. An escape character and a digit replace any of the three within a value.
"""

STRINGS = 7
"""The number of fields: key, fingerprint, reference, title, summary, names, links."""

_ESCAPES = ((ESCAPE, ESCAPE + "0"), (VALUE, ESCAPE + "1"), (FIELD, ESCAPE + "2"))


def joined(values: Iterable[str]) -> str:
    """Join values into one field, which `split` can split again."""
    return "".join(escaped(value) + VALUE for value in values)


def split(field: str) -> tuple[str, ...]:
    """Return the values of a field that `joined` made."""
    values = field.split(VALUE)
    values.pop()
    return tuple(map(unescaped, values)) if ESCAPE in field else tuple(values)


def escaped(value: str) -> str:
    """Return a value with the separators escaped."""
    for character, instead in _ESCAPES:
        if character in value:
            value = value.replace(character, instead)
    return value


def unescaped(value: str) -> str:
    """Reverse `escaped`."""
    if ESCAPE in value:
        for character, instead in reversed(_ESCAPES):
            value = value.replace(instead, character)
    return value


class DocumentRecord(NamedTuple):
    """A record of `documents.bin`."""

    text_offset: int
    strings_offset: int
    text_bytes: int
    strings_bytes: int
    first_passage: int
    passages: int
    first_need: int
    needs: int
    weight: int
    digest: bytes


class PassageRecord(NamedTuple):
    """A record of `passages.bin`: a `core.passages.Passage` and its byte offsets.

    `heading`, `anchor` and `outline` (its blocks) are offsets into `labels.bin`; `text` is the text number.
    """

    document: int
    start: int
    end: int
    tag_end: int
    byte_start: int
    byte_end: int
    heading: int
    anchor: int
    outline: int
    text: int
    kind: int
