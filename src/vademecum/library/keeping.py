"""Setting a library up, reindexing as its catalog says, and noting in the catalog what came of it."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from vademecum.core.documents import Problem
from vademecum.core.errors import ConfigError, SourceError
from vademecum.library import freshness, indexing
from vademecum.library.catalog import Catalog, CatalogEntry
from vademecum.library.generations import Generations
from vademecum.library.indexing import ParsedSource, Progress, Report
from vademecum.library.manifest import Manifest
from vademecum.library.places import Places
from vademecum.library.registry import open_source
from vademecum.library.settings_file import write_default


def prepare(places: Places, catalog: Catalog) -> dict[Path, bool]:
    """See `Library.prepare`."""
    made = {}
    for folder in (places.data, places.config, places.archives):
        made[folder] = not folder.is_dir()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            message = f"The folder {folder} can not be made: {error.strerror}."
            raise ConfigError(message, hint="Check the owner and rights of the folder above.") from error
    made[places.settings_file] = write_default(places.settings_file)
    made[places.catalog_file] = not places.catalog_file.exists()
    with catalog.changing():
        pass  # checks what is there, and saves what is not
    return made


def reindex(
    catalog: Catalog,
    generations: Generations,
    *,
    full: bool,
    wanted: Collection[str] | None,
    on_progress: Callable[[Progress], None],
) -> Report:
    """See `Library.reindex`.

    The folders' times are taken before the folders are read. So a change that comes meanwhile, or a process that
    is killed before it has noted them, makes the index look stale, never fresh.
    """
    entries = catalog.entries()
    usable, seen, failed = list[ParsedSource](), dict[str, dict[str, int]](), dict[str, SourceError]()
    for entry in _chosen(entries, wanted):
        try:
            usable.append(open_source(entry))
            seen[entry.alias] = freshness.look(entry)
        except SourceError as error:
            failed[entry.alias] = error
    if not usable:
        _note(catalog, None, seen, failed)
        raise next(
            iter(failed.values()), SourceError("The catalog is empty.", hint="Add a source: ragadmin init")
        )
    report = indexing.reindex(
        generations,
        usable,
        full=full,
        kept={entry.alias for entry in entries if entry.alias not in seen},
        on_progress=on_progress,
    )
    _note(catalog, generations.current(), seen, failed)
    problems = [
        Problem(place=a, fault="source-unreadable", message=e.message, hint=e.hint) for a, e in failed.items()
    ]
    return report._replace(problems=(*problems, *report.problems))


def _chosen(entries: Sequence[CatalogEntry], wanted: Collection[str] | None) -> list[CatalogEntry]:
    """The entries of these aliases, or all.

    Raises:
        SourceError: One is not in the catalog.
    """
    unknown = sorted(set(wanted or ()) - {entry.alias for entry in entries})
    if unknown:
        message = f"There is no source named {', '.join(unknown)}."
        raise SourceError(message, hint="See which there are with: ragadmin sources list")
    return [entry for entry in entries if wanted is None or entry.alias in wanted]


def _note(
    catalog: Catalog,
    manifest: Manifest | None,
    seen: dict[str, dict[str, int]],
    failed: dict[str, SourceError],
) -> None:
    """Write into the catalog what each source has become."""
    with catalog.changing() as entries:
        for position, entry in enumerate(entries):
            if entry.alias in failed:
                entries[position] = entry._replace(status="error", notes=failed[entry.alias].message)
            elif manifest and entry.alias in seen:
                segments = [segment for segment in manifest.segments if segment.alias == entry.alias]
                entries[position] = entry._replace(
                    status="active",
                    last_updated=manifest.built,
                    size_bytes=sum(segment.text_bytes for segment in segments),
                    documents=sum(segment.documents - len(segment.dead) for segment in segments),
                    notes="" if entry.status == "error" else entry.notes,
                    seen=seen[entry.alias],
                )
