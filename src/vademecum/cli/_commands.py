"""The flags and arguments of all commands, as data, taken from their parsers.

Completion and manual pages are made of it, so that they cannot say anything else than `--help`.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from vademecum.cli import os_image_composer, ragadmin, ragman, vademecum


class Flag(NamedTuple):
    """A flag.

    Attributes:
        names: As written, short and long (`-h`, `--help`).
        value: What stands for its value (`ALIAS`); "" when it takes none.
        optional: Whether the value may be left out.
        repeated: Whether it may be given several times.
        meaning: What it does.
        choices: The values it takes; empty for any.
    """

    names: tuple[str, ...]
    value: str
    optional: bool
    repeated: bool
    meaning: str
    choices: tuple[str, ...] = ()


class Argument(NamedTuple):
    """A word that a command takes: what stands for it, what it is, and the choices, if they are fixed."""

    name: str
    meaning: str
    choices: tuple[str, ...]


class Command(NamedTuple):
    """A program, or a command of one.

    Attributes:
        path: The program and the words up to this command (`("ragadmin", "sources", "add")`).
        meaning: What it does.
        flags: Those it takes.
        arguments: The words it takes.
        commands: Its own commands.
    """

    path: tuple[str, ...]
    meaning: str
    flags: tuple[Flag, ...]
    arguments: tuple[Argument, ...]
    commands: tuple["Command", ...]


def programs() -> tuple[Command, ...]:
    """All programs with their commands."""
    flags = tuple(
        Flag(
            tuple(names.split(", ")),
            value,
            optional=False,
            repeated=names in ragman.REPEATED,
            meaning=meaning,
        )
        for names, value, meaning in ragman.FLAGS
    )
    question = Argument("QUESTION", "in English, as to a colleague", ())
    asking = Command(("ragman",), "answers a question from this machine's manuals", flags, (question,), ())
    parsed = {
        "ragadmin": ragadmin.parser(),
        "vademecum": vademecum.parser(),
        "os-image-composer": os_image_composer.parser(),
    }
    return (asking, *(_of(parser, (name,)) for name, parser in parsed.items()))


def walk(command: Command) -> Iterator[Command]:
    """A command, and all below it in order."""
    yield command
    for one in command.commands:
        yield from walk(one)


def _of(parser: argparse.ArgumentParser, path: tuple[str, ...], meaning: str = "") -> Command:
    flags, arguments, commands = [], [], []
    for action in parser._actions:  # noqa: SLF001 - there is no other way to ask a parser what it takes
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            listed = action._choices_actions  # noqa: SLF001
            helps = {choice.dest: choice.help or "" for choice in listed}
            commands = [_of(one, (*path, name), helps.get(name, "")) for name, one in action.choices.items()]
        elif action.help == argparse.SUPPRESS:
            continue
        elif action.option_strings:
            flags.append(_flag(action))
        else:
            name = action.metavar if isinstance(action.metavar, str) else action.dest
            arguments.append(Argument(name, action.help or "", tuple(map(str, action.choices or ()))))
    return Command(path, meaning or parser.description or "", tuple(flags), tuple(arguments), tuple(commands))


def _flag(action: argparse.Action) -> Flag:
    takes_value = action.nargs != 0
    value = (
        (action.metavar if isinstance(action.metavar, str) else action.dest.upper()) if takes_value else ""
    )
    return Flag(
        names=tuple(sorted(action.option_strings, key=len)),
        value=value,
        optional=action.nargs == "?",
        repeated=isinstance(action, argparse._AppendAction),  # noqa: SLF001
        meaning=(action.help or "").replace("%(default)s", str(action.default)),
        choices=tuple(map(str, action.choices or ())),
    )
