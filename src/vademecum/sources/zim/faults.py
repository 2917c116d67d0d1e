"""What can be wrong with an archive or one of its articles, with a way out."""

from pathlib import Path

from vademecum.core.documents import Problem
from vademecum.core.errors import ArchiveBroken

_AGAIN = "Download the archive again, or remove it from the sources."
_SCAN_AGAIN = "Let the archive be, and index it again."

_HINTS = {
    # of an archive
    "unreadable": "Check that the file is there, and that you may read it.",
    "not-an-archive": "Name a .zim file, or the first part (.zimaa) of one that was split.",
    "too-small": _AGAIN,
    "unknown-version": "Look for a newer edition of the archive, or a newer version of this program.",
    "bad-header": _AGAIN,
    "truncated": _AGAIN,
    "missing-part": "Put all parts (.zimaa, .zimab, ...) into one folder.",
    "bad-mime-list": _AGAIN,
    "bad-directory": _AGAIN,
    "bad-title-index": _AGAIN,
    "wrong-checksum": _AGAIN,
    # of an archive or an article
    "bad-cluster": _AGAIN,
    "unknown-compression": "Look for a newer edition of the archive: this compression is no longer in use.",
    # of an article
    "too-large": "Nothing to do: the other articles are indexed.",
    "redirect-loop": "Nothing to do: the articles themselves are indexed.",
    "redirect-out-of-range": "Nothing to do: the articles themselves are indexed.",
    "changed": _SCAN_AGAIN,
    "nothing-shown": "Nothing to do: an article without text answers no question.",
}


class BadArchive(Exception):
    """Something in an archive that cannot be read. It never leaves this package.

    It becomes an `ArchiveBroken` where the archive as a whole is of no use, else a `Problem`.

    Args:
        fault: One of the fixed names.
        message: What is wrong.
    """

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message


def broken(location: Path, bad: BadArchive) -> ArchiveBroken:
    """The error for an archive that cannot be used."""
    return ArchiveBroken(
        f"{location} cannot be used ({bad.fault}): {bad.message}", fault=bad.fault, hint=_HINTS[bad.fault]
    )


def problem(place: str, fault: str, message: str) -> Problem:
    """A `Problem` with the hint that belongs to its fault."""
    return Problem(place=place, fault=fault, message=message, hint=_HINTS[fault])
