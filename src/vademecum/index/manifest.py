"""The manifest: the small file that lists everything in a generation."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.errors import IndexCorrupt, IndexStale
from vademecum.core.settings import Method
from vademecum.index.catalog.catalog import CatalogEntry, from_data

FORMAT = 9
"""The version of all index files. Readers reject other versions, and a reindex rebuilds older ones."""

TERMS: dict[Method, str] = {"manual-pages": "terms.bin", "documents": "text-terms.bin"}
"""The files of term frequencies, by method, because terms that are rare with one method are common with the other."""

_DOCUMENTS = " documents-"
"""The part of the recipe of running text that identifies it; see `retrieval.methods`."""

_REBUILD = "Rebuild it with: ragadmin reindex --full"


class SegmentInfo(NamedTuple):
    """A segment, and its deleted documents in this generation.

    Attributes:
        name: Its folder under `segments/`.
        recipe: The parser and rules that made its documents.
        documents: The number of its documents, including deleted ones.
        passages: The number of its passages, including those of deleted documents.
        text_bytes: The size of its text in UTF-8.
        files: The size of each of its files in bytes, for detecting truncated files.
        dead: The numbers of replaced and deleted documents, ascending.
    """

    name: str
    alias: str
    recipe: str
    documents: int
    passages: int
    text_bytes: int
    files: dict[str, int]
    dead: tuple[int, ...] = ()

    @property
    def method(self) -> Method:
        """The retrieval method of its documents."""
        return "documents" if _DOCUMENTS in self.recipe else "manual-pages"


class Failure(NamedTuple):
    """A document that could not be read. It is not read again until it changes.

    A failure without a fingerprint is about something in the source that is not a document.
    """

    alias: str
    key: str
    fingerprint: str
    recipe: str
    fault: str
    message: str
    hint: str


class Manifest(NamedTuple):
    """The manifest of a generation.

    Attributes:
        number: The number of the generation, from 1.
        built: The build time, ISO 8601 in UTC.
        totals: The total weight of the windows of live documents, in 1/64, by method.
        files: The size of each of its own files in bytes.
        segments: The segments, in the order in which they were built.
        sources: The catalog entries of this generation: those that it was built from, and those that failed. After a
            power failure, they repair the catalog.
    """

    number: int
    built: str
    totals: dict[Method, int]
    files: dict[str, int]
    segments: tuple[SegmentInfo, ...]
    failures: tuple[Failure, ...] = ()
    sources: tuple[CatalogEntry, ...] = ()

    @property
    def version(self) -> str:
        """An identifier of the index's contents, 16 hexadecimal digits: see `version_of`."""
        return version_of(self.sources)

    @property
    def documents(self) -> int:
        """The number of live documents."""
        return sum(segment.documents - len(segment.dead) for segment in self.segments)

    @property
    def collections(self) -> list[CatalogEntry]:
        """The sources that are collections of other programs, which are searched when a question is asked."""
        return [entry for entry in self.sources if entry.type == "records"]

    def to_json(self) -> str:
        """Return the contents of the manifest file."""
        data: dict[str, Any] = {"format": FORMAT, "version": self.version, **self._asdict()}
        data["segments"] = [segment._asdict() for segment in self.segments]
        data["failures"] = [failure._asdict() for failure in self.failures]
        data["sources"] = [entry.stored() for entry in self.sources]
        return json.dumps(data, indent=1)

    @classmethod
    def from_json(cls, text: str, place: object, *, sound: bool = False) -> "Manifest":
        """Parse a manifest.

        Args:
            text: The contents of the file, as made by `to_json`.
            place: The path of the file, for messages.
            sound: Whether it is known to be undamaged. Otherwise, its version is computed and compared.
        """
        try:
            data = json.loads(text)
            form = data.pop("format")
            if isinstance(form, int) and form < FORMAT:
                message = f"The index at {place} was made by an older version of Vademecum."
                raise IndexStale(message, hint="Bring it up to date with: ragadmin reindex")
            if form != FORMAT:
                message = f"The index at {place} was made by another version of Vademecum."
                raise IndexCorrupt(message, hint=_REBUILD)
            version = data.pop("version")
            segments = [SegmentInfo(**{**one, "dead": tuple(one["dead"])}) for one in data.pop("segments")]
            failures = [Failure(**one) for one in data.pop("failures")]
            sources = [from_data(one) for one in data.pop("sources")]
            found = cls(**data, segments=tuple(segments), failures=tuple(failures), sources=tuple(sources))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            message = f"The index's manifest at {place} is damaged ({error})."
            raise IndexCorrupt(message, hint=_REBUILD) from error
        if not sound and found.version != version:
            message = f"The index's manifest at {place} is damaged: its sources are not those of its version."
            raise IndexCorrupt(message, hint=_REBUILD)
        return found


def version_of(sources: Iterable[CatalogEntry]) -> str:
    """Return an identifier of the contents of an index: 16 hexadecimal digits of a SHA-256 hash.

    It covers each source's alias, type, location, language, checksum, recipe, status and number of documents, but not
    the build time or the number of steps.
    """
    from hashlib import sha256  # noqa: PLC0415 - 6 ms that questions do without

    made_of = [
        [*one[:4], one.checksum, one.recipe, one.status, one.documents]
        for one in sorted(sources, key=lambda one: one.alias)
    ]
    return sha256(json.dumps(made_of).encode()).hexdigest()[:16]


def check_sizes(folder: Path, files: Mapping[str, int]) -> None:
    """Detect files that are missing, truncated or replaced, without reading them."""
    for name, size in files.items():
        place = f"{folder}/{name}"
        try:
            found: object = os.stat(place).st_size  # noqa: PTH116 - a Path for each of 100 files costs a millisecond
        except OSError as error:
            found = error
        if found != size:
            message = f"A part of the index at {place} is damaged: {size} bytes were written, now: {found}."
            raise IndexCorrupt(message, hint="Rebuild the index with: ragadmin reindex --full")
