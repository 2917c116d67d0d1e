"""A reindex in a child process, whose progress reports are read as they arrive.

The process is separate so that its memory is returned to the system, a full disk does not affect the service, and it can
be stopped like a command: by an interrupt, which leaves the index unchanged.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vademecum.core.errors import StoreError, VademecumError
from vademecum.files.places import Places
from vademecum.index.progress import Progress
from vademecum.library.internal import InternalLibrary
from vademecum.server.errors import problem
from vademecum.server.listen.interrupts import listen_again

_PROGRAM = (
    "import json, sys; asked = json.loads(sys.stdin.buffer.read()); sys.path[:] = asked.pop('path'); "
    "from vademecum.server.local.reindex import work; work(**asked)"
)
_PATIENCE_S = 10.0
_EVERY_S = 0.1
_LONGEST_LINE = 1 << 28
"""The maximum length of a progress report in bytes. The last one lists all problems of the sources."""

_FINAL_STATES = {"succeeded", "failed", "cancelled"}


class Reindex:
    """A reindex that runs while its snapshots are read."""

    def __init__(self, places: Places, *, full: bool, sources: Collection[str] | None) -> None:
        self._request = {
            "data": str(places.data),
            "config": str(places.config),
            "full": full,
            "sources": sorted(sources) if sources is not None else None,
            "path": sys.path,
        }
        self._process: asyncio.subprocess.Process | None = None
        self._is_cancelled = False
        self.is_running = False

    async def snapshots(self) -> AsyncGenerator[dict[str, Any], None]:
        """Run it, and yield its progress. The last snapshot has the state `succeeded`, `failed` or `cancelled`.

        If the iterator is closed early, the process is stopped.
        """
        self.is_running = True
        try:
            self._process = process = await self._start()
            yield {"state": "queued"}
            assert process.stdout  # noqa: S101 - for the type checker
            last: dict[str, Any] | None = None
            async for line in process.stdout:
                with suppress(ValueError):
                    snapshot = json.loads(line)
                    if snapshot.get("state") in _FINAL_STATES:
                        last = snapshot
                    else:
                        yield snapshot
            code = await process.wait()
        finally:
            await self._stop()
            self.is_running = False
        yield last or ({"state": "cancelled"} if self._is_cancelled else _lost(code))

    def cancel(self) -> None:
        """Interrupt it, as Ctrl-C interrupts a command."""
        if self._process is not None and self._process.returncode is None:
            self._is_cancelled = True
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGINT)

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-c",
                _PROGRAM,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
                process_group=0,
            )
        except OSError as error:
            message = f"A process for the reindex could not be started: {error.strerror}."
            raise StoreError(message, hint="Run it without the service: VADEMECUM_SERVICE=off") from error
        assert process.stdin  # noqa: S101 - for the type checker
        with suppress(OSError):  # if the process has ended already, its exit status is reported
            process.stdin.write(json.dumps(self._request).encode())
            await process.stdin.drain()
        process.stdin.close()
        return process

    async def _stop(self) -> None:
        """Stop the process if it is still running: interrupt, terminate, then kill it."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        self.cancel()
        for force in (process.terminate, process.kill):
            try:
                await asyncio.wait_for(asyncio.shield(process.wait()), _PATIENCE_S)
            except TimeoutError:
                force()
            else:
                return
        await process.wait()


def _lost(code: int) -> dict[str, Any]:
    """Return the last snapshot for a process that ended without one."""
    reason = signal.Signals(-code).name if code < 0 else f"status {code}"
    message = f"The process that was building the index ended without a report ({reason}): out of memory, or killed."
    return {"state": "failed", "error": problem(StoreError(message, hint="Run again: ragadmin reindex"))}


def work(data: str, config: str, *, full: bool, sources: Sequence[str] | None) -> None:
    """Reindex in the child process, print progress and the outcome, one line each, and exit.

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
