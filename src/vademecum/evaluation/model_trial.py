"""Try a language model on ten questions, with and without a right line: how well it chooses, how fast it is, and what that uses."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, Literal, NamedTuple

from vademecum.answering.choice import Choosing, messages_of
from vademecum.answering.skill import Skill, measured_skill
from vademecum.core.deadline import Closing, Deadline
from vademecum.core.errors import ProviderRefused, ReplyInvalid
from vademecum.core.evidence import DraftStatement, Evidence, Span
from vademecum.core.models import Message, Schema
from vademecum.core.protocols import ChatModel

SchemaSupport = Literal["yes", "ignored", "rejected"]

_CASES = Path(__file__).with_name("data") / "choices.json"
_SCHEMA: Schema = {
    "type": "object",
    "properties": {"number": {"type": "integer", "enum": [3, 5]}},
    "required": ["number"],
    "additionalProperties": False,
}
_COUNTING = "Write the numbers from one to forty as words, separated by commas."
_COUNTED_TOKENS = 64


class Case(NamedTuple):
    """A question, the lines to choose from, and the position of the right one, from 0; None if there is none."""

    question: str
    lines: tuple[str, ...]
    right: int | None


class TriedCase(NamedTuple):
    """A case and what came of it.

    Attributes:
        is_right: Whether it chose the right line first; without one, whether it chose none.
        is_choice: Whether the reply was a choice, or that there is none.
        is_there: Whether a right line was among the lines.
        is_chosen: Whether it chose a line.
        fault: Why there was no choice; "" if there was one.
    """

    question: str
    is_right: bool
    is_choice: bool
    is_there: bool
    is_chosen: bool
    seconds: float
    fault: str
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


class Trial(NamedTuple):
    """The result for a model.

    Attributes:
        prompt_tokens_s: Tokens of the prompt per second; None if the server does not report tokens.
    """

    model: str
    schema: SchemaSupport
    prompt_tokens_s: float | None
    reply_tokens_s: float | None
    cases: tuple[TriedCase, ...]

    def to_dict(self) -> dict[str, Any]:
        """Convert the result to plain data."""
        return {
            **self._asdict(),
            "cases": [case._asdict() for case in self.cases],
            "choices": self.choices,
            "right": self.right,
            "refused": self.refused,
            "skill": self.skill._asdict(),
            "seconds": self.seconds,
            "prompt_tokens": self.prompt_tokens,
            "reply_tokens": self.reply_tokens,
        }

    @property
    def choices(self) -> int:
        """The number of valid replies."""
        return sum(case.is_choice for case in self.cases)

    @property
    def right(self) -> int:
        """The number of questions with a right line for which the model chose it first."""
        return sum(case.is_right for case in self.cases if case.is_there)

    @property
    def refused(self) -> int:
        """The number of questions without a right line for which the model chose none."""
        return sum(case.is_right for case in self.cases if not case.is_there)

    @property
    def skill(self) -> Skill:
        """The skill that follows from the trial."""
        there = [case for case in self.cases if case.is_there]
        none = [case for case in self.cases if not case.is_there]
        return measured_skill(
            self.model,
            self.right / len(there),
            sum(case.is_chosen for case in there) / len(there),
            sum(case.is_chosen for case in none) / len(none),
        )

    @property
    def prompt_tokens(self) -> int | None:
        """The tokens of the prompts; None if the server does not report them."""
        return _sum(case.prompt_tokens for case in self.cases)

    @property
    def reply_tokens(self) -> int | None:
        """The tokens of the replies; None likewise."""
        return _sum(case.reply_tokens for case in self.cases)

    @property
    def seconds(self) -> float:
        """The median time of a choice, in seconds."""
        return median(case.seconds for case in self.cases)


def try_model(
    model: ChatModel, timeout_s: float, on_case: Callable[[TriedCase], object] = lambda _case: None
) -> Trial:
    """Ask a model everything."""
    schema = _schema_support(model, timeout_s)
    of_prompt, of_reply = _speeds(model, timeout_s)
    cases = []
    for case in cases_of():
        lines = tuple(line for at, line in enumerate(case.lines) if at != case.right)
        for tried in (case, case._replace(lines=lines, right=None)):
            cases.append(_tried(model, tried, timeout_s))
            on_case(cases[-1])
    return Trial(model.name, schema, of_prompt, of_reply, tuple(cases))


def cases_of() -> Iterator[Case]:
    """Yield the questions."""
    for row in json.loads(_CASES.read_bytes()):
        yield Case(row["question"], tuple(row["lines"]), row["right"] - 1)


def _schema_support(model: ChatModel, timeout_s: float) -> SchemaSupport:
    messages = [Message("user", "Which number is larger, 3 or 5? Reply in JSON.")]
    try:
        reply = model.reply(
            messages, schema=_SCHEMA, max_tokens=32, temperature=0.0, deadline=Deadline(timeout_s)
        )
    except ProviderRefused:
        return "rejected"
    except ReplyInvalid:
        return "ignored"
    try:
        return "yes" if json.loads(reply.text)["number"] in {3, 5} else "ignored"
    except (ValueError, KeyError, TypeError):
        return "ignored"


def _tried(model: ChatModel, case: Case, timeout_s: float) -> TriedCase:
    text = "\n".join(case.lines)
    document = Evidence("trial", "", "trial", "Trial", "", text, ())
    statements = [
        DraftStatement(line, "", (Span(0, text.index(line), text.index(line) + len(line), ""),))
        for line in case.lines
    ]
    began_s = time.perf_counter()
    messages = messages_of(case.question, statements, [document])
    choosing = Choosing(messages, len(statements), model, Deadline(timeout_s), Closing())
    picked = list(choosing)
    seconds = time.perf_counter() - began_s
    chosen = choosing.chosen
    fault = chosen.error.message if chosen.error else ""
    expected = [] if case.right is None else [(case.right,)]
    is_right = not fault and [found.numbers for found in picked[:1]] == expected
    return TriedCase(
        question=case.question,
        is_right=is_right,
        is_choice=not fault,
        is_there=case.right is not None,
        is_chosen=bool(picked),
        seconds=seconds,
        fault=fault,
        prompt_tokens=chosen.prompt_tokens,
        reply_tokens=chosen.reply_tokens,
    )


def _speeds(model: ChatModel, timeout_s: float) -> tuple[float | None, float | None]:
    """Return tokens of the prompt, and of the reply, per second: of a long prompt, and of a reply of some sixty tokens."""
    listed = "\n".join(line for case in cases_of() for line in case.lines)
    messages = [Message("system", listed), Message("user", _COUNTING)]
    began_s = time.perf_counter()
    first_s = None
    with model.stream(
        messages, max_tokens=_COUNTED_TOKENS, temperature=0.0, deadline=Deadline(timeout_s)
    ) as stream:
        for _ in stream:
            first_s = first_s or time.perf_counter()
        reply = stream.reply()
    ended_s = time.perf_counter()
    if first_s is None:
        raise ReplyInvalid(f"The model {model.name} returned an empty reply.", hint="Use another model.")
    of_prompt = reply.prompt_tokens / max(first_s - began_s, 1e-6) if reply.prompt_tokens else None
    count = reply.reply_tokens or 0
    return of_prompt, (count - 1) / max(ended_s - first_s, 1e-6) if count > 1 else None


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
