"""Command lines are explained by the pages of their commands, and what has no page is said."""

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum import Library, Places
from vademecum.core.answers import render_plain
from vademecum.core.errors import AnswerError

PAGES = Path(__file__).parents[2] / "data" / "commands"

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    shutil.copytree(PAGES, folder / "manual")
    with Library.open(Places(folder / "data", folder / "config")) as opened:
        report = opened.add(folder / "manual")
        assert report.problems == ()
        yield opened


def rows(answer):
    return [(step.command, step.text) for step in answer.steps]


def exact(library, answer):
    assert all(library.text(one.document)[one.start : one.end] == one.quote for one in answer.citations), (
        answer.citations
    )
    assert all(statement.citations for statement in (*answer.summary, *answer.steps))
    assert answer.dropped == 0


LINES = {
    "pack -xzvf a.tgz": ["-x", "-z", "-v", "-f a.tgz"],
    "pack xzf a.tgz -v": ["x", "z", "f a.tgz", "-v"],
    "pack -c -f out.pack --level=9 --strip 2 dir": ["-c", "-f out.pack", "--level=9", "--strip 2"],
    "pack -4 --verb -vv": ["-4", "--verb", "-v"],
    "clone if=/dev/zero bs=1M conv=notrunc": ["if=/dev/zero", "bs=1M", "conv=notrunc", "notrunc"],
    "seek . -name '*.log' -mtime +7 -delete": ["-name '*.log'", "-mtime +7", "+7", "-delete"],
    "seek ! -exec mode -R 644 {} \\;": ["!", "-exec", "mode", "-R", "644"],
    "box -C /x open -n5 --wide b": ["-C /x", "open", "-n5", "--wide"],
    "box start a": ["start"],
    "mode u+x f": ["u+x"],
    "stop -9 12": ["-9", "SIGKILL"],
    "stop -s HUP 12": ["-s HUP", "SIGHUP"],
    "show +%Y-%m": ["%Y", "%m"],
    "pack -t > out 2>&1 && stop $(show)": ["pack", "-t", "> out", "2>&1", "&&", "stop", "$(", "show"],
    "pack -t | mode -R 1": ["pack", "-t", "|", "mode", "-R"],
    "cd -P /tmp": ["-P"],
    "addressbook p show dev eth0": ["show", "dev eth0"],
    "/usr/bin/pack -t": ["-t"],
    "LANG=C pack -t": ["LANG=C", "-t"],
    "ports -an": ["-a", "-n"],
    "pack -t 2>/dev/void": ["-t", "2>/dev/void", "/dev/void"],
    "pack -t /dev/void": ["-t", "/dev/void"],
    "ssh -p 22 host 'pack -t > out'": ["-p 22", "pack", "-t", "> out"],
    "HISTSIZE=100": ["HISTSIZE=100"],
    "OTHER=1": ["OTHER=1"],
}


def test_a_sub_command_that_is_none_is_said(library):
    answer = library.explain("suite psuh -n")
    assert answer.no_answer
    assert answer.guidance[0] == "suite(1) has no sub-command psuh. The nearest is push."
    assert not library.explain("suite push").no_answer


@pytest.mark.parametrize("line", LINES)
def test_every_part_in_its_order(library, line):
    answer = library.explain(line)
    assert [command for command, _ in rows(answer)] == LINES[line]
    assert answer.outcome == "answered"
    assert answer.lines.destroying == ((line,) if "-delete" in line else ())
    exact(library, answer)


def test_the_words_are_the_page_s(library):
    answer = library.explain("pack -xf a.tgz")
    assert answer.summary[0].text == "pack - keep files together"
    assert rows(answer) == [
        ("-x", "Take files out of an archive."),
        ("-f a.tgz", "Use ARCHIVE. Without it, standard output is used."),
    ]
    assert [one.label for one in answer.references] == ["pack(1)"]


@pytest.mark.parametrize(
    ("question", "commands"),
    [
        ("what does pack -xz do", ["-x", "-z"]),
        ("pack -xz a", ["-x", "-z"]),
        ("what do the flags -x, -z and -v of pack mean", ["-x", "-z", "-v"]),
        ("for f in *.txt; do mode -R $f; done", [";", "mode", "-R", ";"]),
    ],
)
def test_questions_about_a_line(library, question, commands):
    assert [command for command, _ in rows(library.ask(question))] == commands


@pytest.mark.parametrize(
    ("question", "commands"),
    [
        ("what is -x in pack?", ["-x"]),
        ("difference between pack -x and pack -c", ["-x", "-c"]),
        ("what do the flags -x and -z of pack mean", ["-x", "-z"]),
    ],
)
def test_one_option_or_two_are_sentences(library, question, commands):
    answer = library.ask(question)
    assert ([one.command for one in answer.summary], answer.steps) == (commands, ())


def test_letters_are_options_where_the_page_says_so_alone(library):
    """`seek` has entries `d` and `f`, which are values of an option."""
    assert rows(library.explain("seek df")) == []
    assert [command for command, _ in rows(library.explain("pack tv"))] == ["t", "v"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what does pack -Q do", "pack(1) has no option -Q."),
        ("how do I use the --sparkle option of pack", "pack(1) has no option --sparkle."),
        ("pack --extrct a", "pack(1) has no option --extrct. The nearest is --extract."),
        ("unpack -x a", "There is no manual page of unpack here."),
        ("how do I search in nano", "There is no manual page of nano here."),
        ("how do I use unpack to see a list", "There is no manual page of unpack here."),
        (
            "format of /etc/frobnicate.conf",
            "There is no manual page on the format of /etc/frobnicate.conf here.",
        ),
    ],
)
def test_what_is_not_here_is_said(library, question, said):
    answer = library.ask(question)
    assert (answer.no_answer, answer.guidance[0]) == (True, said)
    assert (answer.summary, answer.steps, answer.citations, answer.confidence) == ((), (), (), 0.0)


def test_the_rest_of_a_line_is_explained(library):
    answer = library.ask("sudo pack -Qx a.tgz")
    assert answer.outcome == "partial"
    assert answer.warnings[-1] == "pack(1) has no option -Q."
    assert [command for command, _ in rows(answer)] == ["pack", "-x"]
    assert 0 < answer.confidence < library.explain("pack -x a.tgz").confidence


def test_a_command_that_only_runs_another_is_not_what_is_missing(library):
    absent = "There is no manual page of sudo here."
    assert absent not in library.ask("sudo pack fails and says nothing").guidance
    assert absent in library.ask("how do I use sudo").guidance


def test_notes_on_a_command_without_a_page_are_a_guess(tmp_path):
    shutil.copytree(PAGES, tmp_path / "manual")
    places, note = Places(tmp_path / "data", tmp_path), tmp_path / "caddy.md"
    note.write_text("# Caddy\n\nCaddy binds port 80. Without setcap, permission is denied to guests.\n")
    places.settings_file.write_text("ragman: {confidence_threshold: 0.95}\n")
    with Library.open(places) as opened:
        opened.add(tmp_path / "manual")
        opened.add(note)
        guess = opened.ask("caddy: permission denied binding port 80")
        refused = opened.ask("nano: permission denied binding port 80")
    assert (guess.no_answer, "setcap" in guess.summary[0].text) == (True, True)
    assert (refused.guidance[0], refused.summary) == ("There is no manual page of nano here.", ())


def test_other_sections_and_examples_declare_nothing(library):
    answer = library.explain("pack -w")
    assert answer.guidance[0] == "pack(1) names -w, and does not explain it."


def test_words_for_a_model_are_not_a_step(library):
    answer = library.explain("stop -l")
    assert (answer.steps, answer.dropped, answer.outcome) == ((), 1, "partial")


def test_notes_may_know_what_the_manual_does_not(library, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/servers.md").write_text("# Servers\n\nRestart docker with the red button in room 7.\n")
    library.add(tmp_path / "notes")
    try:
        assert "red button" in render_plain(library.ask("how do I restart docker"))
    finally:
        library.remove_source("notes")


def test_nothing_to_explain(library):
    with pytest.raises(AnswerError):
        library.explain("  ")


def test_a_line_of_a_megabyte(library):
    answer = library.explain("pack -x " + "-v 'a b' " * 120_000)
    assert ("-x", "Take files out of an archive.") in rows(answer)
    assert any(warning.startswith("Only the first") for warning in answer.warnings)


PIECES = [
    "pack",
    "-xzf",
    "seek",
    "-exec",
    ";",
    "|",
    "'",
    '"',
    "$(",
    ")",
    "`",
    "--",
    "-",
    "=",
    "sudo",
    ">",
    "2>&1",
    "&&",
    "if=",
    "%Y",
    "\\",
    "box",
    "open",
    "\0",
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=10))
def test_whatever_is_typed_is_explained_by_quotes_or_refused(library, pieces):
    line = " ".join(pieces)
    answer = library.explain(line)
    assert all(library.text(one.document)[one.start : one.end] == one.quote for one in answer.citations)
    assert answer.no_answer or answer.steps or answer.summary


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what does $? mean", "Expands to the exit status of the last pipeline."),
        ("$#", "Expands to the number of parameters."),
        ("what is ${x:-y} in bash", "Use Default Values."),
        (
            "what does 2>&1 mean",
            "The operator [n]>&word is used similarly to duplicate output file descriptors.",
        ),
        ("what does export do", "Mark names for later commands."),
        ("exit code 1", "A non-zero exit status indicates failure."),
    ],
)
def test_words_of_the_shell_are_explained_by_its_page(library, question, said):
    answer = library.ask(question)
    assert [statement.text for statement in answer.summary] == [said]
    exact(library, answer)


def test_an_exit_code_above_128_is_a_signal(library):
    assert library.ask("exit code 137").summary[1].text.startswith("SIGKILL")


def test_a_page_without_a_name_section_begins_with_its_first_sentence(library):
    assert library.explain("spark -k").summary[0].text == "spark lights the boiler."


def test_an_option_that_the_words_around_a_line_name_comes_first(library):
    answer = library.ask('pack -x -v -f a.tgz - what does the "-f" mean?')
    assert [command for command, _ in rows(answer)] == ["-f a.tgz", "-x", "-v"]
