"""Names that a question uses: of well-known commands, of products that no manual page documents, and of file formats."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from vademecum.text.patterns import Pattern

PREFIXES = {
    "sudo": 0, "doas": 0, "env": 0, "time": 0, "nohup": 0, "nice": 0, "ionice": 0, "setsid": 0, "stdbuf": 0, "xargs": 0,
    "watch": 0, "exec": 0, "command": 0, "builtin": 0, "timeout": 1, "chroot": 1, "flock": 1, "strace": 0, "ltrace": 0,
    "unshare": 0, "systemd-run": 0, "runuser": 0, "eatmydata": 0, "fakeroot": 0,
}  # fmt: skip
"""Commands that run another command, with the number of operands before it."""

_DATA = Path(__file__).with_name("data")
_PREPOSITIONS = ("on ", "in ", "for ")


@cache
def well_known() -> frozenset[str]:
    """Return the names of widely used commands that many machines lack."""
    return frozenset(name for line in _lines("commands.txt") for name in line.split())


def product_in(text: str) -> str:
    """Return the product that a text names, as it is written there; "" if it names none.

    >>> product_in("How to create a GUID in Excel?")
    'Excel'
    >>> product_in("How to convert Windows line endings")
    ''
    """
    found = _products().search(text)
    name = found[0] if found else ""
    return name.split(" ", 1)[1] if name.lower().startswith(_PREPOSITIONS) else name


@cache
def _products() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w-])(?:{'|'.join(map(re.escape, _lines('products.txt')))})(?![\w-])", re.IGNORECASE
    )


def _lines(file: str) -> list[str]:
    lines = (_DATA / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


_NAME = r"[`'\"]?(?P<name>[A-Za-z][\w+-]*(?:\.[A-Za-z]\w*)?)[`'\"]?"
_KIND = r"(?:command(?: line)?|editor|tool|program|utility|shell|session|cli)"
_AS_COMMAND = (
    Pattern(rf"\b(?P<named>man) {_NAME}(?=\W*$)"),
    Pattern(rf"\b(?:the|an?) {_NAME} {_KIND}\b"),
    Pattern(rf"^how (?:do|can|to|should) (?:i |we |you )?use {_NAME}\W*$"),
    Pattern(rf"\b(?:with|using|via) {_NAME}\W*$"),
    Pattern(rf"\b(?:a|an|my) {_NAME} (?:session|package|config|container)\b"),
)
"""Contexts in which even an English word is the name of a command."""

_AS_TOOL = (
    Pattern(
        rf"\b(?:in|with|using|via|through|inside|of|for)(?: the)? {_NAME}(?: {_KIND})?(?=\s*(?:$|[?.,;!])|\s+(?:to|on|and|from|over|into|when|without|so)\b)"
    ),
    Pattern(
        rf"\b{_NAME}(?:'s)? (?:{_KIND}|options?|flags?|config(?:uration)?(?: file)?|syntax|key ?bindings?)\b"
    ),
    Pattern(rf"\b(?:options?|flags?|switch(?:es)?) (?:of|in) {_NAME}\b"),
    Pattern(rf"\b(?:run|use|quit|exit|launch) {_NAME}\b"),
    Pattern(rf"\b(?:with|using|via|through|in) {_NAME}(?= --?\w| [a-z]+\W*$)"),
    Pattern(rf"\bdifference between {_NAME} and {_NAME.replace('name', 'other')}\W*$"),
    Pattern(rf"^(?:what (?:is|does)|how does|explain) {_NAME}(?: do| work)?\W*$"),
    Pattern(rf"^{_NAME}[\s:]"),
    Pattern(rf"\bhow (?:do|can|to|should) (?:i |we |you )?(?:make )?{_NAME} "),
)
_SHORTEST = 3
"""The minimum length of a name; shorter ones are often abbreviations (`fd`)."""

_ASKS_FORMAT = Pattern(
    r"\b(?:format|syntax|fields?|columns?|layout|structure|directives?|keys?|entries|settings?|sections?|look like|goes in(?:to)?)\b"
)
_FILE = Pattern(
    r"(?<![\w.])(?:[~/][\w./-]*/)?(?P<base>\.?[\w-]+(?:\.(?:conf|cfg|cnf|toml|ya?ml|json|ini|xml|rc|properties|service|rules|list))|\.\w+rc)(?![\w/])",
    flags=0,
)


def commands_named(text: str) -> Iterator[tuple[str, bool]]:
    """Yield words that a question uses as the name of a command, each with whether it may also be an English word.

    >>> list(commands_named("how do I search in nano"))
    [('nano', False), ('how', False), ('search', False)]
    """
    folded = " ".join(text.split())
    for patterns, may_be_english in ((_AS_COMMAND, True), (_AS_TOOL, False)):
        for pattern in patterns:
            for found in pattern.finditer(folded):
                for name in found.groupdict().keys() & {"name", "other"}:
                    if may_be_english or len(found[name]) >= _SHORTEST:
                        yield found[name], may_be_english


def absent_format(text: str, is_known: Callable[[str], bool]) -> str:
    """Return the file whose format a question asks for, if no document knows it; otherwise "".

    Args:
        is_known: Returns whether a page or document has this name.
    """
    if "." not in text or not _ASKS_FORMAT.search(text):
        return ""
    for found in _FILE.finditer(text):
        base = found["base"]
        if not is_known(base) and not is_known(base.lstrip(".")):
            return found[0]
    return ""
