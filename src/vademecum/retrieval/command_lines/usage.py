"""Parse a SYNOPSIS as a grammar: the forms of a command, its leading words and its operands."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from vademecum.text.patterns import Pattern

_OPTIONS = Pattern(r"(?:[\w-]*[-_ ])?opti?ons?|flags?|switches|expression|OPTIONS?")
_LINE_START = Pattern(r"^\s*(?:usage:|or:)?\s*")
_SEPARATOR = Pattern(r"[-_]", flags=0)
_MOST_REQUIRED = 4
"""The maximum number of required operands of a form; text with more is prose."""

_PIECE = Pattern(r"[\[\]{}]|\|\||\||\.\.\.|…|<[^<>]*>|[^\s\[\]{}|]+|\s+", flags=0)
_PLAIN = Pattern(r"[A-Za-z][\w.-]*", flags=0)
_MOST_FORMS = 24
_LONGEST_FORM = 2_000


class Operand(NamedTuple):
    """An operand of a form.

    Attributes:
        name: The name as the page writes it, without brackets (`FILE`, `OWNER:GROUP`, `pid`).
        required: Whether the line is incomplete without it.
        repeats: Whether it may be given more than once.
    """

    name: str
    required: bool
    repeats: bool

    @property
    def placeholder(self) -> str:
        """The name in capitals."""
        return self.name.upper()


class Usage(NamedTuple):
    """One form of a command in its SYNOPSIS.

    Attributes:
        words: The fixed words at its beginning: the command, and possibly a sub-command (`git log`).
        options: The options outside of brackets, which this form requires.
        named: All options that it names.
        operands: The operands, in order.
        takes_expression: Whether options may follow the operands.
        start: The first code point of the form in the page's text.
        end: The end of the form, exclusive.
    """

    words: tuple[str, ...]
    options: tuple[str, ...]
    named: tuple[str, ...]
    operands: tuple[Operand, ...]
    takes_expression: bool
    start: int
    end: int


class _Item(NamedTuple):
    """A piece of a form: a word, or a group of alternatives in brackets."""

    word: str
    groups: "tuple[tuple[_Item, ...], ...]"
    bracket: str
    repeats: bool
    is_placeholder: bool = False


_TAKES_COMMANDS = Pattern(r"\b(?:sub-?commands?|COMMAND|command|OBJECT|action|ACTION|verb|VERB)\b", flags=0)


def is_sub_command(word: str, heading: str, synopsis: str) -> bool:
    """Return whether an entry is a sub-command: it is in a section about commands, or the SYNOPSIS has an operand for it.

    Args:
        word: The entry's name.
        heading: The path of its headings.
        synopsis: The text of the SYNOPSIS.
    """
    if not re.fullmatch(r"[a-z][\w-]+", word):
        return False
    has_place = _TAKES_COMMANDS.search(synopsis) or re.search(
        rf"(?<![\w-]){re.escape(word)}(?![\w-])", synopsis
    )
    return "COMMAND" in heading.upper() or has_place is not None


def usages(text: str, start: int, end: int, name: str, flags: Collection[str] = ()) -> list[Usage]:
    """Return the forms of a command in a SYNOPSIS.

    Args:
        text: The text of the page.
        start: The start of the SYNOPSIS.
        end: The end of the SYNOPSIS.
        name: The command, as its page is named (`git-log`).
        flags: The options without an argument; a word after one is an operand.
    """
    found: list[Usage] = []
    for form_start, form_end in _forms(text, start, end, name):
        usage = _usage(text[form_start:form_end], name, flags)
        if usage is not None:
            found.append(usage._replace(start=form_start, end=form_end))
        if len(found) == _MOST_FORMS:
            break
    return found


def _forms(text: str, start: int, end: int, name: str) -> Iterator[tuple[int, int]]:
    """Yield the range of each form: from a line that begins with the command to the next such line."""
    command = _SEPARATOR.split(name)[0]
    begins = re.compile(rf"(?:{re.escape(name)}|{re.escape(command)})(?![\w-])")
    begun, last = -1, start
    at = start
    for line in text[start:end].split("\n"):
        begin = at + len(line) - len(_LINE_START.sub("", line, count=1))
        is_new = begins.match(text, begin) is not None
        if is_new or (
            begun >= 0 and line.strip() and not _goes_on(text[begun:last], text[begin : begin + 1])
        ):
            if begun >= 0:
                yield begun, min(last, begun + _LONGEST_FORM)
            begun = begin if is_new else -1
        if line.strip():
            last = at + len(line.rstrip())
        at += len(line) + 1
    if begun >= 0:
        yield begun, min(last, begun + _LONGEST_FORM)


def _goes_on(form: str, following: str) -> bool:
    """Return whether a line that begins with punctuation continues the form before it."""
    return following in "[{<-|(." or any(
        form.count(opening) > form.count(closing) for opening, closing in ("[]", "{}")
    )


def _usage(form: str, name: str, flags: Collection[str]) -> Usage | None:
    items = _read(_unglued(re.sub(r"\s#\s.*", "", form)))
    parts = {*_SEPARATOR.split(name), name.partition("-")[2]}
    words: list[str] = []
    while items and items[0].word and _PLAIN.fullmatch(items[0].word):
        word = items[0].word
        if words and word not in parts:
            break
        words.append(word)
        items = items[1:]
    later = next((at for at, item in enumerate(items) if item.word and item.word in parts), None)
    if len(words) == 1 and later is not None and _SEPARATOR.search(name):
        words.append(items[later].word)
        items = items[later + 1 :]
    if _marks_placeholders(items):
        while (
            items
            and _PLAIN.fullmatch(items[0].word)
            and items[0].word.islower()
            and not items[0].is_placeholder
        ):
            words.append(items[0].word)
            items = items[1:]
    operands = tuple(_operands(items, flags))
    if not words or sum(operand.required for operand in operands) > _MOST_REQUIRED:
        return None
    return Usage(
        tuple(words),
        tuple(item.word.partition("=")[0] for item in items if item.word.startswith("-")),
        tuple(_named(items)),
        operands,
        any("expression" in item.word.lower() or _holds(item, "expression") for item in items),
        0,
        0,
    )


def _unglued(form: str) -> str:
    """Return a form without the brackets inside of words: `MODE[,MODE]...` is `MODE...`, `[OWNER][:[GROUP]]` is `OWNER:GROUP`."""
    form = re.sub(
        r"(?<!\S)\[(\w+)\]\[(\S+)\](?=\s|$)",
        lambda brackets: brackets[1] + re.sub(r"[\[\]]", "", brackets[2]),
        form,
    )
    form = re.sub(r"(?<!\S)\(([^()]*\|[^()]*)\)", r"{\1}", form)
    return re.sub(r"(?<=[A-Za-z>])\[[^\s\[\]]*\]", "", form)


def _read(form: str) -> list[_Item]:
    """Return the items of a form. Unmatched brackets are closed at its end."""
    stack: list[tuple[str, list[list[_Item]]]] = [("", [[]])]
    for piece in _PIECE.findall(form):
        items = stack[-1][1][-1]
        if piece.isspace():
            continue
        if piece in "[{":
            stack.append((piece, [[]]))
        elif piece in "]}":
            if len(stack) > 1:
                _close(stack)
        elif piece in {"|", "||"}:
            stack[-1][1].append([])
        elif piece in {"...", "…"}:
            if items:
                items[-1] = items[-1]._replace(repeats=True)
        else:
            bare = piece.removesuffix("...").strip(",")
            word = bare.strip("<>'\"")
            if word:
                marked = bare.startswith("<") or (word.isupper() and len(word) > 1)
                items.append(_Item(word, (), "", piece.endswith("..."), marked))
    while len(stack) > 1:
        _close(stack)
    return [item for group in stack[0][1][:1] for item in group]


def _close(stack: list[tuple[str, list[list[_Item]]]]) -> None:
    bracket, groups = stack.pop()
    stack[-1][1][-1].append(_Item("", tuple(tuple(group) for group in groups), bracket, repeats=False))


def _marks_placeholders(items: Sequence[_Item]) -> bool:
    """Return whether a form marks placeholders with brackets or capitals, so that its other words are typed literally."""
    return any(item.is_placeholder or any(map(_marks_placeholders, item.groups)) for item in items)


def _named(items: Sequence[_Item]) -> Iterator[str]:
    for item in items:
        if item.word.startswith("-") and len(item.word) > 1:
            yield item.word.partition("=")[0]
        for group in item.groups:
            yield from _named(group)


def _holds(item: _Item, word: str) -> bool:
    return any(word in inner.word.lower() or _holds(inner, word) for group in item.groups for inner in group)


def _operands(items: Sequence[_Item], flags: Collection[str], *, required: bool = True) -> Iterator[Operand]:
    """Return the operands among items: words that are not options, their arguments, or a placeholder for options."""
    after_option = False
    for item in items:
        if item.word:
            if item.word.startswith(("-", "+")):
                after_option = "=" not in item.word and item.word not in flags
                continue
            if not after_option and not _OPTIONS.fullmatch(item.word) and re.search(r"\w", item.word):
                yield Operand(item.word, required, item.repeats)
            after_option = False
            continue
        first = next(iter(item.groups), ())
        if (
            item.bracket == "{"
            and len(item.groups) > 1
            and first
            and first[0].word
            and not first[0].is_placeholder
        ):
            continue  # a choice of words that are typed as they are
        inner = list(_operands(first, flags, required=required and item.bracket == "{"))
        if first and not first[0].word.startswith(("-", "+")):
            yield from (operand._replace(repeats=operand.repeats or item.repeats) for operand in inner)
        after_option = False
