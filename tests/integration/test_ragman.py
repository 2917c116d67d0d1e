"""`ragman` as a process, over a small manual: what it prints, how it ends, and what it loads."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands import run_command
from shared import configure, copy_home, environment, imported, library_in, process_of, read_until, wait_until
from vademecum.core.answers import render_json, render_markdown, render_plain

MANUAL = Path(__file__).parents[1] / "data" / "manual"
QUESTION = "How do I change file permissions?"
COMMAND = process_of("ragman")

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture
def home(manual_home):
    return manual_home


@pytest.fixture
def own(home, tmp_path):
    return copy_home(home, tmp_path / "own")


def ragman(folder, *arguments, given=b"", **more):
    return run_command("ragman", *arguments, given=given, env=environment(folder, **more), text=False)


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [[QUESTION], ["query", QUESTION], QUESTION.split(), ["--plain", "--", QUESTION], [QUESTION, "--plain"]],
)
def test_an_answer(home, words):
    done = ragman(home, *words)
    assert (done.returncode, done.stderr) == (0, b"")
    printed = done.stdout.decode()
    plain = "--plain" in words
    for heading in ("Summary", "Steps", "References"):
        assert re.search(rf"^{'' if plain else '## '}{heading}$", printed, re.MULTILINE)
    assert "(manual) [1]" in printed
    assert "- manual: [1] chmod(1)" in printed
    assert re.search(r"Confidence: \d+%", printed)
    assert plain == ("`" not in printed and "#" not in printed)


def test_it_says_what_python_says(home):
    answer = library_in(home).ask(QUESTION)
    assert ragman(home, QUESTION).stdout.decode() == render_markdown(answer)
    assert ragman(home, QUESTION, "--plain").stdout.decode() == render_plain(answer)
    assert ragman(home, QUESTION, "--json").stdout.decode() == render_json(answer)


def test_json_is_complete(home):
    data = json.loads(ragman(home, "--json", QUESTION).stdout)
    assert {"summary", "steps", "references", "confidence", "no_answer", "citations"} <= set(data)
    assert data["no_answer"] is False
    assert data["citations"]
    for citation in data["citations"]:
        assert (
            library_in(home).text(citation["document"])[citation["start"] : citation["end"]]
            == (citation["quote"])
        )
    assert all(statement["citations"] for statement in (*data["summary_sentences"], *data["steps"]))
    assert all(reference["label"] for reference in data["references"])
    assert "trace" not in data


def test_explain(home):
    printed = ragman(home, "--explain", QUESTION).stdout.decode()
    answer, _, why = printed.partition("Why this answer")
    assert "## Summary" in answer
    steps = re.findall(r"^(\w+) \([\d.]+ ms\)$", why, re.MULTILINE)
    assert steps == ["analyse", "retrieve", "evaluate", "decide", "compose", "verify"]
    assert re.search(r"1\. chmod\(1\)  score [\d.]+: \w+ [\d.]+", why)
    assert "threshold 0.35" in why
    trace = json.loads(ragman(home, "--explain", "--json", QUESTION).stdout)["trace"]
    assert [step["name"] for step in trace["steps"]] == steps


def test_a_question_from_stdin(home):
    expected = ragman(home, QUESTION).stdout
    assert ragman(home, "-", given=QUESTION.encode()).stdout == expected
    assert ragman(home, given=QUESTION.encode()).stdout == expected


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (b"how is it that the of", "stop words alone"),
        (b"zyzzyva quokka", "words that no page has"),
        (b"\xff\xfe\x80\x81" * 50, "not text"),
        (os.urandom(1000).replace(b" ", b"x"), "noise"),
        (b"x" * (1 << 20), "a megabyte of one word"),
        (bytes(range(256)), "every byte"),
    ],
)
def test_what_has_no_answer_is_said_so(home, given, what):
    done = ragman(home, "-", "--json", "--fail", given=given)
    assert (done.returncode, done.stderr) == (1, b""), what
    data = json.loads(done.stdout)
    assert data["no_answer"] is True
    assert data["guidance"][-1] == (
        "Answer is below the confidence threshold. Please rephrase your query or refresh sources via ragadmin."
    )


def test_a_megabyte_of_question(home):
    done = ragman(home, "-", given=(QUESTION + " ").encode() * 32_000)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Narrow the question." in done.stdout.decode()


def test_a_question_that_is_no_text(home):
    done = ragman(home, b"change \xff\xfe permissions")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_of_another_character_set(home):
    done = ragman(home, "zyzzyva", PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?zyzzyva?" in done.stdout


def test_context_tokens(home):
    printed = ragman(home, "--context-tokens", "8", QUESTION + " Or is it something else?").stdout.decode()
    assert "Only the first 8 tokens of the question were used. Narrow the question." in printed


# --- settings ---------------------------------------------------------------------------------------------------------


def test_the_threshold_is_the_files(own):
    configure(own, "ragman: {confidence_threshold: 1.0}\n")
    printed = ragman(own, QUESTION).stdout.decode()
    assert "Answer is below the confidence threshold." in printed
    assert "chmod MODE FILE" in printed


def test_the_presenter_is_the_files(own):
    configure(own, "ragman: {presenter_default: json}\n")
    assert json.loads(ragman(own, QUESTION).stdout)["question"] == QUESTION
    assert ragman(own, "--plain", QUESTION).stdout.startswith(b"Summary\n")
    configure(own, "ragman: {presenter_default: plain}\n")
    assert ragman(own, QUESTION).stdout.startswith(b"Summary\n")


def test_a_mistake_in_the_file_is_named(own):
    configure(own, "ragman:\n  confidence_threshold: lots\n")
    done = ragman(own, QUESTION)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"config.yaml, line 2: ragman.confidence_threshold must be a number" in done.stderr


# --- how it ends ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--plian", "x"], "Did you mean --plain?"),
        (["x", "--jsno"], "Did you mean --json?"),
        (["what does", "-x", "do"], "Unknown flag -x."),
        (["--context-tokens=0", "x"], "must be a whole number of at least 1"),
        (["--plain", "--json", "x"], "cannot be used together"),
        ([], "No question given."),
        (["query"], "No question given."),
        (["", " "], "No question given."),
        (["-"], "No question given."),
    ],
)
def test_what_is_not_a_command(home, arguments, said):
    done = ragman(home, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()


def test_without_an_index_it_says_how_to_build_one(tmp_path):
    done = ragman(tmp_path, QUESTION)
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"There is no index" in done.stderr
    assert b"ragadmin reindex" in done.stderr
    assert not (tmp_path / "data").exists()


def test_with_yes_it_builds_the_index_and_answers(own):
    expected = ragman(own, QUESTION).stdout
    shutil.rmtree(own / "data/ragcli/index")
    only_the_small_manual(own)
    done = ragman(own, "--yes", QUESTION)
    assert (done.returncode, done.stdout) == (0, expected)
    assert b"4 documents" in done.stderr


def only_the_small_manual(folder):
    catalog = folder / "data/ragcli/catalog.json"
    data = json.loads(catalog.read_text())
    data["sources"] = [source for source in data["sources"] if source["alias"] == "manual"]
    catalog.write_text(json.dumps(data))


@pytest.mark.parametrize(("said", "code"), [(b"\n", 0), (b"y\n", 0), (b"n\n", 4)])
def test_on_a_terminal_it_offers_to_build_one(own, said, code):
    shutil.rmtree(own / "data/ragcli/index")
    only_the_small_manual(own)
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*COMMAND, QUESTION], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(own, TERM="xterm")
    )
    os.close(theirs)
    shown = read_until(ours, b"[Y/n] ")
    os.write(ours, said)
    shown += read_until(ours, None)
    assert child.wait() == code
    assert b"There is no index" in shown
    if code == 0:
        assert b"\x1b[1m  chmod MODE FILE\x1b[0m" in shown


def test_strict_refuses_what_is_stale(own):
    (own / "manual/man3").mkdir()
    done = ragman(own, QUESTION)
    assert done.returncode == 0
    assert b"Warning: manual has changed since the index was built." in done.stdout
    done = ragman(own, "--strict", QUESTION)
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"ragadmin reindex" in done.stderr


def test_a_damaged_index_is_named(own):
    (own / "data/ragcli/index/CURRENT").write_bytes(b"\xff")
    done = ragman(own, QUESTION)
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"reindex --full" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_reader_that_has_seen_enough(home):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, QUESTION], stdout=writing, stderr=subprocess.PIPE, check=False, env=environment(home)
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_behind_stdout_is_said(home):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, QUESTION], stdout=full, stderr=subprocess.PIPE, check=False, env=environment(home)
        )
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [
        "ragman: No space left on device.",
        "Check the free space on the disk, and the destination of the output.",
    ]


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_leads_nowhere(home, closed):
    for words in (QUESTION, "-"):
        line = f'exec "$@" {closed}'
        done = subprocess.run(
            ["sh", "-c", line, "sh", Path(sys.executable).with_name("ragman"), words],
            input=b"" if "<" not in closed else None,
            capture_output=True,
            check=False,
            env=environment(home),
        )
        assert done.returncode == (2 if words == "-" else 0)
        assert b"Traceback" not in done.stderr


def test_no_answer_is_no_yes(tmp_path):
    """An input that ends where it is asked whether to build the index."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*COMMAND, QUESTION],
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment(tmp_path),
    )
    os.close(theirs)
    read_until(ours, b"[Y/n] ")
    os.write(ours, b"\x04")
    assert child.wait() == 4
    os.close(ours)
    assert not list(tmp_path.rglob("CURRENT"))


def test_interrupted(home):
    child = subprocess.Popen(
        [*COMMAND, "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
        start_new_session=True,
    )
    wait_until_it_reads(child.pid)
    os.killpg(child.pid, signal.SIGINT)
    _, said = child.communicate()
    assert child.returncode == 130
    assert b"Traceback" not in said


def test_in_the_background_it_ignores_interrupts_as_other_programs_do(home, ignoring_interrupts):
    child = subprocess.Popen(
        [*ignoring_interrupts, *COMMAND, "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(home), text=True,
    )  # fmt: skip
    wait_until_it_reads(child.pid)
    child.send_signal(signal.SIGINT)
    answer, _ = child.communicate(QUESTION)
    assert child.returncode == 0
    assert "chmod" in answer


def wait_until_it_reads(pid):
    """Until the process sleeps in a read of its stdin: by then it has set up its handling of interrupts."""
    process = Path(f"/proc/{pid}")
    wait_until(
        lambda: (
            "pipe_read" in (process / "wchan").read_text()
            or (process / "syscall").read_text().startswith("0 0x0 ")
        )
    )


# --- what it loads ----------------------------------------------------------------------------------------------------

OTHERS = {"Stemmer", "simsimd", "backports"}
ROOMS = {
    "answering",
    "ask",
    "cli",
    "command_lines",
    "config",
    "core",
    "files",
    "index",
    "library",
    "providers",
    "retrieval",
    "sources",
    "stores",
    "text",
}
NEVER = {
    "argparse",
    "asyncio",
    "concurrent",
    "difflib",
    "email",
    "hashlib",
    "http",
    "logging",
    "multiprocessing",
    "numpy",
    "selectolax",
    "shutil",
    "socket",
    "sqlite3",
    "ssl",
    "subprocess",
    "tempfile",
    "unittest",
    "yaml",
    "vademecum.cli._building",
    "vademecum.cli._style",
    "vademecum.index.build",
    "vademecum.index.update",
    "vademecum.index.survey",
    "vademecum.index.catalog.source_types",
    "vademecum.sources.man",
}


def test_what_a_question_loads(own):
    configure(own, "ragman: {confidence_threshold: 0.3}\n")
    ragman(own, QUESTION)  # keeps what the file says
    call = "from vademecum.cli.ragman import main; main()"
    loaded = imported(call, QUESTION, env=environment(own)) - imported("pass", env=environment(own))
    assert "vademecum.ask.path" in loaded
    assert loaded & NEVER == set()
    top = {name.partition(".")[0] for name in loaded}
    assert top - sys.stdlib_module_names - {"vademecum"} <= OTHERS
    assert {name.split(".")[1] for name in loaded if name.startswith("vademecum.")} <= ROOMS


def test_a_first_question_compiles_few_patterns(home):
    code = (
        "import re._compiler as compiler, sys; made, compile = [], compiler.compile\n"
        "compiler.compile = lambda *given: made.append(given[0]) or compile(*given)\n"
        "from vademecum.cli.ragman import run; run(['--no-service', sys.argv[1]])\n"
        "print(len(made), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment(home))
    assert "chmod" in done.stdout
    assert 20 < int(done.stderr) <= 100
