"""The manifest: the small file that lists everything in a generation."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from vademecum.core.errors import IndexCorrupt, IndexStale
from vademecum.core.settings import Method
from vademecum.index.catalog.catalog import CatalogEntry, from_data

FORMAT = 6
"""Of everything on disk. A reader refuses any other; a reindex rebuilds what is older."""

TERMS: dict[Method, str] = {"manual-pages": "terms.bin", "documents": "text-terms.bin"}
"""The files of the terms' frequencies, by the method of their documents: what is rare in one is common in the other."""

_DOCUMENTS = " documents-"
"""What is in the recipe of running text, see `retrieval.methods`."""

_REBUILD = "Rebuild it with: ragadmin reindex --full"


class SegmentInfo(NamedTuple):
    """One segment, and which of its documents are dead in this generation.

    Attributes:
        name: Its folder under `segments/`.
        alias: The source it belongs to.
        recipe: Parser and rules its documents were made with.
        documents: How many it holds, dead ones included.
        passages: Likewise.
        text_bytes: Of the documents' text, UTF-8.
        files: Size in bytes of each of its files, to notice a truncated one.
        dead: Numbers of documents replaced or deleted since, ascending.
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
        """How its documents are indexed and ranked."""
        return "documents" if _DOCUMENTS in self.recipe else "manual-pages"


class Failure(NamedTuple):
    """A document that could not be read, so that it is not tried again until it changes.

    One without a fingerprint is not a document, but something a source found in its place that cannot be one.
    """

    alias: str
    key: str
    fingerprint: str
    recipe: str
    fault: str
    message: str
    hint: str


class Manifest(NamedTuple):
    """One generation.

    Attributes:
        number: Counts up from 1.
        built: When, ISO 8601 in UTC.
        totals: Summed weight of the windows of live documents, in 1/64, by the method they are indexed by.
        files: Size in bytes of each of its own files.
        segments: In the order in which they were built.
        failures: Documents that could not be read.
        sources: The catalog's entries as they are with this generation: those it was built from, and those that
            failed. After a power cut the catalog is set right from them.
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
        """What the index was made of, in 16 hexadecimal digits: see `version_of`."""
        return version_of(self.sources)

    @property
    def documents(self) -> int:
        """Live documents."""
        return sum(segment.documents - len(segment.dead) for segment in self.segments)

    def to_json(self) -> str:
        """The manifest as its file holds it."""
        data: dict[str, Any] = {"format": FORMAT, "version": self.version, **self._asdict()}
        data["segments"] = [segment._asdict() for segment in self.segments]
        data["failures"] = [failure._asdict() for failure in self.failures]
        data["sources"] = [entry._asdict() for entry in self.sources]
        return json.dumps(data, indent=1)

    @classmethod
    def from_json(cls, text: str, place: object, *, sound: bool = False) -> "Manifest":
        """Read a manifest.

        Args:
            text: As `to_json` made it.
            place: Where it was found.
            sound: Whether it is known to be as it was written. Else its version is computed and compared.

        Raises:
            IndexStale: It is of an older format.
            IndexCorrupt: It is not one, or of another format.
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
    """What an index was made of, as 16 hexadecimal digits of a SHA-256.

    It covers each source's alias, type, location, language, checksum, recipe, status and count of documents; not
    when it was made, nor in how many steps.
    """
    from hashlib import sha256  # noqa: PLC0415 - 6 ms that questions do without

    made_of = [
        [*one[:4], one.checksum, one.recipe, one.status, one.documents]
        for one in sorted(sources, key=lambda one: one.alias)
    ]
    return sha256(json.dumps(made_of).encode()).hexdigest()[:16]
