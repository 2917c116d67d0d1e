"""The fitted numbers for running text belong to what is measured."""

from vademecum.retrieval.passage_features import FEATURES
from vademecum.retrieval.passage_judging import BORDER, SIGNALS
from vademecum.retrieval.weights import documents


def test_every_measure_has_its_weight():
    assert documents.FEATURES == FEATURES
    assert len(documents.RANK) == len(FEATURES)


def test_every_signal_has_its_weight():
    assert documents.SIGNALS == SIGNALS
    assert len(documents.THERE) == len(documents.RIGHT) == len(SIGNALS)
    assert 0 < BORDER < 1


def test_trees_tell_questions_apart():
    some = [documents.there_trees([value] * len(SIGNALS)) for value in (0.0, 0.5, 5.0)]
    assert len(set(some)) == len(some)
    assert documents.TREES > 0


def test_a_small_collection_is_judged_more_gently():
    assert documents.SMALL > 0
    assert documents.LARGE > 0
