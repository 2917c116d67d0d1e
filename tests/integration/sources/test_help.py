"""What programs print for `--help`: its structure, the source, and the programs that are run for it."""

import os

import pytest

from vademecum import Library
from vademecum.core.errors import SourceError
from vademecum.library.help_texts import drop_help, keep_help
from vademecum.sources.help import HelpSource
from vademecum.sources.help.layout import read_help
from vademecum.testing import broken_promises

TOOL = """\
\x1b[1mUsage:\x1b[0m frob [OPTION]... FILE
       frob --list
Frobnicate FILEs, one after another.

Mandatory arguments are mandatory.

Options:
  -a, --all                  frobnicate all files, also those
                               that are hidden
      --color[=WHEN]         colour the output
  -q                         print nothing

      --output <FILE>
          Write to FILE instead of standard output

          [default: out.txt]

Commands:
  build, b    Build the thing
  clean       Remove what was built

Examples:
  frob -a x.txt
  frob build

See the manual for more.
"""


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A folder of programs, by name, which is first on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def make(name, script):
        place = folder / name
        place.write_text(f"#!/bin/sh\n{script}\n")
        place.chmod(0o755)

    return make


@pytest.fixture
def library(tmp_path):
    with Library.open(tmp_path / "library") as library:
        yield library


@pytest.fixture
def short_time(monkeypatch):
    monkeypatch.setattr("vademecum.library.help_texts._TIME_LIMIT_S", 0.5)


def text_of(library, reference):
    (entry,) = [entry for entry in library.documents() if entry.reference == reference]
    return library.document(entry.id).text


def shape(text):
    found = read_help(text)
    return [
        (block.kind, found.text[block.start : block.end])
        if block.kind != "item"
        else (block.kind, found.text[block.start : block.tag_end], found.text[block.tag_end + 1 : block.end])
        for block in found.blocks
    ]


def test_a_help_text():
    assert shape(TOOL) == [
        ("code", "Usage: frob [OPTION]... FILE\n       frob --list"),
        ("paragraph", "Frobnicate FILEs, one after another."),
        ("paragraph", "Mandatory arguments are mandatory."),
        ("heading", "Options"),
        ("item", "-a, --all", "frobnicate all files, also those that are hidden"),
        ("item", "--color[=WHEN]", "colour the output"),
        ("item", "-q", "print nothing"),
        ("item", "--output <FILE>", "Write to FILE instead of standard output"),
        ("paragraph", "[default: out.txt]"),
        ("heading", "Commands"),
        ("item", "build, b", "Build the thing"),
        ("item", "clean", "Remove what was built"),
        ("heading", "Examples"),
        ("code", "frob -a x.txt\nfrob build"),
        ("paragraph", "See the manual for more."),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tool\n\nOptions:\n-b     first\n-B     second\n", [("-b", "first"), ("-B", "second")]),
        ("usage: t [-h]\n\noptions:\n -d, --data <x>   HTTP data\n", [("-d, --data <x>", "HTTP data")]),
        ("Usage: t\n -d, --data <x>   HTTP data\n", [("-d, --data <x>", "HTTP data")]),
        ("Options:\n\t-x\tthe x\n\t-y\tthe y\n", [("-x", "the x"), ("-y", "the y")]),
        ("A:\n  -l\n      --long   both\n", [("-l\n--long", "both")]),
        ("A:\n  FILE\n      the file to read\n", [("FILE", "the file to read")]),
    ],
    ids=["at the margin", "argparse", "below the usage", "tabs", "a tag of two lines", "an argument"],
)
def test_options(text, expected):
    assert [tuple(item[1:]) for item in shape(text) if item[0] == "item"] == expected


def test_the_source_keeps_its_promises(tmp_path):
    (tmp_path / "frob.help").write_text(TOOL)
    (tmp_path / "frob build.help").write_text("Build.\n\nOptions:\n  -j N   jobs 😀\n")
    (tmp_path / "other.txt").write_text("not a help text")
    source = HelpSource(tmp_path, "help")
    assert broken_promises(source) == []
    documents = list(source.read(list(source.scan())))
    assert [(document.reference, document.title) for document in documents] == [
        ("frob-build(help)", "frob build --help"),
        ("frob(help)", "frob --help"),
    ]
    assert documents[1].summary == "Frobnicate FILEs, one after another."


def test_an_empty_file_and_one_that_leads_out(tmp_path):
    folder = tmp_path / "help"
    folder.mkdir()
    (folder / "empty.help").write_text("\n")
    (tmp_path / "secret").write_text(TOOL)
    (folder / "out.help").symlink_to(tmp_path / "secret")
    source = HelpSource(folder, "help")
    assert [found.fault for found in source.read(list(source.scan()))] == ["no-text", "unreadable"]


def test_a_program_is_kept_asked_refreshed_and_dropped(library, programs):
    programs("frob", f"cat <<'EOF'\n{TOOL}EOF")
    entry = keep_help(library, "frob")
    assert (entry.alias, entry.type, entry.status) == ("help", "help", "pending")
    library.reindex()
    answer = library.ask("frobnicate all files, also those that are hidden").to_markdown()
    assert "-a, --all: frobnicate all files, also those that are hidden" in answer
    assert "help: [1] frob --help" in answer

    programs(
        "frob", "echo 'Frobnicate files.'; echo; echo 'Options:'; echo '  -z, --zap   zap the disk first'"
    )
    library.reindex()
    assert text_of(library, "frob(help)").startswith("Usage: frob")  # not run again
    keep_help(library, "frob")
    library.reindex()
    assert "zap the disk" in text_of(library, "frob(help)")

    programs("other", "echo 'Other program.'; echo 'It does nothing.'")
    keep_help(library, "other")
    assert drop_help(library, "frob").alias == "help"
    assert [entry.alias for entry in library.sources()] == ["help"]
    drop_help(library, "other")
    assert library.sources() == []


def test_a_sub_command_and_a_program_that_knows_no_help(library, programs):
    programs("frob", 'echo "Help of $1 with $2."; echo "It was printed in $(pwd)."')
    keep_help(library, "frob build")
    assert {path.name for path in (library.places.data / "help").iterdir()} == {
        "frob.help",
        "frob build.help",
    }
    programs("old", "echo 'old: unknown option --help' >&2; echo 'usage: old file' >&2; exit 64")
    keep_help(library, "old")
    library.reindex()
    assert "Help of build with --help." in text_of(library, "frob-build(help)")
    assert "usage: old file" in text_of(library, "old(help)")


@pytest.mark.parametrize(
    ("command", "script", "said"),
    [
        ("nowhere", "", "There is no program 'nowhere' on the PATH."),
        ("frob; reboot", "", "'frob; reboot' is not the name of a program."),
        ("../frob", "", "'../frob' is not the name of a program."),
        ("frob --delete", "", "'frob --delete' is not the name of a program."),
        ("", "", "'' is not the name of a program."),
        ("frob", "echo failed >&2; exit 1", "frob --help printed no help, only: failed."),
        ("frob", "true", "frob --help printed nothing."),
        ("frob", "yes", "frob --help printed more than 1 MB."),
        ("frob", "sleep 60", "frob --help did not end within 0.5 seconds."),
    ],
    ids=[
        "not installed", "a shell command", "a path", "an option", "nothing", "fails", "is silent", "floods", "hangs",
    ],
)  # fmt: skip
@pytest.mark.usefixtures("short_time")
def test_what_cannot_be_kept(library, programs, command, script, said):
    if script:
        programs("frob", script)
    with pytest.raises(SourceError) as raised:
        keep_help(library, command)
    assert raised.value.message == said
    assert raised.value.hint
    assert library.sources() == []


def test_one_file_is_a_source_and_command_lines_are_explained_from_it(library, tmp_path):
    (tmp_path / "frob.help").write_text(TOOL)
    entry = library.add_source(tmp_path / "frob.help")
    assert (entry.type, entry.status) == ("help", "pending")
    assert library.reindex().documents == 1
    explained = library.explain("frob -a -q x.txt").to_markdown()
    assert "frobnicate all files" in explained
    assert "print nothing" in explained


def test_what_is_not_kept_cannot_be_dropped(library):
    with pytest.raises(SourceError, match="The output of frob --help is not kept"):
        drop_help(library, "frob")
