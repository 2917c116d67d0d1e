"""The contents of a shared index, as its manifest describes them: the libraries that wrote it, and their sources."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.core.engines import Engine, Published
from vademecum.core.errors import IndexCorrupt, IndexMissing, IndexStale
from vademecum.index.catalog.catalog import CatalogEntry, from_data
from vademecum.index.manifest import Manifest, SegmentInfo

if TYPE_CHECKING:
    from vademecum.core.trace import Json

FORMAT = 1
"""The version of the manifest and of the fields of objects."""

SEGMENT = "shared-"
"""The beginning of the names of segments that are in an engine."""


class Part(NamedTuple):
    """The part of a library: the weight of its windows in 1/64, the generation and size of its table of words, and a description."""

    windows: int
    words: tuple[int, int]
    about: "Mapping[str, Json]"


class Shared(NamedTuple):
    """A source in an engine: the library that wrote it, its entry in the catalog there, its recipe, and its numbers of objects."""

    owner: str
    entry: CatalogEntry
    recipe: str
    documents: int
    passages: int


class Contents(NamedTuple):
    """The contents of a generation: when it was built, by which rules, by which libraries, and its sources by alias."""

    built: str
    rules: str
    owners: Mapping[str, Part]
    sources: Mapping[str, Shared]

    def to_json(self) -> str:
        """Return the contents as the manifest of a generation."""
        data: dict[str, Any] = {"vademecum": FORMAT, **self._asdict()}
        data["owners"] = {owner: part._asdict() for owner, part in self.owners.items()}
        data["sources"] = {
            alias: {**shared._asdict(), "entry": shared.entry.stored()}
            for alias, shared in self.sources.items()
        }
        return json.dumps(data)

    def manifest(self, number: int) -> Manifest:
        """Return the contents as the manifest of an index, with a segment for each source."""
        segments = (
            SegmentInfo(f"{SEGMENT}{alias}", alias, of.recipe, of.documents, of.passages, 0, {})
            for alias, of in self.sources.items()
        )
        totals = {"documents": sum(part.windows for part in self.owners.values()), "manual-pages": 0}
        entries = tuple(of.entry for of in self.sources.values())
        return Manifest(number, self.built, totals, {}, tuple(segments), (), entries)  # type: ignore[arg-type] # of methods


def contents_of(published: Published, place: str) -> Contents:
    """Parse the manifest of a generation."""
    try:
        data = json.loads(published.manifest)
        if data.pop("vademecum") != FORMAT:
            message = f"The index in {place} was written by another version of Vademecum."
            raise IndexStale(
                message, hint="Use the same version on all machines, or write it again: ragadmin reindex"
            )
        owners = {
            owner: Part(int(of["windows"]), (int(of["words"][0]), int(of["words"][1])), dict(of["about"]))
            for owner, of in data["owners"].items()
        }
        sources = {
            alias: Shared(**{**of, "entry": from_data(of["entry"])}) for alias, of in data["sources"].items()
        }
        return Contents(str(data["built"]), str(data["rules"]), owners, sources)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        message = f"The manifest of the index in {place} is damaged ({error})."
        raise IndexCorrupt(
            message, hint="Write it again, on the machine that indexes: ragadmin reindex --full"
        ) from error


def published_in(engine: Engine) -> tuple[Published, Contents]:
    """Return the current generation of an engine."""
    published = engine.current()
    if published is None:
        message = f"{engine.name} has no index yet."
        raise IndexMissing(message, hint="Build it, on the machine that indexes, with: ragadmin reindex")
    return published, contents_of(published, engine.name)


def manifest_in(engine: Engine) -> Manifest:
    """Return the manifest of the current generation of an engine. Raises as `published_in`."""
    published, contents = published_in(engine)
    return contents.manifest(published.number)


def about(engine: Engine) -> "Mapping[str, Json]":
    """Return the description of the index in an engine; of several, the first."""
    _, contents = published_in(engine)
    return next((part.about for part in contents.owners.values() if part.about), {})
