import pytest

HOW = {"date": "2026-01-02", "tree": "abc1234", "quick": False, "processors": 2, "load": 0.5}
RESULTS = {
    "speed": {
        "measured": {**HOW, "index": {"documents": 20_000}},
        "cold": {
            "cached": {
                "ragman": {"wall_ms": {"p50": 251.0, "p95": 399.0}},
                "apropos": {"wall_ms": {"p50": 78.0}},
            }
        },
    },
    "quality": {
        "measured": HOW,
        "held": {
            "page_at_1": 0.625,
            "citation_exact": 0.9996,
            "intervals": {"page_at_1": [0.5, 0.75]},
            "baseline": {"page_at_1": 0.25},
            "by_section": {
                "2": {
                    "n": 8,
                    "page_at_1": 0.5,
                    "page_at_3": 0.75,
                    "page_at_10": 1.0,
                    "baseline": {"page_at_1": 0.25, "page_at_3": 0.25, "page_at_10": 0.5},
                }
            },
        },
    },
}


def row(path):
    from figures import GOALS, rows

    return rows(RESULTS)[[goal.path for goal in GOALS].index(path)][1:]


def test_a_figure_stands_beside_what_it_is_to_reach():
    assert row("speed.cold.cached.ragman.wall_ms.p50") == ("≤ 250 ms", "251 ms", "78 ms", "no")
    assert row("speed.cold.cached.ragman.wall_ms.p95") == ("≤ 400 ms", "399 ms", "", "yes")
    assert row("quality.held.page_at_1") == ("≥ 60 %", "62.5 % (50–75)", "25 %", "yes")


def test_an_unmeasured_figure_is_neither_met_nor_missed():
    assert row("quality.held.auroc") == ("≥ 0.90", "–", "", "")


def test_nearly_all_is_not_all():
    assert row("quality.held.citation_exact") == ("100 %", "99.9 %", "", "no")


def test_sections_stand_beside_their_baseline():
    from figures import section_rows

    assert section_rows(RESULTS)[1:] == [("2", "8", "50 / 75 / 100 %", "25 / 25 / 50 %")]
    assert section_rows({}) == []


def test_a_table_goes_between_its_markers_and_nowhere_else(tmp_path):
    from figures import markdown, put

    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- begin figures -->\nOLD\n<!-- end figures -->\nafter\n")
    for _ in range(2):
        put("figures", markdown(RESULTS), readme)
    text = readme.read_text()
    assert text.startswith("before\n<!-- begin figures -->\n\n| what |")
    assert text.endswith("<!-- end figures -->\nafter\n")
    assert text.count("right page first") == 1
    assert "OLD" not in text
    with pytest.raises(ValueError, match="no place marked"):
        put("other", "", readme)


@pytest.mark.parametrize("name", ["figures", "ablation"])
def test_the_readme_has_a_place_for_each_table(name, tmp_path):
    from figures import README, put

    copy = tmp_path / "README.md"
    copy.write_text(README.read_text())
    put(name, "here\n", copy)
    assert "\nhere\n" in copy.read_text()


def test_results_of_one_commit_are_kept_together(tmp_path, monkeypatch):
    import records

    monkeypatch.setattr(records, "FOLDER", tmp_path / "results")
    how = {**HOW, "commit": "abc1234"}
    records.save("speed", {"measured": how, "n": 1})
    path = records.save("quality", {"measured": how, "n": 2})
    assert path.name == "2026-01-02-abc1234.json"
    assert {part: found["n"] for part, found in records.load(path).items()} == {"speed": 1, "quality": 2}
    assert records.save("speed", {"measured": {**how, "quick": True}}).name == "2026-01-02-abc1234-quick.json"
