"""Sessions: conversations stored on the server in SQLite, each owned by its creator.

Several processes can share the file. Sessions of other owners are treated as missing.
"""

import json
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.errors import SessionMissing
from vademecum.files.folders import desk_folder
from vademecum.state.database import SharedTables
from vademecum.text.printable import printable

EXPIRES_S = 30 * 24 * 3600.0
MOST_SESSIONS = 1000
MOST_TURNS = 200
LONGEST_TITLE = 80
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, title TEXT NOT NULL, created REAL NOT NULL, changed REAL NOT NULL);
CREATE INDEX IF NOT EXISTS sessions_of ON sessions (owner, changed);
CREATE TABLE IF NOT EXISTS turns (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, number INTEGER NOT NULL, at REAL NOT NULL,
    message TEXT NOT NULL, read_as TEXT NOT NULL, response TEXT NOT NULL, told TEXT NOT NULL,
    PRIMARY KEY (session, number)) WITHOUT ROWID;
"""


class Session(NamedTuple):
    """A conversation.

    Attributes:
        id: 32 hexadecimal digits.
        title: Its first message, truncated.
        created: The time of creation, ISO 8601 in UTC.
    """

    id: str
    title: str
    created: str
    changed: str
    turns: int


class Turn(NamedTuple):
    """A message and its answer.

    Attributes:
        number: Its number in the session, from 1.
        read_as: The resolved question; the same as `message` if it was self-contained.
        at: The time, ISO 8601 in UTC.
    """

    number: int
    message: str
    read_as: str
    response: str
    told: Mapping[str, Any]
    at: str


class Sessions:
    """All sessions. It is thread-safe.

    Args:
        path: The file; by default `${XDG_DATA_HOME}/vademecum/chat/sessions.sqlite`. It is created on the first write.
    """

    def __init__(self, path: Path | None = None) -> None:
        path = path or Path(desk_folder("chat"), "sessions.sqlite")
        self._tables = SharedTables(
            path, synced=True, hint="Check the free space on the disk and the permissions of the file."
        )
        self._tables.declare(_SCHEMA)

    def begin(self, owner: str) -> Session:
        """Create a session. The oldest ones above the limit are deleted."""
        number, now = uuid.uuid4().hex, time.time()
        with self._tables.use() as use:
            use.execute("INSERT INTO sessions VALUES (?, ?, '', ?, ?)", (number, owner, now, now))
            use.execute("DELETE FROM sessions WHERE changed < ?", (now - EXPIRES_S,))
            use.execute(
                "DELETE FROM sessions WHERE id IN "
                "(SELECT id FROM sessions WHERE owner = ? ORDER BY changed DESC LIMIT -1 OFFSET ?)",
                (owner, MOST_SESSIONS),
            )
        return Session(number, "", _said(now), _said(now), 0)

    def of(
        self, owner: str | None, *, words: str = "", skipped: int = 0, limit: int = MOST_SESSIONS
    ) -> list[Session]:
        """Return an owner's sessions, last changed first."""
        like = f"%{''.join(f'^{sign}' if sign in '%_^' else sign for sign in words)}%"
        with self._tables.use() as use:
            rows = use.execute(
                "SELECT id, title, created, changed, (SELECT count(*) FROM turns WHERE session = id) FROM sessions "
                "WHERE (? IS NULL OR owner = ?) AND changed >= ? AND (? = '' OR title LIKE ? ESCAPE '^' OR EXISTS "
                "(SELECT 1 FROM turns WHERE session = id AND message LIKE ? ESCAPE '^')) "
                "ORDER BY changed DESC, id LIMIT ? OFFSET ?",
                (owner, owner, time.time() - EXPIRES_S, words, like, like, limit, skipped),
            ).fetchall()
        return [_session(row) for row in rows]

    def rename(self, number: str, owner: str | None, title: str) -> Session:
        """Change the title of a session."""
        with self._tables.use() as use:
            found = use.execute(
                "UPDATE sessions SET title = ? WHERE id = ? AND (? IS NULL OR owner = ?)",
                (_title_of(title), number[:64], owner, owner),
            )
            if not found.rowcount:
                raise _missing(number)
        return self.get(number, owner)

    def get(self, number: str, owner: str | None) -> Session:
        """Return a session."""
        with self._tables.use() as use:
            row = use.execute(
                "SELECT id, title, created, changed, (SELECT count(*) FROM turns WHERE session = id) "
                "FROM sessions WHERE id = ? AND (? IS NULL OR owner = ?) AND changed >= ?",
                (number[:64], owner, owner, time.time() - EXPIRES_S),
            ).fetchone()
        if row is None:
            raise _missing(number)
        return _session(row)

    def turns(self, number: str, owner: str | None) -> list[Turn]:
        """Return the turns of a session, oldest first."""
        self.get(number, owner)
        with self._tables.use() as use:
            rows = use.execute(
                "SELECT number, message, read_as, response, told, at FROM turns WHERE session = ? ORDER BY number",
                (number,),
            ).fetchall()
        return [
            Turn(place, message, read_as, response, json.loads(told), _said(at))
            for place, message, read_as, response, told, at in rows
        ]

    def add(
        self,
        number: str,
        owner: str | None,
        *,
        message: str,
        read_as: str,
        response: str,
        told: Mapping[str, Any],
        instead: int = 0,
    ) -> int:
        """Add a turn. The oldest ones above the limit are deleted.

        Returns:
            The number of the turn.
        """
        now = time.time()
        with self._tables.use() as use:
            found = use.execute(
                "UPDATE sessions SET changed = ?, title = CASE title WHEN '' THEN ? ELSE title END "
                "WHERE id = ? AND (? IS NULL OR owner = ?)",
                (now, _title_of(message), number[:64], owner, owner),
            )
            if not found.rowcount:
                raise _missing(number)
            (last,) = use.execute("SELECT max(number) FROM turns WHERE session = ?", (number,)).fetchone()
            place = (last or 0) + 1
            use.execute(
                "INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?)",
                (number, place, now, message, read_as, response, json.dumps(told, allow_nan=False)),
            )
            use.execute(
                "DELETE FROM turns WHERE session = ? AND (number <= ? OR number = ?)",
                (number, place - MOST_TURNS, instead),
            )
        return place

    def delete(self, number: str, owner: str | None) -> None:
        """Delete a session."""
        with self._tables.use() as use:
            found = use.execute(
                "DELETE FROM sessions WHERE id = ? AND (? IS NULL OR owner = ?)", (number[:64], owner, owner)
            )
            if not found.rowcount:
                raise _missing(number)

    def close(self) -> None:
        """Close the file."""
        self._tables.close()


def _title_of(text: str) -> str:
    return printable(" ".join(text.split()), LONGEST_TITLE)


def _session(row: tuple[str, str, float, float, int]) -> Session:
    number, title, created, changed, turns = row
    return Session(number, title, _said(created), _said(changed), turns)


def _said(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="seconds")


def _missing(number: str) -> SessionMissing:
    message = f"There is no session {printable(number, 40)}."
    return SessionMissing(message, hint="Leave the session out to begin a new one.")
