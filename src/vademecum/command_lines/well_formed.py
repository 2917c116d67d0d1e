"""The form of a command: options have the arguments that they need, and options that exclude each other do not come together."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from vademecum.command_lines.options import REQUIRED
from vademecum.command_lines.pages import CommandPage
from vademecum.command_lines.words import OPTION, Part
from vademecum.text.patterns import Pattern

_OPTION = Pattern(r"(?<![\w-])--?[A-Za-z][\w-]*", flags=0)
_LETTERS = Pattern(r"(?<![\w-])[A-Za-z](?![\w-])", flags=0)
_OPENING, _CLOSING = "[{(", "]})"


def without_argument(parts: Sequence[Part]) -> Iterator[str]:
    """Yield that the last option of a command lacks the argument that its entry shows. Some entries show an optional one the same way."""
    last = parts[-1] if parts else None
    if last and last.kind == OPTION and last.found and last.typed == last.found.form.name:
        is_required = last.found.form.argument == REQUIRED and "[" not in last.found.entry.tag
        if is_required and last.typed.startswith("-") and not last.command:
            yield f"{last.typed} needs an argument."


def clashes(parts: Sequence[Part], page: CommandPage) -> Iterator[str]:
    """Yield which options of a command exclude each other, as sentences."""
    used = {part.found.form.name: part.found.entry for part in parts if part.kind == OPTION and part.found}
    for group in exclusive_options(page.synopsis) if len(used) > 1 else ():
        sides = [sorted(used.keys() & side) for side in group]
        given = [side[0] for side in sides if side]
        if len({used[name].start for name in given}) > 1:
            yield f"{given[0]} and {given[1]} exclude each other."


@lru_cache(maxsize=256)
def exclusive_options(synopsis: str) -> tuple[tuple[frozenset[str], ...], ...]:
    """Return the groups of options of a SYNOPSIS that exclude each other: a set of options for each alternative.

    >>> [[sorted(side) for side in group] for group in exclusive_options("git reset [--soft | --mixed [-N] | --hard] [-q]")]
    [[['--soft'], ['--mixed', '-N'], ['--hard']]]
    """
    groups: list[tuple[frozenset[str], ...]] = []
    open_: list[list[str]] = []
    for character in synopsis:
        if character in _OPENING:
            open_.append([""])
        elif character in _CLOSING and open_:
            alternatives = open_.pop()
            if len(alternatives) > 1 and not any("..." in side for side in alternatives):  # no repetition
                sides = tuple(frozenset(_options_in(side, is_bare=character == "}")) for side in alternatives)
                groups.append(sides)
            if open_:
                open_[-1][-1] += " ".join(alternatives)
        elif character == "|" and open_:
            open_[-1].append("")
        elif open_:
            open_[-1][-1] += character
    return tuple(group for group in groups if sum(map(bool, group)) > 1)


def _options_in(text: str, *, is_bare: bool) -> Iterator[str]:
    """Yield the options of an alternative. Bare letters within braces are options, too (`tar {c|x}`)."""
    yield from _OPTION.findall(text)
    if is_bare:
        yield from (f"-{letter}" for letter in _LETTERS.findall(text))
