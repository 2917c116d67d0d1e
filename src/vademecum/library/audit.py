"""The audit log: one JSON line for each change to the library, with its user and result.

The file is `audit.ndjson` among the data. A line holds `timestamp` (ISO 8601 in UTC, with milliseconds), `action`,
`target`, `status`, `trace_id`, and where there is something to say `message` and `error_code`. The lines of one
command share their `trace_id`.

| status | when |
| --- | --- |
| `started` | an action begins that may be cut off by a power loss (`reindex`) |
| `succeeded` | it is done; `message` may name what was passed over |
| `failed` | it ended with an error; `error_code` is the error's code |
| `cancelled` | someone interrupted it |

A `started` without a line of the same `trace_id` after it was cut off, or is still going on.
A log that cannot be written stops nobody: it is said, and the action goes on.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from vademecum.core.errors import VademecumError
from vademecum.files.places import Places
from vademecum.files.write import Value, append_line, last_lines

Action = Literal["init", "add", "update", "remove", "reindex", "recovery"]
Status = Literal["started", "succeeded", "failed", "cancelled"]


class Audited:
    """An action while it goes on.

    Attributes:
        trace_id: Of all its lines.
        message: What is to be said of it when it has succeeded; may be set at any time.
        target: What it is done to; may be set again once that is known better, such as an alias.
    """

    __slots__ = ("message", "target", "trace_id")

    def __init__(self, target: str, trace_id: str) -> None:
        self.target, self.trace_id, self.message = target, trace_id, ""


def say(what: str) -> None:
    """Say on stderr that something could not be logged."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{what}\n")


def new_trace_id() -> str:
    """32 hexadecimal digits that nobody else has."""
    return os.urandom(16).hex()


@contextmanager
def audited(
    places: Places,
    action: Action,
    target: str | Path,
    *,
    announced: bool = False,
    trace_id: str = "",
    complain: Callable[[str], None] = say,
) -> Iterator[Audited]:
    """Log what comes of the statements within; their errors go on as they are.

    Args:
        places: Whose audit log.
        action: What is done.
        target: To what: an alias, a place, or `all`.
        announced: Whether a line `started` goes before; for what takes long.
        trace_id: Of the command it belongs to; by default a new one.
        complain: Told when the log cannot be written.
    """
    going_on = Audited(str(target), trace_id or new_trace_id())

    def note(status: Status, message: str = "", error_code: str = "") -> None:
        record(
            places, action, going_on.target, status, trace_id=going_on.trace_id, message=message,
            error_code=error_code, complain=complain,
        )  # fmt: skip

    if announced:
        note("started")
    try:
        yield going_on
    except VademecumError as error:
        note("failed", error.message, error.code)
        raise
    except Exception as error:
        note("failed", f"{type(error).__name__}: {error}", VademecumError.code)
        raise
    except BaseException:
        note("cancelled", going_on.message)
        raise
    note("succeeded", going_on.message)


def record(
    places: Places,
    action: Action,
    target: str | Path,
    status: Status,
    *,
    trace_id: str = "",
    message: str = "",
    error_code: str = "",
    complain: Callable[[str], None] = say,
) -> bool:
    """Log one line, and wait until it is on the disk.

    Returns:
        Whether it could be written; if not, `complain` was told.
    """
    entry: dict[str, Value] = {
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "action": action,
        "target": str(target),
        "status": status,
        "trace_id": trace_id or new_trace_id(),
    }
    entry |= {name: said for name, said in (("message", message), ("error_code", error_code)) if said}
    try:
        append_line(places.audit_log, entry, durable=True)
    except OSError as error:
        complain(f"The audit log {places.audit_log} cannot be written: {error.strerror or error}.")
        return False
    return True


def recent(places: Places) -> list[dict[str, Any]]:
    """The last lines of the log as objects, oldest first; what is damaged is left out.

    Raises:
        OSError: The log cannot be read.
    """
    return last_lines(places.audit_log)
