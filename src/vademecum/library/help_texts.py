"""Keep what programs print for `--help` as documents of one source. A program runs only when it is added by name."""

import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from vademecum.core.errors import SourceError, StoreError
from vademecum.files.write import replace_file
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.library.library import Library
from vademecum.sources.man.process import run
from vademecum.text.printable import printable

PREFIX = "help:"
"""What the names of programs begin with where a path could be meant (`help:rg`)."""

_COMMAND = re.compile(r"[\w+.][\w+.-]*(?: [\w+.][\w+.-]*){0,4}")
_TIME_LIMIT_S = 20.0
_LIMIT_BYTES = 1024 * 1024
_LEAST_LINES = 2
_PLAIN = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "COLUMNS": "100",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
}


def keep_help(library: Library, command: str) -> CatalogEntry:
    """Run a program with `--help`, and keep the output as a document. The next reindex reads it.

    The help of a sub-command is only found together with that of its program, which is therefore kept, too. All outputs are one
    source of type `help`, in the folder `help` of the library. A program that was kept before is run
    again. It has no input, its own process group, a temporary working directory, and at most 20 seconds.

    Args:
        command: The program, and perhaps its sub-command: `rg`, `cargo build`.

    Returns:
        The source.
    """
    texts = {command: _printed(command)}
    folder = _folder(library)
    program = command.split(" ", maxsplit=1)[0]
    if not (folder / f"{program}.help").is_file():
        with suppress(SourceError):
            texts.setdefault(program, _printed(program))
    try:
        for name, text in texts.items():
            replace_file(folder / f"{name}.help", text)
    except OSError as error:
        message = f"The output of {command} --help cannot be stored in {folder}: {error.strerror}."
        raise StoreError(
            message, hint="Free up disk space, or check the permissions of the folder."
        ) from error
    entry = _entry(library)
    if entry is None:
        return library.add_source(folder, type="help", language="en")
    return library.update_source(entry.alias)


def drop_help(library: Library, command: str) -> CatalogEntry:
    """Remove the output of a program, and the source with the last one.

    Returns:
        The source.
    """
    file = _folder(library) / f"{command}.help"
    entry = _entry(library)
    if entry is None or not _COMMAND.fullmatch(command) or not file.is_file():
        message = f"The output of {printable(command, 40)} --help is not kept."
        raise SourceError(message, hint="List the sources with: ragadmin sources list")
    file.unlink()
    if any(file.parent.glob("*.help")):
        return library.update_source(entry.alias)
    return library.remove_source(entry.alias)


def _folder(library: Library) -> Path:
    return library.places.data / "help"


def _entry(library: Library) -> CatalogEntry | None:
    place = str(_folder(library).resolve())
    return next((entry for entry in library.sources() if entry.location == place), None)


def _printed(command: str) -> str:
    """Return what a program prints for `--help`."""
    shown = printable(command, 60)
    if not _COMMAND.fullmatch(command):
        message = f"{shown!r} is not the name of a program."
        raise SourceError(
            message, hint="Name a program, and perhaps its sub-command: help:rg, 'help:cargo build'."
        )
    name, *rest = command.split(" ")
    program = shutil.which(name)
    if program is None:
        raise SourceError(
            f"There is no program {shown!r} on the PATH.", hint="Install it, or check the spelling."
        )
    environment = {**_PLAIN, **({"HOME": os.environ["HOME"]} if "HOME" in os.environ else {})}
    try:
        with tempfile.TemporaryDirectory() as folder:
            outcome = run(
                [program, *rest, "--help"],
                Path(folder),
                idle_s=_TIME_LIMIT_S,
                total_s=_TIME_LIMIT_S,
                limit_bytes=_LIMIT_BYTES,
                environment=environment,
                errors=True,
            )
    except OSError as error:
        raise SourceError(
            f"{shown} cannot be run: {error.strerror}.", hint="Check its permissions."
        ) from error
    text = outcome.output.decode("utf-8", "replace")
    is_help = outcome.ending == "done" or (outcome.ending == "failed" and "usage" in text.lower())
    if not is_help or len(text.strip().splitlines()) < _LEAST_LINES:
        why = {"timeout": f"did not end within {_TIME_LIMIT_S:g} seconds", "flood": "printed more than 1 MB"}
        said = next((line.strip() for line in text.splitlines() if line.strip()), "")
        nothing = f"printed no help, only: {printable(said, 100)}" if said else "printed nothing"
        message = f"{shown} --help {why.get(outcome.ending, nothing)}."
        raise SourceError(message, hint=f"Save its help into a file {name}.help, and add that file.")
    return text
