"""The rows of an index in a store: segments, statistics, and the values read from them.

The `data` of a row contains everything that is read back, little-endian and with any characters. The `fields` are for
people.
"""

import json
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, islice, pairwise
from struct import Struct
from typing import TYPE_CHECKING, Literal, NamedTuple
from zlib import crc32

from vademecum.core.stores import Kind, Row
from vademecum.core.trace import Json
from vademecum.index.segments import Segment, Statistics
from vademecum.retrieval import meaning
from vademecum.stores.flat import Vectors
from vademecum.stores.flat.layout import FIELD, escaped, unescaped

if TYPE_CHECKING:
    from vademecum.core.settings import Method
    from vademecum.stores.flat import FlatReader

VECTORS: "Mapping[str, Kind]" = {meaning.LINE: "document_vector", meaning.NEED: "need_vector"}
"""The kind of row that holds each dense vector."""

WORDS: tuple[Literal["page_words", "passage_words", "need_words"], ...] = (
    "page_words",
    "passage_words",
    "need_words",
)
"""The kinds that hold postings, as `stores.flat.FlatReader` calls them."""

KINDS: tuple[Kind, ...] = ("document", "passage", "text", "need", "name", *WORDS, *VECTORS.values())
"""The kinds of rows in a segment, except its seal."""

_TERMS, _TEXT_TERMS, LINKS, COMMON = range(4)
TERMS: "Mapping[Method, int]" = {"manual-pages": _TERMS, "documents": _TEXT_TERMS}
SEAL, OWNER = 254 << 24, 255 << 24
"""The numbers of tables. A key consists of the number and the part; part 0 is the directory. The seal is written last,
and a segment without it is incomplete. The owner is the library that a generation was copied from."""

_CHUNK = 4096
"""The number of entries in one row of a table of counts."""

_DOCUMENT = Struct("<IIIIII32s")
_PASSAGE = Struct("<IIIIIBIII")
_NEED = Struct("<II")


class StoredDocument(NamedTuple):
    """A document's record, with its text and short fields."""

    first_passage: int
    passages: int
    first_need: int
    needs: int
    weight: int
    digest: bytes
    strings: str
    text: str


class StoredPassage(NamedTuple):
    """A passage's record, like `stores.flat.PassageRecord`, but with labels instead of offsets."""

    document: int
    start: int
    end: int
    tag_end: int
    text: int
    kind: int
    heading: str
    anchor: str
    outline: str


def part_of(table: int, part: int) -> int:
    """Return the key of a part of a table."""
    return table << 24 | part


class Tally:
    """Counts rows, and adds up their checksums. The order does not matter."""

    def __init__(self) -> None:
        self.count = self._sum = 0

    def of(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the same rows, counting them."""
        for row in rows:
            self.count += 1
            self._sum += crc32(row.data, row.key)
            yield row

    @property
    def checksum(self) -> str:
        """The sum of the checksums of all rows, in hexadecimal."""
        return f"{self._sum & 0xFFFF_FFFF_FFFF_FFFF:016x}"


def segment_rows(segment: Segment, source: Mapping[str, Json]) -> Iterator[tuple[Kind, Iterator[Row]]]:
    """Yield all rows of a segment by kind, the seal last. Each kind must be read to the end before the next.

    Args:
        segment: The segment.
        source: Fields about the source, which are added to its documents and to the seal.
    """
    flat = segment.flat
    tallies: dict[Kind, Tally] = {}
    kinds: dict[Kind, Iterable[Row]] = {
        "document": (_document_row(flat, number, source) for number in range(len(flat))),
        "passage": (_passage_row(flat, number) for number in range(segment.info.passages)),
        "text": (Row(text, {}, packed("I", flat.occurrences[text])) for text in range(len(flat.occurrences))),
        "need": _need_rows(flat),
        "name": (Row(hashed, {}, packed("I", documents)) for hashed, documents in flat.names.each()),
        **{kind: _word_rows(flat, kind) for kind in WORDS},
        **{kind: _vector_rows(segment, name) for name, kind in VECTORS.items()},
    }
    for kind, rows in kinds.items():
        tallies[kind] = Tally()
        yield kind, tallies[kind].of(rows)
    counts: dict[str, Json] = {kind: tally.count for kind, tally in tallies.items()}
    checksums: dict[str, Json] = {kind: tally.checksum for kind, tally in tallies.items()}
    yield "table", iter([Row(SEAL, {"rows": counts, "checksums": checksums, **source})])


def statistics_rows(statistics: Statistics) -> Iterator[Row]:
    """Yield the rows of the tables of a generation."""
    for method, table in TERMS.items():
        yield from counts_rows(table, statistics.terms[method].items())
    yield from counts_rows(LINKS, statistics.links.items())
    for position in range(len(statistics.common)):
        yield Row(part_of(COMMON, position), {}, packed("I", statistics.common[position]))


def no_statistics() -> Iterator[Row]:
    """Yield the rows of the tables of a generation without segments."""
    return (Row(part_of(table, 0)) for table in (*TERMS.values(), LINKS))


def with_vectors(kind: Kind, found: Iterable[Row]) -> Iterator[Row]:
    """Add the vectors to rows that a store returned without them."""
    for row in found:
        vectors = Vectors.of({0: row.data}).each() if kind in VECTORS.values() and row.data else ()
        yield row._replace(vector=next((vector for _, _, vector in vectors), ()))


def document_of(data: bytes) -> StoredDocument:
    """Decode a document from the data of its row."""
    first_passage, passages, first_need, needs, weight, length, digest = _DOCUMENT.unpack_from(data)
    start = _DOCUMENT.size
    strings, text = (
        data[start : start + length].decode(),
        data[start + length :].decode("utf-8", "surrogatepass"),
    )
    return StoredDocument(first_passage, passages, first_need, needs, weight, digest, strings, text)


def passage_of(data: bytes) -> StoredPassage:
    """Decode a passage from the data of its row."""
    *numbers, heading, anchor, outline = _PASSAGE.unpack_from(data)
    ends = [*accumulate((heading, anchor, outline), initial=_PASSAGE.size)]
    return StoredPassage(*numbers, *(data[start:end].decode() for start, end in pairwise(ends)))


def need_of(data: bytes) -> tuple[int, str, tuple[int, ...], str]:
    """Decode a need from the data of its row: its document, its text, the passages that meet it, and its line."""
    document, count = _NEED.unpack_from(data)
    end = _NEED.size + 4 * count
    line, _, text = data[end:].decode().partition(FIELD)
    return document, text, tuple(unpacked("I", data[_NEED.size : end])), unescaped(line)


def numbers_of(data: bytes) -> "array[int]":
    """Decode unsigned 32-bit integers."""
    return unpacked("I", data)


def postings_of(data: bytes) -> tuple["array[int]", "array[int]"]:
    """Decode postings: the numbers of items that contain a term, and its weights in them.

    Raises:
        ValueError: The length is not a multiple of 6 bytes.
    """
    count, rest = divmod(len(data), 6)
    if rest:
        raise ValueError(f"{len(data)} bytes")
    return unpacked("I", data[: 4 * count]), unpacked("H", data[4 * count :])


def _document_row(flat: "FlatReader", number: int, source: Mapping[str, Json]) -> Row:
    record = flat.document(number)
    strings = flat.strings(record)
    listed = json.dumps(strings).encode()
    numbers = record.first_passage, record.passages, record.first_need, record.needs, record.weight
    head = _DOCUMENT.pack(*numbers, len(listed), record.digest)
    fields: dict[str, Json] = {
        **source,
        "reference": _plain(strings.reference),
        "title": _plain(strings.title),
        "summary": _plain(strings.summary),
        "digest": record.digest.hex(),
    }
    return Row(number, fields, head + listed + flat.text(record).encode("utf-8", "surrogatepass"))


def _passage_row(flat: "FlatReader", number: int) -> Row:
    found = flat.passage(number)
    labels = [flat.label(label).encode() for label in (found.heading, found.anchor, found.outline)]
    numbers = found.document, found.start, found.end, found.tag_end, found.text, found.kind
    return Row(number, {}, _PASSAGE.pack(*numbers, *map(len, labels)) + b"".join(labels))


def _need_rows(flat: "FlatReader") -> Iterator[Row]:
    for record in map(flat.document, range(len(flat))):
        for number in range(record.first_need, record.first_need + record.needs):
            document, text, passages, line = flat.need(number)
            data = (
                _NEED.pack(document, len(passages))
                + packed("I", passages)
                + f"{escaped(line)}{FIELD}{text}".encode()
            )
            yield Row(number, {"text": _plain(text)}, data)


def _vector_rows(segment: Segment, name: str) -> Iterator[Row]:
    for number, steps, vector in segment.vectors(name):
        yield Row(number, {}, steps, vector)


def _word_rows(
    flat: "FlatReader", kind: Literal["page_words", "passage_words", "need_words"]
) -> Iterator[Row]:
    for term, numbers, steps in getattr(flat, kind).each():
        yield Row(term, {}, packed("I", numbers) + packed("H", steps))


def counts_rows(table: int, counts: Iterable[tuple[int, int]]) -> Iterator[Row]:
    """Yield the chunks of a table of counts (keys, then counts), and a directory of the first key of each chunk."""
    pairs = iter(counts)
    firsts: list[int] = []
    while chunk := list(islice(pairs, _CHUNK)):
        firsts.append(chunk[0][0])
        keys, values = zip(*chunk, strict=True)
        yield Row(part_of(table, len(firsts)), {}, packed("I", keys) + packed("I", values))
    yield Row(part_of(table, 0), {}, packed("I", firsts))


def packed(code: Literal["I", "H", "Q"], numbers: Iterable[int]) -> bytes:
    """Encode unsigned integers of 32, 16 or 64 bits."""
    filled = array(code, numbers)
    if sys.byteorder == "big":
        filled.byteswap()
    return filled.tobytes()


def unpacked(code: Literal["I", "H", "Q"], data: bytes) -> "array[int]":
    """Decode integers that `packed` has encoded."""
    numbers = array(code)
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _plain(text: str) -> str:
    """Return a text that any server accepts: without NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()
