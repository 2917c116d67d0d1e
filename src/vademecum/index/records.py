"""Collections that other programs fill, searched when a question is asked: their best records become a segment of the index.

The segment is that of the one question. Whatever ranks, quotes and cites the documents of an index does so with its documents.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from time import monotonic
from urllib.parse import parse_qsl, urlsplit

from vademecum.core.documents import Document, DocumentRef
from vademecum.core.engines import Described, Record, Wanted
from vademecum.core.errors import ConfigError, StoreError, VademecumError
from vademecum.index.build import entry_of
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.reader.current import with_segments
from vademecum.index.reader.index import Index
from vademecum.index.segments import Segment, SegmentWriter, open_segment
from vademecum.sources.docs.formats import read_string
from vademecum.sources.records import RecordsSource
from vademecum.stores import open_records
from vademecum.text.printable import printable
from vademecum.text.small_talk import without_courtesies
from vademecum.text.words import STOP_WORDS, WORD, number, stem

_MOST = 100
"""How many records are asked for by words, and how many by a vector."""

_MOST_WORDS = 12
_LONGEST_TEXT, _LONGEST_TITLE = 100_000, 200
_PATIENCE_S = 10.0
_REMEMBERED = 32
_URL = re.compile(r"https?://\S+")

_KNOWN: Mapping[str, Sequence[str]] = {
    "text": ("chunk_text", "page_content", "content", "text", "document", "body", "chunk", "passage"),
    "title": ("title", "metadata.title", "meta.title", "name", "metadata.source", "meta.file_path", "source"),
    "url": ("url", "metadata.url", "meta.url", "link", "metadata.source", "source"),
}
"""The names that programs usually give to fields, in the order of preference."""

_opened = lru_cache(maxsize=16)(open_records)
_recent: OrderedDict[tuple[str, str], Segment] = OrderedDict()
_lock = Lock()


def with_records(index: Index, text: str) -> tuple[Index, list[VademecumError]]:
    """Return an index that also has the records that a question finds in collections of others.

    Returns:
        The index, and the errors of collections that could not be searched.
    """
    entries = [entry for entry in index.manifest.collections if index.limits.allow_source(entry.alias)]
    words = _words(index, text)
    found: dict[str, Segment | Exception | None] = {}

    def ask(entry: CatalogEntry) -> None:
        try:
            found[entry.alias] = _searched(entry, words, text, index)
        except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
            found[entry.alias] = error

    threads = [Thread(target=ask, args=(entry,), daemon=True) for entry in entries]
    end_s = monotonic() + _PATIENCE_S
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end_s - monotonic()))
    faults, more = [], []
    for entry in entries:
        of = found.get(entry.alias, _late(entry))
        if isinstance(of, VademecumError):
            faults.append(of)
        elif isinstance(of, Exception):
            raise of
        elif of:
            more.append(of)
    if faults and not more and not index.manifest.documents:
        raise faults[0]
    return with_segments(index, more), faults


def remembered(index: Index, id_: str) -> Index:
    """Return an index that has a document or passage, if it is of a record that was found by one of the last questions."""
    with _lock:
        segment = _recent.get((index.generations.place, ":".join(id_.split(":")[:2])))
    return index if segment is None else with_segments(index, [segment])


def looked_at(described: Described) -> tuple[Described, Record]:
    """Return the description of a collection with the fields that it does not name, and its first record with text."""
    parts = urlsplit(described.address)
    is_key = parts.username and not parts.scheme.startswith("postgres")
    if parts.password or is_key or "password" in dict(parse_qsl(parts.query)):
        message = "The address of the collection contains a key or password, which would be kept in a file."
        raise ConfigError(message, hint="Leave it out, and set PGPASSWORD or QDRANT_API_KEY, for example.")
    engine = _opened(described.address)
    records = _asked(described, (), (), 10)
    if not records:
        raise StoreError(f"{engine.name} has no records.", hint="Name a collection that is filled.")
    fields = {
        name: next((field for field in known if any(record.text(field).strip() for record in records)), "")
        for name, known in _KNOWN.items()
    }
    found = Described(*(value or fields.get(name, "") for name, value in described._asdict().items()))
    record = next((record for record in records if record.text(found.text).strip()), None)
    if record is None:
        names = ", ".join(sorted(records[0].fields))
        message = f"The records of {engine.name} have no text in {printable(found.text, 60) or 'a field of a usual name'}."
        raise StoreError(message, hint=f"Name the field with --text. There are: {printable(names, 300)}.")
    if found.embedder:
        _asked(found, (), _embedded(found, "test"), 1)
    return found, record


def _asked(
    described: Described, words: Sequence[Wanted], vector: Sequence[float], limit: int
) -> list[Record]:
    """Ask a server. Its errors get a hint that is about the description, not about the store of the index."""
    try:
        return _opened(described.address).records(described, words, vector, limit)
    except StoreError as error:
        hint = "Check that the server runs, the name of the collection, and the variable with its key or password."
        raise StoreError(error.message, hint=hint) from error


def _late(entry: CatalogEntry) -> StoreError:
    message = f"{entry.alias} was not searched: its server did not answer within {_PATIENCE_S:g} s."
    return StoreError(message, hint="Check the server.")


def _words(index: Index, text: str) -> list[Wanted]:
    """Return the words of a question to search for, the rarest ones, as they are written there and in other forms."""
    found: dict[str, Wanted] = {}
    for word in WORD.findall(without_courtesies(text)):
        lower = word.lower()
        if lower not in STOP_WORDS and len(word) > 1:
            forms = tuple(dict.fromkeys((word, lower, lower.capitalize(), stem(lower))))
            found.setdefault(stem(lower), Wanted(forms, index.rarity(number(stem(lower)))))
    return sorted(found.values(), key=lambda wanted: -wanted.weight)[:_MOST_WORDS]


def _searched(entry: CatalogEntry, words: Sequence[Wanted], text: str, index: Index) -> Segment | None:
    """Return a segment of the records of a collection that a question finds, or None if there are none."""
    described = RecordsSource(Path(entry.location), entry.alias).described()
    vector = _embedded(described, text) if described.embedder else ()
    try:
        records = _asked(described, words, vector, _MOST) if words or vector else []
    except StoreError as error:
        raise StoreError(f"{entry.alias} was not searched: {error.message}", hint=error.hint) from error
    documents = {
        document.digest(): (document, record) for record in records for document in _read(record, described)
    }
    if not documents:
        return None
    with TemporaryDirectory(prefix="vademecum-records-") as name:
        folder = Path(name, entry.alias)
        writer = SegmentWriter(folder, entry.alias, entry.recipe, index.embedder, "documents")
        for document, _ in documents.values():
            ref = DocumentRef(key=document.key, names=document.names, fingerprint="")
            writer.add(entry_of(document, ref, "documents"))
        segment = open_segment(folder, writer.commit())
    if vector:
        known = [record.cosine for _, record in documents.values() if record.cosine is not None]
        least = min(known, default=0.0)
        segment.similarities = {
            at: least if record.cosine is None else record.cosine
            for at, (_, record) in enumerate(documents.values())
        }
    with _lock:
        for digest in documents:
            _recent[index.generations.place, f"{entry.alias}:{digest}"] = segment
        while len({id(kept) for kept in _recent.values()}) > _REMEMBERED:
            _recent.popitem(last=False)
    return segment


def _embedded(described: Described, text: str) -> Sequence[float]:
    from vademecum.providers.registry import open_embedder  # noqa: PLC0415 - for those who name one

    (vector,) = open_embedder(described.embedder).embed([text], "query")
    return vector


def _read(record: Record, described: Described) -> list[Document]:
    """Return a record as a document, whose reference is its URL if it has one; empty without text."""
    read = read_string(record.text(described.text)[:_LONGEST_TEXT])
    if not read.text:
        return []
    url, title = record.text(described.url), printable(record.text(described.title), _LONGEST_TITLE)
    reference = url if _URL.fullmatch(url) and url.isprintable() else printable(record.id, _LONGEST_TITLE)
    return [
        Document(
            key=record.id,
            reference=reference,
            title=title or read.title or reference,
            summary="",
            names=(reference,),
            text=read.text,
            blocks=tuple(read.blocks),
        )
    ]
