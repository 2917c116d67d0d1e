"""Divide a request into tokens with one scanner, in which the first matching alternative wins."""

import re
from ipaddress import ip_interface
from typing import Literal, NamedTuple

TokenKind = Literal[
    "secret", "quoted", "url", "address", "option", "size", "interface", "zone", "path", "version", "number", "word", "mark"
]  # fmt: skip


class Token(NamedTuple):
    """A stretch of a request.

    Attributes:
        kind: What it is by its form.
        text: As written; of a quoted one without its quotes.
        norm: In lower case; of a size as templates write it (`20GiB`).
        start: Where it starts in the request, in code points.
    """

    kind: TokenKind
    text: str
    norm: str
    start: int
    end: int


_ONES = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_BYTES = {
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "TiB": 1 << 40,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
}
_SMALLER = {"TiB": "GiB", "GiB": "MiB", "MiB": "KiB", "TB": "GB", "GB": "MB", "MB": "KB"}
_LETTERS = {"k": "K", "m": "M", "g": "G", "t": "T"}
_UNIT = r"(?:kilo|mega|giga|tera|kibi|mebi|gibi|tebi)bytes?|[kmgt]i?b(?:ytes?)?|gigs?|megs?|[kmgt]i|(?<=\d)[kmgt]|(?<=\d )[KMGT]"
_ONE, _TEN = "|".join(sorted(_ONES, key=len, reverse=True)), "|".join(_TENS)
_UNDER_HUNDRED = rf"(?:(?:{_TEN})(?:[\s-](?:{_ONE}))?|(?:{_ONE}))"
_WORDS = rf"half(?:\s+an?)?|(?:an?\s+)?dozen|(?:(?:{_ONE})\s+)?hundred(?:\s+(?:and\s+)?{_UNDER_HUNDRED})?|{_UNDER_HUNDRED}"
_FILE_ENDINGS = r"key|pem|crt|cer|der|txt|conf|cfg|ini|json|ya?ml|sh|service|timer|pass|gpg|asc|deb|rpm|png|jpe?g|svg|repo|list|pub|toml|xml"

_TOKEN = re.compile(
    rf"""
    (?P<secret><password(?:-\d+)?>)
  | (?P<quoted>"[^"\n]{{1,200}}"|`[^`\n]{{1,200}}`|(?<![\w])'[^'\n]{{1,100}}'(?!\w))
  | (?P<url>\b(?:https?|ftp|file)://[^\s,;"'<>)]*[^\s,;"'<>).!?])
  | (?P<address>(?<![\w.:])(?:\d{{1,3}}(?:\.\d{{1,3}}){{3}}|(?=[0-9A-Fa-f]*:[0-9A-Fa-f:]*:?)[0-9A-Fa-f]{{0,4}}(?::[0-9A-Fa-f]{{0,4}}){{2,7}})(?:/\d{{1,3}})?(?![\w/]))
  | (?P<option>(?<![\w/])[A-Za-z][\w.-]*=(?:[\w.:/@%+*-]*[\w/%*](?:,[\w.:/@%+*-]*[\w/%*](?!=))*)?)
  | (?P<size>(?<![\w.])(?:(?P<count>\d{{1,7}}(?:[.,]\d{{1,3}})?)(?P<half>\s+and\s+a\s+half)?|(?P<said>{_WORDS}))(?P<gap>\s?-?)(?P<unit>{_UNIT})(?![\w/=]))
  | (?P<interface>(?<![\w./-])(?:(?:eth|wlan|usb|br|bond|team|dummy)\d{{1,3}}(?:\.\d{{1,4}})?|(?:en|wl|ww)[ospx]\w*\d\w*|end\d+|ib\d+)(?![\w/-]))
  | (?P<zone>\b(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)/[A-Za-z_+-]+(?:/[A-Za-z_]+)?)
  | (?P<path>(?<![\w/])(?:~|\.{{1,2}})?/(?:[\w.@%+~*-]+/?)*[\w*]/?(?!\w)|(?<![\w/])/(?![\w/])|(?<![\w/.])(?:[\w-]+/)*[\w-]+(?:\.[\w-]+)*\.(?:{_FILE_ENDINGS})(?![\w/]))
  | (?P<version>(?<![\w.])v?\d+(?:\.\d+)+(?:[\w+~-]+(?:\.\d+)*)*|(?<![\w.])v\d+(?:\.\d+)*(?:[-~+][\w.]*\w)?(?![\w.-]*\w))
  | (?P<word>\d*[^\W\d_][\w]*(?:[.'’-]+\w+)*\+{{0,2}}_?)
  | (?P<percent>\d+(?:[.,]\d+)?\s?%)
  | (?P<number>\d+(?:[-–]\d+)?(?:,\d+(?:-\d+)?)*(?![\w.]))
  | (?P<digits>\d+)
  | (?P<mark>\n|->|→|=>|[^\w\s])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OWNER = re.compile(
    r"(?!(?:it|that|what|who|let|here|there|how|he|she)['’]s\Z)(\w[\w.-]*)['’]s\Z", re.IGNORECASE
)
"""What has something: "runner's home"."""

_PARTED = re.compile(
    r"(.+)-(free|less|based|like|ish|only|compatible|style|capable|enabled|ready|(?:(?<=gz-)|(?<=gzip-)|(?<=xz-)|(?<=zstd-)|(?<=bz2-))compressed)\Z"
)
"""Words that are two: "docker-free", "ubuntu-based"."""


def tokens_of(text: str) -> tuple[Token, ...]:
    """The tokens of a text, in order. Every letter and digit is in exactly one, except the `'s` of an owner."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            at += 1
            continue
        found += _made(match)
        at = match.end()
    return tuple(found)


def _made(match: re.Match[str]) -> list[Token]:
    kind = next(name for name in _ORDER if match[name] is not None)
    text, (start, end) = match[0], match.span()
    if kind == "size":
        size = size_of(
            f"{match['count']}.5" if match["half"] else match["count"] or "",
            match["said"] or "",
            match["unit"],
        )
        if size:
            return [Token("size", text, size, start, end)]
        kind = "word"
    if kind == "address" and not _is_address(text):
        return (
            [Token("mark", text, text.lower(), start, end)]
            if text.strip(":") == ""
            else [Token("address", text, "", start, end)]
        )
    if kind == "quoted":
        return [Token("quoted", text[1:-1].strip(), text[1:-1].strip().lower(), start, end)]
    if kind in {"digits", "percent"}:
        kind = "number"
    if kind == "word" and (owner := _OWNER.match(text)):
        return [Token("word", owner[1], owner[1].lower(), start, start + len(owner[1]))]
    if kind == "word" and (parts := _PARTED.match(text)):
        middle = start + len(parts[1])
        return [
            Token("word", parts[1], parts[1].lower(), start, middle),
            Token("word", parts[2], f"-{parts[2].lower()}", middle + 1, end),
        ]
    return [Token(kind, text, text.lower().replace("’", "'"), start, end)]  # type: ignore[arg-type]


_ORDER = (
    "secret", "quoted", "url", "address", "option", "size", "interface", "zone", "path", "version", "word", "percent", "number", "digits", "mark",
)  # fmt: skip


def _is_address(text: str) -> bool:
    try:
        ip_interface(text)
    except ValueError:
        return False
    return True


def _number(said: str) -> float:
    """A number in words.

    >>> _number("half a"), _number("a dozen"), _number("ninety-six"), _number("a hundred and twenty")
    (0.5, 12.0, 96.0, 120.0)
    """
    words = re.findall(r"[a-z]+", said.lower())
    if words[0] == "half":
        return 0.5
    if "dozen" in words:
        return 12.0
    tail = words[words.index("hundred") + 1 :] if "hundred" in words else words
    hundreds = 100 * _ONES.get(words[0], 1) if "hundred" in words else 0
    return float(hundreds + sum(_TENS.get(word, 0) or _ONES.get(word, 0) for word in tail))


def size_of(count: str, said: str, unit: str) -> str:
    """A size as a template writes it; "" if it is nothing. G and gigs are GiB, GB stays GB; a fraction is in the next smaller unit.

    >>> size_of("16", "", "G"), size_of("20", "", "gigabytes"), size_of("", "half a", "terabyte"), size_of("1.5", "", "GiB")
    ('16GiB', '20GB', '500GB', '1536MiB')
    """
    number = float(count.replace(",", ".")) if count else _number(said)
    name = unit.lower()
    letter = _LETTERS[name[0]]
    binary = (
        len(name) == 1
        or ("i" in name[1:3] and not name.startswith(("kilo", "giga")))
        or (name.startswith(("gig", "meg")) and len(name) < 5)
    )
    unit = f"{letter}{'i' if binary else ''}B"
    if number <= 0:
        return ""
    if number == int(number):
        return f"{int(number)}{unit}"
    smaller = _SMALLER.get(unit)
    return f"{round(number * _BYTES[unit] / _BYTES[smaller])}{smaller}" if smaller else ""
