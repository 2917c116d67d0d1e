"""What tests of the background service share: homes, the real service as a process, and raw requests."""

import json
import os
import shutil
import signal
import socket
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from commands import run_command
from shared import copy_home, places_in, process_of, run_process, wait_until
from vademecum import CatalogEntry, Library
from vademecum.index.catalog.catalog import Catalog

MANUAL = Path(__file__).parents[2] / "data" / "manual"


class Home:
    """A folder with a manual, a library of it, and a runtime folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.runtime = folder / "run"
        self.runtime.mkdir(mode=0o700, exist_ok=True)

    @property
    def places(self):
        return places_in(self.folder)

    @property
    def socket(self):
        return self.runtime / "ragcli/ragcli.sock"

    def environment(self, **more):
        own = {
            "XDG_DATA_HOME": f"{self.folder}/data",
            "XDG_CONFIG_HOME": f"{self.folder}/config",
            "XDG_RUNTIME_DIR": str(self.runtime),
        }
        given = {**os.environ, **own, **more}
        return {name: value for name, value in given.items() if value is not None}

    def run(self, program, *arguments, given=b"", **more):
        """Run a command in this process where no service can be asked: `tests/conftest.py` refuses its sort of socket."""
        environment = self.environment(**more)
        sockets = (self.socket, self.folder / "data/ragcli/run/ragcli.sock")
        elsewhere = "XDG_RUNTIME_DIR" in more
        by_itself = (
            elsewhere or arguments[:1] in (("serve",), ("service",)) or any(map(os.path.lexists, sockets))
        )
        run = run_process if by_itself else run_command
        return run(program, *arguments, given=given, env=environment, text=False)

    def ragman(self, *arguments, **more):
        return self.run("ragman", *arguments, **more)

    def ragadmin(self, *arguments, **more):
        return self.run("ragadmin", *arguments, **more)

    def configure(self, text):
        self.places.config.mkdir(parents=True, exist_ok=True)
        self.places.settings_file.write_text(text)

    def grow(self, count, start=0):
        for number in range(start, start + count):
            (self.folder / f"manual/man1/grown{number}.1").write_text(
                f".TH GROWN{number} 1\n.SH NAME\ngrown{number} \\- measure the depth of well {number}\n"
                f".SH DESCRIPTION\nIt is page {number}.\n"
            )

    def empty(self):
        shutil.rmtree(self.folder / "data/ragcli/index")

    def copy(self, folder):
        copy_home(self.folder, folder)
        shutil.rmtree(folder / "run")
        return Home(folder)


@pytest.fixture(scope="session")
def settled(tmp_path_factory):
    """A home whose library is indexed, for tests that only ask."""
    folder = tmp_path_factory.mktemp("s")
    shutil.copytree(MANUAL, folder / "manual")
    home = Home(folder)
    with Catalog(home.places.catalog_file).changing() as entries:
        entries[:] = [CatalogEntry("manual", "man", str(folder / "manual"))]
    assert Library.open(home.places).reindex().documents == 4
    return home


@pytest.fixture
def own(settled, tmp_path_factory):
    """A copy of it, for tests that change it; its path is short, since a socket's path must be."""
    return settled.copy(tmp_path_factory.mktemp("o") / "h")


@pytest.fixture(scope="session")
def warm(settled):
    with serving(settled) as service:
        yield service


class Running:
    """The service of a home, as a process."""

    def __init__(self, home, process):
        self.home, self.process = home, process

    def health(self):
        return json.loads(ask(self.home.socket, "GET", "/healthz")[2])

    def questions(self):
        return self.health()["questions"]

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=60)
        return said.decode()


@pytest.fixture(name="serving", scope="session")
def serving_fixture():
    return serving


@contextmanager
def serving(home, *arguments, ready=True, starter=(), **more):
    """Start the service of a home, by another program if one is given, and stop it in the end."""
    process = subprocess.Popen(
        [*starter, *process_of("ragadmin"), "serve", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=home.environment(**more),
    )
    try:
        if ready:
            wait_until(lambda: answers(home.socket) or process.poll() is not None)
            assert process.poll() is None, process.stdout.read().decode()
        yield Running(home, process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()
        process.stdout.close()


def answers(path):
    try:
        return ask(path, "GET", "/healthz")[0] == 200
    except OSError:
        return False


@pytest.fixture(name="connect", scope="session")
def connect_fixture():
    return connect


def connect(path):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(60)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        raise
    return connection


@pytest.fixture(name="ask", scope="session")
def ask_fixture():
    return ask


def ask(path, method, target, body=None, **headers):
    """A request, and its reply as (status, headers, body)."""
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Content-Type": "application/json", "Content-Length": str(len(data))} if body is not None else {}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [
        f"{method} {target} HTTP/1.1",
        "Host: localhost",
        "Connection: close",
        *(f"{name}: {value}" for name, value in given.items() if value),
    ]
    return exchange(path, "\r\n".join([*lines, "", ""]).encode("latin-1") + data)


@pytest.fixture(name="exchange", scope="session")
def exchange_fixture():
    return exchange


def exchange(path, request):
    """Send bytes, and receive all that comes, as (status, headers, body); status 0 when nothing does."""
    with connect(path) as connection:
        with suppress(BrokenPipeError):  # it may have answered before it heard all
            connection.sendall(request)
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
        except ConnectionResetError:
            pass
    if not received:
        return 0, {}, b""
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(first.split()[1]), {name.lower(): value for name, value in headers.items()}, body
