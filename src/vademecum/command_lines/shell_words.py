"""The shell's own words in a question: operators, parameters, expansions, exit codes and the titles of its page."""

import re

from vademecum.text.patterns import Pattern

_OWN = Pattern(
    r"\d?>>? ?/dev/\w+|\bSIG[A-Z]{2,}[12]?\b|\$\{[^}]*\}|\$\(\(?|\$[#?$!@*_0-9-]|\d?>&\d|&>>?|>&\d?|\d>>?|<<<|<<-?|[<>]\(|>>|\|&|&&|\|\||;;|!!|!\$|\[\[|\(\((?!\))|(?<=\s):(?=\s)|(?<!\S)[|&<>](?!\S)",
    flags=0,
)
_SIGNAL = Pattern(r"\bsignal (?:number )?(\d{1,2})\b")
_EXIT = Pattern(r"\b(?:(?:exit|return)(?:ed|s)?(?: with)?|code|status)(?: code| status)? (\d{1,3})\b")
_SIGNS = frozenset("$&|<>[(!:0123456789")
_AROUND = frozenset(
    """what whats what's is are does do did the a an mean means meaning of in explain difference between and or vs versus bash shell script scripts
    linux unix operator symbol sign variable syntax stand for with how work works exit exited code status contain command builtin built-in
    keyword here line return signal number""".split()  # noqa: SIM905
)
"""What the shell's own words and numbers have, and words around them that ask about them."""

_MOST_OTHERS = 1
"""The maximum number of other words in a question about the shell's own words."""

EXPANSIONS = (
    (r"\$\{#", "${#parameter}"),
    (r"\$\{!", "${!prefix*}"),
    (r"\$\{\w+:?-", "${parameter:-word}"),
    (r"\$\{\w+:?=", "${parameter:=word}"),
    (r"\$\{\w+:?\?", "${parameter:?word}"),
    (r"\$\{\w+:?\+", "${parameter:+word}"),
    (r"\$\{\w+:", "${parameter:offset}"),
    (r"\$\{\w+#", "${parameter#word}"),
    (r"\$\{\w+%", "${parameter%word}"),
    (r"\$\{\w+/", "${parameter/pattern/string}"),
    (r"\$\{\w+\^", "${parameter^pattern}"),
    (r"\$\{\w+,", "${parameter^pattern}"),
    (r"\$\{\w+@", "${parameter@operator}"),
)
"""Patterns of expansions, and the beginnings of the tags of their entries."""


def shell_words(text: str) -> list[str]:
    """Return the words of the shell that a question is about, in order, or its only word; empty if it is about something else as well.

    >>> shell_words("what does 2>&1 mean in bash?")
    ['2>&1']
    >>> shell_words("exit code 137")
    ['137']
    >>> shell_words("sort a file > other")
    []
    >>> shell_words("what is export in bash")
    ['export']
    """
    words, rest = list[str](), text
    if "SIG" in text or not _SIGNS.isdisjoint(text):
        words = [
            *_OWN.findall(text),
            *_EXIT.findall(text),
            *(f"SIG{number}" for number in _SIGNAL.findall(text)),
        ]
        rest = _OWN.sub(" ", text)
    stripped = (word.strip("\"'`“”‘’?.,") for word in rest.split())
    others = [word for word in stripped if word and word.lower() not in _AROUND and not word.isdigit()]
    if not words:
        return others if len(others) == 1 else []
    return list(dict.fromkeys(words)) if len(others) <= _MOST_OTHERS else []


def expansion_of(word: str) -> str:
    """Return the beginning of the tag of the entry about an expansion; "" for another word."""
    return next((tag for pattern, tag in EXPANSIONS if re.match(pattern, word)), "")
