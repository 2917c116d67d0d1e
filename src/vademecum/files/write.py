"""Durable writes: replace a file atomically, or append lines to a log."""

import errno
import json
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vademecum.files.locks import acquire

Value = str | float | bool | None | Sequence["Value"] | Mapping[str, "Value"]
"""The values that a line can contain."""

LONGEST = 1000
"""The maximum length of a string in characters; longer strings are truncated."""

_PATIENCE_S = 2.0
_TAIL_BYTES = 1 << 18


def replace_file(path: Path, text: str) -> None:
    """Replace a file atomically and durably: write a temporary file, sync it, rename it, and sync the folder.

    Missing folders are created with access for their owner only.

    Raises:
        OSError: The file cannot be written. The old file is unchanged.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def append_line(path: Path, entry: Mapping[str, Value], *, durable: bool, longest: int = LONGEST) -> None:
    """Append a JSON object as a line to a file. A missing file is created with access for its owner only.

    Everything but printable ASCII is escaped, so that a string cannot add lines, control a terminal or change the text
    direction. The line is written in one call while holding a lock; if it does not fit on the disk completely, it is removed. A line
    that a power failure left incomplete is terminated first. If the lock is held for long, the line is written without it, because the
    system appends single calls one after another anyway.

    Args:
        path: The log. Missing folders are created with access for their owner only.
        entry: The values, in order.
        durable: Whether to sync the file before returning.
        longest: The maximum length of each string; longer strings are truncated.

    Raises:
        OSError: The line cannot be written. The log is unchanged.
    """
    line = as_line(entry, longest)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # without O_NONBLOCK, a named pipe in the log's place would be waited for
    log = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(log).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        locked = False
        with suppress(BlockingIOError):
            acquire(log, patience_s=_PATIENCE_S)
            locked = True
        size = os.fstat(log).st_size
        if size and os.pread(log, 1, size - 1) != b"\n":
            line = b"\n" + line
        try:
            _write(log, line, durable=durable)
        except OSError:
            if locked:
                with suppress(OSError):
                    os.ftruncate(log, size)
            raise
    finally:
        os.close(log)


def as_line(entry: Mapping[str, Value], longest: int = LONGEST) -> bytes:
    r"""Format an entry as a line.

    >>> as_line({"target": "a\nb\u202e\x7f"})
    b'{"target": "a\\nb\\u202e\\u007f"}\n'
    """
    text = json.dumps(_cut(entry, longest), ensure_ascii=True)
    return text.replace("\x7f", "\\u007f").encode("ascii") + b"\n"


def last_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects in the last quarter of a megabyte of a log, oldest first. Damaged lines are skipped.

    Raises:
        OSError: The log cannot be read. A missing log counts as empty.
    """
    try:
        with path.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(0, size - _TAIL_BYTES))
            data = log.read(_TAIL_BYTES)
    except FileNotFoundError:
        return []
    found = []
    for line in data.split(b"\n"):
        with suppress(ValueError, RecursionError):
            entry = json.loads(line)
            if isinstance(entry, dict):
                found.append(entry)
    return found


def _write(log: int, line: bytes, *, durable: bool) -> None:
    """Write a line in one call."""
    if os.write(log, line) < len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if durable:
        os.fdatasync(log)


def _cut(value: Value, longest: int) -> Value:
    """Truncate the strings in a value."""
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[:longest]}… ({len(value):,} characters)"
    if isinstance(value, Mapping):
        return {key: _cut(one, longest) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [_cut(one, longest) for one in value]
    return value
