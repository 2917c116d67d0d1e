"""Templates ranked by the vectors of a model: what it is sent, what is kept, and what is said when it is not there."""

import json

import pytest

from vademecum.core.errors import ConfigError, ModelMissing, ProviderUnreachable, ReplyInvalid
from vademecum.core.models import ModelSettings
from vademecum.desks.reasoning import ReasoningLibrary
from vademecum.desks.reasoning.embedded import composite
from vademecum.desks.reasoning.library import OURS
from vademecum.desks.reasoning.settings import ReasoningSettings, library_of, settings_file, settings_from
from vademecum.desks.reasoning.templates import read_template
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer

PROBLEM = "about how many umbrellas are sold in a rainy country each year, ballpark"
GREETING = "good morning"
WORDS = ("umbrella estimate order quantity", "proof contradiction irrational", "trade option criteria choice")
TAGS = {"models": [{"name": "nomic-embed-text:latest", "digest": "sha256:one"}]}


def vector(text):
    """A vector that pays heed to the text: how often three families of words stand in it."""
    folded = text.lower()
    counts = [sum(folded.count(word[:6]) for word in family.split()) for family in WORDS]
    return [0.1 + count for count in counts]


class Ollama:
    """Answers as Ollama does, with vectors of texts; notes what it was asked."""

    def __init__(self, tags=TAGS):
        self.tags, self.texts, self.server = tags, [], None

    def __call__(self, visit, request):
        if request.path == "/api/tags":
            visit.send(answer(self.tags))
            return
        texts = request.json["input"]
        self.texts.append(texts)
        visit.send(answer({"model": request.json["model"], "embeddings": [vector(text) for text in texts]}))


@pytest.fixture
def ollama():
    model = Ollama()
    with ScriptedServer(model) as server:
        model.server = server
        yield model


@pytest.fixture
def nomic(ollama):
    return ModelSettings("ollama", "nomic-embed-text", ollama.server.url, retries=0)


@pytest.fixture
def folder(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("fermi-estimation", "proof-by-contradiction", "trade-off-matrix", "chain-of-thought"):
        (mine / f"{name}.md").write_text((OURS / f"{name}.md").read_text())
    return mine


def test_embeds_the_text_of_the_specification():
    template = read_template(OURS / "fermi-estimation.md")
    text = composite(template)
    assert text.startswith(
        f"{template.name}.\n{template.description}.\nKeywords: {', '.join(template.keywords)}.\n"
    )
    assert f"\nMethod: {template.methodology}.\n" in text
    assert text.endswith(template.content[:1000])
    assert template.content[:1001] not in text


def test_templates_and_problems_have_their_prefixes(folder, nomic, ollama):
    library = ReasoningLibrary([folder], embedder=nomic)
    assert library.index_templates() == 4
    documents = [text for texts in ollama.texts for text in texts if text.startswith("search_document: ")]
    assert len(documents) == 3  # the fallback is never ranked
    assert any("Fermi" in text for text in documents)
    ollama.texts.clear()
    library.search(PROBLEM)
    assert ollama.texts == [[f"search_query: {PROBLEM}"]]


def test_they_are_ranked_by_its_cosine(folder, nomic):
    library = ReasoningLibrary([folder], embedder=nomic)
    matches = library.search(PROBLEM)
    assert (matches[0].id, len(matches)) == ("fermi-estimation", 3)
    selection = library.select(PROBLEM)
    assert matches[0].score == selection.candidates[0].cosine
    assert all(0 <= match.score <= 1 for match in matches)
    assert [match.score for match in matches] == sorted((match.score for match in matches), reverse=True)
    assert not matches[0].is_fallback


def test_the_fit_is_judged_unless_there_is_a_threshold(folder, nomic):
    (match,) = ReasoningLibrary([folder], embedder=nomic).search(GREETING)
    assert (match.id, match.score, match.is_fallback) == ("chain-of-thought", 0.5, True)
    (match,) = ReasoningLibrary([folder], embedder=nomic, threshold=1.0).search(PROBLEM)
    assert match.is_fallback
    assert "cosine" in match.why
    found = ReasoningLibrary([folder], embedder=nomic, threshold=0.0).search(GREETING)
    assert len(found) == 3  # a threshold alone decides


def test_only_what_is_new_is_embedded(folder, nomic, ollama, tmp_path):
    library = ReasoningLibrary([folder], embedder=nomic)
    library.index_templates()
    ollama.texts.clear()
    library.index_templates()
    assert ollama.texts == []
    (tmp_path / "knit.md").write_text("---\nname: Knitting\n---\n\n## Steps\n\n1. Knit the umbrella.\n")
    library.add_template(tmp_path / "knit.md")
    assert len(ollama.texts) == 1
    assert "Knit the umbrella" in ollama.texts[0][0]
    assert "knit" in {one.id for one in library.select(PROBLEM).candidates}


def test_vectors_are_kept_between_processes(folder, nomic, ollama, tmp_path):
    kept = tmp_path / "kept" / "vectors.json"
    before = [
        (one.id, one.score) for one in ReasoningLibrary([folder], embedder=nomic, kept=kept).search(PROBLEM)
    ]
    assert kept.stat().st_size > 100
    ollama.texts.clear()
    again = ReasoningLibrary([folder], embedder=nomic, kept=kept)
    assert [(one.id, one.score) for one in again.search(PROBLEM)] == before
    assert all(text.startswith("search_query: ") for texts in ollama.texts for text in texts)


def test_another_model_of_the_same_name_embeds_again(folder, nomic, ollama, tmp_path):
    kept = tmp_path / "vectors.json"
    ReasoningLibrary([folder], embedder=nomic, kept=kept).index_templates()
    ollama.texts.clear()
    ollama.tags = {"models": [{"name": "nomic-embed-text:latest", "digest": "sha256:two"}]}
    ReasoningLibrary([folder], embedder=nomic, kept=kept).index_templates()
    assert sum(text.startswith("search_document: ") for texts in ollama.texts for text in texts) == 3


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", "{}", '{"stamp": 1, "vectors": {}}', '{"stamp": "STAMP", "vectors": {"a": [NaN]}}', "\0"],
)
def test_damaged_vectors_are_made_again(folder, nomic, tmp_path, damage):
    kept = tmp_path / "vectors.json"
    before = ReasoningLibrary([folder], embedder=nomic, kept=kept).search(PROBLEM)
    kept.write_text(damage.replace("STAMP", json.loads(kept.read_text())["stamp"]))
    assert ReasoningLibrary([folder], embedder=nomic, kept=kept).search(PROBLEM) == before


def test_works_without_vectors_that_cannot_be_kept(folder, nomic, tmp_path):
    (tmp_path / "file").touch()
    kept = tmp_path / "file" / "vectors.json"
    assert ReasoningLibrary([folder], embedder=nomic, kept=kept).search(PROBLEM)[0].id == "fermi-estimation"


# --- when it is not there ---------------------------------------------------------------------------------------------


def test_an_embedder_that_is_not_there_is_an_error_and_no_fallback(folder):
    nowhere = ModelSettings("ollama", "nomic-embed-text", "http://127.0.0.1:9", retries=0)
    library = ReasoningLibrary([folder], embedder=nowhere)
    for use in (library.index_templates, lambda: library.search(PROBLEM)):
        with pytest.raises(ProviderUnreachable):
            use()


def test_one_that_fails_later_is_an_error_too(folder, nomic, ollama):
    library = ReasoningLibrary([folder], embedder=nomic)
    library.index_templates()
    ollama.server.script[:] = [answer({"error": "model 'nomic-embed-text' not found"}, 404)]
    with pytest.raises(ModelMissing):
        library.search(PROBLEM)
    ollama.server.script[:] = [answer({"model": "m", "embeddings": [[1.0, 2.0]]})]
    with pytest.raises(ReplyInvalid, match="numbers"):
        library.search(PROBLEM)


@pytest.mark.parametrize("spec", ["nomic", "olama:m", "gemini:", ""])
def test_rejects_the_name_of_no_model(folder, spec):
    with pytest.raises(ConfigError):
        ReasoningLibrary([folder], embedder=spec)


def test_the_transformer_in_the_process(folder):
    problem = "prove by contradiction that the square root of two is irrational"
    for name in ("onnx", "builtin"):
        library = ReasoningLibrary([folder], embedder=name)
        assert library.search(problem)[0].id == "proof-by-contradiction"


# --- configuration ----------------------------------------------------------------------------------------------------


def configure(text):
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text(text)


def test_without_a_file_the_built_in_ranking_is_used():
    assert settings_from() == ReasoningSettings(None, None, 3)
    assert library_of().search(PROBLEM)[0].id == "fermi-estimation"


def test_the_file_names_the_embedder(folder, nomic, ollama):
    configure(
        "reasoning: {embedder: nomic, threshold: 0.1, top_k: 2}\n"
        f"models:\n  nomic: {{provider: ollama, model: nomic-embed-text, base_url: '{nomic.base_url}', retries: 0}}\n"
    )
    assert settings_from() == ReasoningSettings(nomic, 0.1, 2)
    assert len(library_of([folder]).search(PROBLEM)) == 2
    assert any(text.startswith("search_query: ") for texts in ollama.texts for text in texts)
    ollama.texts.clear()
    library_of([folder], embedder="builtin").search(PROBLEM)
    assert ollama.texts == []


def test_a_model_by_its_name_alone():
    configure("reasoning:\n  embedder: ollama:nomic-embed-text\n")
    assert settings_from().embedder == ModelSettings("ollama", "nomic-embed-text")
    configure("reasoning:\n  embedder: onnx\n")
    assert settings_from().embedder == "onnx"


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ("reasonin: {}\n", 1, "reasoning?"),
        ("reasoning:\n  embeder: onnx\n", 2, "reasoning.embedder?"),
        ("reasoning:\n  embedder: nomic\nmodels: {}\n", 2, "nomic"),
        ("reasoning:\n  embedder: 3\n", 2, "PROVIDER:MODEL"),
        ("reasoning:\n  threshold: 2\n", 2, "reasoning.threshold"),
        ("reasoning:\n  top_k: 0\n", 2, "reasoning.top_k"),
        ("reasoning: [\n", 2, "YAML"),
    ],
)
def test_names_mistakes_in_the_file_with_their_line(text, line, named):
    configure(text)
    with pytest.raises(ConfigError) as caught:
        library_of()
    assert caught.value.message.startswith(f"{settings_file()}, line {line}: ")
    assert named in caught.value.message
