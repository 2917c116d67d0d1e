"""Interpret each word of a command by the options of its page: split bundles, and attach arguments to their options."""

from collections.abc import Sequence
from typing import NamedTuple

from vademecum.command_lines.options import NONE, NUMBER, REQUIRED, Found, OptionTable
from vademecum.text.patterns import Pattern
from vademecum.text.shell import Token

OPTION, UNKNOWN, OPERAND, KEYWORD = range(4)
"""Kinds of part: an option with an entry; an option without one; a plain operand; an entry without dashes."""

_NUMBER_WORD = Pattern(r"-(?:\d+|[A-Z][A-Z0-9]+)", flags=0)
_SIGNED = Pattern(r"([+-])\d+\w?", flags=0)
_SEQUENCE = Pattern(r"%[-_0^#]?[A-Za-z%]", flags=0)
RUNS_COMMANDS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
"""Options whose argument is a command that ends with `;` or `+`."""

_ENDS_COMMAND = frozenset({";", "+"})
_MOST_VALUES = 4
"""The maximum number of values of a list (`conv=notrunc,sync`) that are explained one by one."""


class Part(NamedTuple):
    """A part of a command.

    Attributes:
        typed: The part as typed; a bundled option has its own dash (`-x` for `-xzf`).
        found: The entry that explains it; None for unknown parts and operands.
        command: The tokens of the command that it runs (`-exec rm {} ;`).
    """

    kind: int
    typed: str
    found: Found | None = None
    value: str = ""
    command: tuple[Token, ...] = ()


class CommandReader:
    """Parses the words after a command with the entries of its page.

    Args:
        bundles_bare_letters: Whether the first operand may be options without a dash (`tar xzf`).
        stops_at_operand: Whether parsing ends at the first operand, where another command or a sub-command may begin.
        keywords: Entries that are typed as words without dashes (`dev eth0`).
    """

    def __init__(
        self,
        table: OptionTable,
        *,
        bundles_bare_letters: bool = False,
        stops_at_operand: bool = False,
        keywords: OptionTable | None = None,
    ) -> None:
        self._table, self._keywords = table, keywords
        self._bare, self._stops = bundles_bare_letters, stops_at_operand

    def read(self, words: Sequence[Token]) -> tuple[list[Part], Sequence[Token]]:
        """Return the parts in order, and the remaining words from the first operand if parsing ends there."""
        parts: list[Part] = []
        at = 0
        operands_only = False
        while at < len(words):
            if not operands_only and words[at].value == "--":
                operands_only = True
                at += 1
            elif not operands_only and self._is_option(words[at]):
                read, at = self._option(words, at)
                parts += read
            elif read := self._keyword(words[at], parts):
                if self._takes_next(read[-1], words, at):
                    read[-1] = _with_value(read[-1], words[at + 1])
                    at += 1
                parts += read
                at += 1
            elif self._stops:
                return parts, words[at:]
            else:
                parts += self._sequences(words[at]) or [Part(OPERAND, words[at].raw)]
                at += 1
        return parts, ()

    def _is_option(self, word: Token) -> bool:
        if word.value[:1] == "-":
            return len(word.value) > 1
        return word.value[:1] == "+" and self._table.get(word.value) is not None

    def _option(self, words: Sequence[Token], at: int) -> tuple[list[Part], int]:
        """Parse an option with its argument; return it with the start of the next part."""
        word = words[at].value
        name, equals, value = word.partition("=")
        found = self._table.long(name) if word.startswith("--") else self._single(word, name)
        if found and found.form.name in RUNS_COMMANDS:
            return self._with_command(found, words, at)
        if found:
            part = Part(OPTION, words[at].raw, found, value if equals else "")
            if not equals and self._takes_next(part, words, at):
                return [*self._with_values(_with_value(part, words[at + 1]))], at + 2
            return [*self._with_values(part)], at + 1
        if word.startswith("--"):
            return [Part(UNKNOWN, name)], at + 1
        parts = self._bundle(word[1:])
        if parts[-1].kind == OPTION and not parts[-1].value and self._takes_next(parts[-1], words, at):
            parts[-1:] = self._with_values(_with_value(parts[-1], words[at + 1]))
            return parts, at + 2
        return parts, at + 1

    def _single(self, word: str, name: str) -> Found | None:
        """Parse an option with one dash that the page declares as typed."""
        table = self._table
        if found := table.get(word) or table.get(name) or (table.get(f"{name}=") if name != word else None):
            return found
        if _NUMBER_WORD.fullmatch(word) and (word[1:].isdigit() or table.get(word[:2]) is None):
            return table.get(NUMBER)
        return None

    def _bundle(self, letters: str) -> list[Part]:
        """Parse short options that share one dash."""
        parts: list[Part] = []
        for at, letter in enumerate(letters):
            found = self._table.get(f"-{letter}")
            if found is None:
                if at == 0 and (attached := self._table.attached(f"-{letters}")):
                    return [Part(OPTION, f"-{letters}", attached, letters[1:])]
                if not letter.isalnum():
                    break
                parts.append(Part(UNKNOWN, f"-{letter}"))
                continue
            rest = letters[at + 1 :]
            if found.form.argument != NONE and rest:
                typed = f"-{letter}{rest}" if at == 0 else f"-{letter} {rest}"
                parts += self._with_values(Part(OPTION, typed, found, rest.removeprefix("=")))
                break
            if not any(part.found and part.found.entry == found.entry for part in parts):
                parts.append(Part(OPTION, f"-{letter}", found))
        unknown = sum(part.kind == UNKNOWN for part in parts)
        if len(letters) > 1 and 2 * unknown > len(parts):
            return [Part(UNKNOWN, f"-{letters}")]
        return parts or [Part(UNKNOWN, f"-{letters}")]

    def _takes_next(self, part: Part, words: Sequence[Token], at: int) -> bool:
        """Return whether the word after `at` is the argument of the option there."""
        if part.found is None or part.found.form.argument != REQUIRED or part.value or at + 1 >= len(words):
            return False
        following = words[at + 1]
        if following.is_quoted or following.value[:1] != "-" or len(following.value) == 1:
            return True
        return self._table.get(following.value.partition("=")[0]) is None

    def _keyword(self, word: Token, before: Sequence[Part]) -> list[Part]:
        name, equals, value = word.value.partition("=")
        if equals and (found := self._table.get(f"{name}=")):
            return self._with_values(Part(OPTION, word.raw, found, value))
        if word.value in {"!", "(", ")"} and (found := self._table.get(word.value)):
            return [Part(OPTION, word.raw, found)]
        if self._keywords and (found := self._keywords.get(word.value)):
            return [Part(OPTION, word.raw, found)]
        if self._bare and not before and word.value.isalpha():
            letters = [self._table.get(letter) or self._table.get(f"-{letter}") for letter in word.value]
            if all(letters):
                return [
                    Part(KEYWORD if at < len(letters) - 1 else OPTION, letter, found)
                    for at, (letter, found) in enumerate(zip(word.value, letters, strict=True))
                ]
        return []

    def _sequences(self, word: Token) -> list[Part]:
        """Return the conversion sequences of a format (`+%Y-%m`)."""
        found = [
            (sequence, self._table.get(sequence) or self._table.get("%" + sequence[-1]))
            for sequence in dict.fromkeys(_SEQUENCE.findall(word.value))
        ]
        return [Part(KEYWORD, sequence, found) for sequence, found in found if found]

    def _with_values(self, part: Part) -> list[Part]:
        """Return an option, and the page's entries for its values."""
        if part.found is None or not part.value:
            return [part]
        entry = part.found.entry
        values: list[Part] = []
        for value in part.value.strip("'\"").split(",")[:_MOST_VALUES]:
            named = [
                found
                for found in self._table.all(value)
                if found.entry.start > entry.start and found.entry != entry
            ]
            inner = [found for found in named if found.entry.start < entry.end]
            of_options = [found for found in named if "OPTION" in found.entry.heading.upper()]
            if inner or of_options or (len(named) == 1 and len(value) > 1):
                values.append(Part(KEYWORD, value, (inner or of_options or named)[0]))
        signed = _SIGNED.fullmatch(part.value)
        if signed and (found := self._table.get(f"{signed[1]}n")) and found.form.argument == NONE:
            values.append(Part(KEYWORD, part.value, found))
        if "%" in part.value:
            values += [
                Part(KEYWORD, sequence, found)
                for sequence in dict.fromkeys(_SEQUENCE.findall(part.value))
                if (found := self._table.get(sequence))
            ]
        return [part, *values]

    def _with_command(self, found: Found, words: Sequence[Token], at: int) -> tuple[list[Part], int]:
        """Parse an option that runs a command, up to the `;` or `+` that ends it."""
        end = at + 1
        while end < len(words) and words[end].value not in _ENDS_COMMAND:
            end += 1
        return [Part(OPTION, words[at].raw, found, command=tuple(words[at + 1 : end]))], end + 1


def _with_value(part: Part, word: Token) -> Part:
    return part._replace(typed=f"{part.typed} {word.raw}", value=word.value)
