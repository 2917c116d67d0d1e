"""A small SQLite file that the threads of several processes share."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from weakref import finalize

from vademecum.core.errors import StoreError
from vademecum.files.locks import locked

_BUSY_S = 5.0


class SharedTables:
    """One connection for all threads of a process, one statement at a time.

    It is opened on first use, so that a worker that was forked or spawned has its own.

    Args:
        path: The file; its folder is made.
        synced: Whether what is written is worth the wait for a disk.
        hint: What to do when the file can not be used.
    """

    def __init__(self, path: Path, *, synced: bool, hint: str) -> None:
        self._path, self._synced, self._hint = path, synced, hint
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._schemas: list[str] = []

    def declare(self, schema: str) -> None:
        """Have tables made when the file is opened: `CREATE TABLE IF NOT EXISTS ...`."""
        self._schemas.append(schema)

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """The connection within a transaction, for this thread alone.

        Raises:
            StoreError: The file can not be used.
        """
        with self._lock:
            try:
                connection = self._connection or self._opened()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
            except (sqlite3.Error, OSError) as error:
                message = f"{self._path} can not be used: {error}."
                raise StoreError(message, hint=self._hint) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection:
                self._connection.close()
                self._connection = None

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # another worker may be at it: SQLite does not wait while the way of writing is changed
        with locked(self._path.with_suffix(".lock")):
            if not self._path.exists():  # questions are private; SQLite gives its other files the same rights
                self._path.touch(mode=0o600)
            connection = sqlite3.connect(
                self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(f"PRAGMA synchronous = {'NORMAL' if self._synced else 'OFF'}")
                connection.execute("PRAGMA foreign_keys = ON")
                for schema in self._schemas:
                    connection.executescript(schema)
            except BaseException:
                connection.close()
                raise
        self._connection = connection
        finalize(self, connection.close)
        return connection
