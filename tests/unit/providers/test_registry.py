"""Models by name."""

import pytest

from vademecum.core.errors import ConfigError, ModelMissing
from vademecum.core.models import ModelSettings
from vademecum.providers.registry import open_embedder, open_model, settings_of


def test_a_name_is_provider_and_model():
    assert settings_of("ollama:gemma3:1b") == ModelSettings("ollama", "gemma3:1b")
    assert settings_of("llamacpp:/models/a b.gguf").model == "/models/a b.gguf"


@pytest.mark.parametrize(
    "spec", ["", "gpt-4o-mini", ":m", "ollama:", "ollama: ", "ollama:a\nb", "ollama:\x1b[31m"]
)
def test_rejects_a_name_without_provider_or_model(spec):
    with pytest.raises(ConfigError, match="model") as caught:
        open_model(spec)
    assert "ollama:gemma3:1b" in caught.value.hint
    assert caught.value.message.isprintable()


def test_a_provider_that_nobody_has():
    with pytest.raises(ConfigError, match="olama") as caught:
        open_model("olama:gemma3:1b")
    assert "ollama?" in caught.value.hint
    with pytest.raises(ConfigError) as caught:
        open_embedder("zzz:m")
    assert "openai" in caught.value.hint


@pytest.mark.parametrize(
    "changed",
    [
        {"context_tokens": 0},
        {"max_tokens": -1},
        {"dimensions": 1.5},
        {"batch": True},
        {"timeout_s": 0},
        {"timeout_s": float("nan")},
        {"stall_s": float("inf")},
        {"timeout_s": "5"},
        {"retries": -1},
        {"retries": 1000},
        {"threads": 0},
        {"base_url": "localhost"},
        {"base_url": "http://me:opensesame@localhost"},
        {"proxy": "socks5://localhost"},
        {"ca_file": "/nowhere.pem"},
        {"api_key": "sk-opensesame"},
        {"api_key": "${NOT_SET_ANYWHERE}"},
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_used(changed):
    with pytest.raises(ConfigError) as caught:
        open_model(ModelSettings("ollama", "m")._replace(**changed))
    assert caught.value.hint
    assert "opensesame" not in caught.value.message + caught.value.hint


def test_a_guest(tmp_path, monkeypatch):
    package = tmp_path / "parrot-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        "[vademecum.providers]\nparrot = parrot\nbroken = parrot:nothing\nneedy = needy_parrot\n"
    )
    (tmp_path / "parrot.py").write_text(
        "class Parrot:\n    def __init__(self, name):\n        self.name = name\n\n\n"
        "def open_chat(settings, client):\n    return Parrot(settings.model * 2)\n"
    )
    (tmp_path / "needy_parrot.py").write_text("import a_module_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert open_model("parrot:polly").name == "pollypolly"
    with pytest.raises(ConfigError, match="embedding"):
        open_embedder("parrot:polly")
    with pytest.raises(ConfigError, match="cannot be used"):
        open_model("broken:polly")
    with pytest.raises(ConfigError, match="a_module_that_is_not_there"):
        open_model("needy:polly")


@pytest.mark.parametrize("content", [None, b"", b"GG", b"text", "folder"], ids=str)
def test_rejects_a_file_that_is_no_model(tmp_path, content):
    path = tmp_path / "model.gguf"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelMissing) as caught:
        open_model(f"llamacpp:{path}")
    assert "GGUF" in caught.value.hint
