"""A library of ways of reasoning: what it finds, when it says that nothing fits, and what it survives."""

import json
import shutil

import pytest

from vademecum.core.errors import ConfigError, SourceError, TemplatesClash
from vademecum.desks.reasoning import ReasoningLibrary

KNIT = """---
name: Cable Knitting
description: Plans a cable pattern row by row.
keywords: [knitting, cable, yarn, stitches, jumper]
examples:
  - how many stitches do I cast on for a cable jumper
  - which yarn goes with a cable pattern
---

## Steps

1. **Count.** Stitches.
2. **Cross.** Cables.
"""
BAKE = """---
name: Sourdough Planning
description: Times a sourdough from starter to oven.
keywords: [sourdough, starter, dough, oven]
examples:
  - when must I feed the starter for bread on sunday
---

1. Feed.
2. Fold.
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/knit.md").write_text(KNIT)
    (tmp_path / "mine/bake.md").write_text(BAKE)
    return tmp_path / "mine"


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        ("prove that the fifth root of 3 is irrational", "proof-by-contradiction"),
        ("about how many umbrellas are sold in a rainy country each year, ballpark", "fermi-estimation"),
        ("the release crashed again; write up why it happened and how to prevent it", "root-cause-analysis"),
        ("use mathematical induction", "mathematical-induction"),
    ],
)
def test_the_best_template_comes_first(ours, problem, expected):
    matches = ours.search(problem)
    assert matches[0].id == expected
    assert len(matches) == 3
    assert not any(match.is_fallback for match in matches)
    scores = [match.score for match in matches]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert all((matches[0].content, matches[0].description, matches[0].why))


@pytest.mark.parametrize(
    "problem",
    [
        "hello",
        "17 * 23",
        "who wrote Faust",
        "translate 'good night' into Danish",
        "",
        "  \n ",
        "?!",
        "zzxq vvw",
    ],
)
def test_where_none_fits_the_fallback_comes_alone(ours, problem):
    (match,) = ours.search(problem)
    assert (match.id, match.score, match.is_fallback) == ("chain-of-thought", 0.5, True)
    assert match.content
    assert match.why


def test_the_fallback_is_never_ranked(ours):
    candidates = {candidate.id for candidate in ours.select("think step by step for all n").candidates}
    assert len(candidates) == 30
    assert "chain-of-thought" not in candidates


@pytest.mark.parametrize(
    "problem",
    [
        "Wie teile ich eine Rechnung unter drei Freunden auf?",
        "Hvordan deler jeg en regning mellom tre venner?",
        "Koliko košta stan u Beogradu i da li da ga kupim?",
    ],
)
def test_a_problem_in_another_language_has_the_fallback_and_says_so(ours, problem):
    found = ours.select(problem)
    assert [match.is_fallback for match in found.matches] == [True]
    assert "English" in found.reason


def test_fields_that_are_indented_by_tabs_are_read(folder):
    (folder / "tabs.md").write_text(
        "---\nname: Tabs\n\tdescription: Reads tabs.\n\tkeywords:\n\t- tabs\n---\n\n1. Read.\n"
    )
    found = next(one for one in ReasoningLibrary([folder]).list_templates() if one.name == "Tabs")
    assert (found.description, found.keywords) == ("Reads tabs.", ("tabs",))


def test_gives_as_many_as_asked_for(ours, six_of_ours):
    problem = "show that it holds for every n"
    assert len(ours.search(problem, 5)) == 5
    assert len(ours.search(problem, 500)) == 30
    assert len(ReasoningLibrary([six_of_ours], top_k=1).search(problem)) == 1
    for wrong in (0, -1, True, 2.0, "3"):
        with pytest.raises(ConfigError, match="top_k"):
            ours.search(problem, wrong)


def test_a_threshold_goes_by_the_cosine(six_of_ours):
    problem = "show that it holds for every n"

    def found(threshold):
        return ReasoningLibrary([six_of_ours], threshold=threshold).search(problem, 30)

    (match,) = found(1.0)
    assert match.is_fallback
    assert "cosine" in match.why
    every = found(0.0)
    assert len(every) == 5
    border = every[2].score
    assert [match.score for match in found(border)] == [match.score for match in every[:3]]
    assert [match.score for match in every] == sorted((match.score for match in every), reverse=True)
    for wrong in (-0.1, 1.5, "0.65", float("nan"), True):
        with pytest.raises(ConfigError, match="threshold"):
            ReasoningLibrary(threshold=wrong)


def test_gives_the_same_each_time(six_of_ours):
    problem = "show that it holds for every n"
    library, fresh = (ReasoningLibrary([six_of_ours]) for _ in range(2))
    assert fresh.search(problem) == library.search(problem) == library.search(problem)


def test_a_long_problem_and_odd_characters(ours):
    for problem in ("why " * 50_000, "\x00\x1b[31m", "日本語", "a\ud800b", "-" * 10_000, "1 " * 5000):
        assert ours.search(problem)


def test_explains_a_choice(ours):
    selection = ours.select("does coffee cause cancer or is it just correlation")
    data = json.loads(json.dumps(selection.to_dict(explain=True)))
    assert len(data["explain"]["candidates"]) == 30
    assert data["explain"]["candidates"][0]["measured"]["like_own"]
    assert 0 <= data["fits"] <= 1
    assert data["explain"]["signals"]["bias"] == 1
    assert "explain" not in selection.to_dict()


def test_searches_a_library_of_ones_own(folder):
    library = ReasoningLibrary([folder])
    assert not library.is_ready()
    assert library.index_templates() == 2
    assert library.is_ready()
    assert [one.id for one in library.list_templates()] == ["bake", "chain-of-thought", "knit"]
    assert library.search("I want to knit a jumper with a cable pattern, how many stitches")[0].id == "knit"
    assert (
        library.search("when should the starter be fed so that my sourdough is ready on sunday")[0].id
        == "bake"
    )
    assert library.search("hello")[0].is_fallback


def test_folders_are_one_library(six_of_ours, folder):
    library = ReasoningLibrary([six_of_ours, folder])
    assert library.index_templates() == 8
    assert library.search("I want to knit a jumper with a cable pattern, how many stitches")[0].id == "knit"


def test_indexing_again_is_the_same_and_forgets_what_is_gone(folder):
    library = ReasoningLibrary([folder])
    assert [library.index_templates(), library.index_templates()] == [2, 2]
    (folder / "knit.md").unlink()
    assert library.index_templates() == 1
    assert "knit" not in {match.id for match in library.search("cable jumper stitches", 9)}
    assert [one.id for one in library.list_templates()] == ["bake", "chain-of-thought"]


def test_adds_and_replaces_a_template(folder, tmp_path):
    library = ReasoningLibrary([folder])
    path = tmp_path / "crochet.md"
    path.write_text(KNIT.replace("Cable Knitting", "Crochet"))
    assert library.add_template(path).id == "crochet"
    assert [one.id for one in library.list_templates()] == ["bake", "chain-of-thought", "crochet", "knit"]
    path.write_text(KNIT.replace("Cable Knitting", "Crochet again"))
    library.add_template(str(path))
    assert [one.name for one in library.list_templates() if one.id == "crochet"] == ["Crochet again"]
    assert library.index_templates() == 3
    path.unlink()
    assert library.index_templates() == 2
    with pytest.raises(SourceError) as caught:
        library.add_template(path)
    assert caught.value.hint


def test_a_fallback_of_ones_own(folder):
    (folder / "bot-chain-of-thought.md").write_text("---\nname: Slowly\n---\nOne thing after the other.")
    library = ReasoningLibrary([folder])
    assert library.index_templates() == 3
    (match,) = library.search("hello")
    assert (match.id, match.name, match.content) == (
        "chain-of-thought",
        "Slowly",
        "One thing after the other.",
    )


def test_an_empty_library_has_the_fallback(tmp_path):
    library = ReasoningLibrary([tmp_path])
    assert library.index_templates() == 0
    assert not library.is_ready()
    (match,) = library.search("prove that there is no largest prime")
    assert (match.id, match.score, match.is_fallback) == ("chain-of-thought", 0.5, True)
    assert "no templates" in match.why
    assert ReasoningLibrary([]).search("x")[0].is_fallback


def test_a_broken_library_has_the_fallback_and_says_why(tmp_path, folder):
    gone = ReasoningLibrary([tmp_path / "gone"])
    assert "gone" in gone.search("prove it")[0].why
    assert len(gone.problems) == 1
    shutil.copytree(folder, tmp_path / "copy")
    clash = ReasoningLibrary([folder, tmp_path / "copy"])
    with pytest.raises(TemplatesClash):
        clash.index_templates()
    (match,) = clash.search("cable jumper")
    assert match.is_fallback
    assert "same id" in match.why


def test_one_bad_file_does_not_stop_the_others(folder):
    (folder / "bad.md").write_bytes(b"\xff\xfe\xfd")
    (folder / "empty.md").write_text("")
    library = ReasoningLibrary([folder])
    assert library.index_templates() == 2
    assert {problem.fault for problem in library.problems} == {"not-utf-8", "empty"}


def test_a_failed_indexing_leaves_what_was_there(folder, tmp_path):
    library = ReasoningLibrary([folder, tmp_path / "two"])
    (tmp_path / "two").mkdir()
    assert library.index_templates() == 2
    (tmp_path / "two/knit.md").write_text(KNIT)
    with pytest.raises(TemplatesClash):
        library.index_templates()
    assert library.is_ready()
    assert library.search("cable jumper stitches yarn, how many to cast on")[0].id == "knit"


def test_rejects_a_folder_that_is_not_in_a_list():
    with pytest.raises(ConfigError, match="template_dirs"):
        ReasoningLibrary("templates")


def test_a_library_of_one_template(folder):
    (folder / "bake.md").unlink()
    library = ReasoningLibrary([folder])
    assert library.search("how many stitches for a cable jumper with thick yarn")[0].id == "knit"
