"""Parse questions about command lines: which words are the line, and which parts are asked about."""

import re
from collections.abc import Callable, Iterator
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
_ASKS_MEANING = Pattern(
    r"\b(?:explain|describe|decode|break(?:ing)? down|mean(?:s|t|ing)?|understand|interpret|purpose|happens?|walk (?:me|us) through"
    r"|what(?:'s|s| (?:exactly )?(?:is|are|do|does|did|would|will|this|that|it|each|they))|how does)\b"
)
_ASKING = frozenset(
    "explain describe decode breaking break mean means meant meaning understand interpret purpose happens happen walk what whats how".split()  # noqa: SIM905
)
"""The words that `_ASKS_MEANING` begins with, to tell quickly that it does not match."""

_ASKS_HOW = Pattern(
    r"^(?:\w+[,:]? )?(?:how (?:do|can|to|should|would)|(?:what|which) (?:command|option|flag|switch|program|tool|is the (?:best|right|command|option)))\b"
)
"""Words of questions about the meaning of a line, and beginnings of questions that ask for one."""

_IN_COMMAND = (
    rf"(?:the )?(?:{_KIND} )?(?P<options>{_OPTIONS})(?: {_KIND})?(?: (?:do|does|mean|means|stand for|is for|used))?"
    rf" (?:of|in|for|with|to|on|from|does in)(?: the)? {_NAME}(?: command)?(?: (?:do|mean|command))?"
)
_OF_COMMAND = rf"(?:the )?{_NAME}(?:'s)?(?: command(?:'s)?)?(?: {_KIND} (?P<options>{_OPTIONS})| (?P<named>{_OPTIONS}) {_KIND})(?: (?:do|mean))?"
_IN_QUESTION = (
    rf"(?:\b{_KIND} )?(?P<options>{_OPTIONS})(?: {_KIND})? (?:of|in|for|with|to|on)(?: the)? {_NAME}(?: command)?"
    r"(?=\W*$|\s+(?:to|and|do|mean|work)\b)"
)
_COMPARES = Pattern(r"\bdiffer|\bvs\b|\bversus\b|\bcompare")
_SIDES = (
    rf"(?:\b(?P<name>[\w.-]+) )?(?P<one>(?<![\w-]){_OPTION})(?: (?:differs?|is different|compared?))? (?:and|or|vs\.?|versus|from|to|with|against) (?:(?P<again>[\w.-]+) )?(?P<other>{_OPTION})(?![\w-])"
    r"(?: (?:options?|flags?|switches))?(?: (?:in|of|for|with)(?: the)? (?P<of>[\w.-]+)(?: command)?)?"
)
"""Patterns for two options of one command (`head -c and head -n`, `-r and -R in cp`)."""

_SENTENCE_WORDS = frozenset(
    """how what why when where which who whose does did is are was were can could should would will shall do the to of my your
    this that these those an from into i me we you it its and or vs versus but not than without using use want need""".split()  # noqa: SIM905
)
_ABOUT_COMMANDS = frozenset(
    "command commands option options flag flags syntax example examples usage builtin meaning manual error tutorial".split()  # noqa: SIM905
)
"""Words of questions that consist of keywords."""

_START = Pattern(r"(?<![\w./~$-])[./~]*[A-Za-z][\w.+/-]*", flags=0)
_PUNCTUATION = ",;:?!."
_AFTER_LINES = frozenset(
    "work works mean means do does doing for used actually exactly stand exact please thanks shell script linux".split()  # noqa: SIM905
)
"""Words that follow a line in a sentence."""

_OF_COMPOUND = frozenset({"in", "do", "done", "then", "fi", "else", "elif", "esac"})
_SIGNS = frozenset("-|<>$'\"`(")
"""Characters of lines; a text without any of them, and without words that ask for a meaning, is not read for a line."""

_LEAST_SCORE, _UNASKED_SCORE, _IN_QUOTES, _PLAIN, _SHORT_TAIL, _LATER = 1.85, 3.85, 0.5, 0.2, 0.5, 0.5
"""The score that a line must exceed if the words around it ask for its meaning, and if they do not; what quotes around it add; what a plain word costs, and the last ones together may cost, such as names
of files; how much better a line must be that begins within another."""

_MOST_LINES = 4
_WHOLE = Pattern(r"\n\s*(?:done|fi|esac)\b", flags=0)
"""The number of lines in a text that are tried, and the end of a compound command over several lines."""

_SPLIT_OPTIONS = Pattern(rf"(?:,? and |, ?| or | )(?=[{_QUOTES}]?[-+])", flags=0)
_ASSIGNMENT = Pattern(r"[A-Za-z_]\w*\+?=", flags=0)
_CONTRACTION = Pattern(r"^\w+['’](?:s|t|re|ll|ve|d|m)\b", flags=0)
_MODE = Pattern(r"[0-7]{3,4}|[ugoa]*[-+=][rwxXst]+(?:,[ugoa]*[-+=][rwxXst]+)*", flags=0)
_COMPOUND = frozenset({"for", "while", "until", "if", "case"})
"""Words that begin a compound command of the shell."""

_OPERATORS = frozenset({"|", "&&", "||"})
_GOES_ON = frozenset("-|><&'\"$")
"""Characters after which a word with punctuation does not end a sentence."""
_FEW = 2
"""The maximum number of words after a command without options: a sub-command or mode, and its object."""

_SHELL_SIGNS = Pattern(r"[/*$~|<>&;{}=@%:]|\.\w|\d", flags=0)


class LineQuestion(NamedTuple):
    """A question about a command line.

    Attributes:
        is_framed: Whether words around it ask what it does.
        options_only: Whether the question is only about its options (`what is -x in tar`).
        is_certain: Whether the question states that it is a command line.
        asked: The options that the words around the line name; they are explained first.
    """

    line: str
    is_framed: bool
    options_only: bool
    is_certain: bool = False
    asked: tuple[str, ...] = ()


def framed_lines(text: str, is_command: Callable[[str], bool]) -> list[LineQuestion]:
    """Return the possible command lines in a question about one, likeliest first; the caller checks which one is a line.

    Args:
        is_command: Returns whether a word is the name of a command, or two words are a command with a sub-command.

    >>> framed_lines("what does the -r option of cp do", {"cp"}.__contains__)[0]
    LineQuestion(line='cp -r', is_framed=True, options_only=True, is_certain=False, asked=())
    """
    if text.lower().startswith(EXPLAIN) and text[len(EXPLAIN) :].strip():
        line = _unquoted(text[len(EXPLAIN) :])
        return [LineQuestion(line, is_framed=True, options_only=False, is_certain=True)]
    asked = " ".join(text.split()).strip().rstrip("?!. ").strip()
    words = (word.strip(_PUNCTUATION).removesuffix("'s") for word in asked.lower().split())
    if _SIGNS.isdisjoint(asked) and _ASKING.isdisjoint(words):
        return []
    if _COMPARES.search(asked) and (sides := re.search(_SIDES, asked, _I)):
        names = {sides["name"], sides["again"], sides["of"]} - _SENTENCE_WORDS - {"between", None}
        if len(names) == 1:
            line = f"{names.pop()} {sides['one']} {sides['other']}"
            return [LineQuestion(line, is_framed=True, options_only=True)]
    if _ASKS_HOW.search(asked):
        return _options_of(asked) if asked[:1] == "-" else []
    asks = bool(_ASKS_MEANING.search(asked))
    found = _lines_within(text, is_command, is_framed=asks)
    return [*found, *(_options_of(asked) if asks else [])]


def _lines_within(text: str, is_command: Callable[[str], bool], *, is_framed: bool) -> Iterator[LineQuestion]:
    """Yield the parts of a text that read like command lines, likeliest first: they begin with a command, and have options, operators or paths."""
    found: list[tuple[float, int, int]] = []
    for start in _START.finditer(text):
        word = start[0].rpartition("/")[2]
        if word in _COMPOUND or is_command(word):
            score, end = _scored(text, start.start(), is_command)
            is_within = any(first < start.start() < last for _, first, last in found)
            if score > (_LEAST_SCORE if is_framed else _UNASKED_SCORE):
                found.append((score - _LATER * is_within, start.start(), end))
    for _, first, end in sorted(found, key=lambda line: -line[0])[:_MOST_LINES]:
        line = re.sub(r" -{1,2}$", "", text[first:end])
        around = f"{text[:first]} {text[end:]}"
        named = tuple(option for option in re.findall(rf"(?<![\w-]){_OPTION}", around) if option in line)
        yield LineQuestion(line, is_framed=is_framed, options_only=False, asked=named)


def _scored(text: str, start: int, is_command: Callable[[str], bool]) -> tuple[float, int]:
    """Return how much the text from a command on reads like a line, and the end of its best part."""
    quote = text[start - 1 : start] if start else ""
    close = _closing(text, start, {"“": "”", "‘": "’"}.get(quote, quote)) if quote and quote in _QUOTES else 0
    tokens = split(text[start : close or len(text)])
    first = tokens[0].value
    best = score = 1.0 + _IN_QUOTES * bool(close)
    end = start + len(first)
    whole = _WHOLE.search(text, start) if first in _COMPOUND else None
    for at, token in enumerate(tokens[1:], 1):
        raw, after = token.raw, text[start + token.end :].lstrip(" ")[:1]
        if (
            token.kind == WORD
            and not close
            and not token.is_quoted
            and raw.strip(".")
            and after not in _GOES_ON
        ):
            raw = raw.rstrip(_PUNCTUATION)
        if token.value == "\n" and whole and start + token.start < whole.end():
            continue
        if token.value == "\n" or raw in {"", "–", "—"} or _CONTRACTION.search(token.raw):
            break
        if token.kind != WORD or re.fullmatch(rf"{_OPTION}(?:=.*)?", raw.rstrip(","), re.DOTALL):
            score += 2.0
        elif (
            token.is_quoted
            or _SHELL_SIGNS.search(raw)
            or _MODE.fullmatch(raw)
            or (at == 1 and raw not in _SENTENCE_WORDS and is_command(f"{first} {raw}"))
        ):
            score += 1.0
        elif first in _COMPOUND and raw in _OF_COMPOUND:
            score += 0.5
        else:
            is_english = raw.lower() in _SENTENCE_WORDS | _ABOUT_COMMANDS | _AFTER_LINES | STOP_WORDS
            score -= 2.0 if is_english else _PLAIN
        if score > best - _SHORT_TAIL:
            best, end = max(best, score), start + token.start + len(raw)
        if raw != token.raw:  # the end of a sentence
            break
    return best, end


def _closing(text: str, start: int, quote: str) -> int:
    """Return the place of the quote that closes the one before `start`; 0 if there is none."""
    for found in re.finditer(re.escape(quote) + r"(?=$|[\s?.,!;:)])", text[start:]):
        if text.count(quote, start, start + found.start()) % 2 == 0 and found.start():
            return start + found.start()
    return 0


def named_options(text: str) -> LineQuestion | None:
    """Return the options of a command that any question names (`how do I use the -z option of ls`)."""
    match = re.search(_IN_QUESTION, " ".join(text.split()), _I) if " -" in text else None
    return LineQuestion(_line_of(match), is_framed=True, options_only=True) if match else None


def _options_of(text: str) -> list[LineQuestion]:
    return [
        LineQuestion(_line_of(match), is_framed=True, options_only=True)
        for pattern in (_IN_COMMAND, _OF_COMMAND)
        if "-" in text and (match := re.search(pattern, text, _I))
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
    if is_framed and rest[0].is_quoted and 2 * sum(signs) >= len(signs):
        return True
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
    value = word.value.rstrip(",")  # as in `-F,`
    return re.fullmatch(rf"{_OPTION}(?:=.*)?|--", value, re.DOTALL) is not None and not word.is_quoted
