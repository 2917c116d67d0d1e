"""The gate of lines that a model wrote. It is stricter than that of lines in the book, which people have read."""

from collections.abc import Sequence

from vademecum.answering.actions import fault_of_step
from vademecum.command_lines.explainer import PLACEHOLDER
from vademecum.command_lines.gate import ProvenLine, asks_to_destroy, destroys, only_asks_to_see, proven
from vademecum.command_lines.pages import CommandPages
from vademecum.core.passages import OF_FILE
from vademecum.text.patterns import Pattern
from vademecum.text.shell import REDIRECTION, WORD, Token, split

_JOINS = frozenset({"|", "&&", "<(", ")", "<"})
_LOOP = Pattern(r";(?= do\b| done\b)", flags=0)
_HARMLESS = Pattern(r"[\d&]*> ?/dev/null|\d>&\d", flags=0)
_RUNS_INSIDE = Pattern(r"\$\(|`|>\(|(?<![\w-])(?:eval|source|exec)\s", flags=0)
"""Operators that join commands, and those of a loop; redirections that write nothing; a command within another."""

_CHANGES = Pattern(
    r"(?:^|[|&(;] *|\bdo |\bsudo |\bexec(?:dir)? |\bxargs (?:-\S+ )*)(?:mv|cp|ln|chmod|chown|chgrp|install|mkdir|touch|tee|mount|umount|useradd|usermod"
    r"|passwd|sed -\w*i|apt(?:-get)? (?!list|show|search)|systemctl (?:start|stop|restart|enable|disable|mask)|ip \S+ (?:add|del|set|flush)\b"
    r"|git (?:add|commit|merge|rebase|push|pull|checkout|switch|config|tag -|branch -))",
    flags=0,
)
"""Commands that change something."""

_OWN_VALUE = Pattern(
    r"(?<![\w.~])(?:~|\.{1,2})?/[\w.~/-]*|(?<!\S)~(?!\S)|\b[\w.-]+@[\w.-]+|\b\w+://\S+|(?<![\w.-])\d{3,}\b",
    flags=0,
)
_FREE_VALUE = Pattern(r"(?=.*[A-Z])[A-Z_/@.\d]+|/dev/(?:null|zero|u?random|stdin)", flags=0)
_ALL = frozenset({"*", "./*", ".", "./"})
_NARROWS = Pattern(
    r"-(?:i?name|i?path|i?regex|empty|size|[acm](?:time|min)|newer\w*|user|group|perm|xtype|links|inum|samefile)",
    flags=0,
)
_ASKS_FOR_ALL = Pattern(r"\b(?:all|any|each|every\w*|whole|entire|contents?)\b")
"""A path, address or long number; one that consists of slots or is a usual device; operands that stand for everything in a folder; tests that
narrow these; words of questions about everything."""


def proven_of_model(line: str, question: str, pages: CommandPages) -> ProvenLine | str:
    """Return a line that a model wrote with its proof, or why it does not pass.

    It may join commands by pipes and `&&`, and have a loop. It must not destroy or change anything unless that is asked for. Other operators of
    the shell, files, addresses and long numbers must be in the question, or on the pages that it cites.

    Args:
        pages: The pages of the index; those that the line cites are added to `pages.evidence`.
    """
    if "\n" in line or OF_FILE.fullmatch(line):
        return "It is not a single command line."
    if fault := fault_of_step("", line):
        return f"A model must not recommend it: {fault}."
    tokens, words = split(_LOOP.sub("", line)), frozenset(question.replace(",", " ").split())
    if fault := _harm(line, tokens, question, words) or _foreign_operator(tokens, words):
        return fault
    found = proven(line, question, pages, is_new=True)
    if isinstance(found, str):
        return found
    cited = {
        word
        for at in {span.evidence for span in found.statement.spans}
        for word in pages.evidence[at].text.split()
    }
    known = words if destroys(line) else words | cited
    for value in _OWN_VALUE.findall(line):
        if not _FREE_VALUE.fullmatch(value) and not any(
            value == word.strip("?!.;:'\"()[]") for word in known
        ):
            return f"{value} is neither in the question nor in the pages."
    return found


def _harm(line: str, tokens: Sequence[Token], question: str, words: frozenset[str]) -> str:
    """Return what a line would do that the question does not ask for; "" for nothing."""
    if destroys(line):
        if only_asks_to_see(question) or not asks_to_destroy(question):
            return "It destroys something, which is not asked for."
        everything = next((token.raw for token in tokens if token.raw in _ALL and token.raw not in words), "")
        is_narrow = any(_NARROWS.fullmatch(token.raw) for token in tokens)
        if everything and not is_narrow and not _ASKS_FOR_ALL.search(question):
            return f"It destroys {everything}, which is not asked for."
    elif _CHANGES.search(line) and only_asks_to_see(question):
        return "It changes something, which is not asked for."
    return ""


def _foreign_operator(tokens: Sequence[Token], words: frozenset[str]) -> str:
    """Return which operator of the shell is not asked for, or may lose a file; "" for none."""
    for at, token in enumerate(tokens):
        target = token.raw.lstrip("0123456789&<> ")
        if token.kind == REDIRECTION and token.value != "<" and not _HARMLESS.fullmatch(token.raw):
            if not (PLACEHOLDER.match(target) or target in words):
                return f"{token.value} is not asked for."
            if any(target == other.raw.lstrip("< ") for other in (*tokens[:at], *tokens[at + 1 :])):
                return f"It overwrites {target} while it is read."
        elif token.kind not in {REDIRECTION, WORD} and token.value not in _JOINS:
            return f"{token.value} is not asked for."
        elif _RUNS_INSIDE.search(f"{token.raw} "):
            return "It runs a command within another."
    return ""
