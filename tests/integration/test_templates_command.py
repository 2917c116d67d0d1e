"""`vademecum templates` and `vademecum eval templates`, as processes."""

import json
from pathlib import Path

import pytest

from commands import run_command
from shared import environment

ROOT = Path(__file__).parents[2]
OWN = ROOT / "benchmarks/questions/templates_own.jsonl"
BAD = "image:\n\tname: x\n"
GOOD = (
    "image: {name: good, version: '1'}\ntarget: {os: debian, dist: debian13, arch: x86_64, imageType: raw}\n"
)


@pytest.fixture
def run(tmp_path):
    def command(*arguments):
        return run_command("vademecum", *map(str, arguments), cwd=tmp_path, env=environment(tmp_path))

    return command


def test_search(run, tmp_path):
    done = run("templates", "search", "brain", "for", "a", "robot", "--top", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "robotics" in done.stdout.splitlines()[0]
    assert not (tmp_path / ".ai-cache").exists()
    data = json.loads(run("templates", "search", "fedora robot", "--json", "--explain").stdout)
    assert data["templates"][0]["score"] > 0.4
    assert "fedora" in data["relaxed"][0]
    assert data["trace"]["steps"][0]["name"] == "classify"


def test_show(run):
    done = run("templates", "show", "debian13-x86_64-encrypted-raw")
    assert (done.returncode, "encrypted: yes" in done.stdout) == (0, True)
    assert run("templates", "show", "nothing").returncode == 2


def test_check_and_lint_of_ours(run):
    assert run("templates", "check").returncode == 0
    assert run("templates", "lint").returncode == 0


def test_check_of_a_bad_folder(run, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bad.yml").write_text(BAD)
    (folder / "good.yml").write_text(GOOD)
    done = run("templates", "check", "--templates-dir", folder)
    assert done.returncode == 3  # what can be read is valid
    assert "bad.yml: line 2: it is indented with a tab" in done.stderr
    (folder / "wrong.yml").write_text(GOOD + "disk: 3\n")
    done = run("templates", "check", "--templates-dir", folder, "--json")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert [(one["file"], one["line"], one["where"]) for one in data["findings"]] == [
        ("wrong.yml", 3, "disk")
    ]
    assert [one["fault"] for one in data["problems"]] == ["tab"]


def test_a_folder_that_is_none(run):
    done = run("templates", "check", "--templates-dir", "/nowhere/at/all")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no folder of templates" in done.stderr


def test_eval(run):
    done = run(
        "eval", "templates", "--questions", OWN, "--limit", 12, "--json", "--worst", 2, "--bootstrap", 0
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["n"] == 12
    for figures in (data, data["baseline"]):
        assert all(0 <= figures[name] <= 1 for name in ("hit_at_1", "hit_at_3", "mrr"))
    assert data["hit_at_3"] >= 0.75
    assert len(data["worst"]) <= 2
    assert (
        "right template first"
        in run("eval", "templates", "--questions", OWN, "--limit", 3, "--bootstrap", 0).stdout
    )


def test_eval_of_other_templates(run, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "good.yml").write_text(GOOD)
    done = run("eval", "templates", "--questions", OWN, "--templates-dir", folder)
    assert (done.returncode, done.stdout) == (2, "")
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"query": "debian", "relevant": ["good.yml"]}\n')
    done = run("eval", "templates", "--questions", questions, "--templates-dir", folder, "--json")
    assert json.loads(done.stdout)["hit_at_1"] == 1
