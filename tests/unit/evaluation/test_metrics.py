"""Figures are what others compute: pytrec_eval for pages, brute force for AUROC, known truth for the rest."""

# ruff: noqa: S311 - seeded dice for statistics, no secrets

import math
import random

import pytest
import pytrec_eval

from vademecum.evaluation.metrics import (
    auroc,
    ece,
    first_rank,
    mean,
    page_at_k,
    percentile,
    ratio,
    reciprocal_rank,
    reliability,
    risk_coverage,
    risk_coverage_area,
    squared_calibration_error,
)


def random_runs(seed, *, scores, depth=10, count=200):
    """Relevance and scored documents of many questions, as pytrec_eval takes them."""
    dice = random.Random(seed)
    qrel, run = {}, {}
    for number in range(count):
        documents = [f"page{place:02}(1)" for place in range(dice.randint(1, depth))]
        dice.shuffle(documents)
        right = set(dice.sample(documents, k=dice.randint(0, min(3, len(documents)))))
        qrel[f"q{number}"] = {"elsewhere(1)": 1} | dict.fromkeys(sorted(right), 1)
        run[f"q{number}"] = {document: float(dice.choice(scores)) for document in documents}
    return qrel, run


def ours(qrel, run, limit=10):
    """Our figures by question and name; trec_eval breaks ties by document, last name first, and so does this list."""
    found = {}
    for name, scored in run.items():
        listed = sorted(scored, key=lambda document: (scored[document], document), reverse=True)
        rank = first_rank(document in qrel[name] for document in listed)
        found |= {(name, f"success_{k}"): page_at_k(rank, k) for k in (1, 3, 10)}
        found[name, "recip_rank"] = reciprocal_rank(rank, limit)
    return found


def theirs(qrel, run):
    found = pytrec_eval.RelevanceEvaluator(qrel, {"success.1,3,10", "recip_rank"}).evaluate(run)
    return {(name, figure): value for name, figures in found.items() for figure, value in figures.items()}


@pytest.mark.oracle
@pytest.mark.parametrize("scores", [range(10_000), range(3)], ids=["distinct", "ties"])
@pytest.mark.parametrize("seed", range(3))
def test_page_figures_are_those_of_trec_eval(seed, scores):
    qrel, run = random_runs(seed, scores=scores)
    figures = ours(qrel, run)
    assert figures == pytest.approx(theirs(qrel, run))
    assert {1, 1 / 2, 1 / 3, 1 / 7, 0} < {
        value for (_, figure), value in figures.items() if figure == "recip_rank"
    }


def test_nothing_found_is_a_miss():
    assert first_rank([]) is None
    assert first_rank([False, False]) is None
    assert (page_at_k(None, 10), reciprocal_rank(None), reciprocal_rank(11)) == (0, 0, 0)


def test_figures_of_nothing_are_none():
    nothing = (mean, ratio, auroc, ece, risk_coverage_area)
    assert [figure([]) for figure in nothing] == [None] * len(nothing)
    assert percentile([], 0.5) is None
    assert (reliability([]), risk_coverage([])) == ([], [])
    assert ratio([(0, 0)]) is None
    assert (ece([(0.5, True)]), squared_calibration_error([(0.5, True)])) == (None, None)


def test_percentiles_lie_between_neighbours():
    assert [percentile([10, 20, 30], share) for share in (0, 0.25, 0.5, 1)] == [10, 15, 20, 30]
    assert percentile([7], 0.95) == 7


def test_ratio_weighs_by_size():
    assert ratio([(1, 1), (0, 3)]) == 0.25
    assert ratio([(2, 2), (5, 5)]) == 1.0


@pytest.mark.parametrize("levels", [4, 1000], ids=["many ties", "few ties"])
@pytest.mark.parametrize("seed", range(5))
def test_auroc_is_the_share_of_pairs_in_order(seed, levels):
    dice = random.Random(seed)
    pairs = [(dice.randrange(levels) / levels, dice.random() < 0.3) for _ in range(120)]
    trues = [score for score, label in pairs if label]
    falses = [score for score, label in pairs if not label]
    won = sum((high > low) + (high == low) / 2 for high in trues for low in falses)
    assert auroc(pairs) == pytest.approx(won / (len(trues) * len(falses)))
    assert auroc(pairs[::-1]) == auroc(pairs)


def test_auroc_at_its_ends():
    assert auroc([(0.1, False), (0.9, True)]) == 1
    assert auroc([(0.9, False), (0.1, True)]) == 0
    assert auroc([(0.5, False), (0.5, True), (0.5, True)]) == 0.5
    assert auroc([(0.5, True), (0.7, True)]) is None
    assert auroc([(0.5, False)]) is None


def asked(seed, n, truth=lambda confidence: confidence):
    """Confidences, and outcomes that are right as often as `truth` says."""
    dice = random.Random(seed)
    return [
        (confidence, dice.random() < truth(confidence)) for confidence in (dice.random() for _ in range(n))
    ]


@pytest.mark.parametrize("n", [60, 300])
def test_debiasing_takes_away_most_of_the_error_of_calibrated_confidences(n):
    runs = [asked(seed, n) for seed in range(20)]
    debiased = [squared_calibration_error(run) for run in runs]
    plain = [squared_calibration_error(run, debias=False) for run in runs]
    spread = math.sqrt(mean([value**2 for value in debiased]) / len(debiased))
    assert abs(mean(debiased)) < 3 * spread
    assert mean(plain) > 3 * spread
    assert mean([ece(run) for run in runs]) < 0.75 * mean([math.sqrt(value) for value in plain])


@pytest.mark.parametrize(
    ("truth", "error"),
    [
        (lambda _: 0.5, math.sqrt(1 / 12)),
        (lambda confidence: confidence * 0.7, 0.3 * math.sqrt(1 / 3)),
        (lambda confidence: 1 - confidence, math.sqrt(1 / 3)),
    ],
    ids=["says nothing", "boasts", "upside down"],
)
def test_ece_finds_a_known_error(truth, error):
    assert ece(asked(2, 2000, truth)) == pytest.approx(error, abs=0.03)


def test_ece_is_right_for_one_confidence():
    pairs = [(0.9, place % 2 == 0) for place in range(100)]
    assert squared_calibration_error(pairs, debias=False) == pytest.approx(0.4**2)
    assert ece(pairs) == pytest.approx(math.sqrt(0.4**2 - 0.25 / 99))
    assert ece([(1.0, True)] * 9) == 0
    assert ece([(1.0, False)] * 9) == 1


def test_order_does_not_matter_among_equals():
    pairs = [(round(confidence, 1), right) for confidence, right in asked(3, 200)]
    for figure in (ece, risk_coverage_area, risk_coverage, reliability):
        assert figure(pairs) == figure(sorted(pairs)) == figure(sorted(pairs, reverse=True))


def test_bins_are_of_like_size_and_never_part_equals():
    bins = reliability(asked(4, 301))
    assert sum(made.n for made in bins) == 301
    assert 12 <= len(bins) <= 15
    assert min(made.n for made in bins) >= 10
    assert [made.confidence for made in bins] == sorted(made.confidence for made in bins)
    assert [made.n for made in reliability([(0.2, True)] * 50 + [(0.4, False)] * 3)] == [50, 3]
    assert [made.n for made in reliability([(0.2, True)] * 50 + [(0.4, False)])] == [51]
    assert reliability([(0.5, True)]) == [(1, 0.5, 1)]


@pytest.mark.parametrize("confidence", [-0.01, 1.01, math.nan, math.inf])
def test_a_confidence_lies_between_0_and_1(confidence):
    with pytest.raises(ValueError, match="0-1"):
        ece([(0.5, True), (confidence, True)])


def test_risk_and_coverage():
    pairs = [(0.9, True), (0.8, False), (0.8, True), (0.1, False)]
    assert risk_coverage(pairs) == [(0.25, 0, 0.9), (0.75, 1 / 3, 0.8), (1, 0.5, 0.1)]
    expected = (0 + (0.5 / 2 + 1 / 3) + 0.5) / 4  # second place: either of the two, half the time wrong
    assert risk_coverage_area(pairs) == pytest.approx(expected)
