"""What every test gets: no network but the machine itself, an environment and folders of its own, the programs it needs."""

import ctypes
import fcntl
import gc
import os
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

CLONE_NEWNET = 0x40000000  # linux/sched.h
SIOCSIFFLAGS = 0x8914  # linux/sockios.h
IFF_UP = 1  # linux/if.h
HERE = {"127.0.0.1", "localhost"}
NETWORK_EVENTS = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"}
FOLDERS = {
    "HOME": "home",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_RUNTIME_DIR": "runtime",
    "XDG_STATE_HOME": "state",
}
MOST_OPEN_FILES = 400
KEPT = {
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "CI", "XDG_CACHE_HOME", "XDG_DATA_HOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
    *("OLLAMA_HOST", "OLLAMA_MODEL", "KILLS", "SEED"),
}  # fmt: skip
KEPT_FAMILIES = ("PYTEST_", "COV_", "COVERAGE_", "OPENBLAS_", "PIP_", "UV_", "FAKETIME", "LD_PRELOAD")
"""What of the runner's environment a test may see: where programs are, and what tools of testing need."""

settings.register_profile("steady", max_examples=30, derandomize=True, deadline=None)
settings.register_profile("fuzz", max_examples=2000, deadline=None)
settings.load_profile("steady")


def pytest_configure(config):
    """Begin alike however the runner was started, and cut the network, for as many processes as this user may."""
    begin_alike()
    sys.addaudithook(refuse_network)
    may_unshare = sys.platform == "linux" and os.geteuid() == 0
    if may_unshare and ctypes.CDLL(None).unshare(CLONE_NEWNET) == 0:
        start_loopback()
        config.stash[NETWORK] = "cut, for child processes too"
    else:
        config.stash[NETWORK] = "cut in this process; as root on Linux it would be for child processes too"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave all but the first cases of a test that is `sampled` to the nightly run."""
    seen = Counter()
    for item in items:
        if sample := item.get_closest_marker("sampled"):
            test = item.nodeid.partition("[")[0]
            seen[test] += 1
            if seen[test] > sample.args[0]:
                item.add_marker("nightly")


def pytest_collection_finish():
    """Leave all that was collected to itself: the garbage collector need not look at it after every test."""
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown():
    """Close what tests left open before it reaches the 1,024 files that many systems allow."""
    if sys.platform == "linux" and len(list(Path("/proc/self/fd").iterdir())) > MOST_OPEN_FILES:
        gc.collect()


def begin_alike():
    """Leave nothing of the terminal, the locale, the time zone, and the signals that the runner was started with."""
    for name in os.environ:
        if name not in KEPT and not name.startswith(KEPT_FAMILIES):
            del os.environ[name]
    os.environ |= {"LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb"}
    os.environ["VADEMECUM_EMBEDDING"] = "off"  # so that answers do not depend on how far a process is
    time.tzset()
    os.umask(0o022)
    if (
        signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    ):  # as in a job in the background; children would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


def start_loopback():
    """Let the machine reach itself: a new network has its loopback device down."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


NETWORK = pytest.StashKey[str]()


def pytest_report_header(config):
    return f"network: {config.stash[NETWORK]}"


def refuse_network(event, arguments):
    """Audit hook: fail the running test, past any `except Exception`, when it turns to the network."""
    if event not in NETWORK_EVENTS:
        return
    if (
        getattr(arguments[0], "family", None) == socket.AF_UNIX
    ):  # also of `_socket`, which the service's client uses
        return
    address = arguments[1] if isinstance(arguments[0], socket.socket) else arguments
    if isinstance(address, tuple) and address and address[0] in HERE:
        return
    pytest.fail(f"tests have no network: {event}{arguments!r}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Skip a test whose `needs(...)` programs are missing; in CI, fail it."""
    needed = {program for marker in item.iter_markers("needs") for program in marker.args}
    missing = sorted(program for program in needed if shutil.which(program) is None)
    if missing:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop(f"not installed: {', '.join(missing)}")


@pytest.fixture
def on_disk():
    """A folder on a disk: temporary files may be in memory, which has no page cache."""
    with tempfile.TemporaryDirectory(prefix="vademecum-test-", dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Point HOME and the XDG directories into the test's own folder."""
    for variable, name in FOLDERS.items():
        folder = tmp_path / "home" if name == "home" else tmp_path / "home" / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        monkeypatch.setenv(variable, str(folder))
