"""`vademecum serve` and `vademecum keys` as commands: several workers, and how they start and stop."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from commands import run_command
from shared import open_sockets, run_process, wait_until
from vademecum.server.run import listen
from vademecum.server.settings import ServerSettings

QUESTION = "How long must I hold the calibration button of the fingers?"
VADEMECUM = str(Path(sys.executable).with_name("vademecum"))


@pytest.fixture
def home(tmp_path, collections_folder):
    (tmp_path / "xdg/vademecum").mkdir(parents=True)
    (tmp_path / "xdg/vademecum/collections").symlink_to(collections_folder)
    return {**os.environ, "XDG_DATA_HOME": str(tmp_path / "xdg")}


def run(home, *arguments):
    run_it = run_process if arguments[0] == "serve" else run_command
    return run_it("vademecum", *arguments, env=home)


@contextmanager
def serving(home, *arguments, starter=()):
    """The command at work, begun by another program if one is given; its port, and when it ends what it wrote."""
    process = subprocess.Popen(
        [*starter, VADEMECUM, "serve", "--port", "0", *arguments],
        env=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = process.stdout.readline()
        port = int(re.search(r":(\d+)", said)[1])
        yield port, process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        process.stdout.close()
        process.stderr.close()


def workers_of(process):
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def answers(port):
    try:
        return call(port, "GET", "/healthz")[0] == 200
    except OSError:
        return False


def is_refused(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
    except ConnectionRefusedError:
        return True
    return False


def wait_until_all_work(port, workers):
    """Each of the workers answers; the first alone is waited for by the command itself."""
    for worker in workers:
        others = [one for one in workers if one != worker]
        for other in others:
            os.kill(other, signal.SIGSTOP)
        try:
            assert call(port, "GET", "/healthz")[0] == 200
        finally:
            for other in others:
                os.kill(other, signal.SIGCONT)


def call(port, method, path, body=None, key=""):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json"} | ({"X-API-Key": key} if key else {})
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def test_several_workers_share_keys_limits_traces_and_figures(home):
    key = json.loads(run(home, "keys", "add", "admin", "--admin", "--json").stdout)["key"]
    with serving(home, "--workers", "2") as (port, process):
        traces = set()
        for _ in range(30):
            status, body = call(port, "POST", "/ask", {"query": QUESTION, "book": "handbook"}, key)
            assert status == 200, body
            traces.add(json.loads(body)["trace_id"])
        for trace in traces:
            assert call(port, "GET", f"/traces/{trace}", key=key)[0] == 200
        _, figures = call(port, "GET", "/metrics", key=key)
        assert b'vademecum_answers_total{desk="book",outcome="success",provider="",rule=""} 30.0' in figures
        made = json.loads(run(home, "keys", "add", "hasty", "--per-minute", "5", "--json").stdout)["key"]
        statuses = [call(port, "GET", "/v1/models", key=made)[0] for _ in range(12)]
        assert statuses == [200] * 5 + [429] * 7
        assert "Removed" in run(home, "keys", "remove", "hasty").stdout
        assert {call(port, "GET", "/v1/models", key=made)[0] for _ in range(6)} == {401}
        workers = workers_of(process)
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        assert {call(port, "GET", "/healthz")[0] for _ in range(5)} == {200}
    assert process.returncode == 0


@pytest.mark.nightly
def test_workers_hold_about_as_many_connections_each_and_one_alone_takes_all(home):
    with serving(home, "--workers", "2") as (port, process), ExitStack() as stack:
        workers = workers_of(process)
        wait_until_all_work(port, workers)
        before = [open_sockets(pid) for pid in workers]
        opened = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)) for _ in range(60)
        ]
        for one in opened:
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert one.recv(1 << 16).startswith(b"HTTP/1.1 200")
        taken = [open_sockets(pid) - known for pid, known in zip(workers, before, strict=True)]
        assert min(taken) >= 15  # a quarter and more, however busy the machine is
        os.kill(workers[0], signal.SIGSTOP)  # one that hangs keeps nobody waiting for long
        try:
            assert [call(port, "GET", "/healthz")[0] for _ in range(20)] == [200] * 20
        finally:
            os.kill(workers[0], signal.SIGCONT)


@pytest.mark.nightly
def test_workers_end_with_the_server_that_was_killed_and_leave_nothing_for_long(home):
    folder = Path(home["XDG_DATA_HOME"], "vademecum/server")
    with serving(home, "--workers", "2") as (_, process):
        workers = workers_of(process)
        process.kill()
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
        assert len(list(folder.glob("workers-*"))) == 1
    with serving(home, "--workers", "2"):
        assert len(list(folder.glob("workers-*"))) == 1
    assert not list(folder.glob("workers-*"))


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.nightly)])
def test_nobody_has_to_read_what_it_prints(home, workers):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [VADEMECUM, "serve", "--port", str(port), "--workers", workers],
        env=home,
        stdout=writing,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        wait_until(lambda: answers(port))
        assert call(port, "POST", "/ask", {"query": QUESTION, "book": "handbook"})[0] == 200
        assert process.poll() is None
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert not answers(port)


@pytest.mark.nightly
def test_nobody_can_connect_while_workers_end(home):
    with serving(home, "--workers", "2") as (port, process):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as slow:  # which they wait for
            slow.sendall(b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            assert answers(port)
            process.send_signal(signal.SIGTERM)
            wait_until(lambda: is_refused(port))
            assert process.poll() is None
        assert process.wait(60) == 0


def test_replies_leave_at_once_on_connections_that_stay_open():
    with listen(ServerSettings(port=0)) as listener:
        place = listener.getsockname()
        with socket.create_connection(place, timeout=60), listener.accept()[0] as taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(("workers", "begins"), [(1, "run.Server.run"), (2, "workers._shared_folder")])
def test_told_to_stop_before_it_has_started_it_stops(home, workers, begins):
    code = f"""
import os, signal
from vademecum.server import run
from vademecum.server.listen import workers
from vademecum.server.settings import ServerSettings

begin = {begins}

def told(*arguments, **options):
    os.kill(os.getpid(), signal.SIGTERM)
    return begin(*arguments, **options)

if __name__ == "__main__":
    {begins} = told
    run.run(ServerSettings(port=0, workers={workers}), print)
    print("Stopped")
"""
    script = Path(home["XDG_DATA_HOME"], "told.py")
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, str(script)], env=home, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "Stopped")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.sampled(1)
def test_it_stops_when_told_and_has_logged_every_answer_without_its_words(home, number):
    with serving(home) as (port, process):
        assert call(port, "POST", "/ask", {"query": "Which zebra crossing?", "book": "handbook"})[0] == 200
        process.send_signal(number)
        assert process.wait(60) == 0
        assert process.stdout.read() == "Stopped\n"
        logged = process.stderr.read()
    lines = [json.loads(line) for line in logged.splitlines()]
    (asked,) = [line for line in lines if line.get("route") == "/ask"]
    assert (asked["status"], asked["method"], asked["key"]) == (200, "POST", "local")
    assert asked["timestamp"]
    assert "zebra" not in logged


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.nightly)])
def test_in_the_background_it_ignores_interrupts_as_other_programs_do(home, ignoring_interrupts, workers):
    with serving(home, "--workers", workers, starter=ignoring_interrupts) as (port, process):
        process.send_signal(signal.SIGINT)
        assert call(port, "POST", "/ask", {"query": "Which zebra crossing?", "book": "handbook"})[0] == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stdout.read() == "Stopped\n"


def test_other_addresses_want_keys(home):
    done = run(home, "serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104 - it is refused
    assert done.returncode == 2
    assert "there are no API keys" in done.stderr
    assert "vademecum keys add" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "99999"], "port must be at most"),
        (["--port", "x"], "must be a whole number"),
        (["--workers", "0"], "must be at least 1"),
        (["--allow-origin", "book.example.org"], "is not the origin"),
        (["--allow-origin", "https://book.example.org/path"], "is not the origin"),
        (["--host", "no.such.host.invalid"], "no.such.host.invalid cannot be resolved"),
    ],
)
def test_rejects_settings_that_cannot_be_served(home, arguments, said):
    done = run(home, "serve", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run(home, "serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "cannot listen" in done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("change", "chat", "code", "named"),
    [
        ({"XDG_DATA_HOME": "/proc/nowhere"}, "", 1, "/proc/nowhere"),
        ({"RETRIEVAL_TOP_K": "eleven"}, "", 2, "RETRIEVAL_TOP_K"),
        ({}, "responses: [", 2, "chat.yaml"),
    ],
)
def test_one_that_can_not_start_says_so_in_two_lines_and_never_that_it_listens(  # noqa: PLR0917 - what is varied
    home, tmp_path, workers, change, chat, code, named
):
    rules = tmp_path / "chat.yaml"
    rules.write_text(chat or "responses: [{static_response: Hello}]")
    done = run({**home, **change}, "serve", "--port", "0", "--workers", workers, "--chat", str(rules))
    assert (done.returncode, done.stdout) == (code, "")
    told = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    assert len(told) == 2
    assert told[0].startswith("vademecum: ")
    assert named in told[0]
    assert "Traceback" not in done.stderr


def test_keys(home):
    assert "No API keys" in run(home, "keys", "list").stdout
    token = run(home, "keys", "add", "anna").stdout.splitlines()[0]
    assert re.fullmatch(r"vdm_[0-9a-f]{12}_[\w-]{43}", token)
    file = Path(home["XDG_DATA_HOME"], "vademecum/server/keys.json")
    assert token[17:] not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    listed = run(home, "keys", "list").stdout
    assert "anna" in listed
    assert token not in listed
    (shown,) = json.loads(run(home, "keys", "list", "--json").stdout)["keys"]
    assert (shown["name"], shown["role"], shown["per_minute"]) == ("anna", "user", 600)
    assert "hash" not in shown
    for arguments in (
        ["add", "anna"],
        ["add", "a/b"],
        ["add", ""],
        ["add", "x" * 64],
        ["remove", "bob"],
        ["add", "b", "--per-minute", "0"],
    ):
        done = run(home, "keys", *arguments)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
    assert run(home, "keys", "remove", "anna").returncode == 0
    assert "No API keys" in run(home, "keys", "list").stdout
