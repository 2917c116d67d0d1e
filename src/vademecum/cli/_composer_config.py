"""`os-image-composer config`: write the configuration file, and show settings and their origins."""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from vademecum.cli._settings import print_rows
from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command and its own."""
    parser = commands.add_parser(
        "config",
        help="write the configuration file, or tell each setting and where it came from",
        description="Write the configuration file, or tell each setting and where it came from.",
    )
    own = parser.add_subparsers(prog=parser.prog, required=True, metavar="COMMAND")
    _command(own, "init", _init, "write the configuration file, with every setting commented out")
    show = _command(own, "show", _show, "print each setting, its value, and where it came from")
    add_set_flag(show)
    show.add_argument("--json", action="store_true", help="one JSON object instead of text")


def add_set_flag(parser: argparse.ArgumentParser) -> None:
    """Declare `--set`."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any setting, such as ai.cache.dir=/tmp/vectors; may be given again",
    )


def settings_given(pairs: Sequence[str]) -> dict[str, str]:
    """What `--set` says, by key; the last one counts.

    Raises:
        ConfigError: One has no `=`.
    """
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            message = f"--set takes KEY=VALUE, not {printable(pair, 60)}."
            raise ConfigError(message, hint="As an example: --set ai.ollama.timeout=30")
        given[key.strip()] = value
    return given


def _command(
    own: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[[argparse.Namespace], int],
    meaning: str,
) -> argparse.ArgumentParser:
    parser = own.add_parser(name, help=meaning, description=f"{meaning[0].upper()}{meaning[1:]}.")
    parser.add_argument("--config", type=Path, metavar="FILE", help="another file than the usual one")
    parser.set_defaults(run=run)
    return parser


def _init(arguments: argparse.Namespace) -> int:
    from vademecum.config.reader import write_new  # noqa: PLC0415 - other commands need none of it
    from vademecum.desks.composer.settings_table import default_file, default_text  # noqa: PLC0415 - the same

    path = arguments.config or default_file()
    made = write_new(path, default_text())
    print(f"{'made' if made else 'kept'}  {printable(str(path))}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from vademecum.desks.composer.settings_table import SECRETS, load  # noqa: PLC0415 - other commands need none of it

    values = load(settings_given(arguments.set), file=arguments.config).values
    secrets = {name: bool(os.environ.get(name, "").strip()) for name in SECRETS}
    rows = values.rows()
    if arguments.json:
        settings = {key: {"value": value, "origin": origin} for key, value, origin in rows}
        print(json.dumps({"file": str(values.file), "settings": settings, "secrets": secrets}))
        return 0
    is_there = values.file is not None and values.file.exists()
    note = "" if is_there else " (there is none; os-image-composer config init writes it)"
    print(f"file  {printable(str(values.file))}{note}")
    rows += [(name, "is set" if is_set else "is not set", "environment") for name, is_set in secrets.items()]
    print_rows(rows)
    return 0
