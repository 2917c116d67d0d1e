"""What can be wrong with a tldr page or where it is kept, as `Problem`s with a way out."""

from vademecum.core.documents import Problem

_HINTS = {
    "bad-name": "Rename the file after its command, or download the pages again.",
    "damaged-archive": "Download the zip again.",
    "encrypted": "Unpack the zip with its password, and name the folder instead.",
    "no-text": "Look at the page: it may be empty, or no tldr page.",
    "not-a-file": "Remove it from the folder.",
    "outside": "Copy the file into the folder in the link's place.",
    "shadowed": "Remove one of the two: only the first can be cited.",
    "too-large": "Remove the file from the folder if it is not a tldr page.",
    "unreadable": "Check the file's permissions, or run as a user who may read it.",
}


def problem(place: str, fault: str, message: str) -> Problem:
    """A `Problem` with the hint that belongs to its fault."""
    return Problem(place=place, fault=fault, message=message, hint=_HINTS[fault])
