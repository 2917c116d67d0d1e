"""The child process of a reindex. It prints one progress report per line."""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vademecum.core.errors import VademecumError
from vademecum.files.places import Places
from vademecum.index.progress import Progress
from vademecum.library.library import Library
from vademecum.server.interrupts import listen_again
from vademecum.server.problems import problem

_EVERY_S = 0.1


def work(data: str, config: str, *, full: bool, sources: Sequence[str] | None) -> None:
    """Reindex, say how far it is and what came of it, and leave.

    A client that is gone shows as a broken pipe at the next snapshot, which stops the work.
    """
    progress = _Progress()
    try:
        listen_again()  # that is how it is cancelled, also by a service that ignores interrupts
        library = Library.open(Places(Path(data), Path(config)))
        report = library.reindex(full=full, sources=sources, on_progress=progress.show)
        last = {"state": "succeeded", "report": report.to_dict()}
    except VademecumError as error:
        last = {"state": "failed", "error": problem(error)}
    except KeyboardInterrupt:
        last = {"state": "cancelled"}
    except BrokenPipeError:
        os._exit(1)
    _say(last)
    os._exit(0)


class _Progress:
    """Says how far it is: at every stage, and every so often."""

    def __init__(self) -> None:
        self._stage = ("", "")
        self._said_s = 0.0

    def show(self, progress: Progress) -> None:
        stage, now_s = (progress.stage, progress.alias), time.monotonic()
        done = 0 < progress.total <= progress.documents
        if stage == self._stage and not done and now_s - self._said_s < _EVERY_S:
            return
        self._stage, self._said_s = stage, now_s
        _say(snapshot(progress))


def snapshot(progress: Progress) -> dict[str, Any]:
    """A snapshot of a reindex at work, with all that a client needs to make the progress from it again."""
    return {**progress.to_dict(), "spent_s": progress.spent_s, "total_bytes": progress.total_bytes}


def _say(snapshot: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(snapshot).encode() + b"\n")
    sys.stdout.buffer.flush()
