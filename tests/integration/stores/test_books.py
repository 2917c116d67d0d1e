"""Books in a store: one machine has the folder, others ask, each by its own process."""

import json
import os
from uuid import uuid4

import pytest

from commands import run_command

_QDRANT = os.environ.get("VADEMECUM_TEST_QDRANT_URL", "").partition("?")[0]
PAGES = {
    "intro.md": "# Robots\n\nA robot is a machine that senses, decides and acts.\n",
    "arms.md": "# Arms\n\n## Joints\n\nThe elbow joint of the arm turns by 140 degrees.\n",
}
QUESTIONS = ["What is a robot?", "by how many degrees does the elbow joint turn", "who won the cup in 1954"]


@pytest.fixture(params=["address", "opensearch_address", *(["qdrant"] if _QDRANT else [])])
def store(request):
    if request.param != "qdrant":
        return {"BOOKS_STORE": request.getfixturevalue(request.param)}
    return {"QDRANT_URL": _QDRANT, "QDRANT_COLLECTION_NAME": f"t{uuid4().hex}"}


@pytest.fixture
def machine(tmp_path, store):
    """Makes a machine: what runs `vademecum` at a home of its own."""

    def make(name, **more):
        def run(*arguments):
            own = {**os.environ, **store, **more, "XDG_DATA_HOME": f"{tmp_path}/{name}"}
            return run_command("vademecum", *arguments, env=own)

        return run

    return make


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "robots"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    return folder


def answer(run, question):
    done = run("ask", question, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return found["answer"], found["sources"]


@pytest.mark.servers
@pytest.mark.sampled(1)
def test_one_adds_and_another_asks(machine, folder):
    here, there = machine("here"), machine("there")
    files = machine("files", BOOKS_STORE="", QDRANT_URL="")
    assert (
        here(
            "book", "add", str(folder), "--url", "https://robots.example", "--description", "On robots."
        ).returncode
        == 0
    )
    assert files("book", "add", str(folder), "--url", "https://robots.example").returncode == 0
    assert there("ask", QUESTIONS[0]).returncode != 0
    done = there("book", "attach", "robots")
    assert (done.returncode, done.stderr) == (0, "")
    assert "On robots." in there("book", "list").stdout
    expected = [answer(files, question) for question in QUESTIONS]
    assert "https://robots.example" in json.dumps(expected[0])
    assert [answer(there, question) for question in QUESTIONS] == expected
    assert [answer(here, question) for question in QUESTIONS] == expected

    (folder / "legs.md").write_text("# Legs\n\nThe robot walks on four legs made of titanium.\n")
    assert here("book", "sync").returncode == 0
    assert "titanium" in answer(there, "what are the legs of the robot made of")[0]

    done = there("book", "sync", "robots")
    assert done.returncode != 0
    assert "another library" in done.stderr
    assert there("book", "remove", "robots").returncode == 0  # forgets it, and leaves the store alone
    assert there("book", "attach", "robots").returncode == 0
    assert here("book", "remove", "robots").returncode == 0
    done = there("ask", QUESTIONS[0])
    assert done.returncode != 0
    assert "Nothing of robots has been indexed" in done.stderr


def test_reports_a_store_or_book_that_is_missing(tmp_path, folder):
    def run(*arguments, **more):
        own = {**os.environ, "XDG_DATA_HOME": f"{tmp_path}/home", **more}
        return run_command("vademecum", "book", *arguments, env=own)

    down = {"QDRANT_URL": "http://127.0.0.1:9", "QDRANT_API_KEY": "hunter2"}
    for done, said in (
        (run("attach", "robots"), "no store"),
        (run("attach", "robots", **down), "127.0.0.1:9"),
        (run("attach", "Robots!", **down), "not a valid name for a collection"),
        (run("add", str(folder), **down), "127.0.0.1:9"),
    ):
        assert done.returncode != 0
        assert said in done.stderr
        assert "hunter2" not in done.stderr
    assert json.loads(run("list", "--json", **down).stdout) == {"books": []}
