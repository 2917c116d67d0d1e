"""Templates in a real Chroma: the same choice as by vectors in this process, and no template that is gone."""

import json
import urllib.request

import pytest

from vademecum.core.errors import ConfigError, StoreError
from vademecum.desks.reasoning.in_chroma import COLLECTION
from vademecum.desks.reasoning.library import ReasoningLibrary
from vademecum.desks.reasoning.settings import library_of
from vademecum.providers.registry import open_embedder

PROBLEMS = [
    "which commit broke the build?",
    "prove that root two is irrational",
    "why does the pump fail every winter?",
    "",
]
BASE = "/api/v2/tenants/default_tenant/databases/default_database/collections"

pytestmark = pytest.mark.servers


def call(url, path, body=None, method="POST"):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(  # noqa: S310 - our own server
        f"{url}{BASE}{path}", data, {"Content-Type": "application/json"}, method=method
    )
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - likewise
        return json.loads(reply.read() or b"null")


@pytest.fixture
def chroma(chroma_server):
    if COLLECTION in {made["name"] for made in call(chroma_server, "?limit=1000", method="GET")}:
        call(chroma_server, f"/{COLLECTION}", method="DELETE")
    return chroma_server


def found(library, problem):
    return [(match.id, pytest.approx(match.score, abs=1e-5)) for match in library.search(problem)]


def test_the_choice_is_that_of_vectors_in_this_process(chroma):
    embedder = open_embedder("builtin")
    here = ReasoningLibrary(embedder=embedder, threshold=0.2)
    there = ReasoningLibrary(embedder=embedder, threshold=0.2, chroma_url=chroma)
    assert there.index_templates() == here.index_templates()
    for problem in PROBLEMS:
        assert found(there, problem) == found(here, problem)
    assert not there.search(PROBLEMS[0])[0].is_fallback
    strict = ReasoningLibrary(embedder=embedder, chroma_url=chroma)  # by the threshold of the specification
    assert strict.search("xylophone")[0].is_fallback


def test_the_collection_is_as_specified(chroma, tmp_path):
    template = tmp_path / "follow-the-money.md"
    template.write_text(
        "---\nname: Follow the Money\ndomain: forensics\ndescription: Trace each payment.\n---\n\n## Steps\n\n1. **List** all payments.\n"
    )
    (tmp_path / "other.md").write_text("---\nname: Other\n---\n\n## Steps\n\n1. Wait.\n")
    library = ReasoningLibrary([tmp_path], embedder=open_embedder("builtin"), chroma_url=chroma)
    library.index_templates()
    made = call(chroma, f"/{COLLECTION}", method="GET")
    assert made["configuration_json"]["hnsw"]["space"] == "cosine"
    kept = call(chroma, f"/{made['id']}/get", {"include": ["documents", "metadatas"]})
    assert sorted(kept["ids"]) == ["follow-the-money", "other"]
    at = kept["ids"].index("follow-the-money")
    assert "1. **List** all payments." in kept["documents"][at]
    assert kept["metadatas"][at] == {
        "name": "Follow the Money",
        "domain": "forensics",
        "complexity": "moderate",
        "methodology": "sequential",
        "description": "Trace each payment.",
    }
    (tmp_path / "other.md").unlink()
    library.index_templates()
    assert call(chroma, f"/{made['id']}/get", {})["ids"] == ["follow-the-money"]


def test_a_collection_by_another_distance_is_refused(chroma):
    call(chroma, "", {"name": COLLECTION, "configuration": {"hnsw": {"space": "l2"}}})
    library = ReasoningLibrary(embedder=open_embedder("builtin"), chroma_url=chroma)
    with pytest.raises(StoreError, match="by l2, not by cosine"):
        library.search(PROBLEMS[0])
    call(chroma, f"/{COLLECTION}", method="DELETE")
    assert library.search(PROBLEMS[0])


def test_a_server_that_is_not_there(monkeypatch):
    monkeypatch.setenv("CHROMA_API_KEY", "hunter2")
    library = ReasoningLibrary(embedder=open_embedder("builtin"), chroma_url="http://127.0.0.1:9")
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:9") as caught:
        library.search(PROBLEMS[0])
    assert "hunter2" not in caught.value.message
    assert "reasoning.chroma" in caught.value.hint
    with pytest.raises(ConfigError):
        ReasoningLibrary(embedder=open_embedder("builtin"), chroma_url="somewhere")


def test_the_configuration_names_it(chroma, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "vademecum/reasoning.yaml"
    file.parent.mkdir()
    file.write_text(f"reasoning:\n  chroma: {chroma}\n  embedder: onnx\n  threshold: 0.1\n")
    assert library_of().search(PROBLEMS[0])[0].id
    assert call(chroma, f"/{COLLECTION}", method="GET")["dimension"] == 384
