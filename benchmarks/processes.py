"""Runs a command as a whole process, and says what it took: time, memory, reading."""

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

SAMPLED_EVERY_S = 0.05

_PROC = Path("/proc")
_SHOWN_CHARACTERS = 2000


class Usage(NamedTuple):
    """What a process took, the processes it started and waited for included.

    Attributes:
        wall_ms: From before it was started until it was gone.
        cpu_ms: Of all processors together, in its own code and in the kernel.
        read_bytes: What had to come from the disk, as far as the kernel counted it.
        output: What it printed to stdout.
    """

    wall_ms: float
    cpu_ms: float
    read_bytes: int
    output: str


class Failed(Exception):
    """A command did not end as it should."""


def run(command: Sequence[str], environment: Mapping[str, str], *, accepted: Collection[int] = (0,)) -> Usage:
    """Run a command to its end, without input.

    Args:
        command: Program and arguments.
        environment: All of its environment.
        accepted: Exit codes that are not a failure.

    Raises:
        Failed: It ended with another exit code; the message ends with what it said.
        OSError: It cannot be started.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as said:
        start_s = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=said
        )
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall_s = time.perf_counter() - start_s
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accepted:
            said.seek(0)
            words = said.read().decode("utf-8", "replace")[-_SHOWN_CHARACTERS:].strip()
            raise Failed(f"{' '.join(command)} ended with {process.returncode}:\n{words}")
        output.seek(0)
        printed = output.read().decode("utf-8", "replace")
    return Usage(wall_s * 1000, (used.ru_utime + used.ru_stime) * 1000, used.ru_inblock * 512, printed)


class PeakMemory:
    """Watches the processes that this one starts from now on: the most memory they held at one time.

    Counted is the sum of `RssAnon`, which is memory of their own. What they map of files is not: the kernel
    takes it back when it is short. Sampled, so a peak shorter than `SAMPLED_EVERY_S` may be missed. A process that
    was forked and does not yet run its program is not counted: it still shows the memory of the one that forked it.

        with PeakMemory() as memory:
            run(...)
        memory.peak_bytes
    """

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._others = descendants(os.getpid()).keys()
        self._done = threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watching.join()

    def _watch(self) -> None:
        while not self._done.wait(SAMPLED_EVERY_S):
            started = descendants(os.getpid(), but=self._others)
            held = sum(anonymous_bytes(one) for one, parent in started.items() if is_its_own(one, parent))
            self.peak_bytes = max(self.peak_bytes, held)


def descendants(ancestor: int, *, but: Collection[int] = ()) -> dict[int, int]:
    """The processes that one has started, but for some, and those that they have started: by id, with their parent's."""
    found: dict[int, int] = {}
    waiting = [ancestor]
    while waiting:
        parent = waiting.pop()
        with suppress(OSError):  # it ended meanwhile
            for thread in (_PROC / str(parent) / "task").iterdir():
                started = [
                    int(one) for one in (thread / "children").read_bytes().split() if int(one) not in but
                ]
                found |= dict.fromkeys(started, parent)
                waiting += started
    return found


def is_its_own(process: int, parent: int) -> bool:
    """Whether a process runs a command of its own; until it does, a fork has its parent's command, and memory.

    Ask before its memory is looked at: whichever it does in between, it is not its parent's that is counted.
    """
    with suppress(OSError):
        commands = [(_PROC / str(one) / "cmdline").read_bytes() for one in (process, parent)]
        return commands[0] != commands[1]
    return False


def anonymous_bytes(process: int) -> int:
    """A process's `RssAnon`; 0 when it has ended."""
    with suppress(OSError):
        for line in (_PROC / str(process) / "status").read_bytes().splitlines():
            if line.startswith(b"RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0
