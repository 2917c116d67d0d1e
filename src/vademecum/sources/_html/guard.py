"""Remove drawings, and markup that would cost the parser excessive time or memory.

The parser builds the tree that the HTML standard requires. The time for this is quadratic in the depth, in the number
of attributes of a tag, and in the number of unclosed formatting elements. Real pages have no such markup.
"""

import codecs
import re

_DEEPEST = 4_000
_MOST_ATTRIBUTES = 400
_MOST_FORMATTING = 200

# shorter pages, in characters, cannot keep the parser busy for a second
_SHORT = 12_000
_NOT_LONG = 32_000

_NAMES = r"(?:[bisuBISU]|big|code|em|font|nobr|small|strike|strong|tt|BIG|CODE|EM|FONT|NOBR|SMALL|STRIKE|STRONG|TT)"
FORMATTING = re.compile(rf"""</?{_NAMES}(?:>|\s(?:[^<>"']++|"[^"<>]*"|'[^'<>]*')*+>)""")
"""Tags that do not affect the text. Without them, the parser is faster, too."""

_LEFT = re.compile(r"<(?:[bisu]|big|code|em|font|nobr|small|strike|strong|tt)[\s/>]", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_ATTRIBUTE = r"""[\s/]++[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"']++))?+"""
_ATTRIBUTES = re.compile(rf"<[a-zA-Z][^\s/>]*+(?:{_ATTRIBUTE}){{{_MOST_ATTRIBUTES}}}")
_VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    # optional end tags: the next element of the kind closes the previous one
    "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "colgroup",
}  # fmt: skip


def tamed(markup: str) -> str:
    """Return markup without drawings, which are the largest part of some pages, and without `FORMATTING`."""
    if "<svg" in markup:
        first, *others = markup.split("<svg")
        # a drawing that is not closed before the next one begins is left to the parser
        ends = ((other, other.find("</svg>")) for other in others)
        markup = first + "".join(other[end + 6 :] if end >= 0 else f"<svg{other}" for other, end in ends)
    return FORMATTING.sub("", markup)


def is_hostile(markup: str) -> bool:
    """Return whether markup is still too dangerous to parse after `tamed`."""
    if len(markup) < _SHORT:
        return False
    if sum(1 for _ in zip(_LEFT.finditer(markup), range(_MOST_FORMATTING), strict=False)) == _MOST_FORMATTING:
        return True
    if len(markup) < _NOT_LONG:
        return False
    opened = markup.count("<") - markup.count("</")
    if opened > _DEEPEST and _depth(markup) > _DEEPEST:
        return True
    return _ATTRIBUTES.search(markup) is not None


def _depth(markup: str) -> int:
    """Return a lower bound of the depth of the tree, provided that all tags except those of `_VOID` are closed."""
    depth = deepest = 0
    for end, name in _TAG.findall(markup):
        if end:
            depth -= depth > 0 and name.lower() not in _VOID
        elif name.lower() not in _VOID:
            depth += 1
            deepest = max(deepest, depth)
    return deepest


_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARED = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]{2,30})""", re.IGNORECASE)
_WITHIN_BYTES = 1024  # the limit of the HTML standard for finding a declaration
_FALLBACK = "cp1252"
_FAMILIES = re.compile(
    r"ascii|utf-8|utf-16(-[bl]e)?|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|shift_jis\w*|euc_\w+|iso2022_\w+|gb\w+|hz|big5\w*|johab|tis-620"
)


def decode_html(raw: bytes, declared: str = "") -> str:
    """Decode a page by its byte order mark, otherwise as UTF-8, otherwise by its declared encoding.

    UTF-8 precedes the declaration, because text in other encodings is rarely valid UTF-8, while pages often declare the
    encoding that they had before they were converted.

    Args:
        declared: The encoding that the server reports, or "".

    Returns:
        The text of the page. Bytes that cannot be decoded become U+FFFD.

    >>> decode_html("<p>größe".encode("latin-1"), "iso-8859-1")
    '<p>größe'
    """
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(name, "replace")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        pass
    found = _DECLARED.search(raw, 0, _WITHIN_BYTES)
    names = (declared, found[1].decode("ascii", "ignore") if found else "", _FALLBACK)
    name = next(filter(None, map(_known, names)), _FALLBACK)
    if name == "utf-8" and raw.count(b"\xff") + raw.count(b"\xfe") == 0:
        return raw.decode(name, "replace")
    return raw.decode(_FALLBACK if name == "utf-8" else name, "replace")


def _known(label: str) -> str:
    """Return Python's name of a text encoding, or "". Other codecs (zip, rot13, idna) are not text encodings."""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return ""
    if name in {"iso8859-1", "ascii"}:
        return _FALLBACK  # like browsers, which read Latin-1 as Windows-1252
    return name if _FAMILIES.fullmatch(name) else ""
