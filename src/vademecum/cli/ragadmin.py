"""`ragadmin`: manage the index that `ragman` answers from.

What takes time to load is loaded within `run`, so that an interrupt then is one of the command, and no traceback.
"""

# ruff: noqa: PLC0415 - see above

import sys

from vademecum.cli._ending import run_to_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import NoReturn

    from vademecum.library.library import Library

WARNINGS = 3


def main() -> "NoReturn":
    """Run the command and leave."""
    run_to_end("ragadmin", lambda: run(sys.argv[1:]))


def run(arguments: "Sequence[str]") -> int:
    """Do what was asked for, and return the exit code.

    Raises:
        VademecumError: What went wrong.
    """
    from vademecum.library.library import Library

    asked = parser().parse_args(arguments)
    with Library.open() as library:
        code: int = asked.run(library, asked)
    return code


def reindex(library: "Library", asked: "argparse.Namespace") -> int:
    """Bring the index up to date, or say what there would be to do.

    Raises:
        SourceError: There was nothing to index.
    """
    from vademecum.cli._building import build, reading, stream, summary
    from vademecum.core.errors import SourceError
    from vademecum.index.catalog.catalog import NO_PAGES_HINT
    from vademecum.index.stored.shares import Share

    as_json = asked.json or library.settings.output_default == "json"
    run = stream if as_json else build
    share = Share.of(asked.partition) if asked.partition else None
    report = run(library, full=asked.full, sources=asked.source or None, dry_run=asked.dry_run, share=share)
    if not as_json:
        print(summary(report, verbose=asked.verbose), end="")
        if said := reading(library):
            print(said)
    if not report.documents and not report.dry_run:
        raise SourceError("No documents were found, so there is nothing to answer from.", hint=NO_PAGES_HINT)
    return WARNINGS if report.problems else 0


def embed(library: "Library", asked: "argparse.Namespace") -> int:
    """Have the transformer read what it has not read yet."""
    from vademecum.cli._building import embed

    embed(library, as_json=asked.json)
    return 0


def parser() -> "argparse.ArgumentParser":
    """What reads its command line."""
    from vademecum.cli import _completion, _init, _models, _serve, _sources
    from vademecum.cli._health import health
    from vademecum.cli._parsing import Parser

    parser: argparse.ArgumentParser = Parser(
        prog="ragadmin", description="Keeps the sources and the index of ragman."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    _init.register(commands)

    command = commands.add_parser("reindex", help="bring the index up to date with its sources")
    command.add_argument(
        "--source",
        action="append",
        metavar="ALIAS",
        help="look at this source only; may be given several times",
    )
    command.add_argument("--full", action="store_true", help="read everything again")
    command.add_argument(
        "--partition",
        metavar="I/N",
        help="read the I-th of N shares of the documents only, and copy it into the store",
    )
    command.add_argument("--dry-run", action="store_true", help="only say what would be done")
    command.add_argument("--json", action="store_true", help="progress and report as JSON, an object a line")
    command.add_argument("--verbose", action="store_true", help="name every problem")
    command.set_defaults(run=reindex)

    command = commands.add_parser(
        "embed", help="wait until the transformer has read all running text, which a reindex begins"
    )
    command.add_argument("--json", action="store_true", help="one JSON object instead of text")
    command.set_defaults(run=embed)

    command = commands.add_parser("health", help="what is in the way of answers, and what to do")
    command.add_argument("--json", action="store_true", help="as JSON")
    command.set_defaults(run=health)

    _sources.register(commands)
    _models.register(commands)
    _serve.register(commands)
    _completion.register(commands)
    return parser


if __name__ == "__main__":
    main()
