"""`vademecum settings`: all settings, except chat rules, and the origin of each value."""

import json
import os
import sys
from collections.abc import Callable, Sequence

from vademecum.cli._command import Options
from vademecum.cli._ending import complain
from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vademecum.config.schema import Values

Row = tuple[str, str, str]


def print_rows(rows: Sequence[Row]) -> None:
    """Print keys, values and origins in columns."""
    widths = [max(len(printable(row[column])) for row in rows) for column in range(2)]
    for key, value, origin in rows:
        print(
            f"{printable(key):{widths[0]}}  {printable(value) or '-':{widths[1]}}  {printable(origin, 200)}"
        )


def settings(asked: Options) -> int:
    """Print all settings, except chat rules, and the origin of each value; return the exit code."""
    desks, faults = {}, []
    for name, read in _DESKS.items():
        try:
            desks[name] = read()
        except ConfigError as error:
            faults.append(error)
    if asked.json:
        print(json.dumps({name: _json(values) for name, values in desks.items()}))
    for name, values in desks.items() if not asked.json else ():
        source = "the environment" if values.file is None else printable(str(values.file))
        is_absent = values.file is not None and not values.file.exists()
        print(f"{name}: {source}{' (does not exist)' if is_absent else ''}")
        print_rows(values.rows())
        print()
    sys.stdout.flush()
    for fault in faults[1:]:
        complain("vademecum", fault)
    if faults:
        raise faults[0]
    return 0


def _json(values: "Values") -> dict[str, object]:
    settings = {key: {"value": value, "origin": origin} for key, value, origin in values.rows()}
    return {"file": None if values.file is None else str(values.file), "settings": settings}


def _library() -> "Values":
    from vademecum.config.library import SCHEMA  # noqa: PLC0415 - `vademecum --help` needs no settings
    from vademecum.config.reader import read  # noqa: PLC0415 - the same
    from vademecum.files.places import default_places  # noqa: PLC0415 - the same

    return read(SCHEMA, default_places().settings_file)


def _book() -> "Values":
    from vademecum.config.reader import read  # noqa: PLC0415 - as above
    from vademecum.desks.book.settings import SCHEMA, books_store  # noqa: PLC0415 - as above

    values = read(SCHEMA, environ=os.environ)
    books_store()  # raises if the variables contradict each other
    return values


def _reasoning() -> "Values":
    from vademecum.config.reader import read  # noqa: PLC0415 - as above
    from vademecum.desks.reasoning.settings import SCHEMA, settings_file  # noqa: PLC0415 - as above

    return read(SCHEMA, settings_file())


def _composer() -> "Values":
    from vademecum.desks.composer.settings_table import load  # noqa: PLC0415 - as above

    return load().values


_DESKS: dict[str, Callable[[], "Values"]] = {
    "ragman": _library,
    "book": _book,
    "reasoning": _reasoning,
    "composer": _composer,
}
