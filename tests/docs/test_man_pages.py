"""The manual pages of our own commands: they say what the commands say, are clean, and answer questions."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from vademecum import Library

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs/man").glob("*.1"))


def test_they_are_what_the_commands_say():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/man_pages.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert {page.stem for page in PAGES} == set(project["project"]["scripts"])
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert shared == {"docs/man": "share/man/man1"}


@pytest.mark.needs("mandoc")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_mandoc_finds_nothing_to_say(page):
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.needs("mandoc")
def test_they_answer_questions_about_ourselves(tmp_path):
    shutil.copytree(ROOT / "tests/data/manual", tmp_path / "manual")
    (tmp_path / "manual/man1").mkdir(exist_ok=True)
    for page in PAGES:
        shutil.copy(page, tmp_path / "manual/man1")
    library = Library.open()
    library.add(tmp_path / "manual")
    for question, reference, said in (
        ("how do I add a kiwix archive", "ragadmin(1)", "add"),
        ("ask a follow-up question about the last one", "ragman(1)", "--conversation"),
    ):
        answer = library.ask(question)
        assert answer.references[0].document_ref == reference, question
        assert said in " ".join(f"{one.command} {one.text}" for one in (*answer.summary, *answer.steps))
