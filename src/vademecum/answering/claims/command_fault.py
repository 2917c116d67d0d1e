"""Check that the program, options, paths and numbers of a command appear in the passages or the question."""

import re
from collections.abc import Sequence

from vademecum.answering.claims.words import NAME, NUMBER, OPTION, PATH, Word, words_of
from vademecum.text.locate import locate

_OPERATOR = re.compile(r"\|\|?|&&?|;|>{1,2}|<{1,2}|\$\(|`|\n")
_END = re.compile(r"(?:\s+[A-Z][A-Z0-9_.-]*)+$")
"""Placeholders after a command."""

_PLACEHOLDER = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]|\{[^{}\s]+\}|[A-Z][A-Z0-9_.-]*|\.{3}")
_WRAPPERS = frozenset(["sudo", "$", "#", "doas", "env", "command", "nice", "time", "%"])
_ENDINGS = frozenset(
    """txt log gz tar tgz zip bz2 xz zst conf cfg ini img iso md html csv json xml yaml yml c h py o so a bak old new tmp jpg
    png pdf db sql list key pub pem crt""".split()  # noqa: SIM905 - one word list reads best
)
_STANDS_FOR = ("file", "path/to", "name", "dir", "device", "example")


def fault_of_command(command: str, passages: Sequence[str], others: Sequence[str]) -> str:
    """Return what is wrong with a command, for people; "" if it is supported.

    A command that a passage contains literally is supported. Otherwise, everything except placeholders and plain words must appear in
    the passages, the question or the names of the documents, and shell operators that join commands are not allowed.

    Args:
        command: The command.
        passages: The passages that the model was shown.
        others: The question and the names of the documents.
    """
    if any(locate(_END.sub("", command), text) for text in passages):
        return ""
    if operator := _OPERATOR.search(command):
        return f"{operator[0].strip() or 'a line break'} is in no passage in such a command"
    known = [word for text in (*passages, *others) for word in words_of(text)]
    keys = {key for word in known for key in (word.key, *word.also)} | {word.text.lower() for word in known}
    bare = [word for word in command.split() if word not in _WRAPPERS and "=" not in word.partition("/")[0]]
    if not bare:
        return "it names no program"
    program = bare[0].rpartition("/")[2]
    if program.lower() not in keys and not _PLACEHOLDER.fullmatch(program):
        return f"{program} is in no passage"
    for word in words_of(_PLACEHOLDER.sub(_kept, command)):
        if not _is_known(word, keys):
            return f"{word.text} is in no passage"
    return ""


def _kept(found: re.Match[str]) -> str:
    """Remove a placeholder, unless it may be a name."""
    return found[0] if found[0].isupper() and len(found[0]) == 1 else " "


def _is_known(word: Word, keys: set[str]) -> bool:
    if word.kind not in (OPTION, PATH, NUMBER, NAME):
        return True
    if word.key in keys or not keys.isdisjoint(word.also) or word.key.partition("=")[0] in keys:
        return True
    if word.key.lstrip("+-") in {key.lstrip("+-") for key in keys if key[:1] in "+-"}:
        return word.kind == NUMBER or word.key[0] == "+"
    if word.kind == OPTION and not word.key.startswith("--") and len(word.key) > 2:
        return all(f"-{letter}" in keys for letter in word.key[1:])
    if word.kind in (PATH, NAME):
        lowered = word.text.lower()
        if any(one in lowered for one in _STANDS_FOR):
            return True
        return word.kind == NAME and lowered.rpartition(".")[2] in _ENDINGS
    return False
