"""A small SQLite file shared by threads of several processes."""

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from weakref import finalize

from vademecum.core.errors import StoreError
from vademecum.files.locks import locked

_BUSY_S = 5.0
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

_log = logging.getLogger("vademecum.state")


class _Damaged(sqlite3.DatabaseError):
    """The integrity check of the file failed."""


class SharedTables:
    """A connection that all threads of a process share, one transaction at a time.

    It is opened on first use, so that each worker process has its own. A damaged file is renamed and logged, and a new
    one is created, because stored state must not prevent further calls.

    Args:
        synced: Whether writes wait for the disk. Otherwise, the last writes can be lost at a power failure.
        hint: How to fix a file that cannot be used.
    """

    def __init__(
        self,
        path: Path,
        *,
        synced: bool = False,
        hint: str = "Check the free space on the disk, or remove the file.",
    ) -> None:
        self._path, self._synced, self._hint = path, synced, hint
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._schemas: list[str] = []
        self._suspected = False

    def declare(self, schema: str) -> None:
        """Declare tables that are created when the file is opened: `CREATE TABLE IF NOT EXISTS ...`."""
        self._schemas.append(schema)

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection in a transaction, exclusively for this thread."""
        with self._lock:
            try:
                connection = self._connection or self._opened()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                except BaseException:
                    with suppress(sqlite3.Error):  # the error before it says more
                        connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
            except (sqlite3.Error, OSError) as error:
                if _is_damage(error):  # the next call opens the file again, looks closer, and sets it aside
                    self._close()
                    self._suspected = True
                message = f"{self._path} cannot be used: {error}."
                raise StoreError(message, hint=self._hint) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # another worker may be at it: SQLite does not wait while the way of writing is changed
        with locked(self._path.with_suffix(".lock"), patience_s=_BUSY_S):
            try:
                connection = self._connected()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._set_aside(error)
                connection = self._connected()
        self._connection = connection
        finalize(self, connection.close)
        return connection

    def _connected(self) -> sqlite3.Connection:
        if not self._path.exists():  # questions are private; SQLite gives its other files the same rights
            self._path.touch(mode=0o600)
        connection = sqlite3.connect(
            self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'NORMAL' if self._synced else 'OFF'}")
            connection.execute("PRAGMA foreign_keys = ON")
            if self._suspected:  # it reads the whole file
                self._check(connection)
            for schema in self._schemas:
                connection.executescript(schema)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise _Damaged(verdict)
        self._suspected = False  # another process has set the damaged file aside

    def _set_aside(self, error: sqlite3.Error) -> None:
        """Rename the file and SQLite's companion files to an unused name."""
        aside = self._path.with_name(f"{self._path.name}.damaged-{time.time_ns()}")
        for ending in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                self._path.with_name(f"{self._path.name}{ending}").rename(f"{aside}{ending}")
        self._suspected = False
        _log.error(
            "%s is damaged (%s): it is now %s, and an empty one takes its place.", self._path, error, aside
        )


def _is_damage(error: Exception) -> bool:
    return (
        isinstance(error, _Damaged) or (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _DAMAGED
    )  # the rest says which kind
