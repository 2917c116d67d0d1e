"""Locks: one holder at a time, of any process, and none left behind by one that was killed."""

import os
import signal
import subprocess
import sys
import time

import pytest

from vademecum.files.locks import acquire, is_locked, locked

HOLD = """
import sys, time
from pathlib import Path
from vademecum.files.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(params=["file", "folder"])
def path(tmp_path, request):
    if request.param == "folder":
        return tmp_path
    return tmp_path / "lock"


def test_one_holds_it_at_a_time(path):
    with locked(path):
        began_s = time.monotonic()
        with pytest.raises(BlockingIOError), locked(path, patience_s=0.05):
            pytest.fail("it is held")
        assert 0.05 <= time.monotonic() - began_s < 5
        assert is_locked(path)
    assert not is_locked(path)
    with locked(path, patience_s=0):
        assert is_locked(path)


def test_a_process_that_is_killed_holds_nothing(path):
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        assert is_locked(path)
        process.send_signal(signal.SIGKILL)
    with locked(path, patience_s=5):
        pass


def test_it_is_shared_by_those_who_share_it(path):
    with locked(path):
        pass
    first, second = (os.open(path, os.O_RDONLY) for _ in range(2))
    try:
        acquire(first, shared=True, patience_s=0)
        acquire(second, shared=True, patience_s=0)
        assert not is_locked(path), "nobody holds it alone"
        with pytest.raises(BlockingIOError), locked(path, patience_s=0):
            pytest.fail("it is shared")
    finally:
        os.close(first)
        os.close(second)


def test_a_lock_is_private_and_no_link(tmp_path):
    with locked(tmp_path / "lock"):
        assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"), locked(tmp_path / "link"):
        pytest.fail("a link was followed")
    assert not is_locked(tmp_path / "nothing")
