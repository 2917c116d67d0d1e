"""What can be wrong with a file in a folder of documents, as `Problem`s with a way out."""

from vademecum.core.documents import Problem

_HINTS = {
    "bad-name": "Rename the file: its name has to be UTF-8.",
    "damaged": "Open the file in its own program to see whether it is sound, and save it again.",
    "dangling-link": "Remove the link, or bring back what it leads to.",
    "encrypted": "Save a copy without a password.",
    "extra-missing": 'Install what reads it: pip install "vademecum[docs]"',
    "link-cycle": "Remove the link.",
    "no-text": "Put text into it, or remove it; pictures of text have to be turned into text first (OCR).",
    "not-a-file": "Remove it from the folder, or rename it.",
    "not-text": "Give the file the ending of what it is, or move it out of the folder.",
    "outside": "Copy the file into the folder in the link's place, or add its own folder.",
    "reader-failed": "Open the file in its own program to see whether it is sound, and save it again.",
    "reader-timeout": "Split the file into smaller ones, or save it as plain text.",
    "too-large": "Split the file into smaller ones, or move it out of the folder.",
    "unreadable": "Check the file's permissions, or run as a user who may read it.",
}


def problem(place: str, fault: str, message: str) -> Problem:
    """A `Problem` with the hint that belongs to its fault."""
    return Problem(place=place, fault=fault, message=message, hint=_HINTS[fault])
