"""`vademecum reason` and `vademecum eval reasoning` as a person runs them."""

import json
import os
from pathlib import Path

import pytest

from commands import run_command
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer

QUERIES = Path(__file__).parents[2] / "benchmarks/questions/reasoning.jsonl"
KNIT = """---
name: Cable Knitting
description: Plans a cable pattern row by row.
keywords: [knitting, cable, yarn, stitches, jumper]
examples: [how many stitches do I cast on for a cable jumper]
---

## Steps

1. **Count.** Stitches.
2. **Cross.** Cables.

## Checklist

- [ ] Rows add up.
"""


@pytest.fixture
def person(tmp_path):

    def run(*words, stdin=None, code=0, **environment):
        done = run_command(
            "vademecum",
            *map(str, words),
            given=stdin or b"",
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith("OLLAMA")},
                "HOME": str(tmp_path),
                "XDG_DATA_HOME": str(tmp_path / "data"),
                **environment,
            },
        )
        assert done.returncode == code, done.stderr
        return done.stdout, done.stderr

    return run


def test_selecting(person):
    problem = "show that there is no largest multiple of five"
    data = json.loads(person("reason", "select", problem, "--json", "--explain", "--top", "2")[0])
    assert data["matches"][0]["id"] == "proof-by-contradiction"
    assert len(data["matches"]) == 2
    assert len(data["explain"]["candidates"]) == 30
    text, _ = person("reason", "select", *problem.split(), "--explain")
    assert text.startswith("1. proof-by-contradiction")
    assert "Probability that any fits" in text
    assert person("reason", "select", "-", stdin=problem.encode())[0].startswith("1. proof-by-contradiction")


def test_falling_back_says_why(person):
    (match,) = json.loads(person("reason", "select", "hello", "--json")[0])["matches"]
    assert (match["id"], match["score"], match["is_fallback"]) == ("chain-of-thought", 0.5, True)
    assert "The fallback is used." in person("reason", "select", "hello")[0]
    strict = json.loads(person("reason", "select", "prove it", "--threshold", "1", "--json")[0])
    assert "cosine" in strict["reason"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["select", ""], 2, "No problem"),
        (["select"], 2, "needs PROBLEM"),
        (["select", "x", "--top", "0"], 2, "at least 1"),
        (["select", "x", "--threshold", "2"], 2, "from 0 to 1"),
        (["show", "pre-mortum"], 2, "Did you mean pre-mortem?"),
        (["apply", "x", "--template", "zzz"], 2, "no template zzz"),
        (["apply", "x", "--model", "nonsense"], 2, "does not name a model"),
        (["add", "gone.md"], 1, "cannot be read"),
        (["add", "."], 1, ". is a folder."),
    ],
)
def test_mistakes(person, words, code, said):
    assert said in person("reason", *words, code=code)[1]


def test_bytes_that_are_no_text(person):
    assert json.loads(person("reason", "select", "-", "--json", stdin=b"\xff\xfe\x00prove")[0])["matches"]
    assert person("reason", "select", os.fsdecode(b"caf\xe9 and \x1b[31m"))[0]
    person("reason", "select", "-", stdin=b" \n", code=2)


def test_listing_and_showing(person):
    lines = person("reason", "list")[0].splitlines()
    assert len(lines) == 32
    assert lines[0].split() == ["id", "domain", "complexity", "name"]
    listed = json.loads(person("reason", "list", "--json")[0])["templates"]
    assert {
        "id",
        "name",
        "domain",
        "complexity",
        "methodology",
        "keywords",
        "content",
        "file_path",
    } <= listed[0].keys()
    assert "Verification checklist" in person("reason", "show", "pre-mortem")[0]


def test_adding_a_template_of_ones_own(person, tmp_path):
    path = tmp_path / "knit.md"
    path.write_bytes(b"\xef\xbb\xbf" + KNIT.replace("\n", "\r\n").encode())
    assert "Added knit" in person("reason", "add", path)[0]
    problem = "how many stitches do I need for a jumper with cable pattern"
    assert json.loads(person("reason", "select", problem, "--json")[0])["matches"][0]["id"] == "knit"
    assert "already added knit" in person("reason", "add", path, code=2)[1]
    assert json.loads(person("reason", "add", path, "--replace", "--json")[0])["added"] == "knit"
    assert len(person("reason", "list")[0].splitlines()) == 33
    ours = tmp_path / "pre-mortem.md"
    ours.write_text(KNIT)
    assert "already" in person("reason", "add", ours, code=2)[1]
    (tmp_path / "empty.md").write_text("")
    person("reason", "add", tmp_path / "empty.md", code=1)
    (tmp_path / "stepless.md").write_text("# A\n\nnothing here\n")
    assert "has no steps" in person("reason", "add", tmp_path / "stepless.md", code=1)[1]
    assert len(person("reason", "list")[0].splitlines()) == 33


def test_other_folders(person, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/knit.md").write_text(KNIT)
    (tmp_path / "mine/bad.md").write_bytes(b"\xff")
    text, error = person("reason", "list", "--templates", tmp_path / "mine", code=3)
    assert [line.split()[0] for line in text.splitlines()] == ["id", "chain-of-thought", "knit"]
    assert "bad.md" in error
    (tmp_path / "two").mkdir()
    (tmp_path / "two/knit.md").write_text(KNIT)
    clash = ["--templates", tmp_path / "mine", "--templates", tmp_path / "two"]
    assert "same id" in person("reason", "list", *clash, code=1)[1]
    assert "same id" in person("reason", "select", "cables", *clash)[0]
    assert (
        "cannot be listed"
        in person("reason", "select", "cables", "--templates", tmp_path / "gone", code=3)[1]
    )


def test_lint(person, tmp_path):
    assert person("reason", "lint")[0] == "31 templates, 0 findings\n"
    (tmp_path / "mine").mkdir()
    for name in ("one", "two"):
        (tmp_path / f"mine/{name}.md").write_text(KNIT)
    data = json.loads(person("reason", "lint", "--templates", tmp_path / "mine", "--json", code=3)[0])
    assert {"near-duplicate", "missing"} <= {one["kind"] for one in data["findings"]}


def test_applying_without_a_model(person):
    problem = "which of three flats should we take"
    sheet = person("reason", "apply", problem)[0]
    assert sheet.startswith("# Trade-off Matrix")
    assert f"> {problem}" in sheet
    data = json.loads(person("reason", "apply", problem, "--json")[0])
    assert [one["role"] for one in data["messages"]] == ["system", "user"]
    assert problem in data["messages"][1]["content"]
    assert data["checklist"]
    assert person("reason", "apply", problem, "--template", "pre-mortem")[0].startswith("# Pre-mortem")
    assert person("reason", "apply", problem, "--messages")[0].startswith("[system]")
    assert person("reason", "apply", "hello")[0].startswith("# Chain of Thought")


def test_applying_with_a_model(person, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/knit.md").write_text(KNIT)
    check = json.dumps({"points": [{"holds": True, "why": "they do"}]})

    def said(text):
        return answer(
            {
                "model": "m",
                "message": {"role": "assistant", "content": text},
                "done": True,
                "done_reason": "stop",
            }
        )

    words = [
        "reason",
        "apply",
        "how many stitches",
        "--template",
        "knit",
        "--model",
        "ollama:m",
        "--templates",
        tmp_path / "mine",
    ]
    with ScriptedServer(said("ten"), said("crossed"), said(check), said("Cast on \x1b[31mten.")) as server:
        text = person(*words, OLLAMA_HOST=server.url)[0]
    assert "## 1. Count\n\nten" in text
    assert "- [x] Rows add up. (they do)" in text
    assert "Cast on [31mten." in text
    with ScriptedServer(said("ten"), said("crossed"), said(check), said("ten.")) as server:
        data = json.loads(person(*words, "--json", OLLAMA_HOST=server.url)[0])
    assert (data["answer"], data["checklist"][0]["holds"], data["template"]) == ("ten.", True, "knit")
    with ScriptedServer(answer({"error": "model 'm' not found"}, status=404)) as server:
        person(*words, code=1, OLLAMA_HOST=server.url)


def test_evaluating(person):
    data = json.loads(
        person(
            "eval",
            "reasoning",
            "--questions",
            QUERIES,
            "--json",
            "--limit",
            "60",
            "--bootstrap",
            "50",
            "--worst",
            "3",
        )[0]
    )
    assert data["n"] == 60
    assert {
        "accuracy_at_1",
        "accuracy_at_3",
        "fallback_precision",
        "fallback_recall",
        "confusions",
    } <= data.keys()
    assert data["baseline"]["accuracy_at_1"] < data["accuracy_at_1"] <= data["accuracy_at_3"]
    assert len(data["worst"]) == 3
    text = person("eval", "reasoning", "--questions", QUERIES, "--limit", "20", "--worst")[0]
    assert "plain BM25" in text
    assert "20 problems" in text


def test_evaluating_mistakes(person, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"query": "q"}\n')
    assert "line 1" in person("eval", "reasoning", "--questions", path, code=2)[1]
    path.write_text('{"query": "q", "expected": ["zzz"]}\n')
    assert "no template zzz" in person("eval", "reasoning", "--questions", path, code=2)[1]
