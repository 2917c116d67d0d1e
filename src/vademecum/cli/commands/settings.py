"""`vademecum settings`: all settings, except chat rules, and the origin of each value."""

import json
import os
import sys
from collections.abc import Callable

from vademecum.cli._command import Options
from vademecum.cli._ending import complain
from vademecum.cli._output import print_rows
from vademecum.config import library
from vademecum.config.reader import read
from vademecum.config.schema import Values
from vademecum.core.errors import ConfigError
from vademecum.desks.book import settings as book_settings
from vademecum.desks.composer.settings_table import load
from vademecum.desks.reasoning import settings as reasoning_settings
from vademecum.files.places import default_places
from vademecum.text.printable import printable


def settings(asked: Options) -> int:
    """Print all settings, except chat rules, and the origin of each value; return the exit code."""
    desks, faults = {}, []
    for name, values_of in _DESKS.items():
        try:
            desks[name] = values_of()
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


def _json(values: Values) -> dict[str, object]:
    settings = {key: {"value": value, "origin": origin} for key, value, origin in values.rows()}
    return {"file": None if values.file is None else str(values.file), "settings": settings}


def _book() -> Values:
    values = read(book_settings.SCHEMA, environ=os.environ)
    book_settings.books_store()  # raises if the variables contradict each other
    return values


_DESKS: dict[str, Callable[[], Values]] = {
    "ragman": lambda: read(library.SCHEMA, default_places().settings_file),
    "book": _book,
    "reasoning": lambda: read(reasoning_settings.SCHEMA, reasoning_settings.settings_file()),
    "composer": lambda: load().values,
}
