"""The trace: the records of all steps, in order."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]


class TraceStep(NamedTuple):
    """The record of a step.

    Attributes:
        name: `analyse`, `retrieve`, `evaluate`, `decide`, `compose`, `verify` or `render`.
        duration_ms: The wall time of the step.
        saw: Its input, choices and reasons, as plain data.

    Example:
        >>> step = library.ask("When is the office open?").trace.steps[0]
        >>> step.name, step.duration_ms > 0
        ('analyse', True)
    """

    name: str
    duration_ms: float
    saw: Mapping[str, Json]


class ModelCall(NamedTuple):
    """The messages to and from a model.

    Attributes:
        sent: The messages, as `(role, text)`.
        came: Its reply, possibly incomplete.

    Example:
        >>> ModelCall((("user", "Hello"),), "Good day.").came
        'Good day.'
    """

    sent: tuple[tuple[str, str], ...]
    came: str

    def to_dict(self) -> dict[str, Json]:
        """Convert the call to plain data.

        Example:
            >>> ModelCall((("user", "Hello"),), "Good day.").to_dict()["came"]
            'Good day.'
        """
        return {"sent": [{"role": role, "text": text} for role, text in self.sent], "came": self.came}


class Trace:
    """Collects a record for each step. Apart from durations and the id, equal runs have equal traces.

    Attributes:
        steps: The records.
        calls: The model calls. They are not part of `to_dict`, because only administrators may see unsupported
            sentences.

    Example:
        >>> trace = library.ask("When is the office open?").trace
        >>> [step.name for step in trace.steps][:2]
        ['analyse', 'retrieve']
    """

    __slots__ = ("_id", "_last_s", "calls", "steps")

    def __init__(self) -> None:
        self._id = ""
        self.steps: list[TraceStep] = []
        self.calls: list[ModelCall] = []
        self._last_s = time.perf_counter()

    def record(self, name: str, **saw: Json) -> None:
        """Record a step. Its duration is the time since the last record, or since the trace was created.

        Example:
            >>> trace = Trace()
            >>> trace.record("retrieve", found=3)
            >>> trace.steps[0].name
            'retrieve'
        """
        now_s = time.perf_counter()
        self.steps.append(TraceStep(name, (now_s - self._last_s) * 1000, saw))
        self._last_s = now_s

    @property
    def id(self) -> str:
        """A unique id of 32 hexadecimal digits, which also appears in logs."""
        if not self._id:
            self._id = os.urandom(16).hex()
        return self._id

    def to_dict(self) -> dict[str, Json]:
        """Convert the trace to plain data: `{"steps": [{"name", "duration_ms", ...}]}`.

        Example:
            >>> sorted(library.ask("When is the office open?").trace.to_dict())
            ['steps']
        """
        return {
            "steps": [
                {"name": step.name, "duration_ms": round(step.duration_ms, 3), **step.saw}
                for step in self.steps
            ]
        }
