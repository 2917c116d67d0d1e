"""Parse questions about command lines: which words are the line, and which parts are asked about."""

import re
from collections.abc import Callable
from typing import NamedTuple

from vademecum.text.patterns import Pattern
from vademecum.text.shell import OPERATOR, REDIRECTION, WORD, Token, split
from vademecum.text.words import STOP_WORDS

EXPLAIN = "explain this command: "
"""The prefix of a line that is always explained."""

LONGEST_LINE = 4_096
"""The maximum number of characters of a command line that are read."""

_I = re.IGNORECASE
_QUOTES = "'\"`‘’“”"
_OPTION = r"(?:--?[A-Za-z0-9?#@][\w=./:-]*|\+[A-Za-z]+)"
_OPTIONS = rf"[{_QUOTES}]?{_OPTION}[{_QUOTES}]?(?:(?:,? and |, ?| or | )[{_QUOTES}]?{_OPTION}[{_QUOTES}]?)*"
_KIND = r"(?:options?|flags?|switch(?:es)?|arguments?|parameters?)"
_NAME = rf"[{_QUOTES}]?(?P<name>[A-Za-z0-9_][\w.+-]*(?: (?!command\b|{_KIND}\b|do\b|does\b|mean)[a-z][\w-]*)?)[{_QUOTES}]?"
_THE = r"(?: the| this| that| following)*"
_FRAMES = (
    (
        rf"(?:please )?(?:(?:can|could) you )?(?:explain|describe|decode|break down)(?: to me| me)?(?: what)?{_THE}"
        rf"(?: (?:meaning|effect) of)?{_THE}(?: (?:shell |linux )?(?:command(?: line)?|line)(?=[ :]))?:?\s+(?P<line>.+?)(?:\s+(?:does|means|do|mean))?"
    ),
    r"what(?:'s| is| are|s)?(?: the)? (?:meaning|purpose|effect|use|function|point) of(?: the)?(?: command(?= ))?\s+(?P<line>.+)",
    r"(?:the )?meaning of(?: the)?(?: command(?= ))?\s+(?P<line>.+)",
    r"what (?:happens|will happen|would happen) (?:if|when) (?:i|you|we|someone) (?:runs?|types?|uses?|does?|do|enters?|executes?)\s+(?P<line>.+)",
    (
        rf"what(?:'s|s| does| do| would| will| is| are| did){_THE}(?: command(?= ))?:?\s+(?P<line>.+?)"
        r"(?:\s+(?:do|mean|stand for|doing|for|used for|cause|actually do|mean exactly))?"
    ),
    r"what\s+(?P<line>.+?)\s+(?:does|means|do)",
    r"(?P<line>.+?)\s+(?:meaning|explained|explanation|what does (?:it|this) (?:do|mean))",
    r"(?P<line>[\w.-]+(?: [a-z][\w-]*)? --?\w.*?)[,:;]?(?: --)? (?:what|please explain|explained|meaning|(?:and|in) (?:scripts|what))(?:'s|s)?\b.*",
    r"how does\s+(?P<line>.+?)\s+work",
)
"""Patterns of questions about the meaning of a line or its options."""

_FRAME_WORDS = Pattern(r"\b(?:what|explain|describe|decode|break|meaning|explained|explanation|how)")
_IN_COMMAND = (
    rf"(?:the )?(?:{_KIND} )?(?P<options>{_OPTIONS})(?: {_KIND})?(?: (?:do|does|mean|means|stand for|is for|used))?"
    rf" (?:of|in|for|with|to|on|from|does in)(?: the)? {_NAME}(?: command)?(?: (?:do|mean|command))?"
)
_OF_COMMAND = rf"(?:the )?{_NAME}(?:'s)?(?: command(?:'s)?)?(?: {_KIND} (?P<options>{_OPTIONS})| (?P<named>{_OPTIONS}) {_KIND})(?: (?:do|mean))?"
_IN_QUESTION = (
    rf"(?:\b{_KIND} )?(?P<options>{_OPTIONS})(?: {_KIND})? (?:of|in|for|with|to|on)(?: the)? {_NAME}(?: command)?"
    r"(?=\W*$|\s+(?:to|and|do|mean|work)\b)"
)
_IN_LINE = rf"(?:the )?(?:{_KIND} |letters? )?[{_QUOTES}]?[-+\w=.:/]{{1,20}}[{_QUOTES}]?(?: {_KIND})?(?: (?:do|does|mean|means))? (?:in|of|from) (?P<line>.+)"
"""A pattern for a part of a line, followed by the whole line (`-P in lsof -P -n`)."""

_COMPARES = Pattern(r"\bdiffer|\bvs\b|\bversus\b|\bcompare")
_SIDES = (
    rf"(?:\b(?P<name>[\w.-]+) )?(?P<one>(?<![\w-]){_OPTION})(?: (?:differs?|is different|compared?))? (?:and|or|vs\.?|versus|from|to|with|against) (?:(?P<again>[\w.-]+) )?(?P<other>{_OPTION})(?![\w-])"
    r"(?: (?:options?|flags?|switches))?(?: (?:in|of|for|with)(?: the)? (?P<of>[\w.-]+)(?: command)?)?"
)
"""Patterns for two options of one command (`head -c and head -n`, `-r and -R in cp`)."""

_LATER_CLAUSE = r"[,;?]? (?:and |but )?what(?:'s|s| is| does| do| are)\b.*$"
_SENTENCE_WORDS = frozenset(
    """how what why when where which who whose does did is are was were can could should would will shall do the to of my your
    this that these those an from into i me we you it its and or vs versus but not than without using use want need""".split()  # noqa: SIM905
)
_ABOUT_COMMANDS = frozenset(
    "command commands option options flag flags syntax example examples usage builtin meaning manual error tutorial".split()  # noqa: SIM905
)
"""Words of questions that consist of keywords."""

_SPLIT_OPTIONS = Pattern(rf"(?:,? and |, ?| or | )(?=[{_QUOTES}]?[-+])", flags=0)
_ASSIGNMENT = Pattern(r"[A-Za-z_]\w*\+?=", flags=0)
_CONTRACTION = Pattern(r"^\w+['’](?:s|t|re|ll|ve|d|m)\b", flags=0)
_MODE = Pattern(r"[0-7]{3,4}|[ugoa]*[-+=][rwxXst]+(?:,[ugoa]*[-+=][rwxXst]+)*", flags=0)
_COMPOUND = frozenset({"for", "while", "until", "if", "case"})
"""Words that begin a compound command of the shell."""

_OPERATORS = frozenset({"|", "&&", "||"})
_FEW = 2
"""The maximum number of words after a command without options: a sub-command or mode, and its object."""

_SHELL_SIGNS = Pattern(r"[/*$~|<>&;{}=@%:]|\.\w|\d", flags=0)


class LineQuestion(NamedTuple):
    """A question about a command line.

    Attributes:
        line: The line.
        is_framed: Whether words around it ask what it does.
        options_only: Whether the question is only about its options (`what is -x in tar`).
        is_certain: Whether the question states that it is a command line.
    """

    line: str
    is_framed: bool
    options_only: bool
    is_certain: bool = False


def framed_lines(text: str) -> list[LineQuestion]:
    """Return the possible command lines in a question about one, likeliest first; the caller checks which one is a line.

    >>> framed_lines("what does the -r option of cp do")[0]
    LineQuestion(line='cp -r', is_framed=True, options_only=True, is_certain=False)
    """
    asked = " ".join(text.split()).strip().rstrip("?!. ").strip()
    found: list[LineQuestion] = []
    if text.lower().startswith(EXPLAIN) and text[len(EXPLAIN) :].strip():
        return [
            LineQuestion(_unquoted(text[len(EXPLAIN) :]), is_framed=True, options_only=False, is_certain=True)
        ]
    if _COMPARES.search(asked) and (sides := re.search(_SIDES, asked, _I)):
        names = (
            {name for name in (sides["name"], sides["again"], sides["of"]) if name}
            - _SENTENCE_WORDS
            - {"between"}
        )
        if len(names) == 1:
            line = f"{names.pop()} {sides['one']} {sides['other']}"
            return [LineQuestion(line, is_framed=True, options_only=True)]
    framed = _FRAMES if _FRAME_WORDS.search(asked) else ()
    for clause in dict.fromkeys((asked, re.sub(_LATER_CLAUSE, "", asked, flags=_I))) if framed else ():
        for frame in framed:
            if match := re.fullmatch(frame, clause, _I):
                inner = _unquoted(match["line"])
                found += [*_options_of(inner), LineQuestion(inner, is_framed=True, options_only=False)]
                if whole := re.fullmatch(_IN_LINE, inner, _I):
                    found.append(LineQuestion(_unquoted(whole["line"]), is_framed=True, options_only=False))
    return list(dict.fromkeys([*found, *(_options_of(asked) if asked[:1] == "-" else [])]))


def named_options(text: str) -> LineQuestion | None:
    """Return the options of a command that any question names (`how do I use the -z option of ls`)."""
    match = re.search(_IN_QUESTION, " ".join(text.split()), _I) if " -" in text else None
    return LineQuestion(_line_of(match), is_framed=True, options_only=True) if match else None


def _options_of(text: str) -> list[LineQuestion]:
    return [
        LineQuestion(_line_of(match), is_framed=True, options_only=True)
        for pattern in (_IN_COMMAND, _OF_COMMAND)
        if "-" in text and (match := re.fullmatch(pattern, text, _I))
    ]


def _line_of(match: re.Match[str]) -> str:
    named = match["options"] or match["named"]
    options = [_unquoted(option) for option in _SPLIT_OPTIONS.split(named)]
    return " ".join([match["name"], *options])


def _unquoted(text: str) -> str:
    """Return a text without surrounding quotes."""
    text = text.strip()
    pairs = {"'": "'", '"': '"', "`": "`", "‘": "’", "“": "”"}
    if len(text) > 1 and pairs.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        return text[1:-1].strip()
    return text


def tokens_of(line: str) -> list[Token]:
    """Return the tokens of a line, up to `LONGEST_LINE` characters."""
    return split(line[:LONGEST_LINE].strip().removeprefix("$ "))


def command_words(tokens: list[Token]) -> list[Token]:
    """Return the words up to the first operator, without leading variable assignments."""
    words: list[Token] = []
    for token in tokens:
        if token.kind == OPERATOR:
            break
        if token.kind == WORD and (words or not _ASSIGNMENT.match(token.raw)):
            words.append(token)
    return words


def reads_as_line(tokens: list[Token], is_keyword: Callable[[str], bool], *, is_framed: bool) -> bool:
    """Return whether tokens are a command line, not a sentence that begins with the name of a command.

    Args:
        tokens: The tokens of the whole text.
        is_keyword: Returns whether the command accepts a word without dashes: a sub-command, or letters that are options.
        is_framed: Whether words around the line ask what it does.
    """
    words = command_words(tokens)
    if words and words[0].value in _COMPOUND and any(token.value == ";" for token in tokens):
        return True
    if (
        not words
        or words[0].value.lower() in _SENTENCE_WORDS
        or any(_is_of_a_sentence(token) for token in tokens if token is not words[0])
    ):
        return False
    if any(token.kind == REDIRECTION or token.value in _OPERATORS for token in tokens):
        return True
    rest = words[1:]
    if any(is_option(word) for word in rest):
        return is_option(rest[0]) or sum(word.value.lower() in STOP_WORDS for word in rest) < _FEW
    if not rest or any(word.value.lower().strip(",.?!") in _ABOUT_COMMANDS for word in rest):
        return False
    signs = [word.is_quoted or _SHELL_SIGNS.search(word.value) is not None for word in rest]
    if is_keyword(rest[0].value):
        return is_framed or len(rest) <= _FEW or any(signs[1:])
    return all(signs) or (_MODE.fullmatch(rest[0].value) is not None and len(rest) <= _FEW)


def _is_of_a_sentence(token: Token) -> bool:
    """Return whether a word belongs to English rather than to a command line."""
    if token.kind != WORD:
        return False
    if _CONTRACTION.search(token.raw):
        return True
    return not token.is_quoted and token.value.lower().strip(",.?!") in _SENTENCE_WORDS


def is_option(word: Token) -> bool:
    """Return whether a word is a typed option."""
    return re.fullmatch(rf"{_OPTION}(?:=.*)?|--", word.value, re.DOTALL) is not None and not word.is_quoted
