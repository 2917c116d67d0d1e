"""Runs the tests: in parallel, then those that are marked `serial`, one after the other.

    scripts/run_tests.py [--changed [REVISION]] [PYTEST ARGUMENT...]

With `--changed`, only the tests that the commits since REVISION (`main` by default) can reach. The tests' files are in
memory where there is room, since half of a run would be waiting for a disk; `TMPDIR` names another place.
"""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from changed_tests import Unknown, changed_files, tests_of

WORKERS = len(os.sched_getaffinity(0)) + 1
"""One more than processors, since some tests wait; each more costs a collection and the fixtures of its own."""

USUAL = "not cluster and not nightly"
SERIAL = b"mark.serial"
MEMORY = Path("/dev/shm")  # noqa: S108 - only `TemporaryDirectory` makes anything there
ROOM_BYTES = 4 << 30
ROOT = Path(__file__).parents[1]


def main(arguments: list[str]) -> int:
    """Run the tests.

    Args:
        arguments: For pytest, after `--changed [REVISION]`; `-n0` for a run in this process.

    Returns:
        The exit status of the first run that failed; 0 if none did.
    """
    if arguments[:1] == ["--changed"]:
        has_revision = len(arguments) > 1 and not arguments[1].startswith("-")
        revision = arguments[1] if has_revision else "main"
        arguments = [*selected(revision), *arguments[1 + has_revision :]]
    if "-n0" in arguments:
        return int(pytest.main(arguments))
    wanted, rest = marks(arguments)
    measured = any(word.startswith("--cov") for word in rest)
    together = [f"-n{WORKERS}", "--dist=worksteal", *["--cov-fail-under=0"] * measured]
    alone = ["-n0", *["--cov-append"] * measured]
    statuses = [pytest.main([*rest, *together, "-m", f"({wanted}) and not serial"])]
    if not any(Path(word.partition("::")[0]).exists() for word in rest):
        rest += [
            str(path) for path in sorted(Path("tests").rglob("test_*.py")) if SERIAL in path.read_bytes()
        ]
    statuses.append(pytest.main([*rest, *alone, "-m", f"({wanted}) and serial"]))
    statuses = [int(each) for each in statuses if each != pytest.ExitCode.NO_TESTS_COLLECTED]
    return next(filter(None, statuses), 0) if statuses else int(pytest.ExitCode.NO_TESTS_COLLECTED)


def selected(revision: str) -> list[str]:
    """Return the tests that the commits since a revision can reach; none, which means all, where that is not known."""
    try:
        found = tests_of(changed_files(revision))
    except Unknown as reason:
        print(f"All tests run: {reason}", flush=True)
        return []
    print(f"Tests that the change since {revision} can reach: {len(found)} files and folders.", flush=True)
    return found


def marks(arguments: list[str]) -> tuple[str, list[str]]:
    """Separate the last `-m EXPRESSION` from the other arguments; `USUAL` if there is none."""
    wanted, rest = USUAL, []
    words = iter(arguments)
    for word in words:
        if word == "-m":
            wanted = next(words, USUAL)
        else:
            rest.append(word)
    return wanted, rest


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
