"""`ragadmin`: keep what `ragman` answers from."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NoReturn

from vademecum.cli._building import build, summary
from vademecum.cli._ending import run_to_end, set_up_streams
from vademecum.core.errors import SourceError
from vademecum.library.catalog import NO_PAGES_HINT, CatalogEntry
from vademecum.library.indexing import Report
from vademecum.library.library import Library

WARNINGS = 3

_COLUMNS = ("alias", "type", "status", "documents", "size", "last updated", "location")


def main() -> NoReturn:
    """Run the command and leave."""
    run_to_end("ragadmin", lambda: run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Do what was asked for, and return the exit code.

    Raises:
        VademecumError: What went wrong.
    """
    set_up_streams()
    asked = _parser().parse_args(arguments)
    code: int = asked.run(Library.open(), asked)
    return code


def init(library: Library, asked: argparse.Namespace) -> int:
    """Make folders, configuration and catalog where they are missing. Nothing that exists is changed."""
    del asked
    for path, made in library.prepare().items():
        print(f"{'made' if made else 'kept'}  {path}")
    for entry in library.sources():
        print(f"source  {entry.alias}: {entry.location} ({entry.status})")
    if any(entry.status == "pending" for entry in library.sources()):
        print("Next: ragadmin reindex")
    return 0


def reindex(library: Library, asked: argparse.Namespace) -> int:
    """Bring the index up to date.

    Raises:
        SourceError: There was nothing to index.
    """
    report = build(library, full=asked.full, sources=asked.source or None)
    if asked.json or library.settings.output_default == "json":
        print(json.dumps(_report(report), ensure_ascii=False))
    else:
        print(summary(report, verbose=asked.verbose), end="")
    if not report.documents:
        raise SourceError("No documents were found, so there is nothing to answer from.", hint=NO_PAGES_HINT)
    return WARNINGS if report.problems else 0


def list_sources(library: Library, asked: argparse.Namespace) -> int:
    """Print the catalog."""
    entries = library.sources()
    if asked.json or library.settings.output_default == "json":
        print(json.dumps([_entry(entry) for entry in entries], ensure_ascii=False, indent=2))
        return 0
    rows = [_COLUMNS, *(_row(entry) for entry in entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for entry in entries:
        if entry.notes:
            print(f"{entry.alias}: {entry.notes}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ragadmin", description="Keeps the sources and the index of ragman."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser(
        "init", help="make folders, configuration and catalog where they are missing"
    )
    command.set_defaults(run=init)

    command = commands.add_parser("reindex", help="bring the index up to date with its sources")
    command.add_argument("source", nargs="*", metavar="ALIAS", help="look at these sources only")
    command.add_argument("--full", action="store_true", help="read everything anew")
    command.add_argument("--json", action="store_true", help="report as one JSON object")
    command.add_argument("--verbose", action="store_true", help="name every problem")
    command.set_defaults(run=reindex)

    sources = commands.add_parser("sources", help="the catalog of sources")
    of_sources = sources.add_subparsers(required=True, metavar="COMMAND")
    command = of_sources.add_parser("list", help="all sources and what became of each")
    command.add_argument("--json", action="store_true", help="as JSON")
    command.set_defaults(run=list_sources)
    return parser


def _report(report: Report) -> dict[str, Any]:
    return {**report._asdict(), "problems": [asdict(problem) for problem in report.problems]}


def _entry(entry: CatalogEntry) -> dict[str, Any]:
    """A source as data. What the folders looked like is the library's own business."""
    return {name: value for name, value in entry._asdict().items() if name != "seen"}


def _row(entry: CatalogEntry) -> tuple[str, ...]:
    return (
        entry.alias,
        entry.type,
        entry.status,
        f"{entry.documents:,}",
        f"{entry.size_bytes / 1e6:.1f} MB",
        entry.last_updated or "never",
        entry.location,
    )


if __name__ == "__main__":
    main()
