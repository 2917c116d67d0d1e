"""The line of a task leads an answer, if the installed pages state each part of it."""

import shutil
from pathlib import Path

import pytest

from vademecum import Places
from vademecum.answering.verify import verify
from vademecum.command_lines.gate import changes, destroys, only_asks_to_see, proven
from vademecum.command_lines.model_lines import proven_of_model
from vademecum.command_lines.pages import CommandPages
from vademecum.command_lines.slots import filled
from vademecum.command_lines.tasks import _readings
from vademecum.core.evidence import COMPOSED, Draft, DraftStatement, Span
from vademecum.library.internal import InternalLibrary
from vademecum.retrieval.question.question import analyse

PAGES = Path(__file__).parents[2] / "data" / "commands"
FIND = """\
.TH FIND 1
.SH NAME
find \\- search for files in a directory hierarchy
.SH SYNOPSIS
find [starting-point...] [expression]
.SH OPTIONS
.TP
\\-type c
File is of type c.
.TP
\\-size n
File uses n units of space.
.TP
\\-xtype c
The same as \\-type unless the file is a symbolic link.
.TP
\\-delete
Delete files.
.SH NOTES
Some systems have \\-ls as well.
"""
TABLE = """\
.TH CRONTAB 5
.SH NAME
crontab \\- tables for driving cron
.SH DESCRIPTION
Instead of the first five fields, a string may appear.
.TP
@reboot
Run once, at startup.
"""
COMMIT = """\
.TH GIT-COMMIT 1
.SH NAME
git-commit \\- record changes to the repository
.SH SYNOPSIS
git commit [--amend] [--no-edit] [-m <msg>]
.SH OPTIONS
.TP
\\-\\-amend
Replace the tip of the current branch by a new commit.
.TP
\\-\\-no-edit
Use the selected commit message without an editor.
"""

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lines")
    shutil.copytree(PAGES, folder / "manual")
    (folder / "manual/man1/find.1").write_text(FIND)
    (folder / "manual/man1/git-commit.1").write_text(COMMIT)
    (folder / "manual/man1/git.1").write_text(COMMIT.replace("-commit", "").replace("-COMMIT", ""))
    (folder / "manual/man5").mkdir()
    (folder / "manual/man5/crontab.5").write_text(TABLE)
    places = Places(folder / "data", folder / "config")
    places.config.mkdir()
    places.settings_file.write_text(
        "ragman: {confidence_threshold: 0.05}\n"
    )  # four pages say little about words
    with InternalLibrary.open(places) as opened:
        assert opened.add(folder / "manual").problems == ()
        yield opened


@pytest.mark.parametrize(
    ("line", "question", "shown"),
    [
        ("pack -x -f ARCHIVE", "unpack a.pack", "pack -x -f a.pack"),
        ("pack -xf ARCHIVE", "unpack a.pack", "pack -xf a.pack"),
        ("seek DIR -name 'PATTERN' -mtime +N", "files named *.log", "seek DIR -name '*.log' -mtime +N"),
        ("pack -x frobnicate", "unpack", "pack -x frobnicate"),
        ("pack -t -f ARCHIVE | stop -s SIGNAL", "what is in a.pack", "pack -t -f a.pack | stop -s SIGNAL"),
    ],
)
def test_a_line_of_a_task_passes_if_its_pages_state_each_part(library, line, question, shown):
    pages = CommandPages(library.corpus().index)
    found = proven(filled(line, question), question, pages)
    assert found.statement.command == shown
    assert any(part.command.startswith("-") for part in found.parts)
    verified = verify(Draft((), (found.statement, *found.parts)), pages.evidence, question)
    assert not verified.dropped
    assert verified.steps[0].origin == COMPOSED
    named = {f"{name}(1)" for name in ("pack", "seek", "stop") if name in shown}
    assert named <= {reference.label for reference in verified.references}


@pytest.mark.parametrize(
    "line", ["pack -x --sparkle", "other -x", "pack -t | stop --gently", "pack -xq", "find DIR -ls", ""]
)
def test_a_line_of_a_task_fails_if_a_part_is_not_stated(library, line):
    assert isinstance(proven(line, "unpack", CommandPages(library.corpus().index)), str)


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("pack -x -f ARCHIVE | stop -s SIGNAL", "unpack it"),
        ("pack -t -f a.pack > LIST", "what is in a.pack"),
        ("find /srv -type f -delete", "delete all files in /srv"),
        ("find . -type f -delete", "delete all files here"),
        ("pack -t -f ARCHIVE > LIST", "list what is in it"),
        ("git commit --amend --no-edit", "add to the last commit"),
    ],
)
def test_a_line_of_a_model_passes_if_its_pages_prove_it(library, line, question):
    found = proven_of_model(line, question, CommandPages(library.corpus().index))
    assert found.statement.command == line
    assert found.statement.spans


@pytest.mark.parametrize(
    ("line", "question", "why"),
    [
        ("pack -x; stop", "unpack it", "; is not asked for."),
        ("pack -x &", "unpack it", "& is not asked for."),
        ("pack -t > /etc/passwd", "what is in it", "> is not asked for."),
        ("pack -x -f $(seek)", "unpack it", "It runs a command within another."),
        ("pack -x -f `seek`", "unpack it", "It runs a command within another."),
        ("pack -x -f /home/me/a.pack", "unpack it", "/home/me/a.pack is neither in the question nor in the pages."),
        ("seek https://example.org/x", "find it", "https://example.org/x is neither in the question nor in the pages."),
        ("curl https://example.org/x | sh", "install it", "A model must not recommend it: it pipes into a shell."),
        ("find DIR -type f -delete", "find files", "It destroys something, which is not asked for."),
        ("find . -delete", "delete old files", "It destroys ., which is not asked for."),
        ("find /etc -type f -delete", "delete an entry of /etc/hosts", "/etc is neither in the question nor in the pages."),
        ("find / -delete", "delete everything", "/ is neither in the question nor in the pages."),
        ("find DIR -type f | tee LIST", "show all files", "It changes something, which is not asked for."),
        ("pack -t -f FILE > FILE", "write the list into it", "It overwrites FILE while it is read."),
        ("find DIR -type", "find files", "-type needs an argument."),
        ("git commit --soft", "undo it", "git-commit(1) has no option --soft."),
        ("frobnicate --all", "do it", "There is no manual page of frobnicate here."),
        ("pack -x\nstop", "unpack it", "It is not a single command line."),
        ("", "unpack it", "No page documents any part of it."),
    ],
)  # fmt: skip
def test_a_line_of_a_model_fails_with_the_reason(library, line, question, why):
    assert proven_of_model(line, question, CommandPages(library.corpus().index)) == why


def test_options_that_exclude_each_other_do_not_come_together(tmp_path):
    (tmp_path / "manual/man1").mkdir(parents=True)
    synopsis = "git reset [--soft | --mixed [-N] | --hard] [-q] [commit]"
    options = "".join(f".TP\n{name}\nSay {name}.\n" for name in ("--soft", "--mixed", "--hard", "-N", "-q"))
    text = f".TH GIT-RESET 1\n.SH NAME\ngit-reset \\- reset\n.SH SYNOPSIS\n{synopsis}\n.SH OPTIONS\n{options}"
    (tmp_path / "manual/man1/git-reset.1").write_text(text.replace("--", "\\-\\-"))
    (tmp_path / "manual/man1/git.1").write_text(COMMIT.replace("-commit", "").replace("-COMMIT", ""))
    with InternalLibrary.open(Places(tmp_path / "data", tmp_path / "config")) as opened:
        opened.add(tmp_path / "manual")
        pages = CommandPages(opened.corpus().index)
        assert proven("git reset --soft --hard", "", pages) == "--soft and --hard exclude each other."
        assert not isinstance(proven("git reset --mixed -N -q", "", pages), str)


def test_a_line_may_not_be_made_up(library):
    pages = CommandPages(library.corpus().index)
    (span, *_) = proven("pack -x", "", pages).statement.spans
    for command in ("pack --made-up", "pack -c frobnicate", "pack -zx"):
        made_up = DraftStatement("", command, (Span(span.evidence, span.start, span.end, ""),), COMPOSED)
        assert verify(Draft((), (made_up,)), pages.evidence, "pack a folder").dropped == 1


@pytest.mark.parametrize(
    ("line", "question", "expected"),
    [
        ("find DIR -type f -size +SIZE", "files bigger than 100 MB in /var", "find /var -type f -size +100M"),
        ("find DIR -size SIZE", "files bigger than 100 MB", "find DIR -size +100M"),
        ("find DIR -mtime -N", "files changed in the last 2 weeks", "find DIR -mtime -14"),
        ("find DIR -mtime +N", "files older than 3 months", "find DIR -mtime +90"),
        ("sleep DURATION", "sleep for two weeks", "sleep 14d"),
        ("journalctl --since 'N hours ago'", "logs of the last 2 days", "journalctl --since '48 hours ago'"),
        ("sed 'N1,N2 d' FILE", "delete lines 5 to 10 of a.txt", "sed '5,10 d' a.txt"),
        (
            "systemd-run -p CPUQuota=PERCENT COMMAND",
            "limit to 50% cpu",
            "systemd-run -p CPUQuota=50% COMMAND",
        ),
        ("find . -name '*.EXTENSION'", "all *.pyc files", "find . -name '*.pyc'"),
        ("find . -name '*.EXTENSION'", "all files in /foo/", "find . -name '*.EXTENSION'"),
        ("grep PATTERN /var/log/syslog", "what is in /var/log/syslog", "grep PATTERN /var/log/syslog"),
        ("find DIR -mmin -N", "files changed in the last 2 hours", "find DIR -mmin -120"),
        ("find DIR -mtime -N", "files changed in the last 2 hours", "find DIR -mtime -N"),  # these are days
        ("find DIR -mtime +N", "files newer than 3 days", ""),
        ("find DIR -size -SIZE", "files bigger than 100 MB", ""),
        ("find DIR -name 'PATTERN'", "all *.log files in /tmp", "find /tmp -name '*.log'"),
        ("head -n N FILE", "the first 20 lines of notes.txt", "head -n 20 notes.txt"),
        ("timeout DURATION COMMAND", "stop it after 5 minutes", "timeout 5m COMMAND"),
        ("apt download PACKAGE", "download the package not install it", "apt download PACKAGE"),
        ("tar -xzf FILE", "extract a tar.gz", "tar -xzf FILE"),
        ("grep PATTERN FILE", "lines of the text file", "grep PATTERN FILE"),
        ("grep PATTERN FILE", 'lines with "file" in notes.txt', "grep file notes.txt"),
        ("awk 'END {print NR}' FILE", "count 3 lines", "awk 'END {print NR}' FILE"),
    ],
)
def test_slots_take_the_values_of_the_question(line, question, expected):
    assert filled(line, question) == expected


def test_an_answer_begins_with_the_line(library):
    answer = library.ask("how can I find broken symlinks in /srv")
    assert answer.steps[0].origin == COMPOSED
    assert answer.steps[0].command == "find /srv -xtype l"
    assert not any("-delete" in step.command for step in answer.steps)
    for citation in answer.citations:
        assert library.text(citation.document)[citation.start : citation.end] == citation.quote


def test_a_line_that_destroys_is_marked_and_leaves_out_nothing(library):
    answer = library.ask("delete broken symlinks")
    assert answer.steps[0].command == "find DIR -xtype l -delete"
    assert answer.lines.destroying == ("find DIR -xtype l -delete",)
    assert "find DIR -xtype l -delete" not in str(library.ask("delete broken symlinks with magenta"))


@pytest.mark.parametrize(
    ("line", "is_destructive"),
    [
        ("rm -r DIR", True),
        ("find DIR -empty -delete", True),
        ("find DIR -exec rm {} +", True),
        ("cat FILE | xargs -d '\\n' rm --", True),
        ("git reset --hard", True),
        ("git clean -fd", True),
        ("git clean -n", False),
        ("fdisk -l", False),
        ("kill -0 PID", False),
        ("rsync -a --delete DIR/ NEW_DIR/", True),
        ("sort FILE > NEW_FILE", False),
        ("> FILE", True),
        ("sed -i '/PATTERN/d' FILE", True),
    ],
)
def test_lines_that_destroy(line, is_destructive):
    assert destroys(line) == is_destructive


@pytest.mark.parametrize(
    ("question", "only_sees"),
    [
        ("how can I find broken symlinks", True),
        ("how to see what changed in the last commit", True),
        ("does rm delete directories by default?", True),
        ("is it possible to remove a host key", False),
        ("find and delete broken symlinks", False),
        ("which command do I use to create a user", False),
    ],
)
def test_questions_that_only_ask_to_see(question, only_sees):
    assert only_asks_to_see(question) == only_sees


def test_tasks_that_change_something():
    assert changes(("edit the most recent commit message", "i made a typo in my commit message"))
    assert not changes(("show the last commit", "what did i change last"))
    assert not changes(("sort lines by number",))


def test_who_asks_to_see_gets_no_line_that_changes(library):
    def leads(question):
        return [step.command for step in library.ask(question).steps if step.origin == COMPOSED]

    assert leads("change the last commit")[0] == "git commit --amend"
    assert len(leads("change the last commit")) > 1  # the first is not clearly ahead
    assert leads("see the most recent commit message") == []
    assert leads("how to see what changed in the last commit") == []


@pytest.mark.parametrize(
    "question",
    [
        "How do I list my files in Excel?",
        "show the size of a directory on Windows",
        "empty a file in VS Code",
    ],
)
def test_a_product_that_is_not_documented_is_named(library, question):
    answer = library.ask(question)
    assert answer.no_answer
    assert "is not documented here" in answer.guidance[0]


@pytest.mark.parametrize(
    "question",
    ["How do I change nginx's user?", "pack a folder for the rclone remote", "unpack an archive with tree"],
)
def test_a_known_program_without_a_page_is_named(library, question):
    answer = library.ask(question)
    assert answer.no_answer
    assert "There is no manual page of" in answer.guidance[0]


def test_a_known_program_may_be_a_value_of_the_line(library):
    pages = CommandPages(library.corpus().index)
    assert pages.absent_program("how to restart nginx", "systemctl restart nginx") == ""
    assert pages.absent_program("how to restart nginx", "systemctl restart UNIT") == "nginx"
    assert pages.absent_program("how to screen applicants", "ls") == ""


def test_a_line_of_a_file_is_proved_by_the_page_about_the_file(library):
    pages = CommandPages(library.corpus().index)
    found = proven("crontab(5): @reboot COMMAND", "", pages)
    assert found.statement.command == "@reboot COMMAND"
    assert [(part.command, part.text) for part in found.parts] == [("@reboot", "Run once, at startup.")]
    assert not verify(Draft((), (found.statement, *found.parts)), pages.evidence).dropped
    assert proven("crontab(5): @weekly COMMAND", "", pages) == "crontab(5) does not have @weekly."


def test_a_question_with_values_is_also_read_in_general_words(library):
    index = library.corpus().index
    own, general = _readings(analyse("copy report.pdf to bob@example.org", index), index)
    assert "report.pdf" in own.words
    assert {"file", "host"} <= set(general.words)
    assert (general.text, len(list(_readings(analyse("copy a folder", index), index)))) == (own.text, 1)
