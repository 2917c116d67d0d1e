"""Classify questions by their words.

The fitted ranking uses the kinds as features. In addition, `programming` decides between pages with similar scores.
"""

from errno import errorcode

from vademecum.retrieval.question.phrases import phrases_of, says, spoken
from vademecum.text.patterns import Pattern

_CODE = Pattern(r"\bE[A-Z0-9]{2,}\b|(?<![-\w/.^])C(?:\+\+|(?![-\w+#:\\\]]))", flags=0)
_NAMES_OF_CODE = {"C", "C++", *errorcode.values()}
"""Names that count only in capitals: `ENOENT`, not `exit`; `in C`, but neither `C:` nor `-C`."""

_SHAPES = {
    "programming": Pattern(
        r"\bin (?:c|c\+\+|perl)\b|\b(?:syscall|system call|function|errno|library call|struct|pointer|"
        r"file descriptors?|fds?|threads?|buffer|(?<!carriage )returns?|header|macro|my (?:program|code)|libc|glibc|"
        r"programmatically)\b|\w_t\b|\w\(\)|^(?:c|perl):"
    ),
    "format": Pattern(
        r"\b(?:format|syntax|field|column|fields|columns|config(?:uration)?|conf|cfg|directive|unit file|"
        r"option in|setting|section in|entry|\S+\.(?:conf|service|timer|cfg))\b|(?<!\w)/etc/\w"
    ),
    "error": Pattern(r": (?:permission denied|no such)"),
    "personal": Pattern(
        r"(?<!how )(?<!where )(?<!what )\b(?:am|are|was|were|will|did|do|should|have) (?:i|you|we|he|she|they|my|our|the|it)\b|"
        r"(?<!change )(?<!reset )(?<!set )\bmy (?:boss|password|name|age|salary|colleagues?|friends?|team)\b|"
        r"\bwho (?:did|has|is(?! logged| on\b| using)|was|\w+ed(?! in\b))\b|"
        r"\bhow many times\b|\bwhen will\b|\b(?:best|better|favou?rite|cheap(?:est)?|worth|price|cost)\b"
    ),
}
KINDS = ("how_to", "programming", "format", "concept", "error", "personal", "elsewhere")
"""The kinds by name: asking for a way; for a C or Perl interface; for a file's format; for an idea; about an
error; about persons, wishes and the future; about other systems and programs, which manuals seldom cover."""


def kinds_of(text: str) -> frozenset[str]:
    """Return the kinds that a question may have; often none, sometimes several."""
    said = spoken(text)
    kinds = {kind for kind, shape in _SHAPES.items() if shape.search(text)}
    kinds |= {kind for kind, phrases in phrases_of("kind").items() if says(said, phrases)}
    if not _NAMES_OF_CODE.isdisjoint(_CODE.findall(text)):
        kinds.add("programming")
    return frozenset(kinds)
