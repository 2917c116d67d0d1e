"""Stored sessions: the messages and templates of a conversation, so that it can be continued, and undone to any turn.

They are in one SQLite file, `sessions.sqlite`, which several processes share and only its owner can read.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.errors import ConfigError, StoreError
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.state.database import SharedTables
from vademecum.text.patterns import Pattern
from vademecum.text.printable import printable

_ID = Pattern(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}", flags=0)
_START = "Start another one: leave --continue out."
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, created TEXT NOT NULL, updated TEXT NOT NULL, forgotten INTEGER NOT NULL, revision INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS turns (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, number INTEGER NOT NULL,
    said TEXT NOT NULL, kind TEXT NOT NULL, edits TEXT NOT NULL, text_after TEXT NOT NULL, summary TEXT NOT NULL,
    PRIMARY KEY (session, number)) WITHOUT ROWID;
"""


def is_id(text: str) -> bool:
    """Return whether a text can be the id of a session."""
    return bool(_ID.fullmatch(text))


class Turn(NamedTuple):
    """One turn of a conversation.

    Attributes:
        said: The message. The caller has removed passwords.
        kind: `new`, `refinement`, `question`, `undo`, `suggestion`, ...
        text_after: The template after it, as YAML; "" if there is none.
    """

    said: str
    kind: str
    edits: Sequence[Mapping[str, Any]] = ()
    text_after: str = ""
    summary: str = ""


class Session:
    """A conversation.

    Attributes:
        id: The time of creation, and six random digits.
        forgotten: The number of its first turns that were removed because it was too large.
        revision: How often it was saved; 0 for never.
        events: What happened to it in this process: `started`, `continued`, `shortened`, `saved`, and other
            sessions that were removed (`deleted ID`).
    """

    def __init__(
        self,
        name: str,
        created: datetime,
        updated: datetime,
        turns: Sequence[Turn] = (),
        *,
        forgotten: int = 0,
        revision: int = 0,
    ) -> None:
        self.id, self.created, self.updated = name, created, updated
        self.turns = [*turns]
        self.forgotten, self.revision = forgotten, revision
        self.events: list[str] = []

    @property
    def text(self) -> str:
        """The current template; "" if there is none."""
        return self.turns[-1].text_after if self.turns else ""


class Sessions:
    """The sessions in one folder, which is created when the first is saved."""

    def __init__(self, folder: Path, settings: ComposerSettings) -> None:
        self.folder = folder
        self._file = folder / "sessions.sqlite"
        self._rules = settings.session
        self._timeout_s = settings.conversation.session_timeout_s
        self._tables = SharedTables(self._file, synced=True, hint=f"Check the disk space of {folder}.")
        self._tables.declare(_SCHEMA)

    def new(self) -> Session:
        """Return a session without turns. Nothing is written before it is saved."""
        now = datetime.now(UTC)
        session = Session(f"{now:%Y%m%d-%H%M%S}-{os.urandom(3).hex()}", now, now)
        session.events.append("started")
        return session

    def last(self) -> Session | None:
        """Return the session that was used last, however long ago; None if there is none."""
        return next((self.load(name) for name in self.ids()), None)

    def current(self) -> Session | None:
        """Return the last session, if it was used within the session timeout."""
        with suppress(StoreError):
            session = self.last()
            return session if session and self.is_current(session) else None
        return None

    def is_current(self, session: Session) -> bool:
        """Return whether a session was used within the session timeout."""
        return (datetime.now(UTC) - session.updated).total_seconds() <= self._timeout_s

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all sessions that have not expired, last used first."""
        if not self._rules.persist or not self._file.exists():
            return ()
        with self._tables.use() as use:
            rows = use.execute(
                "SELECT id FROM sessions WHERE updated > ? ORDER BY updated DESC", (self._oldest(),)
            )
            return tuple(name for (name,) in rows)

    def load(self, session_id: str) -> Session:
        """Return a session."""
        if not is_id(session_id):
            raise ConfigError(f"{session_id[:60]!a} is not a session's id.", hint=_START)
        row, turns = None, []
        if self._file.exists():
            with self._tables.use() as use:
                row = use.execute("SELECT * FROM sessions WHERE id = ?", (session_id,)).fetchone()
                turns = use.execute(
                    "SELECT said, kind, edits, text_after, summary FROM turns WHERE session = ? ORDER BY number",
                    (session_id,),
                ).fetchall()
        if row is None:
            message = f"There is no session {printable(session_id, 60)}."
            raise ConfigError(message, hint=_START)
        name, created, updated, forgotten, revision = row
        session = Session(
            name,
            datetime.fromisoformat(created),
            datetime.fromisoformat(updated),
            [
                Turn(said, kind, tuple(json.loads(edits)), text, summary)
                for said, kind, edits, text, summary in turns
            ],
            forgotten=forgotten,
            revision=revision,
        )
        session.events.append("continued")
        return session

    def save(self, session: Session) -> str:
        """Store a session, and delete expired ones and the oldest ones above the limit.

        Returns:
            "", or a sentence that its first turns were removed because it is too large.
        """
        if not self._rules.persist:
            return ""
        warning = self._shortened(session)
        now = datetime.now(UTC)
        with self._tables.use() as use:
            stored = use.execute("SELECT revision FROM sessions WHERE id = ?", (session.id,)).fetchone()
            if stored and stored[0] != session.revision:
                message = f"The session {session.id} was continued elsewhere in the meantime."
                raise StoreError(message, hint="Load it again with --continue, or start another one.")
            use.execute("DELETE FROM sessions WHERE id = ?", (session.id,))
            head = (session.id, session.created.isoformat(), now.isoformat())
            use.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?)",
                (*head, session.forgotten, session.revision + 1),
            )
            use.executemany(
                "INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        session.id,
                        number,
                        turn.said,
                        turn.kind,
                        json.dumps([*turn.edits]),
                        turn.text_after,
                        turn.summary,
                    )
                    for number, turn in enumerate(session.turns)
                ],
            )
            gone = use.execute(
                "DELETE FROM sessions WHERE id != ? AND (updated <= ? OR id IN "
                "(SELECT id FROM sessions ORDER BY updated DESC LIMIT -1 OFFSET ?)) RETURNING id",
                (session.id, self._oldest(), self._rules.max_sessions),
            ).fetchall()
        session.updated = now
        session.revision += 1
        session.events += ["saved", *(f"deleted {name}" for (name,) in gone)]
        return warning

    def close(self) -> None:
        """Close the file."""
        self._tables.close()

    def _oldest(self) -> str:
        return (datetime.now(UTC) - timedelta(seconds=self._rules.max_age_s)).isoformat()

    def _shortened(self, session: Session) -> str:
        """Remove the first turns of a session that is too large. The last one always stays."""
        sizes = [len(json.dumps(turn)) for turn in session.turns]
        gone = 0
        while sum(sizes[gone:]) > self._rules.max_size_bytes and gone < len(sizes) - 1:
            gone += 1
        if not gone:
            return ""
        del session.turns[:gone]
        session.forgotten += gone
        session.events.append("shortened")
        return f"The session has become too large to keep whole; its first {session.forgotten} turns cannot be undone any more."
