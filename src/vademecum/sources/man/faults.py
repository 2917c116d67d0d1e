"""What can be wrong with a manual page, as `Problem`s with a way out."""

from vademecum.core.documents import Problem

_HINTS = {
    "damaged-archive": "Install the page's package again, or remove the file.",
    "too-large": "Remove the file from the tree if it is not a manual page.",
    "unreadable": "Check the file's permissions, or run as a user who may read it.",
    "dangling-link": "Install the package the link points into, or remove the link.",
    "outside": "Copy the file into the tree, or remove the page that includes it.",
    "link-cycle": "Remove one of the links.",
    "not-a-page": "Name pages like `name.section`, or move the file out of the tree.",
    "shadowed": "Remove one of the two files: only the first can be cited.",
    "renderer-timeout": "Render it by hand with `man -l FILE` to see whether the page is sound.",
    "renderer-failed": "Render it by hand with `man -l FILE` to see whether the page is sound.",
    "nothing-shown": "Look at it with `man -l FILE`: it may be empty, or no manual page.",
}


def problem(place: str, fault: str, message: str) -> Problem:
    """A `Problem` with the hint that belongs to its fault."""
    return Problem(place=place, fault=fault, message=message, hint=_HINTS[fault])
