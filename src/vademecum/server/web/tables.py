"""SQLite tables that all workers share. They can be deleted without harm."""

from pathlib import Path

from vademecum.state.database import SharedTables


class Tables(SharedTables):
    """What it holds is worth less than the wait for a disk: nothing is synced.

    Args:
        path: The file; its folder is made.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, synced=False, hint="Check the room on the disk, or remove the file.")
