"""Compose an answer one statement at a time, by a model or in the words of the documents.

A model chooses among the statements of the documents; with the style `prose`, it says them in its words; where a command line is asked for, it may
write one. Everything is proved by the documents before it is shown. A model is asked whatever the confidence is, and what it chooses gets the
confidence that the choice deserves. If it fails, or is less certain than the answer without it, the answer is in the words of the documents.
"""

from collections.abc import Generator, Iterator, Sequence
from functools import partial
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from vademecum.answering.verify import Part, Verified, followed_by
from vademecum.ask.kinds import Decision
from vademecum.ask.path import own_words
from vademecum.core.answers import Citation, Statement
from vademecum.core.deadline import Closing, Deadline
from vademecum.core.errors import ProviderBusy, ProviderError
from vademecum.core.evidence import COMPOSED, LINES
from vademecum.core.settings import AnswerStyle

if TYPE_CHECKING:
    from vademecum.answering.selection import Selection
    from vademecum.answering.skill import Skill
    from vademecum.core.protocols import ChatModel

_OWN_WORDS_S = 0.3
"""Seconds reserved for an answer in the words of the documents, if the model is too slow."""

_NOTHING = Verified((), (), (), (), ())
_PARTS: tuple[Part, Part] = ("summary", "steps")


class Writers(NamedTuple):
    """The models that may write an answer, and their parameters.

    Attributes:
        models: The models, in order: the next is used if one is overloaded. Empty to answer in the words of the documents.
        style: Whether a model chooses statements of the documents, or writes sentences.
        required: Whether to fail instead of answering without a model.
        system: The desk's own system prompt, which precedes the rules.
        max_tokens: The maximum length of a reply; None to use the model's settings.
        temperature: The sampling temperature; None to use the model's settings.
        context_tokens: The maximum length of passages and question together; None for the context of the model.
        timeout_s: The timeout of each model in seconds.
        fault: Why the model cannot be used.
    """

    models: "Sequence[ChatModel]" = ()
    style: AnswerStyle = "choose"
    required: bool = False
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    context_tokens: int | None = None
    timeout_s: float = inf
    fault: ProviderError | None = None


class Composition:
    """An answer in progress: an iterator over its statements, each of which is verified before it is yielded.

    Attributes:
        decision: The decision; after a model has chosen, with the confidence that its choice deserves.
        part: The part of the answer that the last statement belongs to.
        model: The model that chose or wrote the statements; "" if there was none, or it failed.
        reason: Why the model's answer was incomplete; "" if it was complete, or no model was used.
        is_quoting: Whether the statements are quotations.
        is_refused: Whether the model found no answer, and the documents are unlikely to contain one.
        left_out: The number of statements omitted because of the length limit.
    """

    def __init__(self, decision: Decision, writers: Writers, deadline: Deadline, closing: Closing) -> None:
        self.decision, self._writers = decision, writers
        self._deadline, self._closing = deadline, closing
        self.part: Part = "summary"
        self.verified = _NOTHING
        self.citations: Sequence[Citation] = ()
        self.model = self.reason = ""
        self.warnings: tuple[str, ...] = ()
        self.is_quoting = self.is_refused = False
        self.left_out = 0

    def __iter__(self) -> Iterator[Statement]:
        """Yield the statements in order."""
        rated, fault = self.decision.rated, self._writers.fault
        if rated.found and not rated.in_own_words:
            if self._writers.models:
                fault = yield from self._by_model()
            if fault:
                if self._writers.required:
                    raise fault
                self.reason = self.reason or fault.message
        if (self.reason or not self._said) and not self.is_refused:
            yield from self._quoted()

    @property
    def _said(self) -> bool:
        return bool(self.verified.summary or self.verified.steps)

    def _by_model(self) -> "Generator[Statement, None, ProviderError | None]":
        """Yield the statements of a model. Return its error, if it fails."""
        from vademecum.answering.choice import MOST_CANDIDATES, MOST_CHOSEN, MOST_TOKENS  # noqa: PLC0415 - the same
        from vademecum.answering.naming import named_by  # noqa: PLC0415 - with a model only
        from vademecum.answering.selection import Request, Selection  # noqa: PLC0415 - the same
        from vademecum.answering.skill import skill_of  # noqa: PLC0415 - the same

        decision, writers = self.decision, self._writers
        rated, limits = decision.rated, decision.limits
        fault: ProviderError | None = None
        own = decision.evidence or rated.evidence(limits)[0]
        for model in writers.models:
            skill = skill_of(model)
            deadline = Deadline(min(writers.timeout_s, self._deadline.remaining_s - _OWN_WORDS_S))
            names: tuple[str, ...] = ()
            if skill.names and rated.takes_names:
                names, call = named_by(model, rated.question.text, deadline, self._closing)
                decision.trace.calls += (call,) if call else ()
            evidence, statements = rated.choices(own, limits, names)
            is_line = rated.asks_for_line and skill.composes > 0
            request = Request(
                rated.question.text,
                "prose" if writers.style == "prose" else "line" if is_line else "choose",
                prove=rated.prove if is_line else None,
                most=min(MOST_CHOSEN, limits.chosen),
                tokens=min(MOST_TOKENS, writers.context_tokens or MOST_TOKENS),
                system=writers.system,
                max_tokens=writers.max_tokens if writers.style == "prose" else None,
                temperature=writers.temperature,
                accept=partial(self._accepts, skill, writers.style == "prose"),
            )
            offered = list(islice(statements, MOST_CANDIDATES * 2))
            selection = Selection(request, offered, evidence, model, deadline=deadline, closing=self._closing)
            self.citations = selection.citations
            self.is_quoting = request.form != "prose"
            for self.part, statement in selection:
                yield statement
            fault = self._noted(model.name, skill, selection, names)
            if not isinstance(fault, ProviderBusy):
                break
        return fault

    def _accepts(self, skill: "Skill", is_prose: bool, position: int | None) -> bool:
        """Return whether what a model picked first is shown, and record the confidence that it deserves. Prose need not begin with the answer."""
        rated, own = self.decision.rated, self.decision.confidence
        there = max(rated.answerability, own)
        chance = skill.shown(position, own, there, is_prose=is_prose, is_required=self._writers.required)
        if chance is None or chance < min(rated.threshold, rated.least_guess):
            return False
        is_answer = chance >= rated.threshold
        self.decision = self.decision._replace(confidence=chance, is_guess=not is_answer)
        return True

    def _noted(
        self, name: str, skill: "Skill", selection: "Selection", names: Sequence[str]
    ) -> ProviderError | None:
        """Record what a model did, and what follows from it. Return the error of the model, if it failed."""
        from vademecum.command_lines.gate import notes_on  # noqa: PLC0415 - with a model only

        decision, chosen, trace = self.decision, selection.chosen, self.decision.trace
        trace.calls += (chosen.call,)
        trace.record("compose", **({"named": list(names)} if names else {}), **selection.record())
        self.verified = selection.verified
        trace.record("verify", verdicts=list(self.verified.verdicts), dropped=self.verified.dropped)
        self.warnings, self.reason = chosen.warnings, ""
        if self._said:
            self.model = name
            lines = [step for step in self.verified.steps if step.origin in LINES]
            is_ours = chosen.numbers[:1] == (0,) and lines[:1] and lines[0].origin == COMPOSED
            notes = None if is_ours else notes_on(line.command for line in lines)
            self.decision = decision._replace(lines=notes)
        elif chosen.is_not_here:
            self.warnings += (f"The model {name} found no answer in the documents.",)
            left = skill.of_none(decision.confidence)
            least = decision.rated.least_guess if decision.is_guess else decision.rated.threshold
            self.is_refused = self._writers.required or left < least
            self.decision = decision._replace(confidence=left)
        if chosen.error:
            said = chosen.error.message
            self.reason = (
                said if name in said else f"The model {name} did not return a complete answer: {said}"
            )
        return None if self._said and not chosen.error else chosen.error

    def _quoted(self) -> Iterator[Statement]:
        """Yield statements in the words of the documents."""
        own, self.left_out = own_words(self.decision)
        count = {part: len(getattr(self.verified, part)) for part in _PARTS}
        self.is_quoting = True
        self.verified = followed_by(self.verified, own)
        self.citations = self.verified.citations
        for self.part in _PARTS:
            yield from getattr(self.verified, self.part)[count[self.part] :]
