"""Hints for files without read permission."""

import os
from pathlib import Path
from pwd import getpwuid
from shlex import quote


def readable_again(place: Path) -> str:
    """Return how to get read permission: a command if the user owns the path, otherwise whom to ask."""
    while True:
        try:
            status = place.stat()
        except PermissionError:  # the folder above is closed
            place = place.parent
            continue
        except OSError:
            return "Check owner and permissions."
        break
    if status.st_uid == os.geteuid():
        return f"chmod -R u+rX {quote(str(place))}"
    return f"Ask the owner of {place}, {_name_of(status.st_uid)}, for the right to read it"


def _name_of(user: int) -> str:
    try:
        return getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
