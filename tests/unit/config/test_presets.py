"""The configurations that `ragadmin init --backend` writes."""

import pytest
import yaml

from vademecum.config.library import DEFAULT_TEXT, read_settings
from vademecum.config.presets import preset_of, put_back, text_of, write
from vademecum.core.errors import ConfigError


@pytest.fixture
def file(tmp_path):
    return tmp_path / "config" / "config.yaml"


@pytest.mark.parametrize(
    ("name", "store", "embedder", "model"),
    [
        ("builtin", "", "builtin", ""),
        ("onnx", "", "onnx", ""),
        ("ollama", "", "builtin", "ollama:gemma3:1b"),
        ("ollama:qwen3:4b", "", "builtin", "ollama:qwen3:4b"),
        ("openai", "", "builtin", "openai:gpt-4o-mini"),
        ("gemini", "", "builtin", "gemini:gemini-2.0-flash"),
        ("llamacpp:/models/a+b.gguf", "", "builtin", "llamacpp:/models/a+b.gguf"),
        ("onnx+ollama", "", "onnx", "ollama:gemma3:1b"),
        ("ollama+onnx", "", "onnx", "ollama:gemma3:1b"),
        (
            "weaviate+ollama",
            "weaviate://localhost:8080/vademecum",
            "ollama:embeddinggemma:latest",
            "ollama:gemma3:1b",
        ),
        ("qdrant+builtin", "qdrant://localhost:6333/vademecum", "builtin", ""),
        ("postgres+openai", "postgresql://localhost/vademecum", "builtin", "openai:gpt-4o-mini"),
        (" opensearch ", "opensearch://localhost:9200/vademecum", "builtin", ""),
    ],
)
def test_a_name_sets_store_embedder_and_model(name, store, embedder, model):
    assert preset_of(name) == (store, embedder, model)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "no backend named nothing"),
        ("olama", "Did you mean ollama?"),
        ("ollama:", "no backend named ollama:"),
        ("builtin:x", "no backend named builtin:x"),
        ("ollama+", "no backend named ollama+"),
        ("ollama+openai", "names a model twice"),
        ("onnx+builtin", "names an embedder twice"),
        ("weaviate+qdrant", "names a store twice"),
        ("llamacpp", "llamacpp needs a model"),
        ("ollama:a\nb", "no backend named"),
        ("ollama:\x1b[31m", "no backend named"),
        ("ollama:\ud800", "no backend named"),
        ("x" * 10_000, "no backend named"),
    ],
)
def test_rejects_unknown_and_contradicting_names(name, said):
    with pytest.raises(ConfigError) as caught:
        text_of(name)
    assert said in f"{caught.value.message} {caught.value.hint}"
    assert (caught.value.message + caught.value.hint).isprintable()
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    "name", ["builtin", "onnx", "ollama", "onnx+openai", 'llamacpp:/a "b" #c: {d}.gguf', "ollama:naïve"]
)
def test_the_file_says_it(file, name):
    assert write(file, name)
    settings = read_settings(file)
    assert ("", settings.embedder, settings.model) == preset_of(name)
    assert not write(file, name)


def test_the_specified_backend_is_written_as_specified(file):
    write(file, "weaviate+ollama")
    said = yaml.safe_load(file.read_text())
    assert said["ragman"] == {
        "confidence_threshold": 0.35, "presenter_default": "markdown", "model": "ollama:gemma3:1b", "timeout_s": 60
    }  # fmt: skip
    assert said["ragadmin"] == {
        "output_default": "table", "store": "weaviate://localhost:8080/vademecum", "embedder": "ollama:embeddinggemma:latest"
    }  # fmt: skip
    assert read_settings(file).embedder == "ollama:embeddinggemma:latest"


def test_a_file_of_ours_is_replaced_and_put_back(file):
    file.parent.mkdir()
    file.write_text(before := DEFAULT_TEXT)
    for name in ("weaviate+ollama", "ollama:qwen3:4b", "builtin"):
        assert write(file, name)
        assert file.read_text() == text_of(name)
        assert put_back(file)
        assert file.read_text() == before
        write(file, name)
        before = text_of(name)


def test_there_is_nothing_to_put_back_where_nothing_was(file):
    write(file, "onnx")
    write(file, "ollama")
    file.unlink()
    write(file, "builtin")
    assert not put_back(file)
    assert file.read_text() == text_of("builtin")


@pytest.mark.parametrize(
    "text",
    [
        "ragman: {model: 'ollama:m'}\n",
        DEFAULT_TEXT + "# mine\n",
        text_of("ollama").replace("0.35", "0.5"),
        text_of("ollama").replace("--backend ollama\n", "--backend nonsense\n"),
        "",
    ],
)
def test_a_file_that_was_changed_by_hand_stays(file, text):
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(ConfigError, match="hand") as caught:
        write(file, "onnx")
    assert "ragadmin init --backend onnx --print" in caught.value.hint
    assert file.read_text() == text
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match="hand"):
        write(file, "onnx")
    assert file.is_dir()


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "config").write_text("")
    with pytest.raises(ConfigError, match="written"):
        write(tmp_path / "config" / "config.yaml", "onnx")
