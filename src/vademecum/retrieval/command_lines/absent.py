"""Detect commands and file formats that a question names but that have no page."""

import re
from collections.abc import Callable, Iterator

_I = re.IGNORECASE
_NAME = r"[`'\"]?(?P<name>[A-Za-z][\w+-]*(?:\.[A-Za-z]\w*)?)[`'\"]?"
_KIND = r"(?:command(?: line)?|editor|tool|program|utility|shell|session|cli)"
_AS_COMMAND = (
    re.compile(rf"\b(?P<named>man) {_NAME}(?=\W*$)", _I),
    re.compile(rf"\bthe {_NAME} {_KIND}\b", _I),
    re.compile(rf"^how (?:do|can|to|should) (?:i |we |you )?use {_NAME}\W*$", _I),
)
"""Contexts in which even an English word is the name of a command."""

_AS_TOOL = (
    re.compile(
        rf"\b(?:in|with|using|via|through|inside|of|for)(?: the)? {_NAME}(?: {_KIND})?(?=\s*(?:$|[?.,;!])|\s+(?:to|on|and|from|over|into|when|without|so)\b)",
        _I,
    ),
    re.compile(
        rf"\b{_NAME}(?:'s)? (?:{_KIND}|options?|flags?|config(?:uration)?(?: file)?|syntax|key ?bindings?)\b",
        _I,
    ),
    re.compile(rf"\b(?:options?|flags?|switch(?:es)?) (?:of|in) {_NAME}\b", _I),
    re.compile(rf"\b(?:run|use|quit|exit|launch) {_NAME}\b", _I),
    re.compile(rf"\b(?:with|using|via|through|in) {_NAME}(?= --?\w| [a-z]+\W*$)", _I),
    re.compile(rf"\bdifference between {_NAME} and {_NAME.replace('name', 'other')}\W*$", _I),
    re.compile(rf"^(?:what (?:is|does)|how does|explain) {_NAME}(?: do| work)?\W*$", _I),
    re.compile(rf"^{_NAME}[\s:]", _I),
    re.compile(rf"\bhow (?:do|can|to|should) (?:i |we |you )?(?:make )?{_NAME} ", _I),
)
_SHORTEST = 3
"""The minimum length of a name; shorter ones are often abbreviations (`fd`)."""

_ASKS_FORMAT = re.compile(
    r"\b(?:format|syntax|fields?|columns?|layout|structure|directives?|keys?|entries|settings?|sections?|look like|goes in(?:to)?)\b",
    _I,
)
_FILE = re.compile(
    r"(?<![\w.])(?:[~/][\w./-]*/)?(?P<base>\.?[\w-]+(?:\.(?:conf|cfg|cnf|toml|ya?ml|json|ini|xml|rc|properties|service|rules|list))|\.\w+rc)(?![\w/])"
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
        text: The question.
        is_known: Returns whether a page or document has this name.
    """
    if not _ASKS_FORMAT.search(text):
        return ""
    for found in _FILE.finditer(text):
        base = found["base"]
        if not is_known(base) and not is_known(base.lstrip(".")):
            return found[0]
    return ""
