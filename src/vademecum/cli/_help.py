"""The help of a command, from its declaration."""

import os
import sys
from textwrap import wrap

from vademecum.cli._command import Argument, Command, Flag

_WIDEST_NAME = 24
_NARROWEST = 60


def help_of(command: Command) -> str:
    """Return the help of a command, wrapped to the width of the terminal."""
    usage = ["Usage:", *command.path]
    usage += ["COMMAND"] if command.commands else []
    usage += [argument.shown for argument in command.arguments]
    usage += [flag.shown for flag in command.flags if flag.is_required]
    usage += ["[FLAGS]"] if len(command.shown_flags) > 1 else []
    rows = {
        "Commands": [(one.path[-1], one.meaning) for one in command.commands],
        "Arguments": [(one.name, _with_choices(one)) for one in command.arguments if one.meaning],
        "Flags": [(flag.shown, _with_choices(flag)) for flag in command.shown_flags],
    }
    lines = [" ".join(usage), "", *_wrapped(f"{command.meaning}.{command.more and ' ' + command.more}", "")]
    for title, listed in rows.items():
        if listed:
            widest = min(_WIDEST_NAME, max(len(name) for name, _ in listed))
            lines += ["", f"{title}:"]
            for name, meaning in listed:
                first, *more = _wrapped(meaning, " " * (widest + 4))
                is_long = len(name) > widest
                lines += [f"  {name}"] * is_long
                lines += [first if is_long else f"  {name:{widest}}  {first.lstrip()}".rstrip(), *more]
    return "\n".join(lines) + "\n"


def _with_choices(declared: Argument | Flag) -> str:
    return f"{declared.meaning}: {', '.join(declared.choices)}" if declared.choices else declared.meaning


def _wrapped(text: str, indent: str) -> list[str]:
    width = max(_NARROWEST, _columns() - 2)
    lines = wrap(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return lines or [""]


def _columns() -> int:
    """Return the width of the terminal, or 80."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return (os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 0) or 80
    except (OSError, ValueError):
        return 80
