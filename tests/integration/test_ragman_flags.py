"""`ragman` with filters and conversations, on a terminal, and what the shell completes: all as processes."""

import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest

from commands import run_command
from shared import configure, environment, library_in, process_of, read_until
from vademecum.core.answers import LOW_CONFIDENCE

MANUAL = Path(__file__).parents[1] / "data" / "manual"
QUESTION = "How do I change file permissions?"

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(MANUAL, folder / "manual")
    (folder / "my notes").mkdir()
    (folder / "my notes/permissions.md").write_text(
        "# Permissions\n\nChange the permissions of a file on the build server with setperm.\n"
    )
    library = library_in(folder)
    library.add(folder / "manual")
    library.add(folder / "my notes")
    configure(folder, "ragman: {confidence_threshold: 0}\n")
    return folder


def ragman(folder, *arguments, **more):
    return run_command("ragman", *arguments, env=environment(folder, **more))


def data(folder, *arguments):
    done = ragman(folder, "--json", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


# --- filters ----------------------------------------------------------------------------------------------------------


def test_only_a_source_is_cited(home):
    for alias in ("manual", "my-notes"):
        found = data(home, "--source", alias, "change the permissions of a file")
        assert {one["alias"] for one in found["citations"]} == {alias}
    (note,) = found["references"]
    assert note["url"] == f"file://{home}/my%20notes/permissions.md"
    both = data(home, "--source=manual", "--source=my-notes", "change the permissions of a file")
    assert both["citations"]


def test_only_a_section_is_cited(home):
    found = data(home, "--section", "1", QUESTION)
    assert {one["document_ref"][-3:] for one in found["citations"]} == {"(1)"}
    assert found["references"][0]["url"] == "man:chmod(1)"
    found = data(home, "--section", "9", QUESTION)
    assert found["no_answer"] is True
    assert found["guidance"][0].startswith("No answer found. Only section 9 was asked")
    assert found["guidance"][-1] == LOW_CONFIDENCE


def test_rejects_an_unknown_source_or_section(home):
    done = ragman(home, "--source", "manul", QUESTION)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Source manul not found." in done.stderr
    assert "manual, my-notes" in done.stderr
    done = ragman(home, "--section", "../1", QUESTION)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not a section of the manual" in done.stderr


# --- conversations ----------------------------------------------------------------------------------------------------


def test_a_conversation(home):
    first = data(home, "--conversation", "work", QUESTION)
    assert first["read_as"] is None
    then = ragman(home, "--conversation", "-", "--explain", "and recursively?")
    assert then.stdout.startswith(
        "_Interpreted as: change file permissions chmod: recursively?_\n\n## Summary\n"
    )
    assert "`chmod -R " in then.stdout
    assert "leans: it begins with “and”" in then.stdout
    again = data(home, "--conversation", "work", "and recursively?")
    assert (again["question"], again["read_as"]) == (
        "and recursively?",
        "change file permissions chmod: recursively?",
    )
    other = data(home, "--conversation", "play", "and recursively?")
    assert other["read_as"] is None
    over = data(home, "--conversation", "work", "start over")
    assert over["guidance"] == ["The conversation work starts over. Ask the next question."]
    assert data(home, "--conversation", "work", "and recursively?")["read_as"] is None


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "a b", "", "A"])
def test_rejects_an_invalid_conversation_name(home, name):
    done = ragman(home, "--conversation", name, QUESTION)
    assert (done.returncode, done.stdout) == (2, "")
    assert "conversation" in done.stderr


def test_a_conversation_that_can_not_be_kept_is_a_warning(home, tmp_path):
    shutil.copytree(home / "data", tmp_path / "data")
    shutil.rmtree(tmp_path / "data/ragcli/conversations", ignore_errors=True)
    (tmp_path / "data/ragcli/conversations").write_text("a file")
    done = ragman(tmp_path, "--conversation", "work", QUESTION)
    assert done.returncode == 0
    assert "The conversation work cannot be stored" in done.stdout


# --- the context ------------------------------------------------------------------------------------------------------


def test_the_context_bounds_question_and_answer(home):
    asked = "chmod recursively directories symbolic links"
    whole = data(home, asked)
    short = data(home, "--context-tokens", "20", asked)
    assert (
        0
        < len(short["summary_sentences"]) + len(short["steps"])
        < len(whole["steps"]) + len(whole["summary_sentences"])
    )
    assert any("Narrow the question." in warning for warning in short["warnings"])
    assert not any("Narrow" in warning for warning in whole["warnings"])


# --- on a terminal ----------------------------------------------------------------------------------------------------


def on_terminal(folder, columns, *arguments, **more):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    child = subprocess.Popen(
        [*process_of("ragman"), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=environment(folder, **{"TERM": "xterm", **more}),
    )
    os.close(theirs)
    found = read_until(ours, None)
    os.close(ours)
    assert child.wait() == 0
    return found.decode().replace("\r\n", "\n")


def test_a_terminal_shows_styles_and_links_and_a_pipe_neither(home):
    shown = on_terminal(home, 60, QUESTION)
    assert "\x1b[1m  chmod MODE FILE\x1b[0m" in shown
    assert "\x1b]8;;man:chmod(1)\x1b\\" in shown
    bare = re.sub(r"\x1b\[\dm|\x1b\]8;;[^\x1b]*\x1b\\", "", shown)
    assert max(map(len, bare.splitlines())) <= 60
    assert "\x1b" not in ragman(home, QUESTION).stdout


@pytest.mark.parametrize("more", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_where_no_styles_are_wanted_there_are_none(home, more):
    shown = on_terminal(home, 60, QUESTION, **more)
    assert "\x1b" not in shown
    assert "\n  chmod MODE FILE  " in shown


def test_the_last_answer_is_explained_and_asked_for_more_without_being_typed_again(home, tmp_path):
    place = {"XDG_RUNTIME_DIR": str(tmp_path)}
    on_terminal(home, 80, "chmod recursively", **place)
    assert (tmp_path / "ragcli/last.json").stat().st_mode & 0o777 == 0o600
    assert "confidence" in on_terminal(home, 80, "last", "--why", **place)
    assert "chmod" in on_terminal(home, 80, "--more", **place)
    (tmp_path / "ragcli/last.json").write_text("{}")
    assert "No last answer is kept." in ragman(home, "--why", **place).stderr


def test_only_the_line_is_printed_or_nothing(home):
    done = ragman(home, "--line", QUESTION)
    assert (done.returncode, done.stdout) == (0, "chmod MODE FILE\n")
    done = ragman(home, "--line", "who painted the ceiling")
    assert (done.returncode, done.stdout) == (1, "")


PROMPTS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}


@pytest.mark.parametrize("shell", PROMPTS)
@pytest.mark.needs("bash", "zsh", "fish")
def test_a_key_turns_the_question_at_the_prompt_into_its_line_and_runs_nothing(home, tmp_path, shell):
    keys = run_command("ragadmin", "completion", shell, "--key", env=environment(home)).stdout
    (tmp_path / "keys").write_text(keys)
    command = tmp_path / "ragman"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(process_of("ragman"))} "$@"\n')
    command.chmod(0o755)
    ours, theirs = pty.openpty()
    where = environment(home, TERM="xterm", HOME=str(tmp_path), PATH=f"{tmp_path}:{os.environ['PATH']}")
    child = subprocess.Popen(
        PROMPTS[shell], stdin=theirs, stdout=theirs, stderr=theirs, env=where, start_new_session=True
    )
    os.close(theirs)
    try:
        os.write(ours, f"source {tmp_path}/keys; echo bo''und\n".encode())
        read_until(ours, b"bound")
        os.write(ours, QUESTION.encode() + b"\x1bm")
        shown = read_until(ours, b"chmod MODE FILE")
        time.sleep(0.5)  # the shell takes its terminal back
        os.write(ours, b"\x01echo so\n")
        shown += read_until(ours, b"sochmod MODE FILE")
        assert b"chmod:" not in shown  # as it says of itself if it is run
    finally:
        child.kill()
        child.wait()
        os.close(ours)


# --- completion -------------------------------------------------------------------------------------------------------

LINES = [
    ("ragman --so", {"--source"}),
    ("ragman --source ", {"man-pages", "info-pages", "manual", "my-notes"}),
    ("ragadmin ", {"init", "reindex", "health", "sources", "completion"}),
    ("ragadmin sources ", {"list", "add", "update", "remove", "show"}),
    ("ragadmin sources remove m", {"man-pages", "manual", "my-notes"}),
    ("ragadmin sources update manual --status ", {"active", "pending", "error"}),
    ("ragadmin completion ", {"bash", "zsh", "fish"}),
    ("ragadmin reindex --", {"--source", "--full", "--dry-run", "--json", "--verbose", "--help"}),
    ("vademecum eval ", {"linux"}),
    ("ragman --plain wor", set()),
]


def completion(shell):
    done = run_command("ragadmin", "completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def in_shell(command, script, home):
    done = subprocess.run(
        command, input=script, capture_output=True, text=True, check=False, env=environment(home, TERM="dumb")
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.needs("bash")
def test_bash_completes_words(home):
    call = """COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _ragcli "${{COMP_WORDS[0]}}"; echo "${{COMPREPLY[*]}}"\n"""
    calls = "".join(call.format(line + ' ""' * line.endswith(" ")) for line, _ in LINES)
    printed = in_shell(["bash", "--norc"], completion("bash") + calls, home)
    found = printed.split("\n")
    for (line, wanted), words in zip(LINES, found, strict=False):
        assert wanted <= set(words.split()), line
        assert wanted or not words, line


@pytest.mark.needs("fish")
def test_fish_completes_words(home):
    calls = "".join(f"echo (complete -C {line!r} | string split \\t -f1)\n" for line, _ in LINES)
    found = in_shell(["fish", "--no-config"], completion("fish") + calls, home).split("\n")
    for (line, wanted), words in zip(LINES, found, strict=False):
        assert wanted <= set(words.split()), line


@pytest.mark.needs("zsh")
def test_zsh_understands_it(home):
    script = "autoload -Uz compinit; compinit -u -D\n" + completion("zsh")
    printed = in_shell(["zsh", "-f"], script + "\necho $+functions[_ragman] $_comps[ragadmin]\n", home)
    assert printed == "1 _ragadmin\n"


def test_completion_is_refused_for_other_shells():
    done = run_command("ragadmin", "completion", "csh")
    assert done.returncode == 2
    assert "bash" in done.stderr
