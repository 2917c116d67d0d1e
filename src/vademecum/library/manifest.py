"""The manifest: the small file that names all there is in one generation of the index."""

import json
from typing import Any, NamedTuple

from vademecum.core.errors import IndexCorrupt

FORMAT = 1
"""Of everything on disk. A reader refuses any other."""

_REBUILD = "Build it anew with: ragadmin reindex --full"


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


class Failure(NamedTuple):
    """A document that could not be read, so that it is not tried again until it changes."""

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
        total: Summed weight of the windows of live documents, in 1/64.
        files: Size in bytes of each of its own files.
        segments: In the order in which they were built.
        failures: Documents that could not be read.
    """

    number: int
    built: str
    total: int
    files: dict[str, int]
    segments: tuple[SegmentInfo, ...]
    failures: tuple[Failure, ...] = ()

    @property
    def documents(self) -> int:
        """Live documents."""
        return sum(segment.documents - len(segment.dead) for segment in self.segments)

    def to_json(self) -> str:
        """The manifest as its file holds it."""
        data: dict[str, Any] = {"format": FORMAT, **self._asdict()}
        data["segments"] = [segment._asdict() for segment in self.segments]
        data["failures"] = [failure._asdict() for failure in self.failures]
        return json.dumps(data, indent=1)

    @classmethod
    def from_json(cls, text: str, place: object) -> "Manifest":
        """Read a manifest.

        Raises:
            IndexCorrupt: It is not one, or of another format.
        """
        try:
            data = json.loads(text)
            if data.pop("format") != FORMAT:
                message = f"The index at {place} was made by another version of Vademecum."
                raise IndexCorrupt(message, hint=_REBUILD)
            segments = [SegmentInfo(**{**one, "dead": tuple(one["dead"])}) for one in data.pop("segments")]
            failures = [Failure(**one) for one in data.pop("failures")]
            return cls(**data, segments=tuple(segments), failures=tuple(failures))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            message = f"The index's manifest at {place} is damaged ({error})."
            raise IndexCorrupt(message, hint=_REBUILD) from error
