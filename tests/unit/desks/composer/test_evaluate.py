"""Measuring how often a right template comes, and what templates claim."""

import json
from pathlib import Path

import pytest

from vademecum.core.errors import ConfigError
from vademecum.desks.composer.evaluate import Query, Searched, read_queries, render, run, summarise
from vademecum.desks.composer.template.lint import lint
from vademecum.evaluation.figures import Ranking

ROOT = Path(__file__).parents[4]
QUESTIONS = ROOT / "benchmarks/questions"


def ranking(rank):
    return Ranking((False,) * (rank - 1) + (True,) if rank else ())


def outcome(rank, baseline=None, kind="a"):
    query = Query(query="q", relevant=("x.yml",), type=kind)
    return Searched(
        case=query,
        found=("y.yml", "x.yml"),
        ranking=ranking(rank),
        baseline=ranking(baseline),
        classified="semantic",
        duration_ms=2.0,
    )


def test_figures():
    figures = summarise(
        [outcome(1, 1), outcome(3, None, "b"), outcome(None, 2, "b"), outcome(2, 4)], resamples=50, worst=2
    )
    assert figures["n"] == 4
    assert (figures["hit_at_1"], figures["hit_at_3"]) == (0.25, 0.75)
    assert figures["mrr"] == pytest.approx((1 + 1 / 3 + 1 / 2) / 4)
    assert figures["baseline"] == {
        "hit_at_1": 0.25,
        "hit_at_3": 0.5,
        "mrr": pytest.approx((1 + 0.5 + 0.25) / 4),
    }
    assert {kind: one["n"] for kind, one in figures["by_type"].items()} == {"a": 2, "b": 2}
    assert figures["by_type"]["b"]["hit_at_3"] == 0.5
    assert [one["rank"] for one in figures["worst"]] == [None, 3]
    json.dumps(figures, allow_nan=False)
    assert "right template in three" in render(figures)


def test_figures_without_types_and_intervals():
    figures = summarise([outcome(1, 1, "")], resamples=0)
    assert "by_type" not in figures
    assert "intervals" not in figures
    assert "worst" not in figures
    assert render(figures)


DEVELOPMENT = {"ours": ("templates_own.jsonl", 60, 0.9), "real": ("templates.jsonl", 250, 0.93)}


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("source", DEVELOPMENT)
def test_development_queries_find_their_templates(source, every, settings, request):
    file, count, least = DEVELOPMENT[source]
    queries = read_queries(QUESTIONS / file)
    assert len(queries) > count
    figures = summarise(run(request.getfixturevalue(source), queries[::every], settings), resamples=0)
    assert figures["n"] == len(queries[::every])
    assert figures["hit_at_3"] >= (least if every == 1 else 0.8)
    if every == 1:
        assert figures["hit_at_3"] > figures["baseline"]["hit_at_3"]
        assert figures["hit_at_1"] > figures["baseline"]["hit_at_1"]
        if source == "real":
            assert figures["baseline"]["hit_at_3"] < 0.75
            assert all(one["hit_at_3"] >= 0.9 for one in figures["by_type"].values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no request"),
        (
            '{"query": "x", "relevant": ["a.yml"]}\n{"query": "", "relevant": ["a.yml"]}',
            'line 2: "query" is empty',
        ),
        ('{"query": "x"}', '"relevant" is not a list'),
        ('{"query": "x", "relevant": []}', '"relevant" is not a list'),
        ('{"query": "x", "relevant": [3]}', '"relevant" is not a list'),
    ],
)
def test_rejects_a_malformed_file_of_requests(text, said, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"q\.jsonl") as caught:
        read_queries(path)
    assert said in caught.value.message


def test_rejects_requests_for_templates_that_are_not_there(ours, settings, folder_of):
    query = Query(query="x", relevant=("nobody.yml",))
    with pytest.raises(ConfigError, match=r"nobody\.yml"):
        run(ours, [query], settings)
    with pytest.raises(ConfigError, match="template"):
        run(folder_of({}), [query], settings)
    with pytest.raises(ConfigError, match=r"none\.jsonl"):
        read_queries(Path("none.jsonl"))


def test_relevant_files_may_have_any_of_their_names(ours, settings):
    stem = "ubuntu24-x86_64-docker-raw"
    queries = [
        Query(query="single Docker host with Compose", relevant=(name, "gone.yml"))
        for name in (f"ubuntu24/{stem}.yml", f"{stem}.yml", stem)
    ]
    assert [one.ranking.rank for one in run(ours, queries, settings)] == [1, 1, 1]


# --- claims -----------------------------------------------------------------------------------------------------------

TARGET = "target: {os: debian, dist: debian13, arch: x86_64, imageType: raw}\n"
DEFAULT = {
    "debian/debian13/imageconfigs/defaultconfigs/default-raw-x86_64.yml": f"image: {{name: d, version: '1'}}\n{TARGET}systemConfig: {{packages: [base]}}\n"
}


def test_our_templates_make_no_untrue_claims(ours):
    assert lint(ours) == []


def test_untrue_claims_of_real_templates(real):
    found = {(one.file.rpartition("/")[2], one.kind) for one in lint(real)}
    assert ("azl3-x86_64-edge-raw.yml", "untrue") in found  # a container runtime that is not installed
    assert ("ubuntu24-x86_64-fde-raw.yml", "copied") in found
    assert ("ubuntu24-x86_64-agentic-wsl2.yml", "no-metadata") in found
    assert ("emt3-x86_64-edge-raw.yml", "untrue") not in found  # it has one


@pytest.mark.parametrize(
    ("metadata", "kinds"),
    [
        ("description: With Docker", ["untrue"]),
        ("description: Without Docker, no desktop", []),
        ("keywords: [real-time]", ["untrue"]),
        ("keywords: [nginx]", []),
        ("description: For aarch64 boards", ["other-architecture"]),
        ("useCase: web-server", ["alias"]),
        ("keywords: 3", []),
    ],
)
def test_claims(metadata, kinds, folder_of):
    text = f"metadata:\n  {metadata}\nimage: {{name: n, version: '1'}}\n{TARGET}systemConfig: {{packages: [nginx]}}\n"
    found = lint(folder_of({"n.yml": text}, DEFAULT))
    assert [one.kind for one in found] == kinds
    assert all((one.line, one.file) == (2, "n.yml") for one in found)


def test_without_defaults_nothing_is_called_untrue(folder_of):
    text = f"metadata: {{keywords: [docker]}}\nimage: {{name: n, version: '1'}}\n{TARGET}"
    assert lint(folder_of({"n.yml": text})) == []
