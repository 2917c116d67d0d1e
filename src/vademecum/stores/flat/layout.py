"""The record layouts of the flat files, and the encoding of short document fields."""

from collections.abc import Iterable
from struct import Struct
from typing import NamedTuple

DOCUMENT = Struct("<QQIIIIIII32s")
PASSAGE = Struct("<IIIIIIIIIBxxx")
NEED = Struct("<QII")
"""Of a need: where its words are in `need_texts.bin`, how many bytes, and its document. The words are the numbers of
the passages that meet it, `FIELD`, and its text."""

FIELD, VALUE, ESCAPE = "\x1f", "\x1e", "\x1d"
"""Stand between the fields of a document's strings, behind each value of a field with several, and before
a digit in place of one of the three within a value."""

STRINGS = 7
"""How many fields: key, fingerprint, reference, title, summary, names, links."""

_ESCAPES = ((ESCAPE, ESCAPE + "0"), (VALUE, ESCAPE + "1"), (FIELD, ESCAPE + "2"))


def joined(values: Iterable[str]) -> str:
    """Several values as one field; `split` gives them back."""
    return "".join(escaped(value) + VALUE for value in values)


def split(field: str) -> tuple[str, ...]:
    """The values of a field that `joined` made."""
    values = field.split(VALUE)
    values.pop()
    return tuple(map(unescaped, values)) if ESCAPE in field else tuple(values)


def escaped(value: str) -> str:
    """A value without a character that separates values."""
    for character, instead in _ESCAPES:
        if character in value:
            value = value.replace(character, instead)
    return value


def unescaped(value: str) -> str:
    """What `escaped` was given."""
    if ESCAPE in value:
        for character, instead in reversed(_ESCAPES):
            value = value.replace(instead, character)
    return value


class DocumentRecord(NamedTuple):
    """One record of `documents.bin`."""

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
    """One record of `passages.bin`: `core.passages.Passage` with where its bytes stand.

    `heading` and `anchor` are offsets into `labels.bin`; `text` is the text number.
    """

    document: int
    start: int
    end: int
    tag_end: int
    byte_start: int
    byte_end: int
    heading: int
    anchor: int
    text: int
    kind: int
