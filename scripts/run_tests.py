"""Runs the tests in parallel, and a test that fails once more, alone.

    scripts/run_tests.py [PYTEST ARGUMENT...]

A test that passes alone is listed under `flaky:`, and the run stays green; one that fails again makes it red. More than
ten failures are not chance, so they are not run again. The tests' files are in memory where there is room, since half of
a run would be waiting for a disk; `TMPDIR` names another place.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

WORKERS = len(os.sched_getaffinity(0)) + 1
"""One more than processors, since some tests wait; each more costs a collection and the fixtures of its own."""

AT_MOST = 10
MEMORY = Path("/dev/shm")  # noqa: S108 - only `TemporaryDirectory` makes anything there
ROOM_BYTES = 4 << 30
ROOT = Path(__file__).parents[1]


class Failures:
    """A pytest plug-in that remembers what failed, also in the processes of pytest-xdist.

    Attributes:
        tests: The failed tests' ids, in order.
        unusable: Whether a file could not be collected, so that running its tests again is no use.
    """

    def __init__(self) -> None:
        self.tests: dict[str, None] = {}
        self.unusable = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a test that failed, or whose fixtures did."""
        if report.failed:
            self.tests[report.nodeid] = None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember that a file could not be read."""
        self.unusable |= report.failed


def main(arguments: list[str]) -> int:
    """Run the tests.

    Args:
        arguments: For pytest; `-n0` for a run in this process.

    Returns:
        The exit status: that of pytest, but 0 where every failed test passes alone.
    """
    failures = Failures()
    parallel = [f"-n{WORKERS}", "--dist=worksteal"]
    status = int(pytest.main([*parallel, *arguments], plugins=[failures]))
    if status != pytest.ExitCode.TESTS_FAILED or failures.unusable or not 0 < len(failures.tests) <= AT_MOST:
        return status
    flaky, broken = [], []
    for test in failures.tests:
        print(f"\nOnce more, alone: {test}", flush=True)
        (broken if fails_alone(test) else flaky).append(test)
    for title, tests in (("flaky", flaky), ("broken", broken)):
        if tests:
            print(f"\n{title}:", *(f"  {test}" for test in tests), sep="\n", flush=True)
    return status if broken else 0


@contextmanager
def files_in_memory() -> Iterator[None]:
    """Have temporary files in memory, where there is room for them, and none is left."""
    if "TMPDIR" in os.environ or not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ROOM_BYTES:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="t", dir=MEMORY, ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o1777)  # as /tmp: some tests are another user
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        yield


def fails_alone(test: str) -> bool:
    """Whether a test fails in a process that runs nothing else."""
    return subprocess.run([sys.executable, "-m", "pytest", "-n0", "-q", test], check=False).returncode != 0


if __name__ == "__main__":
    os.chdir(ROOT)
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a job in the background inherits that it is ignored
    with files_in_memory():
        free = shutil.disk_usage(tempfile.gettempdir()).free
        if free < ROOM_BYTES // 4:
            sys.exit(
                f"The tests need a gigabyte for temporary files, and {tempfile.gettempdir()} has {free >> 20} MB. "
                "Free some, or name another folder: TMPDIR=/var/tmp make test"
            )
        status = main(sys.argv[1:])
    sys.exit(status)
