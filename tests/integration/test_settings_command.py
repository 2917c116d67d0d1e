"""`vademecum settings`: every desk's settings with their origins; a mistake in one desk hides no other; no secret is shown."""

import json

import pytest

from vademecum.cli.vademecum import run
from vademecum.core.errors import ConfigError


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "ragcli").mkdir()
    (tmp_path / "vademecum").mkdir()
    return {"ragman": tmp_path / "ragcli/config.yaml", "reasoning": tmp_path / "vademecum/reasoning.yaml"}


def test_every_desk_says_where_its_values_come_from(files, monkeypatch, capsys):
    files["ragman"].write_text(
        "ragman: {confidence_threshold: 0.3, model: house}\n"
        "ragadmin:\n  store: postgresql://me:opensesame@host/database\n"
        "models:\n  house: {provider: openai, model: m}\n"
    )
    files["reasoning"].write_text("reasoning:\n  top_k: 5\n")
    monkeypatch.setenv("RETRIEVAL_TOP_K", "4")
    monkeypatch.setenv("OIC_AI_PROVIDER", "none")
    monkeypatch.setenv("BOOKS_STORE", "qdrant://opensesame@host/books")
    assert run(["settings", "--json"]) == 0
    desks = json.loads(capsys.readouterr().out)
    assert list(desks) == ["ragman", "book", "reasoning", "composer"]
    settings = {key: tuple(row.values()) for desk in desks.values() for key, row in desk["settings"].items()}
    expected = {
        "ragman.confidence_threshold": ("0.3", f"{files['ragman']}, line 1"),
        "ragman.query_log": ("false", "default"),
        "ragadmin.store": ("(set)", f"{files['ragman']}, line 3"),
        "models.house.provider": ("openai", f"{files['ragman']}, line 5"),
        "reasoning.top_k": ("5", f"{files['reasoning']}, line 2"),
        "reasoning.threshold": ("", "default"),
        "RETRIEVAL_SIMILARITY_THRESHOLD": ("", "default"),
        "RETRIEVAL_TOP_K": ("4", "environment RETRIEVAL_TOP_K"),
        "BOOKS_STORE": ("(set)", "environment BOOKS_STORE"),
        "ai.provider": ("none", "environment OIC_AI_PROVIDER"),
        "ai.session.persist": ("true", "default"),
    }
    assert expected.items() <= settings.items()
    assert run(["settings"]) == 0
    shown = capsys.readouterr().out
    assert "opensesame" not in shown
    assert {tuple(line.split(maxsplit=2)) for line in shown.splitlines()} >= {
        (key, value or "-", origin) for key, (value, origin) in expected.items()
    }


def test_a_mistake_hides_no_other_desk(files, monkeypatch, capsys):
    files["reasoning"].write_text("reasoning:\n  topk: 5\n")
    monkeypatch.setenv("ASK_TIMEOUT", "later")
    with pytest.raises(ConfigError, match=r"ASK_TIMEOUT must be a number from 0\.001 to 3600, not 'later'"):
        run(["settings"])
    printed = capsys.readouterr()
    assert "ragman.query_log" in printed.out
    assert "ai.provider" in printed.out
    assert printed.err.startswith("vademecum: ")
    assert "line 2: reasoning.topk is not a setting; did you mean reasoning.top_k?\nCorrect it" in printed.err


@pytest.mark.usefixtures("files")
def test_variables_that_contradict_each_other_are_reported(monkeypatch):
    monkeypatch.setenv("BOOKS_STORE", "flat:")
    monkeypatch.setenv("QDRANT_URL", "https://qdrant.example.org:6333")
    with pytest.raises(ConfigError, match="QDRANT_URL and BOOKS_STORE"):
        run(["settings"])
