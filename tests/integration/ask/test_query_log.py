"""The query log: off unless asked for, and then a line a question; an answer never depends on it."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum import CatalogEntry, Library, Places
from vademecum.index.catalog.catalog import Catalog

MANUAL = Path(__file__).parents[2] / "data" / "manual"
QUESTION = "How do I change file permissions?"
FIELDS = ["timestamp", "question", "summary", "sources", "latency_ms", "confidence", "no_answer", "trace_id"]

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("asked")
    places = Places(folder / "data", folder / "config")
    with Catalog(places.catalog_file).changing() as entries:
        entries[:] = [CatalogEntry("manual", "man", str(MANUAL))]
    library = Library.open(places)
    assert library.reindex().documents == 4
    return library


@pytest.fixture
def logging(library):
    """The same library with the log on, and the log empty."""
    places = library.places
    places.config.mkdir(exist_ok=True)
    places.settings_file.write_text("ragman: {query_log: true, confidence_threshold: 0}\n")
    library.refresh()
    yield library
    places.settings_file.unlink()
    if places.query_log.is_dir():
        places.query_log.rmdir()
    places.query_log.unlink(missing_ok=True)
    library.refresh()


def lines(library):
    return [json.loads(line) for line in library.places.query_log.read_text(encoding="ascii").splitlines()]


def test_it_is_off_by_default(library):
    assert library.ask(QUESTION).references
    assert not library.places.query_log.exists()


def test_what_it_keeps(logging):
    answer = logging.ask(QUESTION)
    assert answer.citations
    (line,) = lines(logging)
    assert list(line) == FIELDS
    assert line["question"] == QUESTION
    assert line["summary"].startswith(answer.summary[0].text)
    assert line["sources"]
    assert set(line["sources"]) == {f"manual:{one.document_ref}" for one in answer.citations}
    assert 0 < line["latency_ms"] < 60_000
    assert line["confidence"] == round(answer.confidence, 4)
    assert line["no_answer"] is False
    assert line["trace_id"] == answer.trace.id
    assert stat.S_IMODE(logging.places.query_log.stat().st_mode) == 0o600


def test_a_refusal_is_logged_too(logging):
    logging.places.settings_file.write_text("ragman: {query_log: true, confidence_threshold: 1}\n")
    os.utime(logging.places.settings_file, ns=(1, 1))
    logging.refresh()
    assert logging.ask("Who won the football match yesterday?").no_answer
    (line,) = lines(logging)
    assert (line["no_answer"], line["sources"], line["summary"]) == (True, [], "")


@pytest.mark.parametrize(
    "odd", ["a\nb\x1b[2J\u202e", "\ud800 chmod", "chmod " * 3000, '"}\n{"question": "x"}']
)
def test_no_question_breaks_its_line(logging, odd):
    logging.ask(odd + " change file permissions")
    logging.ask(QUESTION)
    first, second = lines(logging)
    assert len(first["question"]) < 4100
    assert second["question"] == QUESTION
    assert first["trace_id"] != second["trace_id"]


def test_a_log_that_can_not_be_written_is_a_warning_of_the_answer(logging):
    logging.places.query_log.mkdir()
    answer = logging.ask(QUESTION)
    assert answer.references
    assert [said for said in answer.warnings if "query log" in said] == [
        f"The query log {logging.places.query_log} cannot be written: Is a directory."
    ]


def test_nothing_is_loaded_for_it_when_it_is_off(library):
    code = (
        "import sys; from pathlib import Path; from vademecum import Library, Places;"
        "library = Library.open(Places(Path(sys.argv[1]), Path(sys.argv[2])));"
        "assert library.ask(sys.argv[3]).references;"
        "print([name for name in sys.modules if name.rpartition('.')[2] in"
        " {'query_log', 'appending', 'audit', 'health', 'integrity', 'probing'}])"
    )
    command = [sys.executable, "-c", code, library.places.data, library.places.config, QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
