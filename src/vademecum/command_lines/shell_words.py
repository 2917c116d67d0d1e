"""The shell's own words in a question: operators, parameters, expansions, exit codes and the titles of its page."""

import re

from vademecum.text.patterns import Pattern
from vademecum.text.words import stem

_OWN = Pattern(
    r"\d?>>? ?/dev/\w+|\bSIG[A-Z]{2,}[12]?\b|\$\{[^}]*\}|\$\(\(?|\$[#?$!@*_0-9-]|\d?>&\d|&>>?|>&\d?|\d>>?|<<<|<<-?|[<>]\(|>>|\|&|&&|\|\||;;|!!|!\$|\[\[|\(\((?!\))|(?<=\s)[:;](?=\s)|(?<!\S)[|&<>](?!\S)",
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

_OF_SHELL = 126
"""The exit code from which on it is the shell's own."""

_MOST_OTHERS, _MOST_BESIDES = 1, 4
"""The maximum number of other words in a question about the shell's own words; and if it asks for a meaning, or names an exit code or signal."""

_ASKS = Pattern(r"\b(?:what(?:'s|s| (?:is|are|does|do))|means?|meaning|difference|explain|why)\b")
_HEADINGS = (
    "Here Documents", "Here Strings", "Process Substitution", "Command Substitution", "Brace Expansion", "Tilde Expansion",
    "Parameter Expansion", "Arithmetic Expansion", "Word Splitting", "Pathname Expansion", "Pattern Matching", "Single Quotes",
    "Double Quotes", "Escape Character", "Positional Parameters", "Special Parameters", "Shell Variables", "Compound Commands",
    "Coprocesses", "Shell Function Definitions", "JOB CONTROL", "HISTORY EXPANSION", "Duplicating File Descriptors",
    "Programmable Completion", "RESTRICTED SHELL",
)  # fmt: skip
"""Headings of the shell's page that people ask about."""

_KNOWN_AS = {
    "glob": "Pathname Expansion",
    "globbing": "Pathname Expansion",
    "heredoc": "Here Documents",
    "wildcard": "Pattern Matching",
    "wildcards": "Pattern Matching",
    "event": "HISTORY EXPANSION",
}
"""Words for subjects whose heading in the shell's page has other words."""

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
    codes = [int(code) for code in words if code.isdigit()]
    is_special = "SIG" in text or (max(codes) >= _OF_SHELL if codes else _ASKS.search(text))
    return (
        list(dict.fromkeys(words)) if len(others) <= (_MOST_BESIDES if is_special else _MOST_OTHERS) else []
    )


def own_words(text: str) -> list[str]:
    """Return the operators, parameters and expansions of the shell in a text, in order, once each."""
    return list(dict.fromkeys(_OWN.findall(text)))


def shell_headings(text: str) -> list[str]:
    """Return the headings of the shell's page that a question is about.

    >>> shell_headings("difference between single and double quotes in bash")
    ['Single Quotes', 'Double Quotes']
    """
    said = [word.strip("\"'`“”‘’?.,:;!()").lower() for word in text.split()]
    stems = {stem(word) for word in said}
    named = {_KNOWN_AS[word].lower() for word in said if word in _KNOWN_AS}
    found = {
        heading: {stem(word) for word in heading.lower().split()}
        for heading in _HEADINGS
        if heading.lower() in named or {stem(word) for word in heading.lower().split()} <= stems
    }
    met = frozenset().union(*found.values())
    others = [
        word for word in said if word and word not in _AROUND | _KNOWN_AS.keys() and stem(word) not in met
    ]
    return list(found) if len(others) <= _MOST_OTHERS else []


def expansion_of(word: str) -> str:
    """Return the beginning of the tag of the entry about an expansion; "" for another word."""
    return next((tag for pattern, tag in EXPANSIONS if re.match(pattern, word)), "")
