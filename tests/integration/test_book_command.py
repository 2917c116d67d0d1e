"""`vademecum book` and `vademecum ask` as a person types them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from commands import run_command
from shared import environment

BIN = Path(sys.executable).parent
QUESTION = "How often do I turn the red key to start the engine?"


@pytest.fixture
def home(tmp_path):
    return environment(tmp_path)


@pytest.fixture
def folder(tmp_path):
    return engines(tmp_path)


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    place = tmp_path_factory.mktemp("ready")
    home = environment(place)
    assert vademecum(home, "book", "add", engines(place)).returncode == 0
    return home


def engines(place):
    place /= "engines"
    place.mkdir()
    (place / "start.md").write_text("# Start\n\nTurn the red key twice to start the engine.\n")
    (place / "stop.md").write_text("# Stop\n\nPull the blue lever to stop the engine.\n")
    return place


def vademecum(home, *arguments, given=""):
    return run_command("vademecum", *map(str, arguments), env=home, given=given.encode())


def test_a_book_from_beginning_to_end(home, folder):
    none = vademecum(home, "ask", QUESTION)
    assert (none.returncode, "vademecum book add PATH" in none.stderr) == (4, True)
    added = vademecum(home, "book", "add", folder, "--url", "https://x.org/b")
    assert (added.returncode, added.stdout) == (
        0,
        "engines: 2 pages, 2 passages (2 added, 0 changed, 0 removed)\n",
    )
    asked = vademecum(home, "ask", QUESTION)
    assert asked.returncode == 0
    assert "Turn the red key twice to start the engine. [1]" in asked.stdout
    assert "[1] Start\n    https://x.org/b/start#start" in asked.stdout
    listed = json.loads(vademecum(home, "book", "list", "--json").stdout)
    assert [(one["name"], one["documents"]) for one in listed["books"]] == [("engines", 2)]
    (folder / "stop.md").unlink()
    synced = json.loads(vademecum(home, "book", "sync", "--json").stdout)
    assert synced["books"][0]["removed"] == 1
    assert vademecum(home, "book", "remove", folder).returncode == 0
    assert "No books" in vademecum(home, "book", "list").stdout
    assert (folder / "start.md").exists()


def test_the_installed_command_starts(ready):
    done = subprocess.run([BIN / "vademecum", "ask", QUESTION], env=ready, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Turn the red key twice to start the engine. [1]" in done.stdout


def test_asking_as_a_program(ready):
    asked = vademecum(ready, "ask", "--json", "--explain", "-", given=QUESTION)
    data = json.loads(asked.stdout)
    assert data["status"] == "success"
    assert data["sources"][0]["reference"] == "start.md"
    assert [step["name"] for step in data["trace"]["steps"]][:2] == ["analyse", "retrieve"]
    selected = vademecum(
        ready, "ask", "--json", "--selected", "Pull the blue lever to stop the engine.", QUESTION
    )
    assert json.loads(selected.stdout)["mode"] == "selected-text"
    empty = vademecum(ready, "ask", "--selected", " ", QUESTION)
    assert (empty.returncode, "--selected" in empty.stderr) == (2, True)
    refused = vademecum(ready, "ask", "Which wine goes with venison?")
    assert refused.returncode == 0
    assert refused.stdout.startswith(
        "No relevant information found for your query.\n\nNo document mentions “wine”, "
    )
    assert refused.stdout.endswith("See also: Start (engines), Stop (engines)\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("ask", " "), 2, "blank"),
        (("ask", "--k", "11", "hello"), 2, "from 1 to 10"),
        (("ask", "--book", "nothing", "hello"), 1, "Collection nothing not found"),
        (("ask", "--book", "../x", "hello"), 2, "not a valid name for a collection"),
        (("ask", "--require-model", "hello"), 1, "none is configured"),
        (("ask", "--model", "nobody:x", "hello"), 2, "no provider named nobody"),
        (("book", "add", "/nothing/here"), 1, "no file or folder"),
        (("book", "remove", "nothing"), 1, "Collection nothing not found"),
        (("book", "sync", "nothing"), 1, "Collection nothing not found"),
        (("eval", "book", "--questions", "/nothing"), 2, "No book"),
        (("book", "add"), 2, "PATH"),
    ],
)
def test_reports_errors_without_a_traceback(ready, arguments, code, said):
    done = vademecum(ready, *arguments)
    assert done.returncode == code
    assert said in done.stderr


def test_the_evaluation_prints_its_figures(home, folder, tmp_path):
    questions = tmp_path / "q.jsonl"
    questions.write_text(
        json.dumps(
            {
                "question": QUESTION,
                "gold_files": ["start.md"],
                "gold_phrase": "Turn the red key twice",
                "answerable": True,
            }
        )
        + '\n{"question": "which wine goes with venison", "answerable": false}\n'
    )
    done = vademecum(
        home, "eval", "book", "--questions", questions, "--book", folder, "--json", "--bootstrap", "0"
    )
    figures = json.loads(done.stdout)
    assert (figures["n"], figures["passage_at_5"], figures["citation_exact"]) == (2, 1.0, 1.0)
    expected = {
        "passage_at_1", "passage_at_5", "passage_at_30", "ndcg_at_10", "file_at_5", "answer_has_phrase", "lead_has_phrase", "auroc", "ece",
        "coverage_at_5pct_error", "false_answer_rate", "false_refusal_rate", "citation_exact", "latency_ms",
    }  # fmt: skip
    assert expected <= set(figures)
    shown = vademecum(home, "eval", "book", "--questions", questions, "--book", folder, "--bootstrap", "0")
    assert "right passage in five" in shown.stdout


def test_embedding(home, folder):
    home = {name: value for name, value in home.items() if name != "VADEMECUM_EMBEDDING"}
    added = vademecum(home, "book", "add", folder)
    first, *said = added.stdout.splitlines()
    assert first.startswith("engines: 2 pages")
    assert all(line.startswith("The transformer is embedding") for line in said)
    waited = vademecum(home, "book", "embed")
    assert (waited.returncode, waited.stdout) == (0, "The transformer has embedded 2 of 2 passages.\n")
    listed = json.loads(vademecum(home, "book", "list", "--json").stdout)
    assert listed["books"][0]["embedded"] == {"passages": 2, "total": 2}
    again = vademecum(home, "book", "embed", "engines", "--json").stdout
    assert json.loads(again) == {"passages": 2, "total": 2}
    said = vademecum(home, "ask", QUESTION, "--book", "engines", "--explain", "--json").stdout
    assert '"by_transformer": true' in said
    assert "red key" in json.loads(said)["answer"]
    unknown = vademecum(home, "book", "embed", "nothing")
    assert (unknown.returncode, "nothing" in unknown.stderr) == (1, True)


def test_how_far_the_transformer_is_and_that_it_has_nothing_to_read(home, folder):
    vademecum(home, "book", "add", folder)
    listed = vademecum({**home, "VADEMECUM_EMBEDDING": "on"}, "book", "list").stdout
    assert "in the background: 0 of 2 passages so far" in listed
    assert "background" not in vademecum(home, "book", "list").stdout
    (folder / "start.md").unlink()
    (folder / "stop.md").write_text("")
    vademecum(home, "book", "sync")
    assert "There are no books, notes or archives to embed" in vademecum(home, "book", "embed").stdout
