"""The backends of a configuration: which there are, whether they are there, and what comes of using one."""

import pytest

from vademecum.core.errors import ConfigError, ModelMissing, ProviderUnreachable
from vademecum.core.models import ModelSettings
from vademecum.core.settings import Settings
from vademecum.files.places import Places
from vademecum.library.health.backends import configured, named, probes, try_out, works
from vademecum.library.health.health import backend, check
from vademecum.library.health.probing import Patience
from vademecum.providers.registry import look, open_embedder, open_model
from vademecum.testing.scripted import answer

QUICK = Patience((0.01, 0.02, 0.04, 0.08, 0.16), 1.0)
TAGS = answer(
    {"models": [{"name": "gemma3:1b", "digest": "d"}, {"name": "nomic-embed-text:latest", "digest": "e"}]}
)
VECTOR = answer({"model": "m", "embeddings": [[3.0, 4.0]]})


def whole(text="ls lists them."):
    message = {"role": "assistant", "content": text}
    return answer(
        {"model": "gemma3:1b", "message": message, "done": True, "done_reason": "stop", "eval_count": 5}
    )


def busy(visit, _request):
    visit.send(answer({"error": "loading"}, 503, headers={"Retry-After": "0"}))


@pytest.fixture
def places(tmp_path):
    """A library whose configuration names two models of a server."""
    return Places(tmp_path / "data", tmp_path / "config")


def configure(places, url, model="gemma"):
    places.config.mkdir(exist_ok=True)
    places.settings_file.write_text(
        f"ragman: {{model: {model}}}\n"
        "models:\n"
        f"  gemma: {{provider: ollama, model: 'gemma3:1b', base_url: '{url}'}}\n"
        f"  nomic: {{provider: ollama, model: nomic-embed-text, base_url: '{url}'}}\n"
    )


def ollama(url, model="gemma3:1b"):
    return ModelSettings("ollama", model, url)


# --- which there are --------------------------------------------------------------------------------------------------


def test_without_a_model_there_are_none():
    assert configured(Settings()) == []


def test_those_that_are_used_come_first():
    models = {"a": ollama("http://a"), "b": ollama("http://b")}
    settings = Settings(model="b", embedder="onnx", models=models)
    assert [(one.key, one.name, one.uses) for one in configured(settings)] == [
        ("models.b", "ollama:gemma3:1b", ("answers",)),
        ("ragadmin.embedder", "onnx", ("embeds",)),
        ("models.a", "ollama:gemma3:1b", ()),
    ]
    assert configured(Settings(model="ollama:m"))[0].key == "ragman.model"


def test_one_by_its_name():
    settings = Settings(model="a", models={"a": ollama("http://a")})
    assert named("a", settings).key == "models.a"
    assert named("a", settings).uses == ("answers",)
    assert named("builtin", settings).uses == ("embeds",)
    assert named("openai:gpt-4o-mini", settings) == (
        "openai:gpt-4o-mini",
        ModelSettings("openai", "gpt-4o-mini"),
        (),
    )
    with pytest.raises(ConfigError, match="model"):
        named("b", settings)


# --- whether they are there -------------------------------------------------------------------------------------------


def test_each_is_a_component_of_health(places, serve):
    configure(places, serve(TAGS).url)
    found = {one.component: one for one in check(places, patience=QUICK)}
    assert list(found)[4:6] == ["models.gemma", "models.nomic"]
    assert found["models.gemma"].severity == found["models.nomic"].severity == "pass"
    assert "ollama:gemma3:1b" in found["models.gemma"].message


def test_a_model_that_its_server_lacks_is_not_waited_for(places, serve):
    server = serve(answer({"models": [{"name": "other:1b"}]}))
    configure(places, server.url)
    waited = []
    (probe, _) = probes(places)
    found = backend(probe, QUICK, waited.append)
    assert (found.severity, found.error_code) == ("fail", "MODEL_MISSING")
    assert "other:1b" in found.message
    assert "ollama pull gemma3:1b" in found.remedy
    assert (len(server.requests), waited) == (1, [])


def test_a_server_that_comes_up_is_waited_for(places, serve):
    server = serve(busy, busy, busy, TAGS)
    configure(places, server.url)
    waited = []
    found = backend(probes(places)[0], QUICK, waited.append)
    assert found.severity == "pass"
    assert len(waited) == 3
    assert "0.01 s" in waited[0]


def test_one_that_never_comes_up_is_asked_six_times(places, serve):
    server = serve(busy)
    configure(places, server.url)
    found = backend(probes(places)[0], QUICK, lambda _said: None)
    assert (found.severity, found.error_code) == ("fail", "PROVIDER_BUSY")
    assert len(server.requests) == 6


def test_one_that_hangs_is_given_its_time_and_no_more(places, serve):
    configure(places, serve(lambda visit, _request: visit.wait_for_end()).url)
    found = backend(probes(places)[0], Patience((0.01,), 0.2), lambda _said: None)
    assert found.severity == "fail"
    assert found.error_code in {"PROVIDER_TIMEOUT", "PROVIDER_FAILED"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models:\n  a: {provider: openai, model: m}\n", "OPENAI_API_KEY is not set"),
        ("models:\n  a:\n    provider: ollama\n    model: m\n    api_key: ${NOT_SET_ANYWHERE}\n", "NOT_SET_ANYWHERE is not set"),
        ("models:\n  a: {provider: llamacpp, model: /nowhere/a.gguf}\n", "There is no file /nowhere/a.gguf"),
    ],
)  # fmt: skip
def test_an_incomplete_backend_fails_with_a_remedy(places, text, said, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    places.config.mkdir()
    places.settings_file.write_text(text)
    (probe,) = probes(places)
    found = backend(probe, QUICK, lambda _said: None)
    assert found.severity == "fail"
    assert said in found.message
    assert found.remedy


def test_a_broken_configuration_has_no_backends(places):
    places.config.mkdir()
    places.settings_file.write_text("models: []\n")
    assert probes(places) == ()


def test_looking_loads_no_model(tmp_path):
    (tmp_path / "a.gguf").write_bytes(b"GGUF")  # it could not be loaded
    assert look(f"llamacpp:{tmp_path}/a.gguf", None) == ()
    (tmp_path / "b.gguf").write_bytes(b"text")
    with pytest.raises(ModelMissing):
        look(f"llamacpp:{tmp_path}/b.gguf", None)


def test_looking_tells_what_the_server_has(serve):
    assert look(ollama(serve(TAGS).url), None) == ("gemma3:1b", "nomic-embed-text:latest")
    listed = answer({"data": [{"id": "b"}, {"id": "a"}]})
    assert look(ModelSettings("openai", "a", f"{serve(listed).url}/v1"), None) == ("a", "b")
    with pytest.raises(ProviderUnreachable):
        look(ollama("http://127.0.0.1:9"), None)


# --- using one --------------------------------------------------------------------------------------------------------


def test_trying_one_out(serve):
    server = serve(whole("  ls lists\nthem. "), VECTOR)
    one = named("ollama:gemma3:1b", Settings())._replace(spec=ollama(server.url))
    answered, embedded = tried = try_out(one, 5)
    assert (answered.use, answered.ok, answered.said) == ("answers", True, "ls lists them.")
    assert (embedded.use, embedded.ok, embedded.said) == ("embeds", True, "a vector of 2 numbers")
    assert all(0 < each.seconds < 5 for each in tried)
    assert works(one, tried)


def test_one_that_can_only_embed_works_unless_it_is_to_answer(serve):
    refusal = answer({"error": "does not support chat"}, 400)
    one = named("ollama:m", Settings())._replace(spec=ollama(serve(refusal, VECTOR).url))
    tried = try_out(one, 5)
    assert [each.ok for each in tried] == [False, True]
    assert tried[0].error_code == "PROVIDER_REFUSED"
    assert works(one, tried)
    assert not works(one._replace(uses=("answers",)), tried[:1])


def test_it_is_tried_once(serve):
    server = serve(answer({"error": "down"}, 503))
    one = named("ollama:m", Settings())._replace(spec=ollama(server.url), uses=("answers",))
    (tried,) = try_out(one, 5)
    assert not tried.ok
    assert len(server.requests) == 1


# --- the embedders in the process -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "dimensions"), [("builtin", 256), ("onnx", 384)])
def test_an_embedder_in_the_process(name, dimensions):
    embedder = open_embedder(name)
    embedder.check()
    cats, kittens, blank, tax = embedder.embed(["a cat eats", "cats eating", "", "income tax law"])
    assert len(cats) == embedder.dimensions == dimensions
    assert not any(blank)
    near, far = (sum(map(float.__mul__, cats, other)) for other in (kittens, tax))
    assert near > far
    assert str(dimensions) in embedder.stamp
    assert embedder.embed(["a cat eats"], "query")[0] == pytest.approx(cats, abs=1e-3)
    embedder.close()
    assert embedder.embed([]) == []


def test_they_write_no_answers():
    for name in ("builtin", "onnx"):
        with pytest.raises(ConfigError):
            open_model(name)
