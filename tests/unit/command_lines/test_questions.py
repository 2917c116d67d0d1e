"""Which words of a question are a command line."""

import pytest

from vademecum.command_lines.questions import EXPLAIN, framed_lines, named_options, reads_as_line, tokens_of

COMMANDS = frozenset(
    "rm chmod ls grep tar cp kill head tail git journalctl lsof timeout awk sed sort set sudo apt-get find exit su mount ps mv".split()  # noqa: SIM905
) | {"git log"}


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
        ("explain git log", "git log"),
        ('what does "chmod g+s" do', "chmod g+s"),
        (
            "i don't get what this does: ps aux | awk '{ print $2; }' | sed 's/x.*$//'",
            "ps aux | awk '{ print $2; }' | sed 's/x.*$//'",
        ),
        ("What does this command mean? sudo apt-get install -f", "sudo apt-get install -f"),
        ('sorry, what does "ps -auxw | grep cups" mean?', "ps -auxw | grep cups"),
        ('What does `sed -n "/test/p" example.txt` do?', 'sed -n "/test/p" example.txt'),
        ("what does `find . -name '*.log' -delete` do?", "find . -name '*.log' -delete"),
        (
            "Someone posted:\n\n    $ tar cf - . | (cd /dest && tar xvf -)\n\nwhat would happen?",
            "tar cf - . | (cd /dest && tar xvf -)",
        ),
        ("In a script I found set -euo pipefail. What is that for?", "set -euo pipefail"),
        ("what does sort -t, -k2 do exactly", "sort -t, -k2"),
        (
            'Trying to understand: for f in *; do mv "$f" "$f.md"; done',
            'for f in *; do mv "$f" "$f.md"; done',
        ),
    ],
)
def test_finds_the_line_that_is_asked_about(question, line):
    assert line in [found.line for found in framed_lines(question, COMMANDS.__contains__)]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ('git push origin -u main - What does the "-u" mean?', ("-u",)),
        ('What does the "-b" in "git checkout -b" mean?', ("-b",)),
        ("what does ls -l do", ()),
    ],
)
def test_options_that_the_words_around_a_line_name_are_asked_about(question, asked):
    assert framed_lines(question, COMMANDS.__contains__)[0].asked == asked


@pytest.mark.parametrize(
    "question",
    [
        "how do I copy a folder",
        "find large files in /var",
        "list open ports",
        "what does the exit code 137 mean",
        "what does it mean to mount a file",
        "what is the difference between su and sudo",
        "how do I explain to tar -x where to put the files",
    ],
)
def test_tasks_ask_about_no_line(question):
    assert framed_lines(question, COMMANDS.__contains__) == []
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
