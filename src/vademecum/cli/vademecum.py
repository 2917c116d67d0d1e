"""`vademecum`: commands for all desks. Modules are imported when their command is called."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from vademecum.cli import _book, _chat, _eval, _packages, _reason, _serve_web, _settings, _store, _templates
from vademecum.cli._ending import run_to_end
from vademecum.cli._parsing import Parser


def main() -> NoReturn:
    """Run the command and leave."""
    run_to_end("vademecum", lambda: run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Carry out a command, and return the exit code.

    Raises:
        VademecumError: What went wrong.
    """
    parsed = parser().parse_args(arguments)
    code: int = parsed.run(parsed)
    return code


def parser() -> argparse.ArgumentParser:
    """What reads its command line."""
    parser: argparse.ArgumentParser = Parser(
        prog="vademecum", description="Answers from the documents you already have, and how good they are."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _book.add_parser(commands)
    _chat.add_parser(commands)
    _eval.add_parser(commands)
    _packages.add_parser(commands)
    _reason.add_parser(commands)
    _serve_web.add_parser(commands)
    _settings.add_parser(commands)
    _store.add_parser(commands)
    _templates.add_parser(commands)
    return parser


if __name__ == "__main__":
    main()
