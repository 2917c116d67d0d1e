"""Collections as other programs leave them, in real servers, asked through `vademecum store use`."""

import json
import socket

import psycopg
import pytest
from qdrant_client import QdrantClient, models

from commands import run_command
from vademecum.ask.rating import search_passages
from vademecum.core.engines import Described, Wanted
from vademecum.core.errors import StoreError, VademecumError
from vademecum.library.collections import Collections
from vademecum.library.internal import InternalLibrary
from vademecum.providers.registry import open_embedder
from vademecum.sources.records import written
from vademecum.stores.chroma.server import records_at
from vademecum.stores.opensearch import OpenSearchEngine
from vademecum.stores.qdrant import QdrantEngine
from vademecum.stores.weaviate import WeaviateEngine

BOILER = "Keep the boiler at a pressure of 1.5 bar. A drop below 1 bar means a leak."
TEXTS = {"boiler": BOILER, **{f"p{at}": f"Quartz number {at} weighs {at} grams." for at in range(40)}}
VECTORS = dict(zip(TEXTS, open_embedder("builtin").embed(list(TEXTS.values())), strict=True))


def url_of(name):
    return f"https://wiki.example/{name}"


def haystack(address):
    """A table as Haystack's document store for pgvector makes it."""
    with psycopg.connect(address, autocommit=True) as server:
        server.execute("CREATE EXTENSION IF NOT EXISTS vector")
        server.execute("DROP TABLE IF EXISTS haystack_documents")
        server.execute(
            "CREATE TABLE haystack_documents (id varchar(128) PRIMARY KEY, embedding vector(256), content text, meta jsonb)"
        )
        for name, text in TEXTS.items():
            meta = json.dumps({"title": name, "url": url_of(name)})
            row = name, str(list(VECTORS[name])), text, meta
            server.execute("INSERT INTO haystack_documents VALUES (%s, %s, %s, %s)", row)
    return f"{address}{'&' if '?' in address else '?'}table=haystack_documents"


def chroma(url):
    """A collection as LangChain leaves it, with the distance l2."""
    address = f"chroma://{url.partition('://')[2]}/langchain"
    server = records_at(address)
    made = server.make("langchain", {"made_by": "langchain"})
    fields = [{"title": name, "source": url_of(name)} for name in TEXTS]
    texts, vectors = list(TEXTS.values()), [list(VECTORS[name]) for name in TEXTS]
    body = {"ids": list(TEXTS), "documents": texts, "metadatas": fields, "embeddings": vectors}
    server.ask(made.id, "upsert", body)
    return address


def weaviate(url):
    address = url.replace("?", "/Article?")
    engine = WeaviateEngine(address)
    with engine._client() as client:
        client.collections.delete("Article")
        made = client.collections.create("Article")
        for name, text in TEXTS.items():
            made.data.insert(
                {"content": text, "title": name, "url": url_of(name)}, vector=list(VECTORS[name])
            )
    engine.close()
    return address


def opensearch(url):
    address = f"{url}/articles"
    server = OpenSearchEngine(address)._client
    server.indices.delete(index="articles", ignore=404)
    server.indices.create(index="articles")
    for name, text in TEXTS.items():
        server.index(index="articles", body={"text": text, "title": name, "url": url_of(name)}, id=name)
    server.indices.refresh(index="articles")
    return address


@pytest.fixture(params=["postgres", "chroma_server", "weaviate_server", "opensearch_server"])
def filled(request):
    """The address of a collection, and the embedder that can be named for it."""
    if request.param != "postgres":
        request.applymarker("servers")
    fill = {"postgres": haystack, "chroma_server": chroma, "weaviate_server": weaviate}.get(
        request.param, opensearch
    )
    embedder = "" if fill is opensearch else "builtin"
    return fill(request.getfixturevalue(request.param)), embedder


def test_a_collection_is_asked_in_the_words_of_its_records(filled):
    address, embedder = filled
    done = run_command("vademecum", "store", "use", address, *(["--embedder", embedder] if embedder else []))
    assert (done.returncode, done.stderr) == (0, "")
    with InternalLibrary.open() as library:
        answer = library.ask("what pressure should the boiler have")
        (citation, *_) = answer.citations
        assert library.text(citation.document)[citation.start : citation.end] == citation.quote
        assert citation.quote in BOILER
        assert answer.references[0].url == url_of("boiler")
        assert library.ask("how long does the ferry take to Skye").no_answer
        hit = library.passages("what pressure should the boiler have")[0]
        if embedder:
            (asked,) = open_embedder("builtin").embed(["what pressure should the boiler have"], "query")
            cosine = sum(one * other for one, other in zip(asked, VECTORS["boiler"], strict=True))
            assert hit.distance == pytest.approx(1 - cosine, abs=1e-4)


def test_a_collection_is_part_of_one_for_chat(postgres):
    assert run_command("vademecum", "store", "use", haystack(postgres), "--into", "team").returncode == 0
    library, question = Collections().get("team").library, "how much does quartz number 17 weigh"
    hits, _ = search_passages(question, [library.corpus(name="team")], 3)
    assert {library.find(question).hits[0].text, hits[0].hit.text} == {TEXTS["p17"]}


def test_a_collection_is_asked_together_with_an_index_in_an_engine(postgres, tmp_path):
    assert run_command("vademecum", "store", "use", haystack(postgres)).returncode == 0
    (tmp_path / "gate.md").write_text("# Gate\n\nThe gate closes at nine in the evening.\n")
    with InternalLibrary.open() as library:
        library.places.settings_file.write_text(f"ragadmin: {{store: '{postgres}&schema=together'}}\n")
    with InternalLibrary.open() as library:
        library.add(tmp_path / "gate.md")
        assert "nine" in library.ask("when does the gate close").summary[0].text
        answer = library.ask("what pressure should the boiler have")
    assert answer.citations[0].quote in BOILER


def test_a_collection_that_is_gone_is_named_and_the_rest_is_asked(postgres, tmp_path):
    address = haystack(postgres)
    assert run_command("vademecum", "store", "use", address).returncode == 0
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute("DROP TABLE haystack_documents")
    with InternalLibrary.open() as library:
        with pytest.raises(StoreError, match="haystack-documents was not searched"):
            library.ask("what pressure should the boiler have")
        (tmp_path / "gate.md").write_text("# Gate\n\nThe gate closes at nine in the evening.\n")
        library.add(tmp_path / "gate.md")
        answer = library.ask("when does the gate close")
    assert "nine" in answer.summary[0].text
    assert "haystack-documents was not searched" in answer.warnings[0]


def test_a_server_that_does_not_answer_is_not_waited_for(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server, InternalLibrary.open() as library:
        address = f"chroma://127.0.0.1:{server.getsockname()[1]}/slow"
        (tmp_path / "slow.records").write_text(written(Described(address, "document")))
        library.add(tmp_path / "slow.records")
        with pytest.raises(StoreError, match="did not answer within"):
            library.ask("what pressure should the boiler have")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--text", "body"], "have no text in body"),
        (["--embedder", "builtin", "--vector", "other"], "other"),
        (["--embedder", "nobody:x"], "nobody"),
    ],
)
def test_a_wrong_description_is_refused(postgres, flags, said):
    done = run_command("vademecum", "store", "use", haystack(postgres), *flags)
    assert done.returncode
    assert said in done.stderr


@pytest.mark.parametrize(
    "address",
    ["qdrant://key@localhost/x", "postgresql://u:secret@localhost/x?table=y", "mysql://localhost/x"],
)
def test_addresses_with_secrets_are_refused_and_not_shown(address):
    done = run_command("vademecum", "store", "use", address)
    assert done.returncode
    assert ("key@" in done.stderr, "secret" in done.stderr) == (False, False)


def test_qdrant_finds_records_as_langchain_leaves_them():
    server = QdrantClient(":memory:")
    server.create_collection(
        "rag_embedding", vectors_config=models.VectorParams(size=256, distance=models.Distance.COSINE)
    )
    points = [
        models.PointStruct(
            id=at,
            vector=list(VECTORS[name]),
            payload={"page_content": text, "metadata": {"source": url_of(name)}},
        )
        for at, (name, text) in enumerate(TEXTS.items())
    ]
    server.upsert("rag_embedding", points)
    engine = QdrantEngine("qdrant://localhost/rag_embedding", client=server)
    described = Described("qdrant://localhost/rag_embedding", "page_content")
    words = [Wanted(("Boiler", "boiler"), 2.0), Wanted(("pressure",), 1.0)]
    (found,) = engine.records(described, words, (), 10)
    assert (found.text("page_content"), found.text("metadata.source")) == (BOILER, url_of("boiler"))
    near = engine.records(described, (), VECTORS["p17"], 3)
    assert max(near, key=lambda record: record.cosine).text("page_content") == TEXTS["p17"]
    with pytest.raises(VademecumError):
        engine.records(described, (), (1.0, 0.0), 3)
