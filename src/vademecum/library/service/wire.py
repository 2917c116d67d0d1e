"""The JSON form of an answer between the service and its clients. It is complete and exact, unlike the public form."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from vademecum.core.answers import Answer, Citation, LineNotes, Reference, Statement
from vademecum.core.trace import Trace, TraceStep


def answer_to_wire(answer: Answer) -> dict[str, Any]:
    """Convert an answer to plain data without losing anything."""
    data: dict[str, Any] = {name: getattr(answer, name) for name in Answer.__dataclass_fields__}
    for name in ("summary", "steps", "references", "see_also", "citations"):
        data[name] = [asdict(one) for one in data[name]]
    return {**data, "trace": [step._asdict() for step in answer.trace.steps]}


def answer_from_wire(data: Mapping[str, Any]) -> Answer:
    """Convert plain data back to the answer."""
    trace = Trace()
    trace.steps = [TraceStep(**step) for step in data["trace"]]
    return Answer(
        **{
            **data,
            "summary": _statements(data["summary"]),
            "steps": _statements(data["steps"]),
            "references": tuple(Reference(**one) for one in data["references"]),
            "see_also": tuple(Reference(**one) for one in data["see_also"]),
            "citations": tuple(Citation(**one) for one in data["citations"]),
            "guidance": tuple(data["guidance"]),
            "warnings": tuple(data["warnings"]),
            "lines": LineNotes(*map(tuple, data["lines"])),
            "trace": trace,
        }
    )


def _statements(data: Any) -> tuple[Statement, ...]:
    return tuple(Statement(**{**one, "citations": tuple(one["citations"])}) for one in data)
