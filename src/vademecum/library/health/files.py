"""Check that the library's folders are writable, and that private files are not readable by others."""

import os
import re
import stat
import tempfile
from pathlib import Path

from vademecum.core.errors import ConfigError, DiskFull, StoreError
from vademecum.files.places import Places
from vademecum.library.health.diagnosis import Finding, HealthResult, summed_up

COMPONENT = "permissions"

_SECRET = re.compile(rb"api[_-]?key|token|password|passwd|secret|bearer|authorization", re.IGNORECASE)
_LOOKED_AT_BYTES = 1 << 16
_TRIED_BYTES = 4096


def permissions(places: Places) -> HealthResult:
    """Check the permissions of the folders and of private files.

    A configuration that others can read causes a warning only if it mentions a key, token or password. Logs are always
    private, because they contain what a person typed. So is this user's data folder, because the index contains the
    words of all documents. A data folder of another user may be readable. Write access for others always causes a
    warning.
    """
    findings = []
    for folder, code in ((places.data, StoreError.code), (places.config, ConfigError.code)):
        is_data = folder == places.data
        if fault := _unwritable(folder, code):
            # a configuration that this user cannot write can still be read
            findings.append(fault if is_data else fault._replace(severity="warn"))
        else:
            findings += _open_to_others(folder, readable=not (is_data and _is_ours(folder)))
    for file in (places.audit_log, places.query_log):
        findings += _open_to_others(file, readable=False)
        if file.exists() and not os.access(file, os.W_OK, effective_ids=True):
            findings.append(
                Finding("warn", f"{file} may not be written by this user.", f"sudo chown $USER {file}")
            )
    findings += _open_to_others(places.settings_file, readable=not _names_secrets(places.settings_file))
    return summed_up(COMPONENT, findings, "The folders can be written, and by nobody else.")


def _unwritable(folder: Path, code: str) -> Finding | None:
    """Return why a folder cannot be written, if so, by writing a file to it or to its nearest existing parent."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place, buffering=0) as file:  # unnamed if the system supports it
            file.write(bytes(_TRIED_BYTES))
    except OSError as error:
        message = f"{place} cannot be written: {error.strerror}."
        if place.is_dir() and not os.access(place, os.W_OK, effective_ids=True):
            mine = place.stat().st_uid == os.geteuid()
            return Finding(
                "fail", message, f"chmod u+rwx {place}" if mine else f"sudo chown $USER {place}", code
            )
        if not place.is_dir():
            return Finding(
                "fail", f"{place} is not a folder.", f"mv {place} {place}.old && ragadmin init", code
            )
        return Finding("fail", message, f"Look at the disk with: df -h {place}", DiskFull.code)
    return None


def _open_to_others(path: Path, *, readable: bool) -> list[Finding]:
    """Return the permissions of other users on a file or folder that they should not have."""
    try:
        status = path.stat()
    except OSError:
        return []
    mode = stat.S_IMODE(status.st_mode)
    allowed = "go-w" if readable else "700" if stat.S_ISDIR(status.st_mode) else "go-rwx"
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        right = "written"
    elif not readable and mode & (stat.S_IRWXG | stat.S_IRWXO):
        right = "read"
    else:
        return []
    message = f"{path} may be {right} by others (mode {mode:04o})."
    return [Finding("warn", message, f"chmod {allowed} {path}")]


def _is_ours(folder: Path) -> bool:
    try:
        return folder.stat().st_uid == os.geteuid()
    except OSError:
        return False


def _names_secrets(file: Path) -> bool:
    """Return whether a configuration file mentions a key, token or password, even in a comment."""
    try:
        with file.open("rb") as opened:
            return bool(_SECRET.search(opened.read(_LOOKED_AT_BYTES)))
    except OSError:
        return False
