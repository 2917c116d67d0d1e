"""`ragadmin models` and `ragadmin init --backend` as processes: what they print, what they write, and how they end."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

from commands import run_command
from shared import environment, places_in, run_process
from vademecum.library.health import health  # noqa: F401 - before what it uses is replaced
from vademecum.library.health.probing import Patience
from vademecum.testing import ScriptedServer
from vademecum.testing.model import ScriptedModel
from vademecum.testing.scripted import answer

TAGS = answer({"models": [{"name": "gemma3:1b"}, {"name": "other:7b"}]})
WHOLE = answer(
    {
        "message": {"role": "assistant", "content": "Type ls."},
        "done": True,
        "done_reason": "stop",
        "model": "m",
    }
)
VECTOR = answer({"embeddings": [[1.0, 2.0]]})


@pytest.fixture
def places(tmp_path):
    return places_in(tmp_path)


@pytest.fixture
def run(tmp_path):

    def ragadmin(*arguments, **more):
        return run_command("ragadmin", *arguments, env=environment(tmp_path, **more))

    return ragadmin


def by_path(**answers):

    def reply(visit, request):
        visit.send(answers[request.path.rpartition("/")[2]])

    return reply


def configure(places, text):
    places.settings_file.parent.mkdir(parents=True)
    places.settings_file.write_text(text)


# --- models list ------------------------------------------------------------------------------------------------------


def test_without_models_it_says_so(run):
    done = run("models", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No model is configured" in done.stdout
    assert json.loads(run("models", "list", "--json").stdout) == []
    assert json.loads(run("models", "test", "--json").stdout) == []
    done = run("models", "test")
    assert (done.returncode, done.stdout) == (2, "")
    assert "ragadmin models test ollama:gemma3:1b" in done.stderr


def test_each_is_listed_with_what_became_of_it(run, places, tmp_path):
    with ScriptedServer(TAGS) as server, ScriptedServer(answer({"error": {"message": "no"}}, 401)) as locked:
        configure(
            places,
            "ragman: {model: good}\n"
            "ragadmin: {embedder: onnx}\n"
            "models:\n"
            f"  good: {{provider: ollama, model: 'gemma3:1b', base_url: '{server.url}'}}\n"
            f"  lacking: {{provider: ollama, model: 'nobody:1b', base_url: '{server.url}'}}\n"
            f"  locked: {{provider: openai, model: m, base_url: '{locked.url}'}}\n"
            "  dead: {provider: ollama, model: m, base_url: 'http://127.0.0.1:9'}\n"
            "  keyless:\n    provider: ollama\n    model: m\n    api_key: ${NOT_SET_ANYWHERE}\n"
            f"  gone: {{provider: llamacpp, model: '{tmp_path}/none.gguf'}}\n",
        )
        done = run("models", "list", "--json")
        assert (done.returncode, done.stderr) == (3, "")
        assert {one["key"]: (one["state"], one["uses"]) for one in json.loads(done.stdout)} == {
            "models.good": ("available", ["answers"]),
            "ragadmin.embedder": ("available", ["embeds"]),
            "models.lacking": ("missing", []),
            "models.locked": ("refused", []),
            "models.dead": ("not reachable", []),
            "models.keyless": ("misconfigured", []),
            "models.gone": ("missing", []),
        }
        done = run("models", "list")
        assert done.returncode == 3
        lines = done.stdout.splitlines()
        assert lines[1].split() == ["models.good", "ollama:gemma3:1b", "answers", "available"]
        assert "models.good: its server has gemma3:1b, other:7b" in lines
        assert any("it has gemma3:1b, other:7b" in line and "ollama pull nobody:1b" in line for line in lines)
        assert any("NOT_SET_ANYWHERE is not set" in line for line in lines)


# --- models test ------------------------------------------------------------------------------------------------------


def test_one_is_tried(run, places):
    with ScriptedServer(by_path(chat=WHOLE, embed=VECTOR)) as server:
        configure(
            places,
            "ragman: {model: good}\n"
            f"models:\n  good: {{provider: ollama, model: m, base_url: '{server.url}'}}\n"
            f"  both: {{provider: ollama, model: n, base_url: '{server.url}'}}\n",
        )
        done = run("models", "test")
        assert (done.returncode, done.stderr) == (0, "")
        assert "models.good: ollama:m works" in done.stdout
        assert "Type ls." in done.stdout
        assert "a vector of 2 numbers" in done.stdout
        (one,) = json.loads(run("models", "test", "both", "--json").stdout)
        assert [(each["use"], each["ok"]) for each in one["tried"]] == [("answers", True), ("embeds", True)]
        (one,) = json.loads(run("models", "test", "ollama:x", "--json", OLLAMA_HOST=server.url).stdout)
        assert (one["key"], one["ok"]) == ("ollama:x", True)


def test_reports_a_model_that_cannot_be_used(run, places):
    with ScriptedServer(answer({"error": "model 'm' not found"}, 404)) as server:
        configure(places, f"models:\n  bad: {{provider: ollama, model: m, base_url: '{server.url}'}}\n")
        done = run("models", "test", "bad")
        assert (done.returncode, done.stderr) == (1, "")
        assert "models.bad: ollama:m cannot be used" in done.stdout
        (one,) = json.loads(run("models", "test", "bad", "--json").stdout)
        assert {each["error_code"] for each in one["tried"]} == {"MODEL_MISSING"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["test", "nobody"], "This does not name a model: nobody"),
        (["test", "olama:m"], "Did you mean ollama?"),
        (["test", "builtin", "--timeout", "0"], "must be a number of seconds"),
        ([], "Usage: ragadmin models COMMAND"),
    ],
)
def test_rejects_invalid_arguments(run, arguments, said):
    done = run("models", *arguments)
    assert done.returncode in {1, 2}
    assert said in done.stdout + done.stderr


# --- init -------------------------------------------------------------------------------------------------------------


def test_init_writes_a_backend_and_finds_it(run, places):
    with ScriptedServer(TAGS) as server:
        done = run("init", "--backend", "ollama", OLLAMA_HOST=server.url)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"wrote  {places.settings_file}" in done.stdout
    assert "found  ragman.model: ollama:gemma3:1b is there." in done.stdout
    assert yaml.safe_load(places.settings_file.read_text())["ragman"]["model"] == "ollama:gemma3:1b"


def test_init_waits_for_a_server_that_comes_up(run):
    with ScriptedServer(lambda visit, _request: visit.hang_up(), TAGS) as server:
        done = run("init", "--backend", "ollama", OLLAMA_HOST=server.url)
    assert done.returncode == 0
    assert "trying again in 0.5 s" in done.stderr
    assert "found  ragman.model" in done.stdout


def test_init_without_the_model_makes_all_else(run, places):
    with ScriptedServer(answer({"models": []})) as server:
        done = run("init", "--backend", "ollama", OLLAMA_HOST=server.url)
        assert done.returncode == 1
        assert "does not have the model gemma3:1b; it has none." in done.stderr
        assert "ollama pull gemma3:1b" in done.stderr
        assert places.catalog_file.exists()
        assert run("init", OLLAMA_HOST=server.url).returncode == 1  # what the file names is asked for again


@pytest.mark.parametrize("name", ["weaviate+ollama", "opensearch", "postgres"])
def test_a_configuration_that_works_is_not_replaced_by_one_that_does_not(
    run, places, name, monkeypatch, tmp_path
):
    monkeypatch.setattr("vademecum.library.health.probing.Patience", lambda: Patience((0.01, 0.01), 2.0))
    assert run("init", "--backend", "builtin").returncode == 0
    before = places.settings_file.read_text()
    done = run("init", "--backend", name, OLLAMA_HOST="http://127.0.0.1:9", PGPORT="9", PGCONNECT_TIMEOUT="1")
    assert done.returncode in {1, 2}
    assert f"{places.settings_file} was restored." in done.stderr
    assert places.settings_file.read_text() == before
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/seal.md").write_text("An envelope is sealed with a walrus.\n")
    assert run("sources", "add", tmp_path / "notes").returncode == 0
    assert run("reindex", "--source", "notes").returncode == 0


def test_a_file_that_was_changed_by_hand_stays(run, places):
    configure(places, "ragman: {confidence_threshold: 0.5}\n")
    done = run("init", "--backend", "onnx")
    assert done.returncode == 2
    assert "was edited by hand" in done.stderr
    assert places.settings_file.read_text() == "ragman: {confidence_threshold: 0.5}\n"
    done = run("init", "--backend", "onnx", "--print")
    assert "embedder: onnx" in done.stdout


def test_two_at_once_leave_a_whole_file(run, places, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(
            lambda name: run_process("ragadmin", "init", "--backend", name, env=environment(tmp_path)),
            ("builtin", "onnx"),
        )
    assert 0 in [one.returncode for one in done]
    assert places.settings_file.read_text().startswith("# Written by: ragadmin init --backend ")
    assert run("init").returncode == 0


# --- models try -------------------------------------------------------------------------------------------------------


def test_ten_questions_for_a_model(tmp_path):
    def vademecum(*arguments):
        return run_command("vademecum", "models", "try", *arguments, env=environment(tmp_path))

    with ScriptedModel('{"lines": [1]}') as model:
        file = places_in(tmp_path).settings_file
        file.parent.mkdir(parents=True)
        file.write_text(
            f"models:\n  good: {{provider: openai, model: m, base_url: '{model.settings.base_url}', retries: 0}}\n"
        )
        done = vademecum("good")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("openai:m\n  prompt    unknown; the server does not report tokens\n")
        assert "  schemas   ignored; replies are read as plain text\n" in done.stdout
        assert "2 of 10 right; 20 of 20 replies were valid" in done.stdout
        assert "  ✓ When is the library open on Saturdays?\n" in done.stdout
        data = json.loads(vademecum("good", "--json").stdout)
        assert (data["right"], data["choices"], len(data["cases"])) == (2, 20, 20)
    with ScriptedModel("Let me think about it.") as model:
        file.write_text(file.read_text().replace(file.read_text().split("'")[1], model.settings.base_url))
        assert vademecum("good").returncode == 1
    assert "connection refused" in vademecum("good").stderr
    done = vademecum("nonsense")
    assert done.returncode == 2
    assert "This does not name a model" in done.stderr
