"""The models of the configuration file: what they may say, what is said of mistakes, and that no key is ever shown."""

import json

import pytest

from vademecum.config.library import load_settings, read_settings
from vademecum.config.models import model_settings
from vademecum.core.errors import ConfigError
from vademecum.core.models import ModelSettings
from vademecum.core.settings import Settings
from vademecum.providers.registry import settings_of

WHOLE = """\
ragman: {model: house, timeout_s: 12}
models:
  house:
    provider: openai
    model: Qwen/Qwen3-4B
    base_url: http://localhost:8000/v1
    api_key: ${HOUSE_KEY}
    context_tokens: 8192
    temperature: 0
    retries: 0
    stall_s: 0.5
  nomic: {provider: ollama, model: "nomic-embed-text", query_prefix: "", document_prefix: "doc: "}
"""
HOUSE = ModelSettings(
    "openai",
    "Qwen/Qwen3-4B",
    "http://localhost:8000/v1",
    "${HOUSE_KEY}",
    context_tokens=8192,
    temperature=0,
    retries=0,
    stall_s=0.5,
)
NOMIC = ModelSettings("ollama", "nomic-embed-text", query_prefix="", document_prefix="doc: ")
KEY = "sk-opensesame-0123456789"


def test_every_setting_of_a_model_may_be_said():
    assert tuple(setting.key for setting in model_settings()) == ModelSettings._fields


def test_models_by_their_names(file, copy):
    file.write_text(WHOLE)
    settings = read_settings(file)
    assert settings.models == {"house": HOUSE, "nomic": NOMIC}
    assert (settings.model, settings.timeout_s) == ("house", 12.0)
    assert load_settings(file, copy) == settings  # which writes the copy
    assert load_settings(file, copy) == settings  # which reads it
    assert settings_of("house", settings.models) == HOUSE
    assert settings_of("ollama:gemma3:1b", settings.models) == ModelSettings("ollama", "gemma3:1b")


@pytest.mark.parametrize(
    "text", ["ragman: {model: 'ollama:gemma3:1b'}", "ragman:\n  model: ollama:gemma3:1b\nmodels:\n"]
)
def test_a_model_that_is_not_described(file, text):
    file.write_text(text)
    assert read_settings(file) == Settings(model="ollama:gemma3:1b")


def section(text):
    return "models:\n  one:\n    provider: ollama\n    model: m\n" + "".join(
        f"    {line}\n" for line in text.split("\n")
    )


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("ragman: {model: hous}\nmodels:\n  house: {provider: ollama, model: m}\n", 1, "ragman.model names an unknown model (hous): Did you mean house?"),
        ("ragman:\n  model: gpt\n", 2, "ragman.model names an unknown model (gpt): A model is named PROVIDER:MODEL"),
        ("ragman:\n  model: olama:m\n", 2, "Did you mean ollama?"),
        ("ragman:\n  model: gpt-4o-mini\n", 2, "as in ollama:gemma3:1b or openai:gpt-4o-mini."),
        ("ragman:\n  model: 3\n", 2, "ragman.model must be PROVIDER:MODEL, or a name defined under models, not 3."),
        ("ragman:\n  model:\n", 2, "not empty."),
        ("ragman:\n  model: [a]\n", 2, "not a list."),
        ("ragman:\n  timeout_s: 0\n", 2, "ragman.timeout_s must be a number of seconds above 0, not 0."),

        ("ragadmin:\n  store: weaviate\n", 2, "must be files, or an address: postgresql://user@host/database"),
        ("ragadmin:\n  embedder: mini\n", 2, "ragadmin.embedder names an unknown model (mini)"),
        ("ragadmin:\n  embedder: olama:m\n", 2, "Did you mean ollama?"),
        ("ragadmin:\n  embedder: 3\n", 2, "ragadmin.embedder must be builtin, onnx, or PROVIDER:MODEL, not 3."),
        ("ragadmin:\n  store: postgresql\n", 2, "must be files, or an address: postgresql://user@host/database"),
        ("ragadmin:\n  store: mysql://u:secret@h/d\n", 2, "must be files, or an address: postgresql://user@host/database, opensearch"),
        ("models: [a]\n", 1, "models must contain named entries, each with its own settings."),
        ("models:\n  one: ollama:m\n", 2, "models.one must hold keys: provider, model"),
        ("models:\n  one:\n    model: m\n", 2, "models.one lacks provider."),
        ("models:\n  one: {provider: ollama}\n", 2, "models.one lacks model."),
        ("models:\n  'a:b': {provider: ollama, model: m}\n", 2, "models.a:b is not a valid name for a model"),
        ("models:\n  A: {provider: ollama, model: m}\n", 2, "is not a valid name for a model: a name has up to 40 lowercase letters"),
        ("models:\n  <<: {provider: ollama, model: m}\n", 2, "merging with << is not supported"),
        (f"models:\n  {'a' * 41}: {{provider: ollama, model: m}}\n", 2, "is not a valid name for a model"),
        ('models:\n  "a\\e[31m": {provider: ollama, model: m}\n', 2, "models.a\\x1b[31m is not a valid name"),
        ("models:\n  a: {provider: ollama, model: m}\n  a: {provider: ollama, model: n}\n", 3, "models.a is duplicated; it is first in line 2."),
        ("models:\n  a:\n    provider: olama\n    model: m\n", 3, "models.a.provider: There is no provider named olama."),
        ("models:\n  a:\n    provider: builtin\n    model: m\n", 3, "There is no provider named builtin."),
        (section("base_ur: http://localhost"), 5, "models.one.base_ur is not a setting; did you mean models.one.base_url?"),
        (section("base_url: localhost:8000"), 5, "models.one.base_url: This is not a server's address: localhost:8000."),
        (section("base_url: ftp://localhost"), 5, "This is not a server's address"),
        (section(f"base_url: http://me:{KEY}@localhost"), 5, "has a name or password in it."),
        (section("proxy: socks5://localhost"), 5, "models.one.proxy: This is not a server's address"),
        (section(f"api_key: {KEY}"), 5, "models.one.api_key must be the name of an environment variable, as ${NAME}."),
        (section(f"api_key: 'Bearer {KEY}'"), 5, "must be the name of an environment variable"),

        (section("api_key: 12345678"), 5, "must be the name of an environment variable, as ${NAME}."),
        (section("context_tokens: 0"), 5, "models.one.context_tokens must be a whole number above 0, not 0."),
        (section("context_tokens: 4k"), 5, "not '4k'."),

        (section(f"max_tokens: {'9' * 5000}"), 5, "a number has too many digits"),
        (section("temperature: hot"), 5, "a number from 0 to 2, not 'hot'."),

        (section("retries: -1"), 5, "a whole number from 0 to 20, not -1."),

        (section("timeout_s: .inf"), 5, "a number of seconds above 0, not .inf."),
        (section("query_prefix: [a]"), 5, "models.one.query_prefix must be a text, not a list."),
        (section("ca_file: ''"), 5, "models.one.ca_file must be a text, not ''."),
        (section("threads: {}"), 5, "not a mapping."),
        ('models:\n  a:\n    provider: ollama\n    model: "a\\nb"\n', 4, "models.a.model must be a text"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_file_key_and_line(file, copy, text, line, said):
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings(file, copy)
    assert caught.value.message.startswith(f"{file}, line {line}: ")
    assert said in caught.value.message + caught.value.hint
    assert caught.value.hint
    assert caught.value.message.isprintable()
    assert not caught.value.message.endswith("..")
    assert KEY not in caught.value.message + caught.value.hint
    assert not copy.exists()


def test_a_guests_provider_may_be_named(file, tmp_path, monkeypatch):
    package = tmp_path / "parrot-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[vademecum.providers]\nparrot = parrot\n")
    monkeypatch.syspath_prepend(tmp_path)
    file.write_text("models:\n  polly: {provider: parrot, model: grey}\n")
    assert read_settings(file).models == {"polly": ModelSettings("parrot", "grey")}


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [line for line in lines if line[0] != ["models", "house", "provider"]],
        lambda lines: [*lines, [["models", "house", "colour"], 3, "str", "red"]],
        lambda lines: [*lines, [["models", "house", "timeout_s"], 3, "str", "soon"]],
        lambda lines: [*lines, [["models", "house", "api_key"], 3, "str", KEY]],
        lambda lines: [*lines, [["models", "other", "provider"], 3, "str", "ollama"]],
        lambda lines: [*lines, [["models", "other"], 3, "map", ""]],
    ],
    ids=["required", "unknown", "kind", "secret", "nameless", "empty"],
)
def test_a_copy_that_says_what_cannot_be_is_ignored(file, copy, change):
    file.write_text(WHOLE)
    load_settings(file, copy)
    kept = json.loads(copy.read_text())
    assert change(kept["lines"]) != kept["lines"]
    copy.write_text(json.dumps({**kept, "lines": change(kept["lines"])}))
    assert load_settings(file, copy).models == {"house": HOUSE, "nomic": NOMIC}


def test_thousands_of_names_are_too_large_a_file(file):
    file.write_text(
        "models:\n" + "".join(f"  n{number}: {{provider: ollama, model: m}}\n" for number in range(3_000))
    )
    with pytest.raises(ConfigError, match="65,536"):
        read_settings(file)
