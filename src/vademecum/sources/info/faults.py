"""What can be wrong with an info manual, as `Problem`s with a way out."""

import os

from vademecum.core.documents import Problem

_HINTS = {
    "damaged-archive": "Install the manual's package again, or remove the file.",
    "too-large": "Remove the file from the folder if it is not an info manual.",
    "unreadable": "Check the file's permissions, or run as a user who may read it.",
    "unknown-compression": "Unpack the file, or compress it with gzip.",
    "outside": "Copy what it leads to into the folder, or add that place as a source of its own.",
    "dangling-link": "Install the package the link points into, or remove the link.",
    "not-a-manual": "Give the file a name in UTF-8 that ends in `.info`, or move it out of the folder.",
    "shadowed": "Remove one of the two files: only one can be cited.",
    "missing-part": "Install the manual's package again: the rest of the manual is read without it.",
    "stray-part": "Remove the file, or install again the manual that it belongs to.",
    "indirect-loop": "Install the manual's package again: its table of parts is damaged.",
    "no-nodes": "Look at it with `info -f FILE`: it may be empty, or no info manual.",
    "no-header": "Look at it with `info -f FILE`: a part of it cannot be reached.",
    "missing-node": "Install the manual's package again: its table of nodes does not fit its text.",
    "duplicate-node": "Nothing can be done here: `info` shows the first node of that name, too.",
    "changed": "Bring the index up to date again: ragadmin reindex",
}


def problem(place: str, fault: str, message: str) -> Problem:
    """A `Problem` with the hint that belongs to its fault; the place may be any file's name."""
    return Problem(place=shown(place), fault=fault, message=shown(message), hint=_HINTS[fault])


def shown(name: str) -> str:
    """A file's name as UTF-8 can hold it."""
    return os.fsencode(name).decode("utf-8", "backslashreplace") if _is_odd(name) else name


def _is_odd(name: str) -> bool:
    return not name.isascii() and any("\ud800" <= sign <= "\udfff" for sign in name)
