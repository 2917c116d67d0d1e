"""Rate limits: requests in a sliding minute, counted in a table that all workers share."""

import time
from math import ceil

from vademecum.server.errors import HttpError
from vademecum.state.database import SharedTables

_WINDOW_S = 60
_ROUNDED = 1e-6
_SCHEMA = """CREATE TABLE IF NOT EXISTS requests (
    who TEXT, minute INTEGER, count INTEGER, PRIMARY KEY (who, minute)) WITHOUT ROWID"""
_DAYS = """CREATE TABLE IF NOT EXISTS days (
    who TEXT, day INTEGER, count INTEGER, PRIMARY KEY (who, day)) WITHOUT ROWID"""
_DAY_S = 24 * 3600
_COUNT = """INSERT INTO requests VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET count = count + 1"""


class Limits:
    """Counts requests. The count of the previous minute is weighted by its share of the last sixty seconds."""

    def __init__(self, tables: SharedTables) -> None:
        self._tables = tables
        tables.declare(_SCHEMA)
        tables.declare(_DAYS)
        self._swept = 0

    def count(self, who: str, per_minute: int) -> None:
        """Count a request, or reject it if it exceeds the limit. Rejected requests are not counted."""
        now = time.time()
        minute, into = divmod(now, _WINDOW_S)
        at = int(minute)
        with self._tables.use() as connection:
            if self._swept != at:
                connection.execute("DELETE FROM requests WHERE minute < ?", (at - 1,))
                self._swept = at
            rows = connection.execute(
                "SELECT minute, count FROM requests WHERE who = ? AND minute >= ?", (who, at - 1)
            )
            counted: dict[int, int] = dict(rows.fetchall())
            before, current = counted.get(at - 1, 0), counted.get(at, 0)
            free = before * (1 - into / _WINDOW_S) + current + 1 <= per_minute + _ROUNDED
            if free:
                connection.execute(_COUNT, (who, at))
        if not free:
            wait_s = _wait_s(before, current, into, per_minute)
            message = f"More than {per_minute:,} requests in a minute."
            headers = (("Retry-After", str(wait_s)),)
            raise HttpError(429, "TOO_MANY_REQUESTS", message, f"Try again in {wait_s} s.", headers)

    def spend(self, who: str, per_day: int) -> None:
        """Count a question of a day in UTC, or reject it if the day's questions are used up."""
        day, into = divmod(int(time.time()), _DAY_S)
        with self._tables.use() as connection:
            connection.execute("DELETE FROM days WHERE day < ?", (day,))
            row = connection.execute(
                "SELECT count FROM days WHERE who = ? AND day = ?", (who, day)
            ).fetchone()
            free = (row[0] if row else 0) < per_day
            if free:
                connection.execute(
                    "INSERT INTO days VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
                    (who, day),
                )
        if not free:
            headers = (("Retry-After", str(_DAY_S - into)),)
            message = "This key has reached its daily limit of questions."
            raise HttpError(429, "BUDGET_USED", message, "Ask again after midnight UTC.", headers)


def _wait_s(before: int, current: int, into: float, per_minute: int) -> int:
    """Return the number of whole seconds until another request is allowed."""
    if current + 1 > per_minute:  # not before the next minute, which weights this one
        return ceil(_WINDOW_S - into + _WINDOW_S * (1 - (per_minute - 1) / current))
    room = (per_minute - 1 - current) / before
    return max(1, ceil(_WINDOW_S * (1 - room) - into))
