"""`vademecum`: what concerns all desks. Each command's module is loaded when it is called."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from vademecum.cli import _eval
from vademecum.core.errors import EXIT_CODES, VademecumError

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: Its words without the program's name; by default those of the process.

    Returns:
        The exit code: 0 done, 2 not a usable command, 130 interrupted, else by `EXIT_CODES`.
    """
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        _discard_output()
        return 0
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    return code


def exit_code(error: VademecumError) -> int:
    """The exit code of an error, or of the nearest of its families that has one."""
    return next(EXIT_CODES[family] for family in type(error).__mro__ if family in EXIT_CODES)


def _run(argv: Sequence[str] | None) -> int:
    """Parse and call; errors are said on stderr."""
    try:
        arguments = _parser().parse_args(argv)
        code: int = arguments.run(arguments)
    except SystemExit as stop:  # argparse has said why
        return stop.code if isinstance(stop.code, int) else 0
    except VademecumError as error:
        print(f"vademecum: {error.message}", file=sys.stderr)
        if error.hint:
            print(error.hint, file=sys.stderr)
        return exit_code(error)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vademecum", description="Answers from the documents you already have, and how good they are."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _eval.add_parser(commands)
    return parser


def _discard_output() -> None:
    """Send what is still to be flushed nowhere, or Python complains about the pipe when it leaves."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
