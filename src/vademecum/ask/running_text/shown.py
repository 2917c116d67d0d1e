"""Answer from the commands that a document shows with an instruction: the tasks of people's own documents."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain

from vademecum.answering.actions import fault_of_step
from vademecum.ask.hits import SourcedHit, hit_at
from vademecum.ask.kinds import Limits
from vademecum.ask.running_text.texts import RatedTexts
from vademecum.command_lines.gate import notes_on
from vademecum.command_lines.tasks import FEATURES, Task, chance_of, offered_tasks
from vademecum.core.answers import LineNotes
from vademecum.core.evidence import Draft, DraftStatement, Evidence, Span
from vademecum.core.passages import SECTION
from vademecum.index.reader.evidence import evidence_at
from vademecum.retrieval.documents.leading import DEFINITION, TASK, leading_kind
from vademecum.retrieval.question.question import Question

_PART = re.compile(r"[^\s\\](?:.*?\S)??(?=\s*\\?$)", re.MULTILINE)
"""A line of a command, without the sign that continues it."""

_OF_COMMANDS = ("commands(1)",) * 3
"""Pages that a question may be about; without any, a task in a few words reads like the name of a thing."""

_ONE_PHRASING = FEATURES.index("second_cosine")


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedCommands(RatedTexts):
    """Running text that shows the commands that do what is asked.

    Attributes:
        document: The document, with the passages that the commands are in.
        instruction: What they do, in the words of the document.
        steps: The commands, in order.
    """

    document: Evidence
    instruction: DraftStatement
    steps: tuple[DraftStatement, ...]

    def evidence(self, limits: Limits) -> tuple[list[Evidence], list[str]]:  # noqa: ARG002 - commands are short
        """See `Rated`."""
        return [self.document], [self.document.reference]

    def origins(self, limits: Limits, *, of_choices: bool = False) -> list[str]:
        """See `RatedTexts`."""
        own = [source for source, found in self.searched if found.index is self.index][:1]
        return [*own, *super(RatedCommands, self).origins(limits, of_choices=True)] if of_choices else own

    def choices(
        self, evidence: Sequence[Evidence], limits: Limits, names: Sequence[str] = ()
    ) -> tuple[Sequence[Evidence], Iterator[DraftStatement]]:
        """See `Rated`. The commands come first."""
        wide, others = super(RatedCommands, self).choices(evidence, limits, names)
        moved = (
            statement._replace(
                spans=tuple(span._replace(evidence=span.evidence + 1) for span in statement.spans)
            )
            for statement in others
        )
        said = self.instruction
        own = (step._replace(text=said.text, spans=(*said.spans, *step.spans)) for step in self.steps)
        return [self.document, *wide], chain(own, moved)

    def draft(self, evidence: Sequence[Evidence]) -> Draft:
        """See `Rated`."""
        if not evidence or evidence[0] is not self.document:
            return super(RatedCommands, self).draft(evidence)
        return Draft((self.instruction,), self.steps)

    def notes(self) -> LineNotes:
        """See `Rated`."""
        return notes_on(step.command for step in self.steps)


def with_commands(rated: RatedTexts) -> RatedTexts:
    """Return the rating of the commands that do what is asked if they answer more probably than the passages; otherwise `rated`."""
    if not {leading_kind(rated.question.text, pages) for pages in ((), _OF_COMMANDS)} <= {TASK, DEFINITION}:
        return rated
    best, chance = rated, rated.confidence
    for source, found in rated.searched:
        ranked = offered_tasks(found.question, found.index)
        if not ranked or (of_task := _chance(ranked, found.question)) <= chance:
            continue
        document = evidence_at(ranked[0].place, found.index)
        steps = tuple(_steps(ranked[0].line, document))
        said = ranked[0].phrasings[0]
        at = document.text.rfind(said, 0, steps[0].spans[0].start) if steps else -1
        if at < 0:
            continue
        instruction = DraftStatement(said, "", (Span(0, at, at + len(said), ""),))
        spans = [span for statement in (instruction, *steps) for span in statement.spans]
        inside = [
            at
            for at, passage in enumerate(document.passages)
            if passage.kind == SECTION and any(passage.start <= span.start < passage.end for span in spans)
        ]
        first = (
            found.index.segments[ranked[0].place.segment]
            .flat.document(ranked[0].place.document)
            .first_passage
        )
        hits = [SourcedHit(source, hit_at(found.index, ranked[0].place, first + at)) for at in inside]
        others = [hit for hit in rated.hits if hit.hit.passage not in {shown.hit.passage for shown in hits}]
        chance = of_task
        values = {field.name: getattr(rated, field.name) for field in fields(RatedTexts)} | {
            "index": found.index,
            "hits": [*hits, *others],
            "confidence": chance,
            "answerability": max(chance, rated.answerability),
        }
        best = RatedCommands(
            **values,
            document=document._replace(passages=tuple(document.passages[at] for at in inside)),
            instruction=instruction,
            steps=steps,
        )
    return best


def _chance(ranked: Sequence[Task], question: Question) -> float:
    """Return the probability that the first task does what is asked; it is not less likely for the few phrasings that a document has."""
    features = list(ranked[0].features)
    features[_ONE_PHRASING] = features[0]
    return chance_of([ranked[0]._replace(features=tuple(features)), *ranked[1:]], question, TASK)


def _steps(lines: str, document: Evidence) -> list[DraftStatement]:
    """Return commands as steps, each with the place of its lines; empty if one is not safe to offer, or is not in the text."""
    steps, at = [], 0
    for line in lines.split("\n"):
        words = map(re.escape, line.split())
        found = re.compile(r"[\s\\>]+".join(words)).search(document.text, at)
        if not found or fault_of_step("", line):
            return []
        parts = _PART.finditer(document.text, *found.span())
        steps.append(DraftStatement("", line, tuple(Span(0, *part.span(), "") for part in parts)))
        at = found.end()
    return steps
