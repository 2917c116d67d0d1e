"""The audit log: one JSON line for each change to the library, with its user and result.

The file is `audit.ndjson` in the data folder. A line contains `timestamp` (ISO 8601 in UTC, with milliseconds), `action`,
`target`, `status` and `trace_id`, and optionally `message` and `error_code`. The lines of a command have the same
`trace_id`.

| status | when |
| --- | --- |
| `started` | a long action has started (`reindex`) |
| `succeeded` | it is complete; `message` may name what was skipped |
| `failed` | it failed; `error_code` is the code of the error |
| `cancelled` | it was interrupted |

If no line with the same `trace_id` follows a `started` line, the action was killed or is still running.
If the log cannot be written, the action continues and a warning is printed.
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
    """An action in progress.

    Attributes:
        message: The message to log on success. It can be set at any time.
        target: The target of the action. It can be changed when it is known more precisely, such as an alias.
    """

    __slots__ = ("message", "target", "trace_id")

    def __init__(self, target: str, trace_id: str) -> None:
        self.target, self.trace_id, self.message = target, trace_id, ""


def say(what: str) -> None:
    """Print to stderr that something could not be logged."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{what}\n")


def new_trace_id() -> str:
    """Return a unique id of 32 hexadecimal digits."""
    return os.urandom(16).hex()


@contextmanager
def audited(
    places: Places, action: Action, target: str | Path, *, announced: bool = False
) -> Iterator[Audited]:
    """Log the result of a block. Its exceptions are propagated.

    Args:
        places: The file locations of the library.
        target: The target: an alias, a path, or `all`.
        announced: Whether to log a `started` line first, for long actions.
    """
    going_on = Audited(str(target), new_trace_id())

    def note(status: Status, message: str = "", error_code: str = "") -> None:
        going = going_on.target, status
        record(places, action, *going, trace_id=going_on.trace_id, message=message, error_code=error_code)

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
    """Log a line, and sync it to disk.

    Returns:
        Whether it was written. If not, `complain` was called.
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
    """Return the last lines of the log as objects, oldest first. Damaged lines are skipped."""
    return last_lines(places.audit_log)
