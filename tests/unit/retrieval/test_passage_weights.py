"""The fitted numbers for running text belong to what is measured."""

from vademecum.retrieval import passage_features, unit_ranking
from vademecum.retrieval.calibration import SIGNALS, THRESHOLD
from vademecum.retrieval.weights import calibration, documents, units


def test_every_measure_has_its_weight():
    assert documents.FEATURES == passage_features.FEATURES
    assert len(documents.RANK) == len(passage_features.FEATURES)
    assert units.FEATURES == unit_ranking.FEATURES
    assert len(units.RANK) == len(unit_ranking.FEATURES)


def test_every_signal_has_its_weight():
    assert calibration.SIGNALS == SIGNALS
    assert len(calibration.THERE) == len(calibration.RIGHT) == len(SIGNALS)
    assert 0 < THRESHOLD < 1


def test_trees_tell_questions_apart():
    for trees in (calibration.there_trees, calibration.right_trees):
        some = [trees([value] * len(SIGNALS)) for value in (0.0, 0.5, 5.0)]
        assert len(set(some)) == len(some)
    assert calibration.THERE_TREES > 0
    assert calibration.RIGHT_TREES > 0
