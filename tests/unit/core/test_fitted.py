"""Fitted numbers from data files: trees reach the leaves that walking them reaches."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.fitted import Trees, weights_of
from vademecum.retrieval.passages import features as passage_features
from vademecum.retrieval.units import calibration
from vademecum.retrieval.units import features as unit_features
from vademecum.retrieval.weights import text_numbers

NAMES = ("height", "width", "depth")
VALUES = st.floats(-4, 4).map(lambda value: round(value, 1))
NODES = st.recursive(
    VALUES, lambda nodes: st.tuples(st.sampled_from(NAMES), VALUES, nodes, nodes), max_leaves=16
)


def packed(trees):
    leaves, splits = [], {}

    def walk(node):
        if not isinstance(node, tuple):
            leaves[-1].append(node)
            return 1 << len(leaves[-1]) - 1
        name, threshold, low, high = node
        left = walk(low)
        splits.setdefault(name, []).append([threshold, len(leaves) - 1, left])
        return left | walk(high)

    for tree in trees:
        leaves.append([])
        walk(tree)
    return {"leaves": leaves, "splits": {name: sorted(found) for name, found in splits.items()}}


def walked(tree, features):
    while isinstance(tree, tuple):
        name, threshold, low, high = tree
        tree = low if features[NAMES.index(name)] <= threshold else high
    return tree


@given(st.lists(NODES, min_size=1, max_size=6), st.tuples(VALUES, VALUES, VALUES))
def test_trees_add_up_what_walking_them_reaches(trees, features):
    total = 0.0
    for tree in trees:
        total += walked(tree, features)
    assert Trees(packed(trees), NAMES)(features).hex() == total.hex()


def test_at_a_threshold_a_value_goes_left():
    trees = Trees(packed([("width", 0.5, 1.0, 2.0)]), NAMES)
    assert trees((9, 0.5, 9)) == 1.0
    assert trees((9, math.nextafter(0.5, 1), 9)) == 2.0


def test_numbers_of_other_features_are_refused():
    with pytest.raises(ValueError, match=r"other features: \['age'\]"):
        Trees(packed([("age", 0.5, 1.0, 2.0)]), NAMES)
    with pytest.raises(ValueError, match=r"other features: \['depth'\]"):
        weights_of({"height": 1.0, "width": 2.0}, NAMES)
    assert weights_of({"depth": 3.0, "height": 1.0, "width": 2.0}, NAMES) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("by_transformer", [False, True])
def test_the_calibration_of_running_text_depends_on_its_signals(by_transformer):
    assert 0 < calibration.THRESHOLD < 1
    for label in ("answerable", "right"):
        odds = calibration.log_odds(label, by_transformer=by_transformer)
        values = [odds([value] * len(calibration.SIGNALS)) for value in (0.0, 0.5, 5.0)]
        assert len(set(values)) == len(values)
    fitted = text_numbers(by_transformer=by_transformer)
    assert fitted["passages"].keys() == set(passage_features.FEATURES)
    assert fitted["units"].keys() == set(unit_features.FEATURES)
    assert fitted["threshold"] == calibration.THRESHOLD


def test_each_has_its_own_numbers():
    assert text_numbers(by_transformer=True)["passages"] != text_numbers(by_transformer=False)["passages"]
