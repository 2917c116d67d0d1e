"""`os-image-composer`: turn plain language into an image template. Modules are imported when their command is called."""

import argparse
import gc
import sys
from collections.abc import Sequence
from typing import NoReturn

from vademecum.cli import _composer_ai, _composer_config
from vademecum.cli._ending import run_to_end
from vademecum.cli._parsing import Parser


def main() -> NoReturn:
    """Run the command and leave."""
    if not {"-i", "--interactive"} & set(sys.argv):
        gc.disable()  # it ends before there is anything to collect
    run_to_end("os-image-composer", lambda: run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Carry out a command, and return the exit code.

    Raises:
        VademecumError: What went wrong.
    """
    parsed = parser(arguments).parse_args(arguments)
    code: int = parsed.run(parsed)
    return code


def parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """What reads its command line. `arguments` that begin with a command may leave the others out."""
    parser: argparse.ArgumentParser = Parser(
        prog="os-image-composer",
        description="Plain words to a valid template of an operating system's image.",
    )
    commands = parser.add_subparsers(
        prog=parser.prog, required=True, metavar="COMMAND"
    )  # else argparse formats it: 4 ms
    _composer_ai.add_parser(commands)
    if arguments[:1] != ["ai"]:  # its five parsers take 2 ms
        _composer_config.add_parser(commands)
    return parser


if __name__ == "__main__":
    main()
