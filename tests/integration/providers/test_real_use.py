"""`ragman`, `ragadmin` and the reasoning desk with real models on real servers. What they say is checked, not believed."""

import json
import shutil
from pathlib import Path

import pytest

from commands import run_command
from shared import environment, places_in
from vademecum import Library
from vademecum.core.models import ModelSettings
from vademecum.desks.reasoning import ReasoningLibrary

MANUAL = Path(__file__).parents[2] / "data" / "manual"
QUESTION = "How do I change file permissions?"

pytestmark = [pytest.mark.servers, pytest.mark.needs("mandoc")]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder that holds a library of the small manual."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(MANUAL, folder / "manual")
    Library.open(places_in(folder)).add(folder / "manual")
    return folder


@pytest.fixture(scope="module", params=["openai", "llamacpp", "ollama"])
def real(request, home):
    """A real model on each of the servers, described in the configuration as `real`; its name for the person."""
    more = "context_tokens: 640, max_tokens: 60, retries: 0, temperature: 0"
    if request.param == "openai":
        address, _ = request.getfixturevalue("openai_server")
        model, more = str(request.getfixturevalue("gguf")), f"{more}, base_url: '{address}'"
    elif request.param == "ollama":
        host, model = request.getfixturevalue("ollama_server")
        more = f"{more}, base_url: 'http://{host}'"
    else:
        model, more = str(request.getfixturevalue("gguf")), f"{more}, threads: 1"
    file = places_in(home).settings_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "ragman: {model: real, timeout_s: 8}\n"
        f"models:\n  real: {{provider: {request.param}, model: '{model}', {more}}}\n"
    )
    return f"{request.param}:{model}"


def run(home, program, *arguments):
    return run_command(program, *arguments, env=environment(home))


# --- the reasoning desk -----------------------------------------------------------------------------------------------


def test_templates_by_the_vectors_of_a_real_ollama(ollama_server, tmp_path):
    host, name = ollama_server
    mine = tmp_path / "mine"
    mine.mkdir()
    for template in ("knit", "bake"):
        (mine / f"{template}.md").write_text(f"---\nname: {template}\n---\n\n## Steps\n\n1. {template} it.\n")
    settings = ModelSettings(
        "ollama",
        name,
        f"http://{host}",
        query_prefix="search_query: ",
        document_prefix="search_document: ",
        retries=0,
    )
    kept = tmp_path / "vectors.json"
    library = ReasoningLibrary([mine], embedder=settings, kept=kept)
    assert library.index_templates() == 2
    selection = library.select("bake bread")
    assert all(-1 <= one.cosine <= 1 for one in selection.candidates)
    assert len({one.cosine for one in selection.candidates}) == 2
    again = ReasoningLibrary([mine], embedder=settings, kept=kept).select(selection.problem)
    assert [one.cosine for one in again.candidates] == pytest.approx(
        [one.cosine for one in selection.candidates]
    )


# --- the commands ---------------------------------------------------------------------------------------------------


def test_it_is_listed_tried_and_healthy(home, real):
    done = run(home, "ragadmin", "models", "list", "--json")
    assert done.returncode == 0
    (one,) = json.loads(done.stdout)
    assert (one["key"], one["model"], one["state"], one["uses"]) == (
        "models.real",
        real,
        "available",
        ["answers"],
    )
    done = run(home, "ragadmin", "models", "test", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    (tried,) = json.loads(done.stdout)
    assert tried["ok"]
    assert tried["tried"][0]["said"]
    assert 0 < tried["tried"][0]["seconds"] < 60
    done = run(home, "ragadmin", "health", "--json")
    found = {one["component"]: one["severity"] for one in json.loads(done.stdout)["components"]}
    assert found["models.real"] == "pass"
    done = run(home, "ragadmin", "init")
    assert done.returncode == 0
    assert f"found  models.real: {real} is there." in done.stdout


def test_a_name_that_its_server_lacks(home, real):
    if real.startswith("llamacpp"):
        pytest.skip("it has no server")
    file = places_in(home).settings_file
    text = file.read_text()
    try:
        file.write_text(text.replace("model: '", "model: 'another-"))
        done = run(home, "ragadmin", "models", "list")
        assert done.returncode == 3
        assert "missing" in done.stdout
        assert "it has" in done.stdout
        assert run(home, "ragadmin", "init").returncode == 1
    finally:
        file.write_text(text)


@pytest.mark.sampled(1)
def test_an_answer_is_right_or_the_documents_own(home, real):
    done = run(home, "ragman", "--json", QUESTION)
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert data["outcome"] in {"answered", "partial"}
    assert data["model"] is None or real.endswith(data["model"].partition(":")[2])
    library = Library.open(places_in(home))
    assert data["citations"]
    for citation in data["citations"]:
        assert library.text(citation["document"])[citation["start"] : citation["end"]] == citation["quote"]
    if data["model"] is None:  # 135 million parameters seldom write what holds
        assert data["outcome"] == "partial"
        assert data["warnings"]


@pytest.mark.usefixtures("real")
def test_too_late_it_is_the_documents_own(home):
    done = run(home, "ragman", "--json", "--style", "prose", "--timeout", "1", QUESTION)
    data = json.loads(done.stdout)
    assert (done.returncode, data["outcome"], data["model"]) == (0, "partial", None)
    assert data["summary"]
    assert data["warnings"]
