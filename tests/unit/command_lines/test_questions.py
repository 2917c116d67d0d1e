"""Which words of a question are a command line."""

import pytest

from vademecum.command_lines.questions import EXPLAIN, framed_lines, named_options, reads_as_line, tokens_of


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("what does rm -rf do", "rm -rf"),
        ("What does `rm -rf` do?", "rm -rf"),
        ("explain chmod 755 file", "chmod 755 file"),
        ("Can you explain this command: ls -l", "ls -l"),
        ("meaning of grep -v", "grep -v"),
        ("what is -x in tar", "tar -x"),
        ("what does the -r option of cp do", "cp -r"),
        ("what does -r mean in cp?", "cp -r"),
        ("what do the flags -a and -l of ls mean", "ls -a -l"),
        ("what happens if I run kill -9 1", "kill -9 1"),
        ("difference between head -c and head -n", "head -c -n"),
        ("what is the difference between -r and -R in cp", "cp -r -R"),
        ("tail -f versus tail -F, what is the difference", "tail -f -F"),
        ("how does ls -a differ from ls -A", "ls -a -A"),
        ("cp -a vs -r", "cp -a -r"),
        ("ls -la what do the letters mean", "ls -la"),
        ("journalctl -xe, what are x and e", "journalctl -xe"),
        ("git log --oneline -- what's that", "git log --oneline"),
        ("what is -P in lsof -i :8080 -P -n", "lsof -i :8080 -P -n"),
        ("how does timeout -k 5s 1m ./slow.sh work, what's the -k", "timeout -k 5s 1m ./slow.sh"),
        (f"{EXPLAIN}anything at all", "anything at all"),
    ],
)
def test_finds_the_line_that_is_asked_about(question, line):
    assert line in [one.line for one in framed_lines(question)]


@pytest.mark.parametrize(
    "question", ["how do I copy a folder", "copy a folder", "find large files in /var", "list open ports"]
)
def test_tasks_ask_about_no_line(question):
    assert framed_lines(question) == []
    assert named_options(question) is None


def test_options_are_named_in_any_question():
    assert named_options("how do I use the --sparkle option of ls").line == "ls --sparkle"
    assert named_options("how do I use the -z flag of ls to sort files").line == "ls -z"


@pytest.mark.parametrize(
    "line",
    [
        "tar -xzvf a.tgz",
        "ps aux | grep nginx",
        "cat /etc/passwd",
        "sort < in > out",
        "git commit -m 'what to do with the rest'",
        "chmod 755 run",
        "git log",
        "apt install nginx",
        "LANG=C ls -l",
    ],
)
def test_lines(line):
    assert reads_as_line(tokens_of(line), {"log", "install"}.__contains__, is_framed=False)


@pytest.mark.parametrize(
    "sentence",
    [
        "find large files",
        "who is logged in",
        "sort a file by the second column",
        "tar a folder with -z so that it is small",
        "service won't start, show its state",
        "find a knight's route over every square",
        "git branch delete",
        "git log how to -n",
        "head 10 lines",
        "install",
        "ssh option example -v and what it does",
        "",
    ],
)
def test_sentences(sentence):
    assert not reads_as_line(tokens_of(sentence), {"log"}.__contains__, is_framed=False)
