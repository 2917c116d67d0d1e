"""Write a command line: the words of a form, options with their arguments, and operands, each in its documented position."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from vademecum.core.evidence import Evidence, ScoredPassage, Span
from vademecum.retrieval.command_lines.line_options import argument_of, fitting
from vademecum.retrieval.command_lines.nouns import DATE, DURATION, GLOB, NUMBER, PATH, TEXT, Noun
from vademecum.retrieval.command_lines.options import NUMBER as ANY_NUMBER
from vademecum.retrieval.command_lines.options import REQUIRED, Form
from vademecum.retrieval.command_lines.usage import Operand, Usage
from vademecum.text.patterns import Pattern

LONGEST_USAGE = 320


BEGINNING = 120


_FILES = Pattern(
    r"\b(?:files?|folders?|director(?:y|ies)|dirs?|paths?|documents?|archives?|texts?|logs?|scripts?|images?|disks?|pages?)\b"
)


_FILE_NAMES = Pattern(
    r"file|path|dir|folder|archive|src|source|dest|target|member|input|image|device|^names?$"
)


_COMPARED = frozenset({"SIZE", "DAYS", "MINUTES", "n"})
"""Arguments whose number takes `+` for more and `-` for less."""


_IS_PATTERN = Pattern(r"pattern|glob|regexp?|expr")


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


_MOST_CONVERTED = 9
"""The maximum number when a duration is converted to the page's unit: 24 hours become one day."""


_UNITS = Pattern(r"24[ -]?hours?|\bdays?\b|\bhours?\b|\bmin(?:ute)?s?\b|\bsec(?:ond)?s?\b|\bweeks?\b")


class LinePart(NamedTuple):
    """An option of a line: its entry, its typed form, and the position of its page among the cited documents."""

    entry: ScoredPassage
    typed: str
    evidence: int = 0


class LineToType(NamedTuple):
    """A line that does what was asked.

    Attributes:
        text: The line.
        parts: Its options, in the line's order.
        spans: The quotations that state its words: the form in the SYNOPSIS, then the tag of each option.
    """

    text: str
    parts: tuple[LinePart, ...]
    spans: tuple[Span, ...]


def is_bare(form: Form) -> bool:
    """Return whether a form is a word without dashes, such as a sub-command."""
    return form.name[:1].isalpha() and not form.name.endswith("=")


def as_typed(noun: Noun, name: str, explained: str = "") -> str | None:
    """Return a noun as the value of an argument or operand; None if its unit is not the expected one.

    Args:
        noun: The noun of the question.
        name: The name of the argument or operand.
        explained: The page's text about the option.
    """
    sign = noun.sign if name in _COMPARED else ""
    if noun.kind == DURATION and noun.unit != (unit := unit_of(name, explained) or "s"):
        amount = (
            int(noun.value) * _SECONDS.get(noun.unit, 0) / _SECONDS[unit] if noun.value.isdigit() else 0.0
        )
        return f"{sign}{int(amount)}" if amount.is_integer() and 0 < amount <= _MOST_CONVERTED else None
    if noun.kind == GLOB and _IS_PATTERN.search(name):
        return f"'{noun.value}'"  # a pattern is for the command; elsewhere the shell expands it
    if noun.kind in {TEXT, DATE} and re.search(r"[^\w./:-]", noun.value):
        return "'{}'".format(noun.value.replace("'", "'\\''"))
    return sign + noun.value


def unit_of(name: str, explained: str) -> str:
    """Return the unit of time of an argument, as in `Noun.unit`: from its name, otherwise from the option's text; "" if unknown."""
    for text in (name, explained):
        found = _UNITS.search(text)
        if found:
            return "d" if found[0].lower().startswith(("24", "day")) else found[0][0].lower()
    return ""


class LineWriter:
    """Writes one command line.

    Args:
        question: The question.
        position: The page's position among the cited documents.
        document: The page.
        usage: The form of the SYNOPSIS to follow.
        nouns: The nouns of the question; each is used once.
    """

    def __init__(
        self, question: str, position: int, document: Evidence, usage: Usage, nouns: list[Noun]
    ) -> None:
        self._question, self._position, self._document, self._usage = question, position, document, usage
        self._nouns = list(nouns)

    def line(self, chosen: Sequence[tuple[ScoredPassage, Form]]) -> LineToType:
        """Return the line with these options."""
        order = {name: at for at, name in enumerate(self._usage.options)}
        ordered = sorted(chosen, key=lambda pair: (order.get(pair[1].name, len(order)), pair[0].start))
        bare = [(entry, form) for entry, form in ordered if is_bare(form)]
        dashed = [(entry, form) for entry, form in ordered if not is_bare(form)]
        options = [LinePart(entry, self._option(entry, form)) for entry, form in dashed]
        commands = [LinePart(entry, self._command(entry, form)) for entry, form in bare]
        headings = {
            word.rstrip("S")
            for entry, _ in ordered
            for word in re.findall(r"[A-Z]{4,}", entry.heading.upper())
        }
        operands = self._operands(headings | ({"COMMAND", "UNIT"} if bare else set()))
        typed = [part.typed for part in options]
        middle = [*operands, *typed] if self._usage.takes_expression else [*typed, *operands]
        words = [*self._usage.words, *(part.typed for part in commands), *middle]
        form_end = min(self._usage.end, self._usage.start + LONGEST_USAGE)
        spans = [Span(self._position, self._usage.start, form_end, "")]
        parts = (*commands, *options)
        spans += [
            Span(self._position, part.entry.start, part.entry.tag_end, part.entry.anchor) for part in parts
        ]
        return LineToType(" ".join(words), parts, tuple(spans))

    def _option(self, entry: ScoredPassage, form: Form) -> str:
        """Write an option with its argument."""
        if form.name == ANY_NUMBER:
            return f"-{self._take((NUMBER,))}"
        if form.argument != REQUIRED:
            return form.name
        argument = argument_of(self._document.text[entry.start : entry.tag_end])
        explained = self._document.text[entry.tag_end : min(entry.end, entry.tag_end + BEGINNING)]
        value = self._value(argument, explained=explained) or argument.upper() or "VALUE"
        if form.name.endswith("="):
            return form.name + value
        return f"{form.name}={value}" if form.name.startswith("--") else f"{form.name} {value}"

    def _command(self, entry: ScoredPassage, form: Form) -> str:
        """Write a sub-command with the operands of its tag."""
        tag = self._document.text[entry.start : entry.tag_end].split("\n")[0]
        rest = tag.partition(form.name)[2].partition("(")[0]
        names = re.findall(r"(?<![\[\w|])<?([A-Za-z][\w-]*)>?(?![\w|]*\])", rest.partition(",")[0])
        return " ".join([form.name, *(self._value(name) or name.upper() for name in names[:2])])

    def _operands(self, given: Collection[str]) -> list[str]:
        """Write the operands of the form, except those that an option already replaces (`command` of gpg, under COMMANDS)."""
        found: list[str] = []
        operands = [operand for operand in self._usage.operands if operand.name.upper() not in given]
        for number, operand in enumerate(operands):
            values = [self._value(operand.name)]
            while values[-1] and operand.repeats:
                values.append(self._value(operand.name, same=True))
            found += filter(None, values)
            if values[0] is None and (operand.required or (number == 0 and self._is_meant(operand))):
                found.append(operand.placeholder)
        return found

    def _is_meant(self, operand: Operand) -> bool:
        """Return whether the question mentions what an optional operand is."""
        return bool(_FILE_NAMES.search(operand.name) and _FILES.search(self._question))

    def _value(self, name: str, *, same: bool = False, explained: str = "") -> str | None:
        """Return the noun for an argument or operand of this name, as it is typed; each noun is returned once."""
        noun = fitting(name, self._nouns)
        if noun is None or (same and noun.kind not in {PATH, GLOB, TEXT}):
            return None
        value = as_typed(noun, name, explained)
        if value is not None:
            self._nouns.remove(noun)
        return value

    def _take(self, kinds: Sequence[str]) -> str:
        for noun in self._nouns:
            if noun.kind in kinds:
                self._nouns.remove(noun)
                return noun.value
        return "NUMBER"
