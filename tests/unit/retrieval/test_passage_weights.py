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
