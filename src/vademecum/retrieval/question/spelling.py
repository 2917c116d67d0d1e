"""Correct typing errors, and expand common abbreviations."""

import re
from collections.abc import Callable, Iterator

from vademecum.core.passages import WHOLE
from vademecum.retrieval.english import USUAL, english
from vademecum.text.words import STOP_WORDS, WORD, number, stem, stems, terms_of_word

ABBREVIATIONS = {
    "addr": "address", "args": "arguments", "auth": "authentication", "cert": "certificate", "certs": "certificates", "cfg": "configuration", "cmd": "command",
    "conf": "configuration", "config": "configuration", "db": "database", "desc": "description", "dev": "device", "dir": "directory", "dirs": "directories",
    "distro": "distribution", "doc": "documentation", "env": "environment", "exe": "executable", "fd": "descriptor", "fds": "descriptors", "fs": "filesystem",
    "func": "function", "hw": "hardware", "iface": "interface", "img": "image", "info": "information", "lib": "library", "libs": "libraries", "loc": "location",
    "mem": "memory", "msg": "message", "num": "number", "param": "parameter", "params": "parameters", "passwd": "password", "perm": "permission",
    "perms": "permissions", "pkg": "package", "pkgs": "packages", "proc": "process", "procs": "processes", "pwd": "directory", "regex": "expression",
    "repo": "repository", "stats": "statistics", "str": "string", "sync": "synchronize", "tmp": "temporary", "tz": "timezone", "var": "variable",
    "vars": "variables",
}  # fmt: skip
"""Abbreviations that manuals write in full. Both forms are searched for."""

_SHORTEST = 5
_LEAST_FREQUENCY = 20 * WHOLE
"""The minimum frequency of a correction. A rarer word may be an unrelated name."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

CONTRACTIONS = frozenset(
    """arent cant couldnt didnt doesnt dont hows ive isnt thats theres wasnt whats wheres wont""".split()  # noqa: SIM905
)
"""Contractions without their apostrophe, which are stop words."""


def corrected(word: str, frequency: Callable[[int], int]) -> str | None:
    """Return the most frequent known word at edit distance 1 (Damerau 1964) with the same first letter, or `None`.

    Words with fewer than five letters, or with other characters than ASCII letters, are not corrected.

    Args:
        word: A lowercase word that no document contains.
        frequency: Returns the total weight, in 1/64, of the windows with a term.
    """
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return None
    slips = list(_slips(word))
    often, slip = max(zip(map(frequency, map(number, stems(slips))), slips, strict=True))
    return slip if often >= _LEAST_FREQUENCY else None


def corrected_text(text: str, frequency: Callable[[int], int]) -> str:
    """Return a question with its typing errors corrected: words that are neither in any document nor English.

    Such a word is replaced by a usual English word at edit distance 1 that a document contains, or by a stop word with two letters
    exchanged (`hwo`).

    Args:
        frequency: Returns the total weight, in 1/64, of the windows of all documents with a term.
    """
    table = english()

    def right(found: re.Match[str]) -> str:
        word = found[0]
        is_plain = word.isascii() and word.isalpha() and word.islower()
        terms = terms_of_word(word)
        if not is_plain or not terms or word in CONTRACTIONS or word in ABBREVIATIONS:
            return word
        if any(map(frequency, map(number, terms))) or table.share(number(stem(word))):
            return word
        slips = list(_slips(word))
        small = [slip for slip in slips if slip in STOP_WORDS and sorted(slip) == sorted(word)]
        if small or len(word) < _SHORTEST:
            return small[0] if small else word
        usual = [
            (len(slip) != len(word) or sorted(slip) == sorted(word), frequency(term), slip)
            for term, slip in zip(map(number, stems(slips)), slips, strict=True)
            if table.share(term) > USUAL and frequency(term)
        ]
        return max(usual)[-1] if usual else word

    return WORD.sub(right, text)


def _slips(word: str) -> Iterator[str]:
    for position in range(1, len(word) + 1):
        before, after = word[:position], word[position:]
        yield from (before + letter + after for letter in _LETTERS)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in _LETTERS)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
