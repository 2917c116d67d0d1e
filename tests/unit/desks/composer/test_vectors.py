"""The `.ai-cache`: looked up as specified, never trusted, and never in the way."""

import json
import struct
from datetime import timedelta
from math import sqrt

import pytest

from vademecum.core.errors import ProviderError
from vademecum.desks.composer.search.search import search
from vademecum.desks.composer.search.vectors import VectorCache, cache_stats, clear_cache
from vademecum.desks.composer.settings import CacheSettings, OllamaSettings, OpenAISettings
from vademecum.providers.builtin import WordTable
from vademecum.testing.scripted import ScriptedServer, answer
from vademecum.text.words import terms

TEXTS = [("a.yml", "a cloud image"), ("b.yml", "an edge image"), ("c.yml", "a desktop")]


def vector_of(text):
    values = [float(len(text)), float(sum(map(ord, text)) % 97), 3.0, 1.0]
    length = sqrt(sum(value * value for value in values))
    return [value / length for value in values]


NOMIC, TABLE = "nomic-embed-text", WordTable()


class Maker:
    """Embeds, and remembers what it was asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        self.asked += texts
        return [vector_of(text) for text in texts]


def cache(folder, **more):
    return VectorCache(folder, **({"model_id": "m", "stamp": "m 4", "dimensions": 4} | more))


def index_of(folder):
    return json.loads((folder / "embeddings/index.json").read_text())


def test_embeds_each_text_once(tmp_path):
    make = Maker()
    first = cache(tmp_path).look_up(TEXTS, make)
    assert (first.hits, first.misses, first.notes) == (0, 3, ())
    assert make.asked == [text for _, text in TEXTS]
    again = cache(tmp_path).look_up(TEXTS, make)
    assert (again.hits, again.misses, again.notes) == (3, 0, ())
    assert len(make.asked) == 3
    for vector, (_, text) in zip(again.vectors, TEXTS, strict=True):
        assert list(vector) == pytest.approx(vector_of(text))
    more = cache(tmp_path).look_up([*TEXTS, ("d.yml", "just added")], make)
    assert (more.hits, more.misses) == (3, 1)
    assert make.asked[3:] == ["just added"]


def test_the_files_are_as_specified(tmp_path):
    cache(tmp_path).look_up(TEXTS, Maker())
    index = index_of(tmp_path)
    assert (index["model_id"], index["dimensions"]) == ("m", 4)
    assert index["created_at"].endswith("Z")
    assert {one["template"] for one in index["entries"].values()} == {"a.yml", "b.yml", "c.yml"}
    for key, entry in index["entries"].items():
        assert len(key) == 16
        assert entry["content_hash"].startswith(key)
        assert entry["updated_at"]
        raw = (tmp_path / "embeddings/vectors" / f"{key}.bin").read_bytes()
        assert len(struct.unpack("<4f", raw)) == 4
    assert [one.name for one in (tmp_path / "embeddings").rglob("*.new")] == []


def test_a_changed_text_is_embedded_again_and_the_old_vector_goes(tmp_path):
    cache(tmp_path).look_up(TEXTS, Maker())
    make = Maker()
    changed = [("a.yml", "another text"), *TEXTS[1:]]
    assert cache(tmp_path).look_up(changed, make).misses == 1
    assert make.asked == ["another text"]
    vectors = tmp_path / "embeddings/vectors"
    assert len(list(vectors.iterdir())) == len(index_of(tmp_path)["entries"]) == 3
    cache(tmp_path).look_up(changed[:1], make)
    (left,) = vectors.iterdir()
    left.unlink()
    assert cache(tmp_path).look_up(changed[:1], make).misses == 1


def test_the_name_of_a_template_is_in_its_text(ours):
    """So a renamed file is embedded again, as its name is part of what is searched."""
    for entry in ours.templates:
        assert entry.indexed.text.startswith(f"Template: {entry.name}\n")


@pytest.mark.parametrize("other", [{"model_id": "n", "stamp": "n 4"}, {"dimensions": 8, "stamp": "m 8"}])
def test_another_model_empties_the_cache(other, tmp_path):
    cache(tmp_path).look_up(TEXTS, Maker())
    make = Maker()
    looked = cache(tmp_path, **other).look_up(
        TEXTS[:2], lambda texts: [[1.0] + [0.0] * 7 for _ in make(texts)]
    )
    assert (looked.hits, looked.misses) == (0, 2)
    assert "another model" in looked.notes[0]
    assert len(list((tmp_path / "embeddings/vectors").iterdir())) == 2


def test_another_prefix_finds_nothing(tmp_path):
    cache(tmp_path).look_up(TEXTS, Maker())
    assert cache(tmp_path, stamp="m 4 search_document:").look_up(TEXTS, Maker()).misses == 3


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:-3],
        lambda _raw: b"",
        lambda raw: raw * 2,
        lambda raw: struct.pack("<4f", float("nan"), 0, 0, 0) + raw[16:],
        lambda raw: struct.pack("<4f", 1e30, 1e30, 0, 0) + raw[16:],
        lambda raw: bytes(len(raw) - 1) + b"\x42",
    ],
    ids=["cut", "empty", "doubled", "nan", "huge", "no-unit"],
)
def test_a_damaged_vector_is_made_again_and_named(damage, tmp_path):
    cache(tmp_path).look_up(TEXTS, Maker())
    file = min((tmp_path / "embeddings/vectors").iterdir())
    file.write_bytes(damage(file.read_bytes()))
    assert cache_stats(tmp_path).problems == ("1 vectors are damaged or missing.",)
    looked = cache(tmp_path).look_up(TEXTS, Maker())
    assert (looked.hits, looked.misses) == (2, 1)
    assert file.stem in looked.notes[0]
    assert cache(tmp_path).look_up(TEXTS, Maker()).hits == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "[" * 9999,
        '{"model_id": "m", "dimensions": 4, "entries": {"../../x": {}}}',
        '{"model_id": "m", "dimensions": -4, "entries": {}}',
        '{"model_id": "m", "dimensions": true, "entries": {}}',
        '{"model_id": 3, "dimensions": 4, "entries": {}}',
        '{"model_id": "m", "dimensions": 4, "entries": {"0123456789abcdef": {"template": "a.yml"}}}',
        '{"model_id": "m", "dimensions": 4, "entries": []}',
    ],
    ids=range(11),
)
def test_a_lying_index_is_not_believed(text, tmp_path):
    cache(tmp_path).look_up(TEXTS, Maker())
    (tmp_path / "embeddings/index.json").write_text(text)
    assert cache_stats(tmp_path).problems
    looked = cache(tmp_path).look_up(TEXTS, Maker())
    assert (looked.hits, looked.misses) == (0, 3)
    assert looked.notes
    assert cache(tmp_path).look_up(TEXTS, Maker()).hits == 3


def test_an_index_that_swaps_vectors_is_found_out(tmp_path):
    """A vector's file is named by its key, and its entry by the whole hash: neither can be another's."""
    cache(tmp_path).look_up(TEXTS, Maker())
    index = index_of(tmp_path)
    for entry in index["entries"].values():
        entry["content_hash"] = "0" * 64
    (tmp_path / "embeddings/index.json").write_text(json.dumps(index))
    assert cache(tmp_path).look_up(TEXTS, Maker()).misses == 3


def test_embeds_again_what_is_too_old(tmp_path):
    cache(tmp_path).look_up(TEXTS, Maker())
    assert cache(tmp_path, ttl=timedelta(hours=1)).look_up(TEXTS, Maker()).hits == 3
    index = index_of(tmp_path)
    for entry in index["entries"].values():
        entry["updated_at"] = "2020-01-01T00:00:00Z"
    (tmp_path / "embeddings/index.json").write_text(json.dumps(index))
    assert cache(tmp_path, ttl=timedelta(hours=1)).look_up(TEXTS, Maker()).misses == 3
    assert cache(tmp_path).look_up(TEXTS, Maker()).hits == 3


def test_keeps_no_more_than_its_size(tmp_path):
    looked = cache(tmp_path, most_bytes=2 * 4 * 4).look_up(TEXTS, Maker())
    assert len(looked.vectors) == 3
    assert cache_stats(tmp_path).entries == 2
    assert len(list((tmp_path / "embeddings/vectors").iterdir())) == 2


def test_works_without_a_cache_that_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    looked = cache(tmp_path / "file").look_up(TEXTS, Maker())
    assert (len(looked.vectors), looked.misses) == (3, 3)
    assert "cannot be written" in looked.notes[-1]


def test_stats_and_clearing(tmp_path):
    assert cache_stats(tmp_path / "none") == (str(tmp_path / "none"), False, "", 0, 0, 0, ())
    assert clear_cache(tmp_path / "none") == 0
    cache(tmp_path).look_up(TEXTS, Maker())
    (tmp_path / "mine.txt").write_text("precious")
    (tmp_path / "embeddings/vectors/mine.bin").write_text("precious")
    stats = cache_stats(tmp_path)
    assert (stats.exists, stats.model_id, stats.dimensions, stats.entries) == (True, "m", 4, 3)
    assert stats.size_bytes > 3 * 16
    assert clear_cache(tmp_path) == 3
    assert cache_stats(tmp_path).entries == 0
    assert sorted(one.name for one in tmp_path.rglob("*") if one.is_file()) == ["mine.bin", "mine.txt"]


# --- through a search -------------------------------------------------------------------------------------------------


def test_after_the_first_search_everything_is_kept(ours, settings):
    count = len(ours.templates)
    first = search("a web server", ours, settings)
    assert (first.cache_hits, first.cache_misses) == (0, count)
    again = search("something for robots", ours, settings)
    assert (again.cache_hits, again.cache_misses) == (count, 0)
    stats = cache_stats(settings.cache.dir)
    assert (stats.entries, stats.dimensions, stats.problems) == (count, 256, ())
    assert stats.model_id.startswith("builtin-")


def test_without_a_cache_the_result_is_the_same(ours, settings):
    kept = search("a web server", ours, settings)
    without = search(
        "a web server",
        ours,
        settings._replace(cache=CacheSettings(enabled=False, dir=settings.cache.dir / "x")),
    )
    again = search("a web server", ours, settings)
    for other in (without, again):
        assert [(one.file, one.score) for one in kept.ranked] == [
            (one.file, one.score) for one in other.ranked
        ]
    assert not (settings.cache.dir / "x").exists()


def served(visit, request):
    """A server that embeds with the built-in word vectors, as Ollama and as OpenAI do."""
    if "embed" not in request.path:
        visit.send(
            answer({"models": [{"name": f"{NOMIC}:latest", "model": f"{NOMIC}:latest", "digest": "d1"}]})
        )
        return
    inputs = request.json["input"]
    texts = [inputs] if isinstance(inputs, str) else inputs
    vectors = [TABLE.embed(terms(text)) for text in texts]
    rows = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    of_openai = {"data": rows, "model": request.json["model"]}
    visit.send(answer({"embeddings": vectors} if request.path == "/api/embed" else of_openai))


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_a_configured_embedder_fills_the_cache(provider, ours, settings, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with ScriptedServer(served) as server:
        configured = settings._replace(
            provider=provider,
            ollama=OllamaSettings(base_url=server.url, timeout_s=10),
            openai=OpenAISettings(base_url=f"{server.url}/v1", timeout_s=10),
        )
        first = search("a web server", ours, configured)
        assert first.cache_misses == len(ours.templates)
        embedded = sum(len(one.json["input"]) for one in server.requests if "embed" in one.path)
        assert embedded >= len(ours.templates)
        asked = len(server.requests)
        again = search("a web server", ours, configured)
        assert again.cache_hits == len(ours.templates)
        later = [one for one in server.requests[asked:] if "embed" in one.path]
        assert (
            sum(len(one.json["input"]) for one in later) <= 2
        )  # the request, and perhaps one to ask for dimensions
    model = {"ollama": "nomic-embed-text", "openai": "text-embedding-3-small"}[provider]
    assert cache_stats(settings.cache.dir).model_id == model
    assert any(model in str(step.saw.get("model")) for step in first.trace.steps)


def test_a_configured_embedder_that_is_not_there_is_an_error(ours, settings):
    configured = settings._replace(
        provider="ollama", ollama=OllamaSettings(base_url="http://127.0.0.1:9", timeout_s=1)
    )
    with pytest.raises(ProviderError):
        search("a web server", ours, configured)


def test_unless_a_provider_is_named_ollama_embeds_if_it_is_there_and_has_the_model(ours, settings):
    with ScriptedServer(served) as server:
        auto = settings._replace(provider="auto", ollama=OllamaSettings(base_url=server.url))
        found = search("a web server", ours, auto)
        assert any("nomic-embed-text" in str(step.saw.get("model")) for step in found.trace.steps)
        assert any("embed" in one.path for one in server.requests)
        other = auto._replace(ollama=OllamaSettings(base_url=server.url, embedding_model="mxbai-embed-large"))
        found = search("a web server", ours, other)
        assert found.ranked
        assert any("builtin" in str(step.saw.get("model")) for step in found.trace.steps)
    assert cache_stats(settings.cache.dir).entries == len(ours.templates)


def test_an_ollama_that_nobody_named_and_that_fails_is_done_without(ours, settings):
    def half(visit, request):
        if request.path == "/api/embed":
            visit.send(answer({"error": "out of memory"}, status=500))
        else:
            served(visit, request)

    with ScriptedServer(half) as server:
        auto = settings._replace(provider="auto", ollama=OllamaSettings(base_url=server.url, timeout_s=5))
        found = search("a web server", ours, auto)
    (saw,) = [step.saw for step in found.trace.steps if step.name == "vectors"]
    assert found.ranked
    assert "built-in word vectors served" in saw["notes"][0]


@pytest.mark.parametrize("provider", ["none", "llamacpp:some.gguf"])
def test_nobody_is_asked_by_a_provider_that_has_no_server(provider, ours, settings):
    with ScriptedServer(served) as server:
        alone = settings._replace(provider=provider, ollama=OllamaSettings(base_url=server.url))
        assert search("a web server", ours, alone).ranked
        assert server.requests == []
