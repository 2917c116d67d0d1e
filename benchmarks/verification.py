"""The verifier of generated sentences, on planted faults: what it catches, and what becomes of what is faithful.

    python benchmarks/verification.py [--quick]
    python benchmarks/verification.py --questions FILE [--content-free FILE] --json

The second form prints four figures of other answers in the same format, and of sentences without content, one a line.

`verification/README.md` tells of the set. The half that the verifier was fitted on stands beside the held one, about which
nothing was known while it was made. Intervals are of a bootstrap over answers.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from planted import FAITHFUL, Outcome, Planted, checker_of, load, outcomes, share
from records import circumstances, save

from vademecum.answering.claims.classifier import THRESHOLD
from vademecum.answering.reply import Claim
from vademecum.evaluation.intervals import interval
from vademecum.evaluation.metrics import auroc, percentile

PLANTED = Path(__file__).parent / "verification/planted.jsonl"
TO_REACH = {"caught": 0.95, "dropped": 0.05, "an answer, ms": 20.0}
THRESHOLDS = (0.3, 0.4, 0.5, 0.7, 0.9)
"""Doubts from which on a sentence might not be left as it is, for the curve."""

QUICK = 20

Json = dict[str, Any]
Is = Callable[[Outcome], bool]

_IS_CAUGHT = attrgetter("is_caught")
BECAME: dict[str, Is] = {
    "as written": lambda one: one.became in {"written", "moved"},
    "in the passages' words": lambda one: one.became == "quoted",
    "dropped": lambda one: one.became == "dropped",
}
"""What becomes of faithful sentences."""


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="some answers, to see that it works")
    parser.add_argument("--questions", type=Path, help="other answers, in the format of planted.jsonl")
    parser.add_argument("--content-free", type=Path, help="sentences that say nothing, one a line")
    parser.add_argument("--json", action="store_true", help="print four figures as JSON, and keep none")
    arguments = parser.parse_args()
    if arguments.questions:
        figures = unseen(list(load(arguments.questions)), arguments.content_free)
        print(json.dumps(figures, indent=1) if arguments.json else figures)
        return
    answers = list(load(PLANTED))[: QUICK if arguments.quick else None]
    results: Json = {"measured": circumstances(quick=arguments.quick)}
    for part, held in (("held", True), ("fitted on", False)):
        chosen = [one for one in answers if one.held is held]
        results[part] = measured(chosen)
        print(f"\n{part}: {len(chosen)} answers")
        for name, figures in results[part].items():
            print(line(name, figures))
        results[f"{part}, by threshold"] = curve(chosen)
    print(f"\nkept in {save('verification', results)}")


def unseen(answers: Sequence[Planted], content_free: Path | None) -> Json:
    """Four figures: faults and faithful sentences that are shown as written, AUROC of the doubt, and empty sentences that are supported.

    A sentence without content is checked against all passages of each answer.
    """
    results = outcomes(answers)
    written = BECAME["as written"]
    pairs = [(one.checked.doubt, _is_fault(one)) for answer in results for one in answer]
    empty = content_free.read_text("utf-8").splitlines() if content_free else []
    supported = tried = 0
    for answer in answers:
        checker = checker_of(answer)
        for text in filter(None, map(str.strip, empty)):
            everything = tuple(range(1, len(answer.passages) + 1))
            checked = checker.check(Claim("summary", text, "", everything, ()))
            tried += 1
            supported += checked.verdict == "supported" and not checked.quoted
    return {
        "faults_as_written": share(results, _is_fault, lambda one: not one.is_caught),
        "faithful_as_written": share(results, _is_faithful, written),
        "auroc": auroc(pairs),
        "content_free_supported": supported,
        "content_free_tried": tried,
        "by_fault": {
            fault: share(results, lambda one, fault=fault: one.fault == fault, lambda one: not one.is_caught)
            for fault in sorted({one.fault for answer in results for one in answer} - {FAITHFUL})
        },
    }


def _is_faithful(one: Outcome) -> bool:
    return one.fault == FAITHFUL


def _is_fault(one: Outcome) -> bool:
    return not _is_faithful(one)


def measured(answers: Sequence[Planted]) -> Json:
    """The figures of some answers."""
    results = outcomes(answers)
    faults = sorted({one.fault for answer in results for one in answer} - {FAITHFUL})
    notes = sorted({one.note for answer in results for one in answer if one.fault == FAITHFUL})
    found = {"caught": figure(results, _is_fault, _IS_CAUGHT)}
    found |= {name: figure(results, _is_faithful, became) for name, became in BECAME.items()}
    found |= {
        f"caught: {name}": figure(results, lambda one, name=name: one.fault == name, _IS_CAUGHT)
        for name in faults
    }
    found |= {
        f"as written: {name}": figure(
            results, lambda one, name=name: _is_faithful(one) and one.note == name, BECAME["as written"]
        )
        for name in notes
    }
    times = sorted(timed(answer) for answer in answers)
    found["an answer, ms"] = {"value": percentile(times, 0.5), "p95": percentile(times, 0.95)}
    return found


def curve(answers: Sequence[Planted]) -> Json:
    """What is caught and what is left as it is with other thresholds; printed, too."""
    found = {}
    print(f"  {'threshold':<10} {'caught':<22} faithful as written")
    for threshold in sorted({*THRESHOLDS, round(THRESHOLD, 2)}, reverse=True):
        results = outcomes(answers, THRESHOLD if threshold == round(THRESHOLD, 2) else threshold)
        caught = figure(results, _is_fault, _IS_CAUGHT)
        written = figure(results, _is_faithful, BECAME["as written"])
        found[f"{threshold:.2f}"] = {"caught": caught, "as written": written}
        print(f"  {threshold:<10.2f} {told(caught):<22} {told(written)}")
    return found


def told(figures: Json) -> str:
    """A share with its interval."""
    bounds = f" ({figures['interval'][0]:.0%}–{figures['interval'][1]:.0%})" if figures["interval"] else ""
    return f"{figures['value']:.1%}{bounds}"


def figure(results: Sequence[Sequence[Outcome]], wanted: Is, became: Is) -> Json:
    """The share of the wanted sentences that became so, how sure it is, and of how many."""
    count = sum(wanted(one) for answer in results for one in answer)
    bounds = interval(list(results), lambda drawn: share(drawn, wanted, became))
    return {
        "value": share(results, wanted, became),
        "of": count,
        "interval": list(bounds) if bounds else None,
    }


def timed(answer: Planted) -> float:
    """The processor time of verifying an answer, its passages being known, in milliseconds."""
    checker = checker_of(answer)
    began_s = time.process_time()
    for one in answer.sentences:
        checker.check(one.claim)
    return (time.process_time() - began_s) * 1000


def line(name: str, figures: Json) -> str:
    """A figure as a person reads it."""
    reach = TO_REACH.get(name)
    if "of" not in figures:
        return f"  {name:<28} {figures['value']:.1f} (p95 {figures['p95']:.1f}), to reach {reach:.0f}"
    wanted = f", to reach {reach:.0%}" if reach is not None else ""
    return f"  {name:<28} {told(figures)} of {figures['of']}{wanted}"


if __name__ == "__main__":
    main()
