"""`ragadmin init --backend weaviate+ollama`, from nothing to an answer: a real Weaviate, and a server that speaks Ollama's protocol."""

import json
import os
from pathlib import Path
from zlib import crc32

import pytest

from shared import run_process
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer

MANUAL = Path(__file__).parents[2] / "data" / "manual"
TAGS = answer({"models": [{"name": "gemma3:1b"}, {"name": "embeddinggemma:latest", "digest": "abc"}]})

pytestmark = pytest.mark.servers


def vector(text):
    """Words, by chance of their checksums, in 64 dimensions."""
    numbers = [0.01] * 64
    for word in text.lower().split():
        numbers[crc32(word.strip(".,?").encode()) % 64] += 1.0
    return numbers


@pytest.fixture
def ollama():
    """A server that has both models; what it is asked is kept."""

    def reply(visit, request):
        if request.path.endswith("/embed"):
            visit.send(answer({"embeddings": [vector(text) for text in request.json["input"]]}))
        elif request.path.endswith("/tags"):
            visit.send(TAGS)
        else:
            visit.send(answer({"error": "not asked for here"}, 404))

    with ScriptedServer(reply) as server:
        yield server


@pytest.fixture
def run(tmp_path, ollama):
    """Runs a command at a home of its own, whose only source is the manual of the tests."""

    def call(*command, **more):
        environment = {
            **os.environ, "XDG_DATA_HOME": f"{tmp_path}/data", "XDG_CONFIG_HOME": f"{tmp_path}/config",
            "OLLAMA_HOST": ollama.url, **more,
        }  # fmt: skip
        module, *arguments = command
        return run_process(module, *arguments, env=environment)

    catalog = tmp_path / "data/ragcli/catalog.json"
    catalog.parent.mkdir(parents=True)
    catalog.write_text(json.dumps({"format": 2, "generation": 0, "sources": []}))
    assert call("ragadmin", "sources", "add", str(MANUAL), "--type", "man").returncode == 0
    return call


def test_from_nothing_to_an_answer(run, weaviate_address, tmp_path, ollama):
    done = run("ragadmin", "init", "--backend", "weaviate+ollama", "--store", weaviate_address)
    assert done.returncode == 0, done.stderr  # under load it may have to wait for a server
    for part in (
        "ragadmin.store",
        "ragadmin.embedder: ollama:embeddinggemma:latest",
        "ragman.model: ollama:gemma3:1b",
    ):
        assert f"found  {part}" in done.stdout
    done = run("ragadmin", "reindex")
    assert (done.returncode, done.stderr) == (0, "")
    assert "generation 1" in done.stdout
    done = run("ragman", "--no-model", "--json", "How do I change file permissions?")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["citations"]
    texts = [
        text
        for request in ollama.requests
        if request.path.endswith("/embed")
        for text in request.json["input"]
    ]
    assert any("change file permissions" in text and text.startswith("task: search result") for text in texts)
    done = run("ragadmin", "health", "--json")
    found = {one["component"]: one["severity"] for one in json.loads(done.stdout)["components"]}
    assert found["ragadmin.store"] == found["ragadmin.embedder"] == found["index_freshness"] == "pass"
    assert run("ragadmin", "init", "--backend", "builtin").returncode == 0  # it is ours, whatever its store
    assert "weaviate" in (tmp_path / "config/ragcli/config.yaml.before").read_text()


@pytest.mark.nightly
def test_a_model_that_is_gone_is_named(run, weaviate_address):
    run("ragadmin", "init", "--backend", "weaviate+ollama", "--store", weaviate_address)
    assert run("ragadmin", "reindex").returncode == 0
    done = run("ragman", "--no-model", "How do I change file permissions?", OLLAMA_HOST="http://127.0.0.1:9")
    assert done.returncode not in {0, 2}
    assert "127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr
    done = run("ragadmin", "reindex", "--full", OLLAMA_HOST="http://127.0.0.1:9")
    assert done.returncode not in {0, 2}
    assert "Traceback" not in done.stderr
    assert run("ragman", "--no-model", "How do I change file permissions?").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--backend", "weaviate+ollama", "--store", "qdrant://h/x"), "not one of weaviate"),
        (("--backend", "ollama", "--store", "qdrant://h/x"), "not one of a store"),
        (("--backend", "weaviate", "--store", "weaviate://h/x\n# y"), "not one of weaviate"),
        (("--backend", "weaviate", "--store", "weaviate://hunter2@h/a/b"), "cannot be read"),
    ],
)
def test_an_address_that_is_not_of_its_store(run, arguments, said):
    done = run("ragadmin", "init", *arguments)
    assert done.returncode != 0
    assert said in done.stderr
    assert "hunter2" not in done.stderr
    assert "Traceback" not in done.stderr
