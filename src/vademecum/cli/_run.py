"""Run a command line by the declaration of its program."""

import sys

from vademecum.cli._command import Command, find, options_of, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

_USAGE = 2


def run(program: Command, words: "Sequence[str]", *given: object) -> int:
    """Run a command line, and return the exit code.

    Args:
        words: The command line without the name of the program.
        *given: Further arguments of the command's function, before the options.
    """
    command, rest = find(program, words)
    if command.variables:
        from vademecum.cli._environment import words_of  # noqa: PLC0415 - few commands have variables

        rest = [*words_of(command, rest), *rest]
    words, values = split(command, rest)
    if "--help" in values:
        _print_help(command, sys.stdout)
        return 0
    if "--version" in values:
        from vademecum import __version__  # noqa: PLC0415 - only here

        print(f"{program.path[0]} {__version__}")
        return 0
    if command.commands:
        _print_help(command, sys.stderr)
        return _USAGE
    options = options_of(command, words, values)
    return command.function()(*given, options)


def _print_help(command: Command, stream: "TextIO") -> None:
    from vademecum.cli._help import help_of  # noqa: PLC0415 - most command lines need no help

    print(help_of(command), end="", file=stream)
