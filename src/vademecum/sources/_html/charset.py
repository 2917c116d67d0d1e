"""From a page's bytes to its characters."""

import codecs
import re

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
