"""The trace: the records of all steps, in order."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]


class TraceStep(NamedTuple):
    """One step's record.

    Attributes:
        name: `analyse`, `retrieve`, `evaluate`, `decide`, `compose`, `verify` or `render`.
        duration_ms: Wall time the step took.
        saw: What it chose and why, as plain data.
    """

    name: str
    duration_ms: float
    saw: Mapping[str, Json]


class ModelCall(NamedTuple):
    """What a model was sent, and what it sent back.

    Attributes:
        sent: The messages, as `(role, text)`.
        came: Its reply, as far as it came.
    """

    sent: tuple[tuple[str, str], ...]
    came: str

    def to_dict(self) -> dict[str, Json]:
        """The call as plain data."""
        return {"sent": [{"role": role, "text": text} for role, text in self.sent], "came": self.came}


class Trace:
    """Collects one record a step. Durations and id aside, equal runs give equal traces.

    Attributes:
        steps: The records.
        calls: Calls of models. They are not part of `to_dict`: what did not hold when it was checked goes to nobody
            but those who run the server.
    """

    __slots__ = ("_id", "_last_s", "calls", "steps")

    def __init__(self) -> None:
        self._id = ""
        self.steps: list[TraceStep] = []
        self.calls: list[ModelCall] = []
        self._last_s = time.perf_counter()

    def record(self, name: str, **saw: Json) -> None:
        """Close a step: its time runs from the last record (or the trace's making) to now."""
        now_s = time.perf_counter()
        self.steps.append(TraceStep(name, (now_s - self._last_s) * 1000, saw))
        self._last_s = now_s

    @property
    def id(self) -> str:
        """32 hexadecimal digits that no other trace has, the same in every log that speaks of it."""
        if not self._id:
            self._id = os.urandom(16).hex()
        return self._id

    def to_dict(self) -> dict[str, Json]:
        """The whole trace as plain data: `{"steps": [{"name", "duration_ms", ...}]}`."""
        return {
            "steps": [
                {"name": step.name, "duration_ms": round(step.duration_ms, 3), **step.saw}
                for step in self.steps
            ]
        }
