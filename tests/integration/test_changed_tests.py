"""`scripts/run_tests.py --changed` selects the tests that a change can reach, and all where that is unknown."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))


def test_selects_the_tests_that_a_change_reaches():
    from changed_tests import tests_of

    found = tests_of(["src/vademecum/desks/chat/chat.py", "tests/unit/text/test_words.py"])
    assert {"tests/architecture", "tests/unit/text/test_words.py"} <= set(found)
    assert any(name.startswith("tests/integration/chat/") for name in found)
    assert not any("desks/reasoning" in name for name in found)
    everywhere = tests_of(["src/vademecum/text/words.py"])
    assert any("desks/reasoning" in name for name in everywhere)


def test_a_backend_found_by_name_reaches_those_that_name_it():
    from changed_tests import tests_of

    assert any(
        name.startswith("tests/integration/chat/") for name in tests_of(["src/vademecum/providers/ollama.py"])
    )


def test_a_file_that_can_change_any_test_selects_none():
    from changed_tests import Unknown, tests_of

    with pytest.raises(Unknown, match=r"pyproject\.toml"):
        tests_of(["pyproject.toml"])


@pytest.mark.needs("git")
def test_an_unknown_change_is_said(tmp_path, monkeypatch):
    import changed_tests

    monkeypatch.setattr(changed_tests, "ROOT", tmp_path)
    with pytest.raises(changed_tests.Unknown, match="git"):
        changed_tests.changed_files("main")
    git = [shutil.which("git"), "-C", tmp_path, "-c", "user.name=A", "-c", "user.email=a@localhost"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    with pytest.raises(changed_tests.Unknown, match="nowhere"):
        changed_tests.changed_files("nowhere")
    assert changed_tests.changed_files("HEAD") == []
    (tmp_path / "new.py").touch()
    with pytest.raises(changed_tests.Unknown, match="not committed"):
        changed_tests.changed_files("HEAD")
