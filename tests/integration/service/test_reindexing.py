"""A reindex through the service: the same output, one at a time, and questions go on meanwhile."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from shared import process_of, wait_until

QUESTION = "How do I change file permissions?"
OFF = {"VADEMECUM_SERVICE": "off"}
TIMES = re.compile(
    rb'in [\d.]+ s\n|"(?:duration_s|rate_mb_s|left_s|version)": (?:[\d.e-]+|null|"\w+")|[\d.]+ MB/s.*'
)

pytestmark = pytest.mark.needs("mandoc")


def told(done):
    return done.returncode, TIMES.sub(b"#", done.stdout), TIMES.sub(b"#", done.stderr)


def follow(home, connect, body, until=None):
    """Ask for a reindex, and receive its snapshots; up to one in a state."""
    data = json.dumps(body).encode()
    with connect(home.socket) as connection:
        head = (
            f"POST /reindex HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        connection.sendall(head.encode() + data)
        with connection.makefile("rb") as reply:
            status = int(reply.readline().split()[1])
            while reply.readline().strip():
                pass
            found = []
            for line in reply:
                found.append(json.loads(line))
                if until and found[-1].get("state") == until:
                    break
    return status, found


def generation(home):
    return int((home.folder / "data/ragcli/index/CURRENT").read_text().split()[0])


def segments(home):
    return {path.name for path in (home.folder / "data/ragcli/index/segments").iterdir()}


def children_of(pid):
    found = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has ended
            found |= {int(child) for child in (task / "children").read_text().split()}
    return found


def is_at_work(home):
    return (
        any(home.folder.joinpath("data/ragcli/index/segments").glob("*/flat/*")) and len(segments(home)) > 1
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["reindex"], 0),
        (["reindex", "--full"], 0),
        (["reindex", "--json"], 0),
        (["reindex", "--source", "manual"], 0),
        (["reindex", "--source", "else"], 1),
    ],
)
@pytest.mark.sampled(2)
def test_it_says_the_same(own, serving, tmp_path_factory, arguments, code):
    own.grow(8)
    other = own.copy(tmp_path_factory.mktemp("o") / "h")
    with serving(own) as service:
        before = service.health()["generation"]
        by_service = told(own.ragadmin(*arguments))
        assert service.health()["generation"] == before + (code == 0)
        assert service.health()["reindexing"] is False
        expected = told(other.ragadmin(*arguments))
        assert by_service == tuple(
            part.replace(str(other.folder).encode(), str(own.folder).encode())
            if isinstance(part, bytes)
            else part
            for part in expected
        )
    assert by_service[0] == code


def test_problems_are_the_same(own, serving, tmp_path_factory):
    (own.folder / "manual/man1/broken.1.gz").write_bytes(b"\x1f\x8bnot gzip at all")
    other = own.copy(tmp_path_factory.mktemp("o") / "h")
    with serving(own):
        found = own.ragadmin("reindex")
    assert found.returncode == 3
    assert b"1 problem" in found.stdout
    assert b"broken.1.gz: " in found.stdout
    assert told(other.ragadmin("reindex"))[0] == 3


def test_errors_are_the_same(own, serving, tmp_path_factory):
    other = own.copy(tmp_path_factory.mktemp("o") / "h")
    for home in (own, other):
        (home.folder / "manual").rename(home.folder / "away")
    with serving(own):
        found = told(own.ragadmin("reindex"))
    assert found[0] == 1
    assert b"there is no folder" in found[2]
    expected = told(other.ragadmin("reindex"))
    assert found[2] == expected[2].replace(str(other.folder).encode(), str(own.folder).encode())


def test_snapshots(own, serving, connect):
    own.grow(1500)
    with serving(own):
        status, found = follow(own, connect, {})
        assert status == 200
        assert found[0] == {"state": "queued"}
        assert found[-1]["state"] == "succeeded"
        assert found[-1]["report"]["documents"] == 1504
        at_work = found[1:-1]
        assert {one["state"] for one in at_work} == {"running"}
        assert list(dict.fromkeys(one["stage"] for one in at_work))[-3:] == ["scan", "build", "publish"]
        building = [one for one in at_work if one["stage"] == "build"]
        assert {one["source"] for one in building} == {"manual"}
        shares = [one["percent_complete"] for one in building]
        assert shares == sorted(shares)
        assert (shares[0], shares[-1]) == (0, 100)
        assert building[-1]["documents"] == building[-1]["total"] >= 1500
        assert at_work[0]["percent_complete"] is None


def test_questions_go_on_meanwhile_and_a_second_reindex_is_refused(own, serving, connect, ask):
    own.grow(1000)
    before = own.ragman(QUESTION, "--json", **OFF).stdout
    with serving(own) as service:
        found = []
        worker = threading.Thread(target=lambda: found.append(follow(own, connect, {"full": True})))
        worker.start()
        wait_until(lambda: is_at_work(own))
        asked = 0
        while worker.is_alive() and asked < 3:
            done = own.ragman(QUESTION, "--json")
            assert done.returncode == 0
            assert json.loads(done.stdout)["references"] == json.loads(before)["references"]
            asked += 1
            if asked == 1:
                assert service.health()["reindexing"] is True
                status, _, said = ask(own.socket, "POST", "/reindex", {})
                assert (status, json.loads(said)["code"]) == (409, "INDEX_LOCKED")
                refused = own.ragadmin("reindex")
                assert refused.returncode == 1
                assert b"Another process is writing the index" in refused.stderr
        worker.join(100)
        assert asked
        assert found[0][1][-1]["state"] == "succeeded"
        assert b"grown999" in own.ragman("what does grown999 do", "--json").stdout
        assert service.questions() >= asked


def test_another_process_at_work_is_named(own, serving):
    lock = own.folder / "data/ragcli/index/lock"
    program = "import fcntl, sys; f = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX); print('!', flush=True); input()"
    with serving(own):
        holder = subprocess.Popen(
            [sys.executable, "-c", program, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert holder.stdout.readline() == b"!\n"
        found = own.ragadmin("reindex")
        holder.communicate(b"\n")
        assert found.returncode == 1
        assert b"Another process is writing the index" in found.stderr
        assert own.ragadmin("reindex").returncode == 0


def reindexing(own):
    """A reindex that has begun, as a process of a group of its own."""
    command = [*process_of("ragadmin"), "reindex", "--full"]
    pipe, env = subprocess.PIPE, own.environment()
    client = subprocess.Popen(command, stdout=pipe, stderr=pipe, env=env, start_new_session=True)
    wait_until(lambda: is_at_work(own))
    return client


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_client_that_goes_away_stops_the_work(own, serving, number):
    """As with a command that works by itself: an interrupt leaves the index as it was."""
    own.grow(1500)
    with serving(own) as service:
        client = reindexing(own)
        os.killpg(client.pid, number)
        _, said = client.communicate(timeout=60)
        assert client.returncode == (130 if number == signal.SIGINT else -number)
        assert b"Traceback" not in said
        wait_until(lambda: not service.health()["reindexing"])
        assert generation(own) == 1
        assert len(segments(own)) == 1
        assert own.ragman(QUESTION).returncode == 0
        assert service.process.poll() is None


def test_a_service_that_ends_cancels_the_work(own, serving):
    own.grow(1500)
    with serving(own) as service:
        client = reindexing(own)
        service.stop()
        assert service.process.returncode == 0
        _, said = client.communicate(timeout=60)
        assert client.returncode == 1
        assert b"service stopped before the index was done" in said
        assert b"Run again: ragadmin reindex" in said
    assert generation(own) == 1
    assert len(segments(own)) == 1


def test_a_service_that_is_killed_leaves_no_process_at_work(own, serving):
    own.grow(1500)
    with serving(own) as service:
        client = reindexing(own)
        children = children_of(service.process.pid)
        assert children
        service.process.kill()
        _, said = client.communicate(timeout=60)
        assert client.returncode == 1
        assert b"Run again" in said
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))
    assert generation(own) == 1
    assert own.ragman(QUESTION).returncode == 0


def test_a_process_that_is_killed_is_named(own, serving):
    own.grow(1500)
    with serving(own) as service:
        client = reindexing(own)
        for pid in children_of(service.process.pid):
            os.kill(pid, signal.SIGKILL)
        _, said = client.communicate(timeout=60)
        assert client.returncode == 1
        assert b"ended without a report (SIGKILL)" in said
        time.sleep(0.1)
        assert service.health()["reindexing"] is False
        assert own.ragman(QUESTION).returncode == 0
