"""`--explain`: print the trace for people."""

from collections.abc import Callable, Mapping
from typing import Any

from vademecum.core.trace import Trace

_FEATURES_SHOWN = 6


def explained(trace: Trace) -> str:
    """Return the trace as indented text, one paragraph per step, ending in a newline."""
    blocks = []
    for step in trace.steps:
        show = _SHOWN.get(step.name, _anything)
        lines = [f"  {line}" for line in show(dict(step.saw))]
        blocks.append("\n".join([f"{step.name} ({step.duration_ms:.1f} ms)", *lines]))
    total_ms = sum(step.duration_ms for step in trace.steps)
    return "\n".join([f"Why this answer ({total_ms:.1f} ms)", "", *blocks]) + "\n"


def _analyse(saw: Mapping[str, Any]) -> list[str]:
    lines = [
        "terms: "
        + ", ".join(
            f"{one['term']} {one['rarity']:.1f}" + ("" if one["known"] else " (in no document)")
            for one in saw.get("terms", ())
        )
    ]
    named = ("kinds", "references", "options")
    lines += [f"{name}: {', '.join(saw[name])}" for name in named if saw.get(name)]
    return lines + _others(saw, "terms", *named)


def _retrieve(saw: Mapping[str, Any]) -> list[str]:
    first = ", ".join(saw.get("first", ()))
    lines = [f"{saw.get('candidates', 0)} candidates, first: {first}"]
    return lines + _others(saw, "candidates", "first")


def _evaluate(saw: Mapping[str, Any]) -> list[str]:
    lines = []
    for place, one in enumerate(saw.get("candidates", ()), start=1):
        strongest = sorted(one["features"].items(), key=lambda pair: -abs(pair[1]))[:_FEATURES_SHOWN]
        features = ", ".join(f"{name} {value:.2f}" for name, value in strongest)
        lines.append(f"{place}. {one['reference']}  score {one['score']:.2f}: {features}")
    return lines + _others(saw, "candidates")


def _decide(saw: Mapping[str, Any]) -> list[str]:
    confidence, threshold = float(saw.get("confidence", 0)), float(saw.get("threshold", 0))
    sign = "<" if confidence < threshold else "≥"
    answerability = float(saw.get("answerability", 0))
    lines = [
        f"confidence {confidence:.2f} {sign} threshold {threshold:.2f}; answerability {answerability:.2f}",
        f"answered from: {', '.join(saw.get('chosen', ())) or 'nothing'}",
    ]
    lines += [f"because: {reason}" for reason in saw.get("reasons", ())]
    return lines + _others(saw, "confidence", "threshold", "answerability", "chosen", "reasons")


def _verify(saw: Mapping[str, Any]) -> list[str]:
    verdicts = list(saw.get("verdicts", ()))
    counted = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))
    lines = [f"{counted or 'nothing to verify'}; {saw.get('dropped', 0)} left out"]
    return lines + _others(saw, "verdicts", "dropped")


def _anything(saw: Mapping[str, Any]) -> list[str]:
    return _others(saw)


def _others(saw: Mapping[str, Any], *shown: str) -> list[str]:
    """Return the records of a step that are not shown by name, so that nothing is omitted."""
    return [f"{name}: {value}" for name, value in saw.items() if name not in shown]


_SHOWN: dict[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "analyse": _analyse,
    "retrieve": _retrieve,
    "evaluate": _evaluate,
    "decide": _decide,
    "verify": _verify,
}
