"""Replacing a small file in one step that survives a power cut."""

import os
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Write a file beside the old one, sync it, rename it over the old one, sync the folder.

    Missing folders are made, readable by their owner alone.

    Raises:
        OSError: It can not be written; the old file is as it was.
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
