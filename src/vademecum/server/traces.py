"""Traces of answers, kept for a limited time for their caller."""

import json
import re
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from vademecum.core.trace import Json, Trace
from vademecum.server.log import cleaned
from vademecum.state.database import SharedTables

ID = re.compile(r"[0-9a-f]{32}")
_SCHEMA = """CREATE TABLE IF NOT EXISTS traces (
    id TEXT PRIMARY KEY, owner TEXT, until REAL, body TEXT) WITHOUT ROWID"""
_BY_AGE = "CREATE INDEX IF NOT EXISTS traces_until ON traces (until)"
_SWEEP_EVERY = 100
_LONGEST = 1 << 20

CALLS = "calls"
"""The field of a stored trace with the requests to models and their responses. Only admins see it."""


def recorded(trace: Trace, desk: str) -> dict[str, Json]:
    """Return a trace in the format in which it is stored."""
    calls = {CALLS: [call.to_dict() for call in trace.calls]} if trace.calls else {}
    return {"id": trace.id, "desk": desk, **trace.to_dict(), **calls}


class Kept(NamedTuple):
    """A stored trace."""

    owner: str
    body: dict[str, Any]


class Traces:
    """Stores traces, without keys and passwords, until they expire or there are too many."""

    def __init__(self, tables: SharedTables, *, kept_s: float, most: int) -> None:
        self._tables = tables
        self._kept_s = kept_s
        self._most = most
        self._until_sweep = 0
        tables.declare(_SCHEMA)
        tables.declare(_BY_AGE)

    def keep(self, id_: str, owner: str, body: Mapping[str, Json]) -> None:
        """Store a trace, unless it is too long to be useful."""
        text: str = cleaned(json.dumps(body, ensure_ascii=True))
        if len(text) > _LONGEST:
            return
        now = time.time()
        with self._tables.use() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO traces VALUES (?, ?, ?, ?)", (id_, owner, now + self._kept_s, text)
            )
            self._until_sweep -= 1
            if self._until_sweep < 0:
                self._until_sweep = _SWEEP_EVERY
                connection.execute("DELETE FROM traces WHERE until < ?", (now,))
                connection.execute(
                    "DELETE FROM traces WHERE until <= (SELECT until FROM traces ORDER BY until DESC LIMIT 1 OFFSET ?)",
                    (self._most,),
                )

    def get(self, id_: str) -> Kept | None:
        """Return a trace, or None if it does not exist or has expired."""
        if not ID.fullmatch(id_):
            return None
        with self._tables.use() as connection:
            row = connection.execute(
                "SELECT owner, body FROM traces WHERE id = ? AND until >= ?", (id_, time.time())
            ).fetchone()
        return Kept(row[0], json.loads(row[1])) if row else None
