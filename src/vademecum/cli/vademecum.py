"""`vademecum`: what concerns all desks. Each command's module is loaded when it is called."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from vademecum.cli import _eval
from vademecum.cli._ending import run_to_end, set_up_streams


def main() -> NoReturn:
    """Run the command and leave."""
    run_to_end("vademecum", lambda: run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Carry out a command, and return the exit code.

    Raises:
        VademecumError: What went wrong.
    """
    set_up_streams()
    parsed = _parser().parse_args(arguments)
    code: int = parsed.run(parsed)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vademecum", description="Answers from the documents you already have, and how good they are."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _eval.add_parser(commands)
    return parser


if __name__ == "__main__":
    main()
