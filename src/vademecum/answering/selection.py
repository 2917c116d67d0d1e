"""Make an answer of what a model picks: lines as the documents have them, sentences that hold, and a command line that the pages prove."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from vademecum.answering.actions import fault_of_step
from vademecum.answering.choice import (
    MOST_CHOSEN,
    MOST_TOKENS,
    Choosing,
    Chosen,
    Form,
    Picked,
    affordable_tokens,
    fitting,
    messages_of,
)
from vademecum.answering.extract import one_line
from vademecum.answering.injection import commands_in
from vademecum.answering.verify import Ledger, Part, Verified, speaks_to_model, verdict_of
from vademecum.answering.wording import is_copied, is_said, shared, speaks_english
from vademecum.core.answers import Citation, Statement
from vademecum.core.deadline import Closing, Deadline
from vademecum.core.errors import ReplyInvalid
from vademecum.core.evidence import COPIED, LINES, REPLACED, REWORDED, Draft, DraftStatement, Evidence, Span
from vademecum.core.models import Message
from vademecum.core.protocols import ChatModel
from vademecum.core.trace import Json, ModelCall
from vademecum.text.sentences import TORN, fold, sentences

_IN_NO_LINE = "in no line"
_NOTHING_HOLDS = "Nothing that the model {} said is in the documents."
_NO_LINE = "The command line of the model {} does not hold: {}"
_REQUIRED = "Ask again, use another model, or do not require one."
_LONGEST_CONTEXT = 240
"""The maximum length of a sentence that is quoted before one that depends on it, in characters."""

_LEAST_SHARED = 0.5
"""The minimum share of the words of a sentence without a number that the line has which it is taken to be about."""


class Proof(NamedTuple):
    """A command line of a model that the pages prove.

    Attributes:
        evidence: The pages that it cites.
        draft: The line with its parts.
    """

    evidence: Sequence[Evidence]
    draft: Draft


class Request(NamedTuple):
    """A question to a model.

    Attributes:
        question: The question, understandable without the conversation.
        form: What it replies with.
        prove: Proves a command line of the model, or says why it does not hold; None to accept none.
        accept: Returns whether the answer is shown, given the position of the line that is first in it; None for a command line of the model.
        most: The maximum number of lines.
        tokens: The maximum length of the prompt.
        system: The desk's own system prompt, see `choice.messages_of`.
        history: The earlier turns, oldest first.
        max_tokens: The maximum length of the reply; None for that of its form.
    """

    question: str
    form: Form = "choose"
    prove: Callable[[str], Proof | str] | None = None
    accept: Callable[[int | None], bool] = lambda _position: True
    most: int = MOST_CHOSEN
    tokens: int = MOST_TOKENS
    system: str = ""
    history: Sequence[Message] = ()
    max_tokens: int | None = None
    temperature: float | None = None


class Selection:
    """An answer by a model: an iterator over its statements, each with its part.

    Each statement is verified like that of any other answer. Sentences are yielded as soon as they are picked, steps at the end.
    Steps alone are preceded by the line that describes their document. A sentence that does not hold is replaced by the line that it cites.

    Args:
        statements: The statements to choose from, best first.
        closing: Closes the stream when the answer is cancelled.

    Attributes:
        citations: The citations so far; `Statement.citations` contains indexes into it.
        offered: The statements that the model was shown.
        refused: Why the command line of the model does not hold; "" if it does, or there is none.
        is_rejected: Whether what it picked was not accepted.
    """

    def __init__(
        self,
        request: Request,
        statements: Iterable[DraftStatement],
        evidence: Sequence[Evidence],
        model: ChatModel,
        *,
        deadline: Deadline,
        closing: Closing,
    ) -> None:
        self._request, self._asked = request, fold(request.question)
        self._evidence = list(evidence)
        self._ledger = Ledger(self._evidence)
        self.citations: Sequence[Citation] = self._ledger.citations
        self.refused, self.is_rejected, self._model = "", False, model.name
        room = min(request.tokens, affordable_tokens(model.name, deadline.remaining_s))
        self.offered = fitting(statements, evidence, request.question, int(room))
        messages = messages_of(
            request.question,
            self.offered,
            evidence,
            request.form,
            system=request.system,
            history=request.history,
        )
        self._choosing = Choosing(
            messages,
            len(self.offered),
            model,
            deadline,
            closing,
            form=request.form,
            most=request.most,
            max_tokens=request.max_tokens,
            temperature=request.temperature or 0.0,
        )
        self.chosen = Chosen((), model.name, "stop", (), None, ModelCall((), ""))

    @property
    def verified(self) -> Verified:
        """The statements so far, with their citations."""
        return self._ledger.verified()

    def record(self) -> dict[str, Json]:
        """Describe the choice, for the trace."""
        chosen = self.chosen
        return {
            "model": chosen.model,
            "form": self._request.form,
            "offered": len(self.offered),
            "chosen": [number + 1 for number in chosen.numbers],
            "finish": chosen.finish,
            **({"command": line} if (line := "".join(picked.command for picked in chosen.picked)) else {}),
            **({"refused": self.refused} if self.refused else {}),
            **({"rejected": True} if self.is_rejected else {}),
            **({"reason": chosen.error.message} if chosen.error else {}),
        }

    def __iter__(self) -> Iterator[tuple[Part, Statement]]:
        """Yield the statements."""
        if not self.offered:
            return
        steps: list[DraftStatement] = []
        quoted: set[int] = set()
        proof: Proof | None = None
        is_accepted: bool | None = None
        for picked in self._choosing:
            proof = self._proof(picked.command) if picked.command else proof
            about = self._about(picked)
            if self.refused:  # no sentence takes the place of a line
                about = [number for number in about if self.offered[number].origin in LINES][:1]
            if is_accepted is None and (proof or about):
                is_accepted = self._request.accept(None if proof else about[0])
            if is_accepted is False:
                break
            if proof:
                continue
            if picked.text and not about:
                self._ledger.drop(_IN_NO_LINE)
            if picked.text and (sentence := self._sentence(picked.text, about)):
                quoted.update(about)
                yield from self._add("summary", [sentence], is_proved=True)
                continue
            for number in about:
                if number in quoted:
                    continue
                quoted.add(number)
                for quotation in self._quotations(self.offered[number], REPLACED if picked.text else COPIED):
                    if quotation.command and not self.offered[number].whole:
                        steps.append(quotation)
                    else:  # code stays where its block has it
                        yield from self._add("summary", [quotation])
        self.chosen = self._choosing.chosen
        self.is_rejected = is_accepted is False
        if proof and is_accepted:
            yield from self._proven(proof)
        if steps and not self.citations:
            first = steps[0].spans[0].evidence
            opening = one_line(first, self._evidence[first])
            yield from self._add("summary", [opening._replace(origin=COPIED)] if opening else [])
        yield from self._add("steps", steps)
        if self.chosen.picked and not (self.citations or self.is_rejected or self.chosen.error):
            name = self._model
            why = _NO_LINE.format(name, self.refused) if self.refused else _NOTHING_HOLDS.format(name)
            self.chosen = self.chosen._replace(error=ReplyInvalid(why, hint=_REQUIRED))

    def _sentence(self, text: str, about: Sequence[int]) -> DraftStatement | None:
        """Return a sentence of the model, if it says only what the lines say that it is about; otherwise None."""
        cited = [self.offered[number] for number in about]
        parts = [part for statement in cited for part in statement.whole or (statement,)]
        lines = [": ".join(filter(None, (part.command, part.text))) for part in parts]
        is_copy = is_copied(text, [*lines, *(part.text for part in parts)])
        texts = {span.evidence for statement in cited for span in statement.spans}
        is_english = all(speaks_english(self._evidence[at].text) for at in texts)
        if not is_copy and (
            not (lines and is_english)
            or commands_in(text)
            or fault_of_step(text, "")
            or not is_said(text, lines, self._asked)
        ):
            return None
        spans = tuple(dict.fromkeys(span for part in parts for span in part.spans))
        return DraftStatement(text, "", spans, COPIED if is_copy else REWORDED)

    def _about(self, picked: Picked) -> Sequence[int]:
        """Return the lines that a sentence is about: those that it cites, or else the one that has most of its words."""
        if not picked.text:
            return picked.numbers
        numbers = picked.numbers
        if not numbers:
            shares = [shared(picked.text, f"{line.command} {line.text}") for line in self.offered]
            best = max(range(len(shares)), key=shares.__getitem__)
            numbers = (best,) if shares[best] >= _LEAST_SHARED else ()
        spans = (span for number in numbers for span in self.offered[number].spans)
        return [] if any(speaks_to_model(span, self._evidence) for span in spans) else numbers

    def _quotations(self, statement: DraftStatement, origin: str) -> Iterator[DraftStatement]:
        """Yield what is shown for a line: all of its block, except what the answer already has."""
        for part in statement.whole or (statement,):
            is_unsafe = part.command and fault_of_step(part.text, part.command)
            if is_unsafe or any(self._has(span) for span in part.spans[-1:]):
                continue
            alone = without_repetition(part, self.citations, self._evidence)
            found = with_context(alone, self.citations, self._evidence)
            yield found._replace(origin=found.origin or origin)

    def _has(self, span: Span) -> bool:
        """Return whether the answer already has the beginning of a span."""
        document = self._evidence[span.evidence]
        key = f"{document.alias}:{document.digest}"
        return any(
            citation.document == key and citation.start <= span.start < citation.end
            for citation in self.citations
        )

    def _proof(self, command: str) -> Proof | None:
        """Return the proof of a command line, if it holds."""
        found = self._request.prove(command) if self._request.prove else "No command line was asked for."
        if isinstance(found, str):
            self.refused = found
            return None
        return found

    def _proven(self, proof: Proof) -> Iterator[tuple[Part, Statement]]:
        """Add a command line with its parts."""
        shift = len(self._evidence)
        self._evidence += proof.evidence

        def moved(statement: DraftStatement) -> DraftStatement:
            spans = (span._replace(evidence=span.evidence + shift) for span in statement.spans)
            return statement._replace(spans=tuple(spans))

        yield from self._add("summary", [*map(moved, proof.draft.summary)])
        yield from self._add("steps", [*map(moved, proof.draft.steps)])

    def _add(
        self, part: Part, statements: Sequence[DraftStatement], *, is_proved: bool = False
    ) -> Iterator[tuple[Part, Statement]]:
        """Add statements to the answer. Yield those that pass the verification, which sentences of the model have passed."""
        for statement in statements:
            found = "supported" if is_proved else verdict_of(part, statement, self._evidence, self._asked)
            if kept := self._ledger.add(part, statement, found):
                yield part, kept


def without_repetition(
    statement: DraftStatement, citations: Sequence[Citation], evidence: Sequence[Evidence]
) -> DraftStatement:
    """Return a statement without the introduction of its list, if the answer already has it."""
    if statement.command or len(statement.spans) < 2:
        return statement
    first = statement.spans[0]
    text, document = evidence[first.evidence].text, evidence[first.evidence]
    introduction = f"{fold(text[first.start : first.end])} "
    is_there = any(
        (citation.start, citation.end, citation.document)
        == (first.start, first.end, f"{document.alias}:{document.digest}")
        for citation in citations
    )
    if not is_there or not statement.text.startswith(introduction):
        return statement
    return statement._replace(text=statement.text.removeprefix(introduction), spans=statement.spans[1:])


def with_context(
    statement: DraftStatement, citations: Sequence[Citation], evidence: Sequence[Evidence]
) -> DraftStatement:
    """Return a sentence that depends on the one before it (`This means …`) together with that sentence, if it is short.

    It is returned as it is if the answer already has the sentence before it.
    """
    if statement.command or len(statement.spans) != 1 or not TORN.match(statement.text):
        return statement
    (span,) = statement.spans
    text = evidence[span.evidence].text
    paragraph = text.rfind("\n\n", 0, span.start) + 1
    before = list(sentences(text, paragraph, span.start))[-1:]
    if not before or any(citation.quote == text[slice(*before[0])] for citation in citations):
        return statement
    start, end = before[0]
    words = fold(text[start:end])
    if len(words) > _LONGEST_CONTEXT or commands_in(words) or not words.endswith((".", "!", "?", ":")):
        return statement
    return statement._replace(
        text=f"{words} {statement.text}", spans=(Span(span.evidence, start, end, span.anchor), span)
    )
