"""`--explain` and `--why`: print the trace for people, also that of the last answer, which is kept for its user alone."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vademecum.core.answers import Answer
from vademecum.core.errors import AnswerError
from vademecum.core.trace import Trace
from vademecum.files.folders import socket_file
from vademecum.library.service.wire import answer_from_wire, answer_to_wire

_FEATURES_SHOWN = 6
_OPEN = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


def keep(answer: Answer, sources: Sequence[str], sections: Sequence[str]) -> None:
    """Keep an answer as the last one. Errors are ignored: the answer counts."""
    path = _last_file()
    data = {"answer": answer_to_wire(answer), "sources": list(sources), "sections": list(sections)}
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120 - no pathlib here
        with open(os.open(path, _OPEN, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123 - the same
            json.dump(data, file)
    except (OSError, ValueError):
        return


def last_question() -> tuple[list[str], list[str], list[str]]:
    """Return the last question, and the sources and sections that were asked."""
    data = _last()
    return [data["answer"]["question"]], data["sources"], data["sections"]


def explain_last() -> str:
    """Return the trace of the last answer as text."""
    answer = answer_from_wire(_last()["answer"])
    return f"{answer.question}\n\n{explained(answer.trace)}"


def _last() -> dict[str, Any]:
    try:
        with open(_last_file(), encoding="utf-8") as file:  # noqa: PTH123 - no pathlib here
            data: dict[str, Any] = json.load(file)
            answer_from_wire(data["answer"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise AnswerError("No last answer is kept.", hint="Ask first: ragman QUESTION") from None
    return data


def _last_file() -> str:
    return f"{os.path.dirname(socket_file())}/last.json"  # noqa: PTH120 - no pathlib here


def explained(trace: Trace) -> str:
    """Return the trace as indented text, one paragraph per step, ending in a newline."""
    blocks = []
    for step in trace.steps:
        show = _SHOWN.get(step.name, _others)
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
