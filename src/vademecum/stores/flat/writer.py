"""Write the flat files of a segment."""

from array import array
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedWriter
from itertools import chain
from pathlib import Path
from zlib import crc32

from vademecum.core.passages import Encoded, Entry, Passage, outline_of
from vademecum.stores.flat.layout import DOCUMENT, FIELD, NEED, PASSAGE, escaped, joined
from vademecum.stores.flat.postings import PostingsWriter
from vademecum.stores.flat.tables import Counts, Groups, Keys, Names


class FlatWriter:
    """A writer that adds documents one by one; `commit` writes the tables. Nothing is read back in between."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts = _Blob(folder / "texts.bin")
        self._strings = _Blob(folder / "strings.bin")
        self._labels = _Blob(folder / "labels.bin")
        self._documents = _Blob(folder / "documents.bin")
        self._passages = _Blob(folder / "passages.bin")
        self._needs = _Blob(folder / "needs.bin")
        self._need_texts = _Blob(folder / "need_texts.bin")
        self._page_words = PostingsWriter(folder / "page_words.bin")
        self._passage_words = PostingsWriter(folder / "passage_words.bin")
        self._need_words = PostingsWriter(folder / "need_words.bin")
        self._label_offsets: dict[str, int] = {}
        self._text_numbers: dict[int, int] = {}
        self._occurrences: list[array[int]] = []
        self._names: list[tuple[int, int]] = []
        self._terms: dict[int, Counter[int]] = {}  # by the weight of a window
        self._links: Counter[int] = Counter()
        self.documents = 0
        self.passages = 0
        self.needs = 0
        self.text_bytes = 0

    def add(self, entry: Entry, encoded: Encoded) -> None:
        """Add a document under the next number."""
        document = self.documents
        text = entry.text.encode()
        fields = (
            escaped(entry.key),
            escaped(entry.fingerprint),
            escaped(entry.reference),
            escaped(entry.title),
            escaped(entry.summary),
            joined(entry.names),
            joined(entry.links),
        )
        strings = FIELD.join(fields).encode("utf-8", "surrogatepass")
        record = DOCUMENT.pack(
            self._texts.write(text),
            self._strings.write(strings),
            len(text),
            len(strings),
            self.passages,
            len(entry.passages),
            self.needs,
            len(entry.needs),
            encoded.weight,
            bytes.fromhex(entry.digest),
        )
        self._documents.write(record)
        self._page_words.add(document, encoded.page)
        for position, words in enumerate(encoded.needs):
            self._need_words.add(self.needs + position, words)
        self._add_needs(document, entry)
        self._add_passages(document, entry, encoded, ascii_only=len(text) == len(entry.text))
        self._terms.setdefault(encoded.share, Counter()).update(chain.from_iterable(encoded.windows))
        for name in entry.names:
            self._names.extend(
                (hashed, document) for hashed in {name_hash(name), name_hash(name.partition("(")[0])}
            )
        self._names.append((name_hash(entry.digest), document))
        self._links.update(link_hashes(entry.links))
        self.documents += 1
        self.text_bytes += len(text)

    def _add_needs(self, document: int, entry: Entry) -> None:
        for need in entry.needs:
            numbers = " ".join(str(self.passages + position) for position in need.passages)
            data = FIELD.join((numbers, escaped(need.line), need.text)).encode()
            self._needs.write(NEED.pack(self._need_texts.write(data), len(data), document))
            self.needs += 1

    def _add_passages(self, document: int, entry: Entry, encoded: Encoded, *, ascii_only: bool) -> None:
        reached = reached_byte = 0
        for position, passage in enumerate(entry.passages):
            words = entry.text[passage.start : passage.end]
            key = _text_key(passage, words)
            text = self._text_numbers.get(key)
            if text is None:
                text = self._text_numbers[key] = len(self._occurrences)
                self._occurrences.append(array("I"))
                self._passage_words.add(text, encoded.passages[position])
            self._occurrences[text].append(self.passages)
            byte_start, byte_end = passage.start, passage.end
            if not ascii_only:
                if passage.start < reached:
                    reached = reached_byte = 0
                byte_start = reached_byte + len(entry.text[reached : passage.start].encode())
                byte_end = byte_start + len(words.encode())
                reached, reached_byte = passage.start, byte_start
            record = PASSAGE.pack(
                document,
                passage.start,
                passage.end,
                passage.tag_end,
                byte_start,
                byte_end,
                self._label(passage.heading),
                self._label(passage.anchor),
                self._labels.write(_sized(outline_of(passage.blocks))) if passage.blocks else self._label(""),
                text,
                passage.kind,
            )
            self._passages.write(record)
            self.passages += 1

    def _label(self, label: str) -> int:
        offset = self._label_offsets.get(label)
        if offset is None:
            offset = self._label_offsets[label] = self._labels.write(_sized(label))
        return offset

    def commit(self) -> None:
        """Write the tables and close every file. The caller makes them durable."""
        for blob in self._blobs():
            blob.close()
        for postings in (self._page_words, self._passage_words, self._need_words):
            postings.commit()
        Groups.write(self._folder / "occurrences.bin", self._occurrences)
        Keys.write(self._folder / "keys.bin", self._text_numbers)
        Names.write(self._folder / "names.bin", self._names)
        terms: Counter[int] = Counter()
        for share, counted in self._terms.items():
            terms.update({term: share * count for term, count in counted.items()})
        Counts.write(self._folder / "terms.bin", terms)
        Counts.write(self._folder / "links.bin", self._links)

    def discard(self) -> None:
        """Close every file, whatever it contains."""
        for blob in self._blobs():
            with suppress(OSError):  # for example, a full disk that has already been reported
                blob.close()

    def _blobs(self) -> tuple["_Blob", ...]:
        texts = (self._texts, self._strings, self._labels, self._need_texts)
        return (*texts, self._documents, self._passages, self._needs)


def _text_key(passage: Passage, words: str) -> int:
    """Return 64 bits that identify everything that a passage's vector is computed from."""
    from hashlib import blake2b  # noqa: PLC0415 - 3 ms (OpenSSL); questions load this module, too, but need no hash

    heading = passage.heading
    made_from = f"{passage.kind} {passage.tag_end - passage.start} {len(heading)} {heading}{words}"
    return int.from_bytes(blake2b(made_from.encode(), digest_size=8).digest(), "little")


def _sized(label: str) -> bytes:
    encoded = label.encode()
    return len(encoded).to_bytes(4, "little") + encoded


def name_hash(name: str) -> int:
    """Return the hash for looking up a reference or bare name. It ignores case."""
    return crc32(name.lower().encode())


def link_hashes(links: Iterable[str]) -> set[int]:
    """Return the hashes of a document's references."""
    return {name_hash(link) for link in links}


class _Blob:
    """An append-only file that tracks its size."""

    def __init__(self, path: Path) -> None:
        self._file: BufferedWriter = path.open("wb")
        self._size = 0

    def write(self, data: bytes) -> int:
        """Append data, and return its offset."""
        offset = self._size
        self._file.write(data)
        self._size += len(data)
        return offset

    def close(self) -> None:
        self._file.close()
