"""Remove drawings, and markup that would cost the parser excessive time or memory.

The parser builds the tree that the HTML standard asks for, and the standard asks for work that grows with the
square of the depth, of a tag's attributes, and of formatting left open. Real pages have none of these.
"""

import codecs
import re

_DEEPEST = 4_000
_MOST_ATTRIBUTES = 400
_MOST_FORMATTING = 200

# no attack worth a second fits into pages of so many characters
_SHORT = 12_000
_NOT_LONG = 32_000

_NAMES = r"(?:[bisuBISU]|big|code|em|font|nobr|small|strike|strong|tt|BIG|CODE|EM|FONT|NOBR|SMALL|STRIKE|STRONG|TT)"
FORMATTING = re.compile(rf"""</?{_NAMES}(?:>|\s(?:[^<>"']++|"[^"<>]*"|'[^'<>]*')*+>)""")
"""Tags the text does without; without them the parser is faster too."""

_LEFT = re.compile(r"<(?:[bisu]|big|code|em|font|nobr|small|strike|strong|tt)[\s/>]", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_ATTRIBUTE = r"""[\s/]++[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"']++))?+"""
_ATTRIBUTES = re.compile(rf"<[a-zA-Z][^\s/>]*+(?:{_ATTRIBUTE}){{{_MOST_ATTRIBUTES}}}")
_VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    # their end tags may be left out: another of the kind ends them
    "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "colgroup",
}  # fmt: skip


def tamed(markup: str) -> str:
    """Markup without drawings, which are most of some pages, and without `FORMATTING`."""
    if "<svg" in markup:
        first, *others = markup.split("<svg")
        # one that has no end before the next begins is left to the parser
        ends = ((other, other.find("</svg>")) for other in others)
        markup = first + "".join(other[end + 6 :] if end >= 0 else f"<svg{other}" for other, end in ends)
    return FORMATTING.sub("", markup)


def is_hostile(markup: str) -> bool:
    """Whether a parser should not see it, `tamed` as it is."""
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
    """At least how deep the tree will be where each tag but those of `_VOID` is closed; it may be less."""
    depth = deepest = 0
    for end, name in _TAG.findall(markup):
        if end:
            depth -= depth > 0 and name.lower() not in _VOID
        elif name.lower() not in _VOID:
            depth += 1
            deepest = max(deepest, depth)
    return deepest


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]{2,30})""", re.IGNORECASE)
_WITHIN_BYTES = 1024  # where the HTML standard stops looking for a declaration
_FALLBACK = "cp1252"
_FAMILIES = re.compile(
    r"ascii|utf-8|utf-16(-[bl]e)?|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|shift_jis\w*|euc_\w+|iso2022_\w+|gb\w+|hz|big5\w*|johab|tis-620"
)


def decode_html(raw: bytes, declared: str = "") -> str:
    """Decode a page: by its mark of byte order, else as UTF-8, else as it says it is written.

    UTF-8 goes before the declaration: text in another encoding is hardly ever valid UTF-8, while
    pages often declare what they were before somebody converted them.

    Args:
        raw: The page as stored.
        declared: The encoding that its server names, or "".

    Returns:
        The page's characters; what cannot be decoded is U+FFFD.

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
    """Python's name of an encoding of text, or "". Its other codecs (zip, rot13, idna) are none."""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return ""
    if name in {"iso8859-1", "ascii"}:
        return _FALLBACK  # as browsers do: what says Latin-1 is Windows-1252
    return name if _FAMILIES.fullmatch(name) else ""
