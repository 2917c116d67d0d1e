"""Run a child process with limits on time and output."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

Ending = Literal["done", "failed", "timeout", "flood"]

_CHUNK_BYTES = 1 << 18


class Outcome(NamedTuple):
    """The output of a child process and how it ended. `failed` is any exit status other than 0."""

    output: bytes
    ending: Ending


def run(
    command: Sequence[str],
    folder: Path,
    *,
    idle_s: float,
    total_s: float,
    limit_bytes: int,
    environment: Mapping[str, str] | None = None,
    errors: bool = False,
) -> Outcome:
    """Run a program until it ends, is silent for too long, or prints too much.

    It has no input, a minimal environment, and its own process group, which is killed as a whole.

    Args:
        folder: The working directory, also for temporary files.
        idle_s: The maximum time without output, in seconds.
        total_s: The maximum total time, in seconds.
        limit_bytes: The maximum size of the output.
        errors: Whether standard error is part of the output.

    Returns:
        The output, even if it is incomplete.
    """
    variables = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C.UTF-8",
        "TMPDIR": str(folder),
        **(environment or {}),
    }
    with subprocess.Popen(
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
        start_new_session=True,
    ) as child:
        try:
            return _collect(child, time.monotonic() + total_s, idle_s, limit_bytes)
        finally:
            _kill_group(child.pid)


def _collect(child: subprocess.Popen[bytes], deadline: float, idle_s: float, limit_bytes: int) -> Outcome:
    assert child.stdout is not None  # noqa: S101 - it was opened with a pipe
    descriptor = child.stdout.fileno()
    pieces: list[bytes] = []
    size = 0
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while True:
        wait_s = min(idle_s, deadline - time.monotonic())
        if wait_s <= 0 or not poll.poll(wait_s * 1000):
            return Outcome(b"".join(pieces), "timeout")
        piece = os.read(descriptor, _CHUNK_BYTES)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
        if size > limit_bytes:
            return Outcome(b"".join(pieces), "flood")
    try:
        status = child.wait(timeout=max(deadline - time.monotonic(), 0.1))
    except subprocess.TimeoutExpired:
        return Outcome(b"".join(pieces), "timeout")
    return Outcome(b"".join(pieces), "failed" if status else "done")


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
