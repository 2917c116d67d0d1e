"""Build segments in this process, or in two worker processes if there are enough documents.

Each worker requests batches, so that a slow batch does not delay the other. Workers are started as subprocesses and not with
`multiprocessing`, which would run the caller's script again in each.
"""

import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import connection
from typing import NamedTuple

from vademecum.core.errors import SourceError, StoreError, VademecumError
from vademecum.index.build import Batch, Builder, Carried, Done, Job, translated
from vademecum.index.manifest import SegmentInfo

_PROGRAM = "import sys; from vademecum.index.workers import serve; serve(int(sys.argv[1]))"
_WORTH_TWO = 600
"""The minimum number of documents for a second process."""

_PATIENCE_S = 10
_OBJECTS_MADE = 50_000
"""The garbage-collection threshold: documents create many objects, but hardly any cycles."""


class _Worker(NamedTuple):
    process: "subprocess.Popen[bytes]"
    pipe: connection.Connection


def build(job: Job, work: Sequence[Batch], on_done: Callable[[Done], None]) -> list[SegmentInfo]:
    """Build the necessary segments, in one process or two."""
    documents = sum(len(batch.numbers) if isinstance(batch, Carried) else len(batch) for batch in work)
    processes = min(2, len(os.sched_getaffinity(0))) if documents >= _WORTH_TWO else 1
    if processes > 1:
        return _build_apart(job, work, on_done, processes)
    builder = Builder(job)
    try:
        for batch in work:
            on_done(builder.add(batch))
        return builder.commit()
    except OSError as error:
        raise translated(error, job.segments) from error
    finally:
        builder.discard()


def _build_apart(
    job: Job, work: Sequence[Batch], on_done: Callable[[Done], None], processes: int
) -> list[SegmentInfo]:
    """Build segments like `Builder`, in several processes."""
    try:
        pickled = pickle.dumps(job)
    except Exception as error:  # whatever a guest's class may raise
        message = f"The source {job.source.alias} cannot be sent to another process: {error}"
        raise SourceError(
            message, hint="Let it hold plain data only, and define its class in a module."
        ) from error
    waiting = list(reversed(work))
    segments: list[SegmentInfo] = []
    workers: list[_Worker] = []
    try:
        workers.extend(_started(pickled) for _ in range(processes))
        by_pipe: dict[object, _Worker] = {worker.pipe: worker for worker in workers}
        while by_pipe:
            for pipe in connection.wait([worker.pipe for worker in by_pipe.values()]):
                if not _attend(by_pipe[pipe], waiting, segments, on_done):
                    del by_pipe[pipe]
    finally:
        for worker in workers:
            worker.pipe.close()
            _ended(worker.process)
    return sorted(segments)


def _started(pickled: bytes) -> _Worker:
    """Start a worker process, and send it the job. It has its own process group, so that the parent handles Ctrl-C."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [sys.executable, "-c", _PROGRAM, str(theirs.fileno())]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], process_group=0
        )
        worker = _Worker(process, connection.Connection(ours.detach()))
    with suppress(ConnectionError):  # should it be dead already, nothing will come from it
        worker.pipe.send(sys.path)
        worker.pipe.send_bytes(pickled)
    return worker


def _ended(process: "subprocess.Popen[bytes]") -> None:
    """Terminate a process if it is still running, and reap it."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _attend(
    worker: _Worker, waiting: list[Batch], segments: list[SegmentInfo], on_done: Callable[[Done], None]
) -> bool:
    """Receive a message from a worker, and send it the next batch. Return False if the worker has finished."""
    try:
        said = worker.pipe.recv()
        if isinstance(said, Done) or said == "ready":
            worker.pipe.send(waiting.pop() if waiting else None)
    except (EOFError, ConnectionError):
        raise _lost(worker.process) from None
    if isinstance(said, VademecumError):
        raise said
    if isinstance(said, Done):
        on_done(said)
    if isinstance(said, list):
        segments.extend(said)
        worker.process.wait()
        return False
    return True


def _lost(process: "subprocess.Popen[bytes]") -> StoreError:
    """Return the exception for a worker that ended unexpectedly."""
    try:
        status = process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        status = 0
    why = signal.Signals(-status).name if status < 0 else f"status {status}"
    message = f"A process that was building the index ended without a word ({why}): out of memory, or killed."
    return StoreError(message, hint="Run again: ragadmin reindex")


def serve(descriptor: int) -> None:
    """Run a worker: request and build batches, and commit at the end.

    It exits when the parent is gone, so a killed parent leaves no process behind.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(_OBJECTS_MADE, 20, 100)
    pipe = connection.Connection(descriptor)
    with suppress(EOFError, ConnectionError):
        _serve(pipe)


def _serve(pipe: connection.Connection) -> None:
    sys.path[:] = pipe.recv()
    pickled = pipe.recv_bytes()
    try:
        job = pickle.loads(pickled)  # noqa: S301 - it comes from the process that started this one
    except Exception as error:  # noqa: BLE001 - whatever importing a guest's module may raise
        message = f"The source cannot be used in another process: {type(error).__name__}: {error}"
        pipe.send(SourceError(message, hint="Define its class in a module, not in the script that is run."))
        return
    builder = Builder(job)
    try:
        pipe.send("ready")
        while (batch := pipe.recv()) is not None:
            pipe.send(builder.add(batch))
        pipe.send(builder.commit())
    except (EOFError, ConnectionError):
        raise
    except VademecumError as error:
        pipe.send(error)
    except OSError as error:
        pipe.send(translated(error, job.segments))
    except Exception as error:  # noqa: BLE001 - a mistake of ours must reach the person, too
        message = f"A process that was building the index failed: {type(error).__name__}: {error}"
        pipe.send(StoreError(message, hint="This is a mistake in Vademecum; please report it."))
