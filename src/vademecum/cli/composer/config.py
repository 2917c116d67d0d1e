"""`os-image-composer config`: write the configuration file, and show settings and their origins."""

import json
import os
from collections.abc import Sequence

from vademecum.cli._command import Options
from vademecum.cli._output import print_rows
from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable


def settings_given(pairs: Sequence[str]) -> dict[str, str]:
    """Return the values of `--set` by key. The last value of a key takes precedence.

    Raises:
        ConfigError: A value has no `=`.
    """
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            message = f"--set takes KEY=VALUE, not {printable(pair, 60)}."
            raise ConfigError(message, hint="Example: --set ai.ollama.timeout=30")
        given[key.strip()] = value
    return given


def init(arguments: Options) -> int:
    """Write the configuration file, with every setting commented out; return the exit code."""
    from vademecum.config.reader import write_new  # noqa: PLC0415 - other commands need none of it
    from vademecum.desks.composer.settings_table import default_file, default_text  # noqa: PLC0415 - the same

    path = arguments.config or default_file()
    made = write_new(path, default_text())
    print(f"{'made' if made else 'kept'}  {printable(str(path))}")
    return 0


def show(arguments: Options) -> int:
    """Print each setting, its value, and its origin; return the exit code."""
    from vademecum.desks.composer.settings_table import SECRETS, load  # noqa: PLC0415 - other commands need none of it

    values = load(settings_given(arguments.set), file=arguments.config).values
    secrets = {name: bool(os.environ.get(name, "").strip()) for name in SECRETS}
    rows = values.rows()
    if arguments.json:
        settings = {key: {"value": value, "origin": origin} for key, value, origin in rows}
        print(json.dumps({"file": str(values.file), "settings": settings, "secrets": secrets}))
        return 0
    is_there = values.file is not None and values.file.exists()
    note = "" if is_there else " (does not exist; create it with: os-image-composer config init)"
    print(f"file  {printable(str(values.file))}{note}")
    rows += [(name, "is set" if is_set else "is not set", "environment") for name, is_set in secrets.items()]
    print_rows(rows)
    return 0
