"""Where the service listens, how it begins and ends, and the units that systemd starts it by."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from shared import process_of, wait_until

QUESTION = "How do I change file permissions?"

pytestmark = pytest.mark.needs("mandoc")


def refused(home, **more):
    done = home.ragadmin("serve", **more)
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode()
    assert said.count("\n") == 2, said
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_begins_and_ends(own, serving, number):
    with serving(own) as service:
        assert own.socket.stat().st_mode & 0o777 == 0o600
        assert own.socket.parent.stat().st_mode & 0o777 == 0o700
        said = service.stop(number)
        assert service.process.returncode == 0
    assert said == f"Listening on {own.socket}\nStopped\n"
    assert not own.socket.exists()
    with serving(own) as service:
        assert service.health()["status"] == "ok"


def test_in_the_background_it_ignores_interrupts_as_other_programs_do(own, serving, ignoring_interrupts):
    own.grow(1500)
    with serving(own, starter=ignoring_interrupts) as service:
        service.process.send_signal(signal.SIGINT)
        client = subprocess.Popen(
            [*process_of("ragadmin"), "reindex", "--full"], stderr=subprocess.DEVNULL, env=own.environment()
        )
        wait_until(lambda: service.health()["reindexing"])
        client.send_signal(signal.SIGINT)
        assert client.wait(60) == 130
        wait_until(lambda: not service.health()["reindexing"])  # which it stops by an interrupt all the same
        assert service.stop().endswith("Stopped\n")
        assert service.process.returncode == 0


def test_replaces_the_socket_of_a_dead_service(own, serving):
    with serving(own) as service:
        service.process.kill()
        service.process.wait()
    assert own.socket.exists()
    with serving(own):
        assert own.ragman(QUESTION).returncode == 0


def test_a_second_one_is_refused(own, serving):
    with serving(own) as service:
        assert "listens on" in refused(own)
        assert service.health()["status"] == "ok"
    assert not own.socket.exists()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.sampled(1)
def test_the_web_server_can_be_the_service(own, ask, workers):
    expected = own.ragman(QUESTION, "--explain", VADEMECUM_SERVICE="off").stdout
    server = subprocess.Popen(
        [*process_of("vademecum"), "serve", "--port", "0", "--unix-socket", "--workers", str(workers)],
        env=own.environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        port = int(re.search(rb"http://127.0.0.1:(\d+)", server.stdout.readline())[1])
        wait_until(own.socket.exists)
        assert own.socket.stat().st_mode & 0o777 == 0o600
        assert json.loads(ask(own.socket, "GET", "/healthz")[2])["data"] == str(own.places.data)
        done = own.ragman(QUESTION, "--explain")
        assert (timeless(done.stdout), done.stderr) == (timeless(expected), b"")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as reply:
            assert set(json.load(reply)) == {
                "status",
                "version",
            }  # the routes of the web, not those of the socket
        assert "listens on" in refused(own)
    finally:
        server.terminate()
        assert server.wait(60) == 0
        server.stdout.close()
    assert not own.socket.exists()


def timeless(said):
    return re.sub(rb"[\d.]+ ms|[0-9a-f]{32}", b"", said)


def test_one_that_systemd_listens_for_is_not_replaced(own):
    own.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(own.socket))
        listener.listen()
        assert "listens on" in refused(own)
        assert own.socket.exists()


def test_a_path_that_is_too_long(own, tmp_path):
    long = tmp_path / ("x" * 100)
    long.mkdir(mode=0o700)
    said = refused(own, XDG_RUNTIME_DIR=str(long))
    assert "longer than 107 bytes" in said
    assert own.ragman(QUESTION, XDG_RUNTIME_DIR=str(long)).returncode == 0


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
def test_a_runtime_folder_that_others_may_write_to(own, mode):
    own.runtime.chmod(mode)
    assert "cannot hold the socket" in refused(own)
    assert not own.socket.parent.exists()


@pytest.mark.parametrize("mode", [0o755, 0o777, 0o701])
def test_a_folder_that_is_not_ours_alone(own, mode):
    own.socket.parent.mkdir()
    own.socket.parent.chmod(mode)
    assert "mode 0700" in refused(own)


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another user")
def test_a_folder_of_another_user(own):
    own.socket.parent.mkdir(mode=0o700)
    os.chown(own.socket.parent, 65534, 65534)
    assert "must belong to you" in refused(own)
    os.chown(own.socket.parent, 0, 0)
    os.chown(own.runtime, 65534, 65534)
    assert "another user" in refused(own)


def test_refuses_a_place_that_is_occupied(own, tmp_path):
    own.socket.parent.write_text("a file")
    assert "It is not a folder" in refused(own)
    own.socket.parent.unlink()
    own.socket.parent.symlink_to(tmp_path)
    assert "It is not a folder" in refused(own)
    own.socket.parent.unlink()
    own.socket.mkdir(mode=0o700, parents=True)
    own.socket.parent.chmod(0o700)
    assert "cannot listen" in refused(own)


def test_without_a_runtime_folder_it_listens_below_the_data(own, serving):
    with serving(own, ready=False, XDG_RUNTIME_DIR=None) as service:
        path = own.places.data / "run/ragcli.sock"
        wait_until(lambda: path.exists() or service.process.poll() is not None)
        assert path.parent.stat().st_mode & 0o777 == 0o700
        status = own.ragadmin("service", "status", XDG_RUNTIME_DIR=None)
        assert (status.returncode, status.stderr) == (0, b"")
        for relative in ("", "run/me"):
            done = own.ragadmin("service", "status", XDG_RUNTIME_DIR=relative)
            assert str(path).encode() in done.stdout


def test_idle_it_ends(own, serving, ask):
    with serving(own, "--idle-timeout", "3") as service:
        for _ in range(4):
            assert ask(own.socket, "POST", "/ask", {"question": QUESTION})[0] == 200
            time.sleep(1)
        assert service.process.wait(60) == 0
    assert not own.socket.exists()


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "nan", "inf"])
def test_rejects_an_invalid_timeout(own, seconds):
    done = own.ragadmin("serve", f"--idle-timeout={seconds}")
    assert done.returncode == 2
    assert b"--idle-timeout" in done.stderr


ACTIVATE = """
import os, sys
descriptor, count, *command = sys.argv[1:]
os.dup2(int(descriptor), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=count, LISTEN_FDNAMES="ragcli.socket")
os.execv(command[0], command)
"""


def activated(home, handed, count="1"):
    """The service, started as systemd starts it: with a socket that is listened on already."""
    command = [sys.executable, "-c", ACTIVATE, str(handed.fileno()), count, *process_of("ragadmin"), "serve"]
    return subprocess.Popen(
        [*command, "--idle-timeout", "1"],
        pass_fds=[handed.fileno()], env=home.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def test_started_by_its_socket(own):
    own.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(own.socket))
        listener.listen()
        expected = own.ragman(QUESTION, VADEMECUM_SERVICE="off").stdout
        client = subprocess.Popen(
            [*process_of("ragman"), "--explain", QUESTION],
            env=own.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        process = activated(own, listener)
        printed, _ = client.communicate(timeout=60)
        assert printed.startswith(expected)
        assert process.communicate(timeout=60)[0].decode().startswith(f"Listening on {own.socket}")
        assert process.returncode == 0
        assert own.socket.exists()  # it is whoever listens who removes it


def test_refuses_a_socket_it_cannot_listen_on(own, tmp_path):
    with socket.socket(socket.AF_UNIX) as silent, (tmp_path / "file").open("wb") as file:
        for handed, count, said in ((silent, "1", "not a listening"), (file, "1", "not a socket"), (silent, "2", "2 sockets")):  # fmt: skip
            process = activated(own, handed, count)
            printed = process.communicate(timeout=60)[0].decode()
            assert (process.returncode, said in printed) == (2, True), printed


# --- units and status -------------------------------------------------------------------------------------------------


def test_status(own, serving):
    done = own.ragadmin("service", "status")
    assert done.returncode == 1
    assert b"No service is running on" in done.stdout
    with serving(own):
        done = own.ragadmin("service", "status")
        assert (done.returncode, done.stderr) == (0, b"")
        said = done.stdout.decode()
        assert re.search(r"^generation  1$", said, re.MULTILINE)
        assert re.search(r"^memory      \d+\.\d MB private$", said, re.MULTILINE)
        assert re.search(r"^version     \d+\.\d+\.\d+$", said, re.MULTILINE)


def test_units_are_written_and_not_turned_on(own):
    done = own.ragadmin("service", "install")
    assert (done.returncode, done.stderr) == (0, b"")
    folder = own.folder / "config/systemd/user"
    written = {path.name: path.read_text() for path in folder.iterdir()}
    assert set(written) == {"ragcli.service", "ragcli.socket"}
    assert f"ListenStream={own.socket}\n" in written["ragcli.socket"]
    assert (
        f"ExecStart={sys.executable} -m vademecum.cli.ragadmin serve --idle-timeout 1800\n"
        in (written["ragcli.service"])
    )
    assert f"Environment=XDG_DATA_HOME={own.folder}/data\n" in written["ragcli.service"]
    assert "systemctl --user enable --now ragcli.socket" in done.stdout.decode()
    printed = own.ragadmin("service", "install", "--print").stdout.decode()
    assert all(text in printed for text in written.values())


def test_units_that_reindex_watch_the_folders_of_the_sources(own, tmp_path):
    notes = tmp_path / "notes 100%"
    (notes / "inner").mkdir(parents=True)
    (notes / "inner" / "a.md").write_text("# A\n\nText.\n")
    (notes / "odd\nExecStart=evil").mkdir()
    assert own.ragadmin("sources", "add", str(notes)).returncode == 0
    done = own.ragadmin("service", "install", "--reindex")
    folder = own.folder / "config/systemd/user"
    paths = (folder / "ragcli-reindex.path").read_text().splitlines()
    watched = {line.removeprefix("PathChanged=") for line in paths if line.startswith("PathChanged=")}
    escaped = str(notes).replace("%", "%%")
    assert {escaped, f"{escaped}/inner"} <= watched
    assert any(place.endswith("/man1") for place in watched)
    assert not any("evil" in line for line in paths)
    assert "-m vademecum.cli.ragadmin reindex\n" in (folder / "ragcli-reindex.service").read_text()
    assert "enable --now ragcli.socket ragcli-reindex.path" in done.stdout.decode()


def test_units_that_can_not_be_written(own):
    (own.folder / "config").mkdir(exist_ok=True)
    (own.folder / "config/systemd").write_text("a file")
    done = own.ragadmin("service", "install")
    assert done.returncode == 2
    assert b"cannot be written" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.needs("systemd-analyze")
@pytest.mark.parametrize("name", ["plain", 'odd "name" 100% $HOME \\ ä'])
def test_systemd_understands_the_units(tmp_path_factory, name):
    from vademecum import Places
    from vademecum.server.listen.units import reindex_units, units

    tmp_path = tmp_path_factory.mktemp("u")  # the path of a socket must be short
    folder = tmp_path / name
    places = Places(folder / "ragcli", folder / "ragcli")
    written = units(places, sys.executable, f"{folder}/s.sock", 60)
    written |= reindex_units(places, sys.executable, [str(folder)])
    for file, text in written.items():
        (tmp_path / file).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", *(tmp_path / file for file in written)],
        capture_output=True, text=True, check=False, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip
    complaints = [line for line in done.stderr.splitlines() if "ragcli" in line]
    assert complaints == []
