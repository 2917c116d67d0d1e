"""The problems that a source's documents can have, and how to fix them, in one table for all sources."""

import os

from vademecum.core.documents import Problem

_DAMAGES = (
    "too-small bad-header truncated bad-mime-list bad-directory bad-title-index wrong-checksum bad-cluster"
)
_DOWNLOAD_AGAIN = "Download the archive again, or remove it from the sources."

HINTS = {
    "docs": {
        "bad-name": "Rename the file: its name must be UTF-8.",
        "damaged": "Open the file in its own program to see whether it is intact, and save it again.",
        "dangling-link": "Remove the link, or restore what it leads to.",
        "encrypted": "Save a copy without a password.",
        "extra-missing": 'Install what reads it: pip install "vademecum[docs]"',
        "link-cycle": "Remove the link.",
        "left-out": "To read a folder that is left out, add it as a source of its own.",
        "old-format": "Save it as .docx, .xlsx or .pptx, without a password. LibreOffice converts a folder of files: soffice --convert-to docx *.doc",
        "no-text": "Put text into it, or remove it; pictures of text have to be turned into text first (OCR).",
        "not-a-file": "Remove it from the folder, or rename it.",
        "not-text": "Give the file the suffix of its format, or move it out of the folder.",
        "other-kinds": "To read them, save them as text, Markdown, HTML, PDF or an Office file.",
        "outside": "Copy the file into the folder in the link's place, or add the folder that the file is in as a source.",
        "reader-failed": "Open the file in its own program to see whether it is intact, and save it again.",
        "reader-timeout": "Split the file into smaller ones, or save it as plain text.",
        "too-large": "Split the file into smaller ones, or move it out of the folder.",
        "unreadable": "Check the file's permissions, or run as a user who may read it.",
    },
    "help": {
        "no-text": "Add it again: ragadmin sources add help:NAME",
        "not-a-file": "Remove it from the folder.",
        "outside": "Copy the file into the folder in the link's place.",
        "too-large": "Remove the file from the folder if it is not a help text.",
        "unreadable": "Check the file's permissions, or run as a user who may read it.",
    },
    "info": {
        "damaged-archive": "Install the manual's package again, or remove the file.",
        "too-large": "Remove the file from the folder if it is not an info manual.",
        "unreadable": "Check the file's permissions, or run as a user who may read it.",
        "unknown-compression": "Unpack the file, or compress it with gzip.",
        "outside": "Copy what it leads to into the folder, or add that place as a source of its own.",
        "dangling-link": "Install the package the link points into, or remove the link.",
        "not-a-manual": "Give the file a name in UTF-8 that ends in `.info`, or move it out of the folder.",
        "shadowed": "Remove one of the two files: only one can be cited.",
        "missing-part": "Install the manual's package again. The rest of the manual is indexed without it.",
        "stray-part": "Remove the file, or reinstall the manual that it belongs to.",
        "indirect-loop": "Install the manual's package again: its table of parts is damaged.",
        "no-nodes": "Look at it with `info -f FILE`: it may be empty, or not an info manual.",
        "no-header": "Look at it with `info -f FILE`: a part of it cannot be reached.",
        "missing-node": "Install the manual's package again: its table of nodes does not match its text.",
        "duplicate-node": "Nothing to do: `info` also shows the first node of that name.",
        "changed": "Update the index: ragadmin reindex",
    },
    "man": {
        "damaged-archive": "Install the page's package again, or remove the file.",
        "too-large": "Remove the file from the tree if it is not a manual page.",
        "unreadable": "Check the file's permissions, or run as a user who may read it.",
        "dangling-link": "Install the package the link points into, or remove the link.",
        "outside": "Copy the file into the tree, or remove the page that includes it.",
        "link-cycle": "Remove one of the links.",
        "not-a-page": "Name pages like `name.section`, or move the file out of the tree.",
        "shadowed": "Remove one of the two files: only the first can be cited.",
        "renderer-timeout": "Render it by hand with `man -l FILE` to see whether the page is intact.",
        "renderer-failed": "Render it by hand with `man -l FILE` to see whether the page is intact.",
        "nothing-shown": "Look at it with `man -l FILE`: it may be empty, or not a manual page.",
    },
    "tldr": {
        "bad-name": "Rename the file after its command, or download the pages again.",
        "damaged-archive": "Download the zip again.",
        "encrypted": "Unpack the zip with its password, and name the folder instead.",
        "no-text": "Look at the page: it may be empty, or not a tldr page.",
        "not-a-file": "Remove it from the folder.",
        "outside": "Copy the file into the folder in the link's place.",
        "shadowed": "Remove one of the two: only the first can be cited.",
        "too-large": "Remove the file from the folder if it is not a tldr page.",
        "unreadable": "Check the file's permissions, or run as a user who may read it.",
    },
    "zim": {
        **dict.fromkeys(_DAMAGES.split(), _DOWNLOAD_AGAIN),
        "unreadable": "Check that the file is there, and that you may read it.",
        "not-an-archive": "Name a .zim file, or the first part (.zimaa) of one that was split.",
        "unknown-version": "Look for a newer edition of the archive, or a newer version of this program.",
        "missing-part": "Put all parts (.zimaa, .zimab, ...) into one folder.",
        "unknown-compression": "Look for a newer edition of the archive: this compression is no longer in use.",
        "too-large": "Nothing to do: the other articles are indexed.",
        "redirect-loop": "Nothing to do: the articles themselves are indexed.",
        "redirect-out-of-range": "Nothing to do: the articles themselves are indexed.",
        "changed": "Do not change the archive while it is being indexed, and index it again.",
        "nothing-shown": "Nothing to do: an article without text answers no question.",
    },
}
"""The hints by source and fault. Users see both; `docs/reference/errors.md` lists them."""


def problem(source: str, place: str, fault: str, message: str) -> Problem:
    """Return a `Problem` with the hint for its fault.

    Args:
        source: A key of `HINTS`.
        place: The file, or a part of one. Like file names, it may contain bytes that are not UTF-8.
        fault: A key of the hints of the source.
    """
    return Problem(place=shown(place), fault=fault, message=shown(message), hint=HINTS[source][fault])


def shown(name: str) -> str:
    """Return a file name that can be encoded as UTF-8. Other bytes are escaped."""
    if name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name):
        return name
    return os.fsencode(name).decode("utf-8", "backslashreplace")
