"""Classify questions by their words.

The fitted ranking uses the kinds as features. In addition, `programming` decides between pages with similar scores.
"""

import re
from errno import errorcode

_I = re.IGNORECASE
_CODE = re.compile(r"\bE[A-Z0-9]{2,}\b|(?<![-\w/.^])C(?:\+\+|(?![-\w+#:\\\]]))")
_NAMES_OF_CODE = {"C", "C++", *errorcode.values()}
"""Names that count only in capitals: `ENOENT`, not `exit`; `in C`, but neither `C:` nor `-C`."""

KINDS = {
    "how_to": re.compile(r"\bhow (?:do|can|to|would|should|could)\b|\bway to\b", _I),
    "programming": re.compile(
        r"\bin (?:c|c\+\+|perl)\b|\b(?:syscall|system call|function|errno|library call|struct|pointer|"
        r"file descriptors?|fds?|threads?|buffer|(?<!carriage )returns?|header|macro|my (?:program|code)|libc|glibc|"
        r"programmatically)\b|\w_t\b|\w\(\)|^(?:c|perl):",
        _I,
    ),
    "format": re.compile(
        r"\b(?:format|syntax|field|column|fields|columns|config(?:uration)?|conf|cfg|directive|unit file|"
        r"option in|setting|section in|entry|\S+\.(?:conf|service|timer|cfg))\b|(?<!\w)/etc/\w",
        _I,
    ),
    "concept": re.compile(
        r"\bwhat (?:is|are)\b|\boverview\b|\bexplain\b|\bdifference\b|\bmean(?:s|ing)?\b|\bwhy\b", _I
    ),
    "error": re.compile(
        r"\berror\b|\bfail(?:s|ed|ing|ure)?\b|: (?:permission denied|no such)|\bcan ?not\b|can't", _I
    ),
    "personal": re.compile(
        r"(?<!how )(?<!where )(?<!what )\b(?:am|are|was|were|will|did|do|should|have) (?:i|you|we|he|she|they|my|our|the|it)\b|"
        r"(?<!change )(?<!reset )(?<!set )\bmy (?:boss|password|name|age|salary|colleagues?|friends?|team)\b|"
        r"\bwho (?:did|has|is(?! logged| on\b| using)|was|\w+ed(?! in\b))\b|"
        r"\bhow many times\b|\bwhen will\b|\b(?:best|better|favou?rite|cheap(?:est)?|worth|price|cost)\b",
        _I,
    ),
    "elsewhere": re.compile(
        r"\b(?:windows|powershell|mac ?os|os ?x|macbook|android|ios|iphone|ipad|excel|word document|"
        r"photoshop|outlook|office|aws|azure|s3 bucket|javascript|typescript|react|pandas|rust|golang|java|"
        r"kubernetes|kubectl|terraform|ansible|nginx|apache|mysql|oracle|sql server|hyper-v|vmware|"
        r"gnome|kde|firefox|chrome|registry)\b",
        _I,
    ),
}
"""The kinds by name: asking for a way; for a C or Perl interface; for a file's format; for an idea; about an
error; about persons, wishes and the future; about other systems and programs, which manuals seldom cover."""


def kinds_of(text: str) -> frozenset[str]:
    """Return the kinds that a question may have; often none, sometimes several."""
    kinds = {kind for kind, pattern in KINDS.items() if pattern.search(text)}
    if not _NAMES_OF_CODE.isdisjoint(_CODE.findall(text)):
        kinds.add("programming")
    return frozenset(kinds)
