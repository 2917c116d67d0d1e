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
from vademecum.library.internal import InternalLibrary
from vademecum.server.errors import problem
from vademecum.server.listen.interrupts import listen_again

_EVERY_S = 0.1


def work(data: str, config: str, *, full: bool, sources: Sequence[str] | None) -> None:
    """Reindex, print progress and the outcome, and exit.

    If the service is gone, printing the next snapshot fails with a broken pipe, which stops the work.
    """
    progress = _Progress()
    try:
        listen_again()  # an interrupt cancels it, even if the service ignores interrupts
        library = InternalLibrary.open(Places(Path(data), Path(config)))
        report = library.reindex(full=full, sources=sources, on_progress=progress.show)
        last = {"state": "succeeded", "report": report.to_dict()}
    except VademecumError as error:
        last = {"state": "failed", "error": problem(error)}
    except KeyboardInterrupt:
        last = {"state": "cancelled"}
    except BrokenPipeError:
        os._exit(1)
    _print(last)
    os._exit(0)


class _Progress:
    """Prints progress reports: at every new stage, and at intervals."""

    def __init__(self) -> None:
        self._stage = ("", "")
        self._printed_s = 0.0

    def show(self, progress: Progress) -> None:
        stage, now_s = (progress.stage, progress.alias), time.monotonic()
        done = 0 < progress.total <= progress.documents
        if stage == self._stage and not done and now_s - self._printed_s < _EVERY_S:
            return
        self._stage, self._printed_s = stage, now_s
        _print(snapshot(progress))


def snapshot(progress: Progress) -> dict[str, Any]:
    """Return a snapshot of a running reindex, with everything that a client needs to rebuild the `Progress`."""
    return {**progress.to_dict(), "spent_s": progress.spent_s, "total_bytes": progress.total_bytes}


def _print(snapshot: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(snapshot).encode() + b"\n")
    sys.stdout.buffer.flush()
