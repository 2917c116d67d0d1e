"""Names of Debian and Ubuntu packages, as of the last run of `scripts/package_names.py`.

They let a request name software without an index of one's own. Whether a release still has a package only an index knows.
"""

from functools import cache
from pathlib import Path

_FILE = Path(__file__).parents[1] / "data" / "names.txt"
_RELEASES = ("debian13", "ubuntu24", "ubuntu26")


def releases_of(name: str) -> tuple[str, ...]:
    """The releases that have a package; none for a name that is not known.

    >>> releases_of("gimp"), releases_of("purple-cow")
    (('debian13', 'ubuntu24', 'ubuntu26'), ())
    """
    marks = _marks(name)
    bits = int(marks.rstrip("+")) if marks else 0
    return tuple(release for place, release in enumerate(_RELEASES) if bits >> place & 1)


def is_word(name: str) -> bool:
    """Return whether the name of a package is an English word, which is mostly meant as such ("siege", "oscar")."""
    return _marks(name).endswith("+")


def _marks(name: str) -> str:
    """What follows a name in the file; "" if it is not there."""
    text = _text()
    start = text.find(f"\n{name} ") if name.isascii() and name.isprintable() else -1
    if start < 0:
        return ""
    return text[start + len(name) + 2 : text.index("\n", start + 1)]


@cache
def _text() -> str:
    return _FILE.read_text("utf-8")
