"""Declare, parse and describe commands. One declaration gives parsing, `--help`, the manual page and shell completion.

`argparse` takes 20 ms to load, longer than a question to the background service takes. This module loads nothing.
"""

import sys

from vademecum.core.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `collections` take 9 ms to load
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

_NEEDED = object()


class Flag:
    """A flag.

    Args:
        names: Its names, short and long (`-o, --output`).
        value: The placeholder of its value (`ALIAS`); "" for a switch.
        meaning: Its description, without a final period.
        kind: The kind of its value, one of `_KINDS`.
        default: Its value if it is not given.
        bare: Its value if it is given without one; by default the value is required.
        choices: The allowed values; empty for any.
        field: The attribute of `Options`; by default its long name.
        is_repeated: Whether it can be given more than once; its value is then a list.
        is_required, is_hidden: Whether it must be given, and whether help and completion omit it.
    """

    def __init__(
        self,
        names: str,
        value: str = "",
        meaning: str = "",
        *,
        kind: str = "text",
        default: "Any" = None,
        bare: "Any" = _NEEDED,
        choices: "Sequence[str]" = (),
        field: str = "",
        is_repeated: bool = False,
        is_required: bool = False,
        is_hidden: bool = False,
    ) -> None:
        self.names = tuple(names.split(", "))
        self.value, self.meaning, self.kind, self.default, self.bare = value, meaning, kind, default, bare
        self.choices = tuple(choices)
        self.field = field or self.names[-1].lstrip("-").replace("-", "_")
        self.is_repeated, self.is_required, self.is_hidden = is_repeated, is_required, is_hidden

    @property
    def is_optional(self) -> bool:
        """Return whether its value can be omitted."""
        return self.bare is not _NEEDED

    @property
    def shown(self) -> str:
        """Its names and value, as in help."""
        value = f" [{self.value}]" if self.is_optional else f" {self.value}" if self.value else ""
        return ", ".join(self.names) + value


class Argument:
    """A positional argument.

    Args:
        meaning: Its description, without a final period.
        kind: The kind of its value, one of `_KINDS`.
        many: "" for exactly one, "?" for at most one, "*" for any number, "+" for at least one.
        default: Its value if it is not given.
        choices: The allowed values; empty for any.
        field: The attribute of `Options`; by default its name in lower case.
    """

    def __init__(
        self,
        name: str,
        meaning: str = "",
        *,
        kind: str = "text",
        many: str = "",
        default: "Any" = None,
        choices: "Sequence[str]" = (),
        field: str = "",
    ) -> None:
        self.name, self.meaning, self.kind, self.many, self.default = name, meaning, kind, many, default
        self.choices = tuple(choices)
        self.field = field or name.lower()

    @property
    def shown(self) -> str:
        """The placeholder, as in a usage line."""
        return {"": self.name, "?": f"[{self.name}]", "*": f"[{self.name}...]", "+": f"{self.name}..."}[
            self.many
        ]


HELP = Flag("-h, --help", meaning="Print this help")
VERSION = Flag("--version", meaning="Print the version")
JSON = Flag("--json", meaning="Print one JSON object instead of text")


class Command:
    """A command, a group of commands, or a program.

    Args:
        name: The words of the command (`sources add`); for a program, its name.
        meaning: Its description, in the imperative and without a final period.
        run: The function that runs it, `MODULE:FUNCTION`; "" for a group.
        flags: Its flags, without `--help`.
        commands: The commands of a program, in the order of its help, each group before its members.
        more: Further sentences of the help.
        variables: What the names of the environment variables begin with that also set its flags; "" for none.

    Attributes:
        path: The program and the words of the command.
    """

    def __init__(
        self,
        name: str,
        meaning: str,
        run: str = "",
        *,
        arguments: "Sequence[Argument]" = (),
        flags: "Sequence[Flag]" = (),
        commands: "Sequence[Command]" = (),
        more: str = "",
        variables: str = "",
    ) -> None:
        self.path = tuple(name.split())
        self.meaning, self.run, self.more, self.variables = meaning, run, more, variables
        self.arguments, self.flags = tuple(arguments), (*flags, HELP)
        self.commands: tuple[Command, ...] = ()
        if commands:
            self.flags = (*flags, VERSION, HELP)
            for command in commands:
                command.path = self.path + command.path
            for command in (self, *commands):
                depth = len(command.path) + 1
                command.commands = tuple(
                    one for one in commands if len(one.path) == depth and one.path[:-1] == command.path
                )

    @property
    def shown_flags(self) -> "list[Flag]":
        """The flags that are not hidden."""
        return [flag for flag in self.flags if not flag.is_hidden]

    def function(self) -> "Callable[..., int]":
        """Import the function that runs the command, and return it."""
        module, _, name = self.run.partition(":")
        __import__(module)
        found: Callable[..., int] = getattr(sys.modules[module], name)
        return found

    def walk(self) -> "Iterator[Command]":
        """Yield the command and all commands below it, in order."""
        yield self
        for command in self.commands:
            yield from command.walk()


class Options:
    """The values of a command line, as attributes."""

    def __init__(self, values: "dict[str, Any]") -> None:
        self.__dict__.update(values)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...


def find(program: Command, words: "Sequence[str]") -> "tuple[Command, list[str]]":
    """Return the command that a command line names, and the rest of the line."""
    command, rest = program, list(words)
    while command.commands and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        names = [one.path[-1] for one in command.commands]
        if name not in names:
            raise _invalid(f"Unknown command {_quoted(name)}.{_meant(name, names)}", command)
        command = command.commands[names.index(name)]
    return command, rest


def split(
    command: Command, words: "Iterable[str]", hint: str = ""
) -> "tuple[list[str], dict[str, list[str | None]]]":
    """Separate flags from other words. Flags can be anywhere before `--`; `-` is a word.

    Args:
        words: The command line.
        hint: The hint of errors; by default the command's help.

    Returns:
        The words, and the values of each flag that is given, by its last name. None is a flag without a value.
    """
    known = {name: flag for flag in command.flags for name in flag.names}
    positional: list[str] = []
    values: dict[str, list[str | None]] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            positional.extend(rest)
            break
        if (
            not word.startswith("-") or word == "-" or " " in word.partition("=")[0]
        ):  # "- nginx, redis" is no flag
            positional.append(word)
            continue
        name, equals, value = word.partition("=")
        flag = known.get(name)
        if flag is None:
            raise _invalid(f"Unknown flag {_quoted(name)}.{_meant(name, known)}", command, hint)
        found: str | None = value if equals else None
        if equals and not flag.value:
            raise _invalid(f"{name} takes no value.", command, hint)
        if flag.value and not equals and flag.is_optional:
            if rest and (not rest[0].startswith("-") or rest[0][1:].isdigit()):
                found = rest.pop(0)
        elif flag.value and not equals:
            if not rest:
                raise _invalid(f"{name} needs a value.", command, hint)
            found = rest.pop(0)
        values.setdefault(flag.names[-1], []).append(found)
    return positional, values


def options_of(
    command: Command, words: "list[str]", values: "dict[str, list[str | None]]", hint: str = ""
) -> Options:
    """Convert the result of `split` into options."""
    options: dict[str, Any] = {}
    for flag in command.flags:
        given = values.get(flag.names[-1], [])
        if flag.is_required and not given:
            raise _invalid(f"{' '.join(command.path[1:])} needs {flag.shown}.", command, hint)
        converted = [
            flag.bare
            if text is None
            else _converted(flag.names[-1], flag.kind, flag.choices, text, command, hint)
            for text in given
            if flag.value
        ]
        if not flag.value:
            options[flag.field] = bool(given)
        elif flag.is_repeated:
            options[flag.field] = converted
        else:
            options[flag.field] = converted[-1] if converted else flag.default
    rest = list(words)
    for argument in command.arguments:
        taken = rest if argument.many in {"*", "+"} else rest[:1]
        rest = rest[len(taken) :]
        if not taken and argument.many in {"", "+"}:
            raise _invalid(f"{' '.join(command.path[1:])} needs {argument.name}.", command, hint)
        found = [
            _converted(argument.name, argument.kind, argument.choices, word, command, hint) for word in taken
        ]
        options[argument.field] = (
            found if argument.many in {"*", "+"} else found[0] if found else argument.default
        )
    if rest:
        raise _invalid(f"Unexpected argument {_quoted(rest[0])}.", command, hint)
    return Options(options)


def _whole(least: int) -> "Callable[[str], int]":
    def convert(text: str) -> int:
        if int(text) < least:
            raise ValueError(text)
        return int(text)

    return convert


def _between(least: float, most: float) -> "Callable[[str], float]":
    def convert(text: str) -> float:
        if not least <= float(text) <= most:
            raise ValueError(text)
        return float(text)

    return convert


def _path(text: str) -> "Any":
    from pathlib import Path  # noqa: PLC0415 - most commands need none

    return Path(text)


_KINDS: "dict[str, tuple[str, Callable[[str], Any]]]" = {
    "text": ("a text", str),
    "path": ("a path", _path),
    "integer": ("a whole number", int),
    "number": ("a whole number of at least 0", _whole(0)),
    "count": ("a whole number of at least 1", _whole(1)),
    "share": ("a number from 0 to 1", _between(0, 1)),
    "seconds": ("a number of seconds above 0 and up to 86,400", _between(1e-9, 86_400)),
}
"""The kinds of values: a description, and a function that converts a text or raises ValueError."""


def _converted(  # noqa: PLR0917 - called from two places
    name: str, kind: str, choices: "Sequence[str]", text: str, command: Command, hint: str
) -> "Any":
    if choices and text not in choices:
        known = ", ".join(choices)
        raise _invalid(
            f"{name} must be one of {known}; not {_quoted(text)}.{_meant(text, choices)}", command, hint
        )
    wanted, convert = _KINDS[kind]
    try:
        return convert(text)
    except ValueError:
        raise _invalid(f"{name} must be {wanted}, not {_quoted(text)}.", command, hint) from None


def _invalid(message: str, command: Command, hint: str = "") -> ConfigError:
    return ConfigError(message, hint=hint or f"See: {' '.join(command.path)} --help")


def _quoted(text: str) -> str:
    from vademecum.text.printable import printable  # noqa: PLC0415 - for errors only

    return printable(text, 60) if text.strip() else repr(text)


def _meant(name: str, known: "Iterable[str]") -> str:
    from vademecum.text.similar import closest  # noqa: PLC0415 - for errors only

    similar = closest(name, [one for one in known if one != "-h"])
    return f" Did you mean {similar}?" if similar else ""
