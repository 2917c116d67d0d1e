"""`ragadmin`: manage the index that `ragman` answers from.

Slow imports are in `run`, so that an interrupt during an import ends the command without a traceback.
"""

# ruff: noqa: PLC0415 - see above

import sys

from vademecum.cli._ending import run_to_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from vademecum.cli._command import Options
    from vademecum.library.internal import InternalLibrary

WARNINGS = 3


def main() -> "NoReturn":
    """Run the command, and exit."""
    run_to_end("ragadmin", lambda: run(sys.argv[1:]))


def run(arguments: "Sequence[str]") -> int:
    """Run a command, and return the exit code."""
    from vademecum.cli._ragadmin import RAGADMIN
    from vademecum.cli._run import run as run_command
    from vademecum.library.internal import InternalLibrary

    with InternalLibrary.open() as library:
        return run_command(RAGADMIN, arguments, library)


def reindex(library: "InternalLibrary", asked: "Options") -> int:
    """Update the index, or print what an update would change."""
    from vademecum.cli._building import Asked, build, build_apart, reading, stream, summary
    from vademecum.core.errors import ConfigError, SourceError
    from vademecum.index.catalog.catalog import NO_PAGES_HINT

    if asked.background:
        if asked.dry_run or asked.json:
            message = "--background excludes --dry-run and --json."
            raise ConfigError(message, hint="Leave it out, and the command waits for the report.")
        words = [f"--source={alias}" for alias in asked.source]
        words += ["--full"] * asked.full + ["--verbose"] * asked.verbose
        return build_apart(library, words, on=sys.stdout) or 0
    as_json = asked.json or library.settings.output_default == "json"
    run = stream if as_json else build
    report = run(library, Asked(asked.full, asked.source or None, asked.dry_run))
    if not as_json:
        print(summary(report, verbose=asked.verbose), end="")
        if said := reading(library):
            print(said)
    if not report.documents and not report.dry_run:
        raise SourceError("No documents were found.", hint=NO_PAGES_HINT)
    return WARNINGS if report.problems else 0


def embed(library: "InternalLibrary", asked: "Options") -> int:
    """Wait until the transformer has embedded all text."""
    from vademecum.cli._building import embed

    embed(library, as_json=asked.json)
    return 0


if __name__ == "__main__":
    main()
