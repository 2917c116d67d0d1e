"""Split a command line into words and operators as a POSIX shell does. Nothing is expanded or run."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vademecum.text.patterns import Pattern

WORD, OPERATOR, REDIRECTION = range(3)
"""The kinds of token: a word without its quotes, an operator between commands, and a redirection with its target."""

PROMPT = Pattern(
    r"(?:[\w.~@:/\[\]-]{0,40}[$%]|[\w.-]+@[\w.:~/-]+#|>>>|\.\.\.|PS [^>\n]*>|[A-Z]:\\[^>\n]*>) +(?=\S)",
    flags=0,
)
"""The prompt of a shell or of Python. A "#" alone begins a comment."""

_REDIRECTION = re.compile(r"(?:\d*|&)(?:>>|>\||>&|<<<|<<-?|<&|<>|>(?!\()|<(?!\())(?:&?\d+-?(?!\S)|&-)?")
_OPERATOR = re.compile(r"[<>]\(|\|\||\|&|\||&&|&|;;|;|\(|\)|\n")
_BLANK = " \t\r"
_ENDS_WORD = " \t\r\n|&;()<>"


class Token(NamedTuple):
    """A part of a command line.

    Attributes:
        kind: `WORD`, `OPERATOR` or `REDIRECTION`.
        raw: The part as typed.
        value: For a word, the word without its quotes; for a redirection, the operator without its target (`2>&1`,
            `>`); otherwise `raw`.
        start: The offset in the line, in code points.
        end: The end (exclusive).
    """

    kind: int
    raw: str
    value: str
    start: int
    end: int

    @property
    def is_quoted(self) -> bool:
        """Return whether the word contains quotes, so that it is data."""
        return self.kind == WORD and self.raw != self.value


def split(line: str) -> list[Token]:
    """Return the tokens of a command line in order.

    An unclosed quote extends to the end of the line. Substitutions (`$(...)`, backticks) remain part of their word.

    >>> [token.value for token in split("grep -v 'a b' < in | sort")]
    ['grep', '-v', 'a b', '<', '|', 'sort']
    """
    return list(_tokens(line))


def _tokens(line: str) -> Iterator[Token]:
    at = 0
    while at < len(line):
        if line[at] in _BLANK:
            at += 1
        elif redirection := _REDIRECTION.match(line, at):
            end = redirection.end()
            if line[end - 1] in "<>|&-" and not line.startswith(("&-", "-"), end - 2):
                end = _target_end(line, end)
            yield Token(REDIRECTION, line[at:end], redirection[0], at, end)
            at = end
        elif operator := _OPERATOR.match(line, at):
            yield Token(OPERATOR, operator[0], operator[0], at, operator.end())
            at = operator.end()
        else:
            end, value = _word(line, at)
            yield Token(WORD, line[at:end], value, at, end)
            at = end


def _target_end(line: str, at: int) -> int:
    """Return the end of the target of a redirection."""
    while at < len(line) and line[at] in _BLANK:
        at += 1
    return _word(line, at)[0]


def _word(line: str, at: int) -> tuple[int, str]:
    """Return the end of a word, and its value."""
    value: list[str] = []
    while at < len(line) and line[at] not in _ENDS_WORD:
        sign = line[at]
        if sign == "\\":
            value.append(line[at + 1 : at + 2])
            at += 2
        elif sign in "'\"":
            end = _closing_quote(line, at)
            value.append(line[at + 1 : end])
            at = end + 1
        elif line.startswith("$(", at) or sign == "`":
            end = _closing_substitution(line, at)
            value.append(line[at:end])
            at = end
        else:
            value.append(sign)
            at += 1
    return min(at, len(line)), "".join(value)


def _closing_quote(line: str, at: int) -> int:
    """Return the offset of the quote that closes the one at `at`, or the end of the line if it is not closed."""
    quote, place = line[at], at + 1
    while place < len(line) and line[place] != quote:
        place += 2 if line[place] == "\\" and quote == '"' else 1
    return min(place, len(line))


def _closing_substitution(line: str, at: int) -> int:
    """Return the end (exclusive) of the substitution that begins at `at`."""
    if line[at] == "`":
        end = line.find("`", at + 1)
        return end + 1 if end >= 0 else len(line)
    depth, place = 0, at + 1
    while place < len(line):
        depth += (line[place] == "(") - (line[place] == ")")
        place += 1
        if depth == 0:
            break
    return place


def simple_commands(tokens: Sequence[Token]) -> list[tuple[Token | None, list[Token], list[Token]]]:
    """Return the commands of a line: for each, the preceding operator, the words, and the redirections."""
    groups: list[tuple[Token | None, list[Token], list[Token]]] = [(None, [], [])]
    for token in tokens:
        if token.kind == OPERATOR and token.value not in {"(", ")", "\n", "<(", ">("}:
            groups.append((token, [], []))
        elif token.kind == OPERATOR:
            groups.append((None, [], []))
        elif token.kind == REDIRECTION:
            groups[-1][2].append(token)
        else:
            groups[-1][1].append(token)
    return [group for group in groups if group[0] or group[1] or group[2]]
