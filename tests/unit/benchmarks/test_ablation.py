import pytest


class Answering:
    """An index that has something to say of everything."""

    def pages(self, _query, _limit):
        return ["page"]

    def nearest(self, _meaning, _vector, _limit):
        return ["near"]

    def nearness(self, _meaning, _vector, places):
        return [0.5 for _ in places]


def test_a_muted_source_says_nothing_and_the_others_speak():
    from ablation import Muted

    muted = Muted(Answering(), ["line"])
    assert muted.pages(None, 1) == ["page"]
    assert muted.nearest("line", [], 1) == []
    assert muted.nearness("line", [], [1, 2]) == [0.0, 0.0]
    assert muted.nearest("contents", [], 1) == ["near"]
    assert muted.nearness("contents", [], [1, 2]) == [0.5, 0.5]
    assert Muted(Answering(), ["pages"]).pages(None, 1) == []


def test_every_feature_is_in_one_group():
    from ablation import FEATURES, OTHERS, feature_groups

    groups = feature_groups([*FEATURES, "a_new_one"])
    members = [feature for group in groups.values() for feature in group]
    assert sorted(members) == sorted([*FEATURES, "a_new_one"])
    assert "a_new_one" in groups[OTHERS]
    assert {"page_score", "links"}.isdisjoint(groups[OTHERS])


def test_differences_are_from_the_first_of_a_table():
    from ablation import Variant, tables, tabulate

    found = tabulate(
        [
            Variant("added", "plain (baseline)", [1, 2, None, 10]),
            Variant("added", "better", [1, 1, 2, 10]),
            Variant("without source", "all of it", [1, 1, 2, 10]),
        ],
        resamples=20,
    )
    assert [one["page_at_1"] for one in found] == [0.25, 0.5, 0.5]
    assert found[1]["difference"]["value"] == pytest.approx(0.25)
    assert found[2]["difference"]["value"] == 0
    added, without = tables(found)
    assert added[0][-1] == "MRR against plain"
    assert added[2][-1].startswith("+0.250 (")
    assert without[1][-1] == ""
