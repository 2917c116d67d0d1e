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
"""Places where also an English word is the name of a command."""

_AS_TOOL = (
    re.compile(
        rf"\b(?:in|with|using|via|through|inside|of|for)(?: the)? {_NAME}(?: {_KIND})?(?=\s*(?:$|[?.,;!])|\s+(?:to|on|and|from|over|into|when|without|so)\b)",
        _I,
    ),
    re.compile(
        rf"\b{_NAME}(?:'s)? (?:{_KIND}|options?|flags?|config(?:uration)?(?: file)?|syntax|key ?bindings?)\b",
        _I,
    ),
    re.compile(rf"\b(?:run|use|quit|exit|launch) {_NAME}\b", _I),
    re.compile(rf"\b(?:with|using|via|through|in) {_NAME}(?= --?\w| [a-z]+\W*$)", _I),
    re.compile(rf"\bdifference between {_NAME} and {_NAME.replace('name', 'other')}\W*$", _I),
    re.compile(rf"^(?:what (?:is|does)|how does|explain) {_NAME}(?: do| work)?\W*$", _I),
    re.compile(rf"^{_NAME}[\s:]", _I),
    re.compile(rf"\bhow (?:do|can|to|should) (?:i |we |you )?(?:make )?{_NAME} ", _I),
)
_SHORTEST = 3
"""Letters of a name; shorter ones are abbreviations of all kinds (`fd`)."""

_ASKS_FORMAT = re.compile(
    r"\b(?:format|syntax|fields?|columns?|layout|structure|directives?|keys?|entries|settings?|sections?|look like|goes in(?:to)?)\b",
    _I,
)
_FILE = re.compile(
    r"(?<![\w.])(?:[~/][\w./-]*/)?(?P<base>\.?[\w-]+(?:\.(?:conf|cfg|cnf|toml|ya?ml|json|ini|xml|rc|properties|service|rules|list))|\.\w+rc)(?![\w/])"
)


def commands_named(text: str) -> Iterator[tuple[str, bool]]:
    """Words that a question uses as a command's name, each with whether it may be an English word, too.

    >>> list(commands_named("how do I search in nano"))
    [('nano', False)]
    """
    folded = " ".join(text.split())
    for patterns, may_be_english in ((_AS_COMMAND, True), (_AS_TOOL, False)):
        for pattern in patterns:
            for found in pattern.finditer(folded):
                for name in found.groupdict().keys() & {"name", "other"}:
                    if may_be_english or len(found[name]) >= _SHORTEST:
                        yield found[name], may_be_english


def absent_format(text: str, is_known: Callable[[str], bool]) -> str:
    """The file whose format is asked for and that no document knows; "" where there is none.

    Args:
        text: The question.
        is_known: Whether a page or any document has this name.
    """
    if not _ASKS_FORMAT.search(text):
        return ""
    for found in _FILE.finditer(text):
        base = found["base"]
        if not is_known(base) and not is_known(base.lstrip(".")):
            return found[0]
    return ""
