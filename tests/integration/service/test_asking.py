"""The service answers what the command would answer by itself, to the byte, and is done without when it cannot."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from shared import imported, process_of, wait_until
from vademecum.core.answers import LOW_CONFIDENCE
from vademecum.library.service.unix_http import edition
from vademecum.server.local import library as local_library
from vademecum.server.local.library import LocalLibrary

QUESTION = "How do I change file permissions?"
OFF = {"VADEMECUM_SERVICE": "off"}
TIMES = re.compile(rb'\d+\.\d+ ms|"duration_ms": [\d.]+')
FORMS = ([], ["--plain"], ["--json"], ["--explain"], ["--explain", "--json"], ["--explain", "--plain"])

pytestmark = pytest.mark.needs("mandoc")


def told(done):
    return done.returncode, TIMES.sub(b"#", done.stdout), done.stderr


def same(home, *arguments, **more):
    """What a command says, once it has been found to be the same without the service."""
    by_service = told(home.ragman(*arguments, **more))
    assert by_service == told(home.ragman("--no-service", *arguments, **more))
    return by_service


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
@pytest.mark.parametrize(
    ("question", "answered"),
    [
        (QUESTION, True),
        ("who owns a file", None),
        ("zyzzyva quokka", False),
        ("how is it that the of", False),
    ],
)
@pytest.mark.sampled(8)
def test_answers_are_the_same(warm, form, question, answered):
    before = warm.questions()
    code, printed, said = same(warm.home, *form, question)
    assert (code, said) == (0, b"")
    assert warm.questions() == before + 1
    if answered is not None:
        assert answered == (LOW_CONFIDENCE.encode() not in printed)


@pytest.mark.parametrize(
    "given",
    [
        "ändere die Rechte → 文件 🙂 permissions".encode(),
        b"change \xff\xfe file \xed\xa0\x80 permissions",
        b'a "quote", a \\ and a \x01 in file permissions',
        bytes(range(256)),
        (QUESTION + " ").encode() * 3_000,
        ("🙂" * 400_000).encode(),
        b"x" * (1 << 20),
    ],
    ids=["languages", "no text", "escapes", "every byte", "long", "astral", "a megabyte"],
)
@pytest.mark.sampled(3)
def test_odd_questions_are_the_same(warm, given):
    before = warm.questions()
    for form in ([], ["--explain", "--json"]):
        assert same(warm.home, "-", *form, given=given)[0] == 0
    assert warm.questions() == before + 2


def test_a_question_that_is_no_text_as_an_argument(warm):
    assert same(warm.home, b"change \xff\xfe permissions", "--json")[0] == 0


def test_a_question_cut_short_is_the_same(warm):
    _, printed, _ = same(warm.home, "--context-tokens", "8", QUESTION + " Or is it something else?")
    assert b"Only the first 8 tokens" in printed
    exact = "change file permissions now ok!!"
    assert len(exact) == 32
    assert b"Only the first" not in same(warm.home, "--context-tokens", "8", exact)[1]


@pytest.mark.parametrize("arguments", [[], ["   "], ["--plian", "x"], ["--context-tokens", "0", "x"]])
def test_mistakes_are_the_same(warm, arguments):
    assert same(warm.home, *arguments)[0] == 2


# --- what changes meanwhile ---------------------------------------------------------------------------------------


def test_settings_are_read_when_they_change(own, serving):
    with serving(own) as service:
        assert b"## Summary" in same(own, QUESTION)[1]
        own.configure("ragman: {confidence_threshold: 1.0}\n")
        assert LOW_CONFIDENCE.encode() in same(own, QUESTION)[1]
        own.configure("ragman: {presenter_default: json}\n")
        assert json.loads(same(own, QUESTION)[1])["question"] == QUESTION
        own.configure("ragman: {presenter_default: plain}\n")
        assert same(own, QUESTION)[1].startswith(b"Summary\n")
        own.configure("ragman:\n  confidence_threshold: lots\n")
        code, _, said = same(own, QUESTION)
        assert code == 2
        assert b"config.yaml, line 2" in said
        assert service.questions() == 5


def test_a_stale_index_is_the_same(own, serving):
    with serving(own) as service:
        (own.folder / "manual/man3").mkdir()
        assert b"Warning: manual has changed" in same(own, QUESTION)[1]
        code, _, said = same(own, "--strict", QUESTION)
        assert code == 4
        assert b"ragadmin reindex" in said
        assert service.questions() == 2


def test_an_index_that_is_missing_or_damaged_is_the_same(own, serving):
    with serving(own) as service:
        current = own.folder / "data/ragcli/index/CURRENT"
        good = current.read_bytes()
        same(own, QUESTION)
        current.write_bytes(b"\xff")
        assert same(own, QUESTION)[0] == 4
        current.unlink()
        code, _, said = same(own, QUESTION)
        assert code == 4
        assert b"There is no index" in said
        current.write_bytes(good)
        assert same(own, QUESTION)[0] == 0
        assert service.process.poll() is None


def test_without_an_index_it_starts_and_answers_once_there_is_one(own, serving):
    own.empty()
    with serving(own) as service:
        assert service.health()["generation"] is None
        assert same(own, QUESTION)[0] == 4
        assert own.ragadmin("reindex", **OFF).returncode == 0
        assert b"## Summary" in same(own, QUESTION)[1]
        assert service.health()["generation"] == 1


def test_a_generation_that_another_process_publishes_is_noticed(own, serving):
    with serving(own) as service:
        assert b"grown7(1)" not in same(own, "what does grown7 do", "--json")[1]
        own.grow(12)
        assert own.ragadmin("reindex", **OFF).returncode == 0
        assert b"grown7(1)" in same(own, "what does grown7 do", "--json")[1]
        assert service.health()["generation"] == 2
        (own.folder / "manual/man1/grown7.1").unlink()
        assert own.ragadmin("reindex", "--full", **OFF).returncode == 0
        assert b"grown7(1)" not in same(own, "what does grown7 do", "--json")[1]


def test_memory_is_bounded(own, serving, ask):
    """Questions leave nothing behind, and neither do generations, once each thing has been loaded."""

    def put(count):
        for _ in range(count):
            assert ask(own.socket, "POST", "/ask", {"question": "measure the depth"})[0] == 200
        return service.health()["memory_bytes"], len(list(Path(f"/proc/{service.process.pid}/fd").iterdir()))

    def publish(count):
        for _ in range(count):
            published.append(len(published))
            own.grow(1, start=len(published))
            assert own.ragadmin("reindex", **OFF).returncode == 0
            found = put(2)
        return found

    published = []
    with serving(own) as service:
        memory, files = put(30)
        assert memory > 1e6
        assert put(60) < (memory + 4e6, files + 1)
        memory, files = publish(4)  # the segments have been compacted once
        after = publish(3)
        assert service.health()["generation"] == 8
        assert after[0] < memory + 6e6
        assert after[1] <= files + 40  # at most four segments are open, now as then


# --- many at once -------------------------------------------------------------------------------------------------


def test_a_question_whose_client_has_gone_is_dropped(warm, ask):
    body = json.dumps({"question": "tar -xzf notes.tar.gz; " * 100})
    head = f"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    before = warm.questions()
    with ExitStack() as clients:
        for _ in range(60):
            client = clients.enter_context(socket.socket(socket.AF_UNIX))
            client.connect(os.fspath(warm.home.socket))
            client.sendall(f"{head}{body}".encode())
    assert ask(warm.home.socket, "POST", "/ask", {"question": QUESTION})[0] == 200
    assert 1 <= warm.questions() - before < 40


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_under_load_a_helper_process_gives_the_same_answers_and_ends_with_the_service(own, serving, ask, end):
    questions = [QUESTION, "who owns a file", "zyzzyva", "mount a disk at boot", "mask of new files"]

    def answer(question):
        return ask(own.socket, "POST", "/ask", {"question": question})[::2]

    def helpers_after_load():
        assert [*clients.map(answer, questions * 20)] == expected * 20
        children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    with serving(own) as service, ThreadPoolExecutor(40) as clients:
        expected = [*map(answer, questions)]
        assert ({status for status, _ in expected}, service.health()["processes"]) == ({200}, 1)
        wait_until(helpers_after_load)
        (lost,) = helpers_after_load()
        assert [lost] == helpers_after_load()  # it has answered, too
        os.kill(lost, signal.SIGKILL)
        wait_until(lambda: helpers_after_load() not in ([], [lost]))
        own.grow(1)
        assert own.ragadmin("reindex", **OFF).returncode == 0
        questions, expected = ["what does grown0 do"], [answer("what does grown0 do")]
        assert b"grown0(1)" in expected[0][1]
        (helper,) = helpers_after_load()
        service.stop(end)
        wait_until(lambda: not Path(f"/proc/{helper}").exists())


def test_a_helper_ends_when_it_has_been_idle(settled, monkeypatch):
    monkeypatch.setattr(local_library, "_WORTH_A_HELPER", 0)
    monkeypatch.setattr(local_library, "_IDLE_S", 0.2)

    async def ask():
        library = LocalLibrary(settled.places)
        library._processes = 2
        try:
            answers = await asyncio.gather(*(library.ask(QUESTION) for _ in range(40)))
            while library.health()["processes"] < 2:
                answers += await asyncio.gather(*(library.ask(QUESTION) for _ in range(40)))
            await asyncio.to_thread(wait_until, lambda: library.health()["processes"] == 1)
            return [*answers, await library.ask(QUESTION)]
        finally:
            library.close()

    assert {answer.summary[0].text for answer, _ in asyncio.run(ask())} == {"chmod - change file permissions"}


# --- a service that is of no use ----------------------------------------------------------------------------------


def test_it_can_be_turned_off(warm):
    before = warm.questions()
    assert warm.home.ragman(QUESTION, **OFF).returncode == 0
    assert warm.home.ragman("--no-service", QUESTION).returncode == 0
    assert warm.questions() == before


def test_a_service_that_hangs_is_done_without(own, serving):
    expected = own.ragman(QUESTION).stdout
    with serving(own) as service:
        service.process.send_signal(signal.SIGSTOP)
        done = own.ragman(QUESTION)
        assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")
        done = own.ragman("--explain", QUESTION)
        assert done.stdout.startswith(expected)
        assert b"was not used: it did not answer in time" in done.stderr


@pytest.mark.parametrize("after_s", [0.0, 0.3, 0.6])
def test_a_service_that_is_killed_in_the_midst_is_done_without(own, serving, after_s):
    expected = own.ragman(QUESTION).stdout
    with serving(own) as service:
        service.process.send_signal(signal.SIGSTOP)  # so that the question is asked and not answered
        client = subprocess.Popen(
            [*process_of("ragman"), QUESTION], stdout=subprocess.PIPE, env=own.environment()
        )
        time.sleep(after_s)
        service.process.kill()
        assert client.communicate(timeout=60)[0] == expected
        assert client.returncode == 0
    assert own.socket.exists()  # what it left behind
    assert own.ragman(QUESTION).stdout == expected


def test_a_service_of_other_folders_is_done_without(own, warm):
    (own.runtime / "ragcli").mkdir()
    own.socket.symlink_to(warm.home.socket)
    before = warm.questions()
    done = own.ragman("--explain", QUESTION)
    assert done.returncode == 0
    assert b"was not used: The service serves another data folder" in done.stderr
    assert own.ragman(QUESTION).stderr == b""
    assert warm.questions() == before


EDITION = b"Vademecum-Edition: %s\r\n"
IMPOSTORS = {
    "nothing": b"",
    "noise": bytes(range(256)) * 40,
    "endless head": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200_000,
    "no edition": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "other edition": b"HTTP/1.1 200 OK\r\nVademecum-Edition: 1-1\r\nContent-Length: 2\r\n\r\n{}",
    "cut short": b"HTTP/1.1 200 OK\r\n" + EDITION + b"Content-Length: 200\r\n\r\n{}",
    "no length": b"HTTP/1.1 200 OK\r\n" + EDITION + b"\r\n{}",
    "huge length": b"HTTP/1.1 200 OK\r\n" + EDITION + b"Content-Length: 99999999999999\r\n\r\n{}",
    "no text": b"HTTP/1.1 200 OK\r\n" + EDITION + b"Content-Length: 2\r\n\r\n\xff\xff",
    "odd status": b"HTTP/1.1 xyz\r\n" + EDITION + b"Content-Length: 2\r\n\r\n{}",
    "no problem": b"HTTP/1.1 500 No\r\n" + EDITION + b"Content-Length: 2\r\n\r\n{}",
    "problem of another kind": b"HTTP/1.1 500 No\r\n"
    + EDITION
    + b'Content-Length: 39\r\n\r\n{"code": "X", "detail": "y", "hint": ""}',
    "list": b"HTTP/1.1 500 No\r\n" + EDITION + b"Content-Length: 2\r\n\r\n[]",
}


@pytest.mark.parametrize("said", IMPOSTORS.values(), ids=IMPOSTORS)
@pytest.mark.sampled(3)
def test_answers_without_a_service_that_replies_nonsense(own, said):
    expected = own.ragman(QUESTION, "--json", **OFF).stdout
    (own.runtime / "ragcli").mkdir(mode=0o700)
    asked = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(own.socket))
        listener.listen()

        def speak():
            for _ in range(2):
                connection, _ = listener.accept()
                with connection:
                    asked.append(connection.recv(65536))
                    with suppress(OSError):
                        connection.sendall(said.replace(b"%s", edition().encode()))

        speaker = threading.Thread(target=speak, daemon=True)
        speaker.start()
        for form in ([], ["--explain"]):
            done = own.ragman(QUESTION, "--json", *form)
            assert done.returncode == 0
            assert json.loads(done.stdout)["question"] == QUESTION
            if form:
                assert b"the background service was not used: " in done.stderr
            else:
                assert (done.stdout, done.stderr) == (expected, b"")
        speaker.join(60)
    assert all(one.startswith(b"POST /ask HTTP/1.0\r\n") for one in asked)
    assert len(asked) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another user")
def test_a_socket_of_another_user_is_told_nothing(own):
    expected = own.ragman(QUESTION, **OFF).stdout
    with tempfile.TemporaryDirectory() as runtime:
        place = Path(runtime, "ragcli")
        place.mkdir()
        Path(runtime).chmod(0o755)
        place.chmod(0o777)
        hearing, saying = os.pipe()
        child = os.fork()
        if child == 0:
            listen_as_nobody(place / "ragcli.sock", saying)
        os.close(saying)
        try:
            assert os.read(hearing, 1) == b"!"
            done = own.ragman(QUESTION, XDG_RUNTIME_DIR=runtime)
            assert (done.stdout, done.stderr) == (expected, b"")
            assert os.read(hearing, 100) == b"."
            assert os.read(hearing, 100) == b""
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(hearing)


def listen_as_nobody(path, saying):
    """The life of a process of another user: listen, and pass on what is said, or a dot for nothing."""
    try:
        os.setgid(65534)
        os.setuid(65534)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        path.chmod(0o777)
        os.write(saying, b"!")
        connection, _ = listener.accept()
        os.write(saying, connection.recv(100) or b".")
    finally:
        os._exit(0)


# --- what it loads ------------------------------------------------------------------------------------------------

NEVER = {
    "dataclasses",
    "http",
    "json",
    "pathlib",
    "simsimd",
    "re",
    "socket",
    "typing",
    "vademecum.core.answers",
    "vademecum.index.reader.index",
    "vademecum.library.library",
}


def test_a_question_to_the_service_loads_few_modules(warm):
    call = "from vademecum.cli.ragman import main; main()"
    where = {"env": warm.home.environment(PYTHONPATH=os.pathsep.join(sys.path)), "flags": ["-S"]}
    loaded = imported(call, QUESTION, **where) - imported("pass", **where)
    assert "vademecum.library.service.client" in loaded
    assert loaded & NEVER == set()
    assert len(loaded) < 40
