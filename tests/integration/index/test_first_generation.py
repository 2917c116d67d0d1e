"""The first index of many pages: a part of it answers while the rest is read, and an interrupted run goes on."""

import signal
import subprocess

import pytest

from shared import environment, library_in, places_in, process_of, run_process, wait_until
from vademecum.core.errors import IndexStale
from vademecum.index.generations import Generations
from vademecum.index.recovery import standing
from vademecum.index.update import writing

QUESTION = "How do I change file permissions?"
PAGES = 900
CHMOD = (
    ".TH CHMOD 1\n.SH NAME\nchmod \\- change file mode bits\n.SH SYNOPSIS\nchmod MODE FILE\n"
    ".SH DESCRIPTION\nchmod changes the permissions of each given file according to MODE.\n"
)

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture
def home(tmp_path):
    """A person whose only source has many pages, most of which nobody asks for."""
    pages = tmp_path / "man/man1"
    pages.mkdir(parents=True)
    for number in range(1, PAGES):
        text = f".TH BROOK 1\n.SH NAME\nbrook-{number} \\- measure brook {number}\n.SH DESCRIPTION\nIt is deep.\n"
        (pages / f"brook-{number}.1").write_text(text)
    (pages / "chmod.1").write_text(CHMOD)
    with library_in(tmp_path) as library:
        for entry in library.sources():
            library.remove_source(entry.alias)
        library.add_source(tmp_path / "man", type="man")
    return tmp_path


def generations_of(home):
    return Generations(places_in(home).index_folder)


def test_a_part_answers_while_the_rest_is_read(home):
    seen = []

    def look(_progress):
        if not seen and standing(generations_of(home)):
            with library_in(home) as reader:
                seen.append((standing(generations_of(home)), reader.ask(QUESTION), reader.stale()))
                named = reader.ask("What does brook-899 do?")
                assert (named.no_answer, named.references[0].document_ref) == (False, "brook-899(1)")
                with pytest.raises(IndexStale):
                    reader.ask(QUESTION, strict=True)

    with library_in(home) as library:
        report = library.reindex(on_progress=look)
        (manifest, answer, stale), (whole,) = seen[0], library.sources()
        (entry,) = manifest.sources
        assert 400 <= entry.documents == manifest.documents < PAGES
        assert entry.documents + entry.unread == PAGES
        assert answer.references[0].document_ref == "chmod(1)"
        assert f"{entry.documents:,} of {PAGES:,}" in answer.warnings[0]
        assert len(stale) == 1
        assert (report.documents, report.added, whole.documents, whole.unread) == (PAGES, PAGES, PAGES, 0)
        assert (library.stale(), library.ask(QUESTION).warnings) == ((), ())
        assert not library.reindex().published


def test_sources_that_are_still_to_be_read_are_not_lost_with_the_catalog(home):
    (home / "notes").mkdir()
    (home / "notes/well.md").write_text("# The well\n\nThe well is nine metres deep.\n")

    def lose(_progress):
        if not standing(generations_of(home)):
            places_in(home).catalog_file.unlink(missing_ok=True)

    with library_in(home) as library:
        library.add_source(home / "notes")
        library.reindex(on_progress=lose)
        assert library.reindex().removed == 0
        assert [(entry.alias, entry.status) for entry in library.sources()] == [
            ("man", "active"),
            ("notes", "active"),
        ]
        assert "nine metres" in str(library.ask("How deep is the well?"))


def test_a_page_that_changes_meanwhile_is_read_again(home):
    def change(_progress):
        if standing(generations_of(home)):
            (home / "man/man1/chmod.1").write_text(CHMOD.replace("change file mode", "alter file mode"))

    with library_in(home) as library:
        library.reindex(on_progress=change)
        library.reindex()
        assert "alter file mode" in str(library.ask(QUESTION))
        assert not library.reindex().published


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_keeps_its_part_and_the_next_goes_on(home, number):
    command = [*process_of("ragadmin"), "reindex"]
    process = subprocess.Popen(command, env=environment(home), stderr=subprocess.DEVNULL)
    wait_until(lambda: standing(generations_of(home)))
    process.send_signal(number)
    process.wait()
    with library_in(home) as library:
        held = standing(generations_of(home)).documents
        assert library.ask(QUESTION).references[0].document_ref == "chmod(1)"
        report = library.reindex()
        assert (report.documents, report.unchanged, report.added) == (PAGES, held, PAGES - held)
    segments = places_in(home).index_folder / "segments"
    assert len(standing(generations_of(home)).segments) == len(list(segments.iterdir()))


def test_the_command_leaves_the_rest_to_the_background(home):
    done = run_process("ragadmin", "reindex", "--background", env=environment(home))
    assert (done.returncode, done.stderr) == (0, "")
    assert "ragadmin health" in done.stdout
    answer = run_process("ragman", "--no-service", "--plain", QUESTION, env=environment(home))
    assert "chmod" in answer.stdout
    wait_until(lambda: standing(generations_of(home)).documents == PAGES)
    with library_in(home) as library:
        wait_until(lambda: not library.sources()[0].unread)
    with writing(generations_of(home)):
        busy = run_process("ragadmin", "reindex", "--background", env=environment(home))
        assert (busy.returncode, busy.stdout) == (0, done.stdout.splitlines(keepends=True)[-1])
    again = run_process("ragadmin", "reindex", "--background", env=environment(home))
    assert (again.returncode, "nothing has changed" in again.stdout) == (0, True)
    arguments = "reindex", "--background", "--dry-run"
    assert run_process("ragadmin", *arguments, env=environment(home)).returncode == 2
    (home / "man").rename(home / "gone")
    failed = run_process("ragadmin", "reindex", "--background", "--full", env=environment(home))
    assert (failed.returncode, "background" in failed.stdout) == (1, False)
