"""Collections on a real Chroma server, which `scripts/services/chroma` installs once, since tests have no network."""

import json
import urllib.request

import pytest

from vademecum.core.errors import CollectionMissing, ProviderError
from vademecum.desks.chat.resources import BuiltinEmbedder

BASE = "/api/v2/tenants/default_tenant/databases/default_database/collections"
COSINE = {"hnsw": {"space": "cosine"}}
TEA = {
    "brewing": "Green tea is brewed at 80 degrees for two minutes.",
    "storing": "Keep tea in a dark tin, away from coffee and spices.",
    "history": "The first tea house of the town was opened by a sailor.",
}

pytestmark = pytest.mark.servers


class Chroma:
    """A server that runs."""

    def __init__(self, url):
        self.url = url
        self._embedder = BuiltinEmbedder()

    def call(self, path, body=None, *, method="POST"):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - our own server
            self.url + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - likewise
            return json.loads(reply.read() or b"null")

    def add(self, name, documents, *, configuration=COSINE, vectors=None, **metadata):
        made = self.call(BASE, {"name": name, "configuration": configuration, "metadata": metadata or None})
        if documents:
            texts = list(documents.values())
            self.call(
                f"{BASE}/{made['id']}/add",
                {
                    "ids": list(documents), "documents": texts, "embeddings": vectors or self._embedder.embed(texts),
                    "metadatas": [{"title": f"On {one}", "url": f"https://tea.example/{one}"} for one in documents],
                },
            )  # fmt: skip


@pytest.fixture(scope="module")
def chroma(chroma_server):
    server = Chroma(chroma_server)
    server.add("tea", TEA, description="All on tea.", prompt="You know tea.", max_tokens=99)
    server.add("defaults", TEA, configuration=None)
    server.add("other-space", TEA, configuration={"hnsw": {"space": "ip"}})
    server.add("other-model", {"a": "x"}, vectors=[[1.0, 0.0, 0.0]])
    server.add("empty", {})
    return server


@pytest.fixture
def put(desk, chroma):
    def make(rule="{match: {rag_result: match}}", **settings):
        service = {
            "type": "chromadb",
            "url": chroma.url,
            "match_threshold": 0.5,
            "embedding": {"model": "builtin"},
        } | settings
        return desk(
            f"rag_services: {json.dumps({'kb': service})}\nresponses: [{rule}, {{static_response: nothing}}]"
        )

    return make


def test_a_question_is_embedded_matched_and_answered(put, ask):
    found = ask(put(), "At how many degrees is green tea brewed?", ["kb/tea"])
    assert TEA["brewing"] in found.response
    assert (found.routing.collection, found.status, found.grounded) == ("tea", "success", True)
    assert 0 < found.routing.distance < 0.5
    assert found.references[0].label == "On brewing"
    assert found.references[0].url == "https://tea.example/brewing"
    assert found.citations[0].citation.quote in TEA["brewing"]


@pytest.mark.parametrize("name", ["tea", "defaults"])
def test_distances_are_cosine_distances(put, way, name):
    question = "At how many degrees is green tea brewed?"
    asked, known = BuiltinEmbedder().embed([question, TEA["brewing"]])
    expected = 1 - sum(a * b for a, b in zip(asked, known, strict=True))
    found = way(put(), question, [f"kb/{name}"]).profile
    assert found.distance == pytest.approx(expected, abs=1e-4)
    assert next(one.id for one in found.context) == "brewing"
    assert len(found.context) == 3


def test_what_a_collection_says_of_itself(put, way):
    found = way(put(), "How is green tea brewed?", ["kb/tea"]).profile
    assert (found.service_prompt, found.service_tokens, found.service_description) == (
        "You know tea.",
        99,
        "All on tea.",
    )


def test_pinned_and_dynamic(put, way):
    assert way(put(collection="tea"), "How is green tea brewed?", ["kb"]).profile.identifier == "kb/tea"
    listed = [
        one.partition("/")[2]
        for one in way(put(query_mode="all", top_k=1), "x", ["kb/empty"]).profile.selected_collections
    ]
    assert listed == ["empty"]
    with pytest.raises(CollectionMissing):
        way(put(), "x", ["kb/nothing-here"])
    for odd in ("../tea", "tea/..", "t", "x" * 600, "te%61", "tea?x=1"):
        with pytest.raises(CollectionMissing):
            way(put(), "x", [f"kb/{odd}"])


def test_an_empty_collection_matches_nothing(put, ask):
    assert ask(put(), "How is green tea brewed?", ["kb/empty"]).response == "nothing"


@pytest.mark.parametrize(
    ("name", "said"), [("other-space", "neither cosine nor l2"), ("other-model", "vectors of 3 numbers")]
)
def test_what_can_not_be_compared_is_refused(put, ask, name, said):
    with pytest.raises(ProviderError, match=said):
        ask(put(), "How is green tea brewed?", [f"kb/{name}"])


def test_everything_is_asked_where_nothing_is_chosen(put, ask):
    with pytest.raises(ProviderError, match="other"):  # the server has collections that cannot be compared
        ask(put(query_mode="all"), "How is green tea brewed?")


def test_whether_it_is_there(put):
    assert put().check() == []
    assert "nothing" in put(collection="nothing-here").check()[0].message
    (missing,) = put(url="http://127.0.0.1:9").check()
    assert missing.part == "service kb"


def test_another_tenant_has_other_collections(put, ask):
    with pytest.raises((CollectionMissing, ProviderError)):
        ask(put(tenant="somebody"), "How?", ["kb/tea"])
