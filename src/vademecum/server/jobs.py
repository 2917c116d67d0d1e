"""A reindex as a job: a child process whose progress reports are read as they arrive.

It is apart so that its memory goes back to the system, a full disk cannot take the service down with it, and
it can be stopped like a command is: by an interrupt, which leaves the index as it was.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from typing import Any

from vademecum.core.errors import StoreError
from vademecum.files.places import Places
from vademecum.server.problems import problem

_PROGRAM = (
    "import json, sys; asked = json.loads(sys.stdin.buffer.read()); sys.path[:] = asked.pop('path'); "
    "from vademecum.server.reindexing import work; work(**asked)"
)
_PATIENCE_S = 10.0
_PIECE = 1 << 16
_LAST = {"succeeded", "failed", "cancelled"}


class Job:
    """A reindex at work.

    Args:
        places: The folders of the library.
        full: As in `Library.reindex`.
        sources: As there.
        on_close: Called once, when it is over.
    """

    def __init__(
        self, places: Places, *, full: bool, sources: Collection[str] | None, on_close: Callable[[], None]
    ) -> None:
        self._on_close = on_close
        self._cancelled = False
        self._guard = threading.Lock()
        asked = {
            "data": str(places.data),
            "config": str(places.config),
            "full": full,
            "sources": sorted(sources) if sources is not None else None,
            "path": sys.path,
        }
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                process_group=0,
            )
        except OSError as error:
            message = f"A process for the reindex could not be started: {error.strerror}."
            raise StoreError(message, hint="Run it without the service: VADEMECUM_SERVICE=off") from error
        assert self._process.stdin  # noqa: S101 - for the type checker
        with suppress(OSError), self._process.stdin as pipe:  # should it be dead already, its end says so
            pipe.write(json.dumps(asked).encode())

    def snapshots(self, client: socket.socket) -> Iterator[dict[str, Any]]:
        """What becomes of it, until the last; when the client goes away, it is cancelled."""
        yield {"state": "queued"}
        last: dict[str, Any] | None = None
        for line in self._lines(client):
            with suppress(ValueError):
                said = json.loads(line)
                if said.get("state") in _LAST:
                    last = said
                else:
                    yield said
        code = self._ended()
        if last is None:
            last = {"state": "cancelled"} if self._cancelled else _lost(code)
        self.close()
        yield last

    def cancel(self) -> None:
        """Have it stop, as an interrupt stops a command. Any thread may call it, at any time."""
        with self._guard:
            if self._process.returncode is None:
                self._cancelled = True
                with suppress(OSError):
                    self._process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """End it if it has not ended, and let the next one begin. Further calls do nothing."""
        if self._process.poll() is None:
            self.cancel()
            self._ended()
        with self._guard:
            done, self._on_close = self._on_close, _nothing
        done()

    def _lines(self, client: socket.socket) -> Iterator[bytes]:
        assert self._process.stdout  # noqa: S101 - for the type checker
        said, begun = self._process.stdout.fileno(), b""
        watch = select.poll()
        watch.register(said, select.POLLIN)
        watch.register(client, 0)  # its hanging up is reported in any case
        while True:
            for descriptor, _ in watch.poll():
                if descriptor != said:
                    watch.unregister(client)
                    self.cancel()
                    continue
                piece = os.read(said, _PIECE)
                if not piece:
                    return
                *lines, begun = (begun + piece).split(b"\n")
                yield from lines

    def _ended(self) -> int:
        """Wait for its end, and hasten it if need be."""
        for hasten in (self._process.terminate, self._process.kill):
            try:
                return self._process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                hasten()
        return self._process.wait()


def _lost(code: int) -> dict[str, Any]:
    """What is said of a process that ended without a word."""
    why = signal.Signals(-code).name if code < 0 else f"status {code}"
    message = (
        f"The process that was building the index ended without a word ({why}): out of memory, or killed."
    )
    return {
        "state": "failed",
        "error": problem(StoreError(message, hint="Run again: ragadmin reindex")),
    }


def _nothing() -> None:
    """Stands for a call that was made already."""
