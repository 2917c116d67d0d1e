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
"""What a line may hold."""

LONGEST = 1000
"""Characters of a text; what is longer is cut."""

_PATIENCE_S = 2.0
_TAIL_BYTES = 1 << 18


def replace_file(path: Path, text: str) -> None:
    """Write a file beside the old one, sync it, rename it over the old one, sync the folder.

    Missing folders are made, readable by their owner alone.

    Raises:
        OSError: It cannot be written; the old file is as it was.
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
    """Write one JSON object as one line at the end of a file, which is made (for its owner alone) if need be.

    Everything but printable ASCII is escaped. So no text can begin a line of its own, steer a terminal or
    turn the reading direction. The line goes out in one call under a lock; when not all of it finds room, none of
    it stays. A last line that a power cut left in half is closed first.

    A lock that somebody holds for long is not waited for: the system appends one such call after another anyway.

    Args:
        path: The log; missing folders are made, readable by their owner alone.
        entry: What to write, in this order.
        durable: Whether it must be on the disk before this returns.
        longest: Characters of each text; what is longer is cut.

    Raises:
        OSError: It cannot be written; the log is as it was.
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
    r"""An entry as the line that is written.

    >>> as_line({"target": "a\nb\u202e\x7f"})
    b'{"target": "a\\nb\\u202e\\u007f"}\n'
    """
    text = json.dumps(_cut(entry, longest), ensure_ascii=True)
    return text.replace("\x7f", "\\u007f").encode("ascii") + b"\n"


def last_lines(path: Path) -> list[dict[str, Any]]:
    """The objects in the last quarter of a megabyte of a log, oldest first; lines that are damaged are left out.

    Raises:
        OSError: It cannot be read. A log that is not there is empty.
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
    """Write a line in one call.

    Raises:
        OSError: Not all of it found room.
    """
    if os.write(log, line) < len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if durable:
        os.fdatasync(log)


def _cut(value: Value, longest: int) -> Value:
    """A value whose texts are no longer than that."""
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[:longest]}… ({len(value):,} characters)"
    if isinstance(value, Mapping):
        return {key: _cut(one, longest) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [_cut(one, longest) for one in value]
    return value
