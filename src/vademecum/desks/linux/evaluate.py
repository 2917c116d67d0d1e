"""Run an evaluation over manual pages, and record the outcome of each question."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from vademecum.core.answers import Answer, Hit, Statement
from vademecum.core.errors import AnswerError, VademecumError
from vademecum.desks.linux.questions import Question
from vademecum.evaluation.cases import Progress, ask_all, silent
from vademecum.evaluation.figures import Outcome, Ranking
from vademecum.evaluation.matching import lacking
from vademecum.evaluation.metrics import reciprocal_rank

LIMIT = 10
"""How many pages are looked at."""

OTHER = "other"
"""The section of documents that are not manual pages."""

Value = TypeVar("Value")


class Counted(NamedTuple):
    """How many of some things were as they should be."""

    good: int
    total: int


class Lead(NamedTuple):
    """How an answer begins, and how long it is.

    Attributes:
        answers: Whether the first line to type, with at most two options more than asked for, or where nothing is typed the
            first two sentences have all that a lead must have (`Question.lead_must`); false where that is empty.
        any_line: Whether any line to type has all of it.
        lines: How many lines there are to type.
        words: Of all sentences and steps.
    """

    answers: bool
    any_line: bool
    lines: int
    words: int


_NONE_COUNTED = Counted(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Outcome[Question]):
    """The result of a question. Its rankings are of pages.

    Attributes:
        found: References of the pages retrieved, best first, whether or not the question was refused.
        lacking: The items of `must_contain` that the answer lacks; all of them after a refusal.
        citations: How many quotes are in the document, character by character, at their stated place.
    """

    group: str
    found: tuple[str, ...]
    answered: bool
    lacking: tuple[str, ...]
    citations: Counted
    sentences: Counted
    search_ms: float
    baseline_ms: float
    faults: tuple[str, ...] = ()
    lead: Lead | None = None
    explained: Counted = _NONE_COUNTED

    @property
    def has_page(self) -> bool:
        """Return whether the page metrics count it: something answers it, and we know what."""
        return self.case.answerable and bool(self.case.gold)

    @property
    def right(self) -> bool | None:
        """Return whether a right page was first: what confidence is held against.

        Where nothing answers the question no page is right; `None` where no gold is known.
        """
        if not self.case.answerable:
            return False
        return self.ranking.rank == 1 if self.case.gold else None

    @property
    def shortfall(self) -> float:
        """How far from what it should be, 0 (nothing to complain of) to 1.

        A question that nothing answers: 1 if it was answered. Any other: one minus the reciprocal rank
        of its page, but at least a half if it was refused, a quarter if the answer lacks something. With a fault, it is above 0.
        """
        least = 0.01 if self.faults else 0.0
        if not self.case.answerable:
            return max(least, float(self.answered))
        page = 1 - reciprocal_rank(self.ranking.rank) if self.case.gold else 0.0
        return max(least, page, 0.0 if self.answered else 0.5, 0.25 if self.lacking else 0.0)

    def complaints(self) -> tuple[str, ...]:
        """What was not as it should be, in words, then the faults."""
        said = []
        if not self.case.answerable and self.answered:
            said.append("answered, though nothing answers it")
        if self.has_page and self.ranking.rank is None:
            said.append("no right page was found")
        if self.has_page and self.ranking.rank is not None and self.ranking.rank > 1:
            said.append(f"the right page came at {self.ranking.rank}")
        if self.case.answerable and not self.answered:
            said.append("refused")
        elif self.case.answerable and self.lacking:
            said.append("the answer lacks " + ", ".join(self.lacking))
        return (*said, *self.faults)


class ManualPages(Protocol):
    """What is measured: the library, or anything that searches and answers like it."""

    def search(self, question: str, /, *, limit: int) -> Sequence[Hit]:
        """The best pages, best first, each once, refusing nothing."""
        ...

    def search_passages_bm25(self, question: str, /, *, limit: int) -> Sequence[Hit]:
        """The baseline: pages by their best passage under plain BM25, each once."""
        ...

    def ask(self, question: str, /) -> Answer:
        """The answer, or an honest refusal."""
        ...

    def text(self, document: str, /) -> str:
        """The text that citations of the document quote."""
        ...


def run(
    pages: ManualPages,
    render: Callable[[Answer], str],
    questions: Sequence[Question],
    *,
    progress: Progress = silent,
) -> list[Result]:
    """Ask every question."""
    return ask_all(questions, lambda question: judge(pages, render, question), progress)


def judge(pages: ManualPages, render: Callable[[Answer], str], question: Question) -> Result:
    """Ask one question and hold what came against what is known.

    The answer is asked for first, so that its time owes nothing to the searches.
    """
    faults: list[str] = []
    asked = question.question
    nothing: tuple[Hit, ...] = ()
    refusal = Answer(question=asked, outcome="not_found", confidence=0.0, answerability=0.0, no_answer=True)
    answer, ask_ms = _timed(lambda: pages.ask(asked), refusal, faults)
    hits, search_ms = _timed(lambda: tuple(pages.search(asked, limit=LIMIT)), nothing, faults)
    plain, baseline_ms = _timed(
        lambda: tuple(pages.search_passages_bm25(asked, limit=LIMIT)), nothing, faults
    )
    answered = not answer.no_answer
    return Result(
        case=question,
        group=section(question),
        found=tuple(hit.reference for hit in hits[:LIMIT]),
        ranking=ranking_of(hits, question.gold),
        baseline=ranking_of(plain, question.gold),
        answered=answered,
        confidence=answer.confidence,
        lacking=lacking(render(answer), question.must_contain) if answered else question.must_contain,
        citations=exact_citations(answer, pages.text, faults),
        sentences=cited_sentences(answer),
        duration_ms=ask_ms,
        search_ms=search_ms,
        baseline_ms=baseline_ms,
        faults=tuple(dict.fromkeys(faults)),
        lead=lead_of(answer.summary, answer.steps, question.lead_must) if answered else None,
        explained=explained_of(answer, question.explains),
    )


_SPARE_OPTIONS = 2
_FIRST_SENTENCES = 2


def lead_of(summary: Sequence[Statement], steps: Sequence[Statement], must: Sequence[Sequence[str]]) -> Lead:
    """How an answer begins, held against what its lead must say: all items of any of these."""
    lines = [step.command for step in steps if step.command and not step.text]
    first = lines[0] if lines else " ".join(one.text for one in summary[:_FIRST_SENTENCES])
    options = len(re.findall(r"(?<!\S)-[^\s-]|(?<!\S)--\w", first)) if lines else 0
    said = (f"{statement.command} {statement.text}" for statement in (*summary, *steps))
    return Lead(
        any(
            options <= sum("-" in item for item in items) + _SPARE_OPTIONS and not lacking(first, items)
            for items in must
        ),
        any(not lacking(line, items) for line in lines for items in must),
        len(lines),
        sum(len(text.split()) for text in said),
    )


def explained_of(answer: Answer, explains: Sequence[tuple[str, str]]) -> Counted:
    """How many parts of a line have a statement that names them, with the word of their page in it or in what it cites."""
    if not explains:
        return Counted(0, 0)
    quotes = dict(enumerate(citation.quote for citation in answer.citations))
    statements = [
        (
            f"{one.command} {one.text}",
            " ".join([one.text, *(quotes.get(at, "") for at in one.citations)]).lower(),
        )
        for one in (*answer.summary, *answer.steps)
    ]
    good = sum(
        any(part in shown and word.lower() in said for shown, said in statements) for part, word in explains
    )
    return Counted(good, len(explains))


def section(question: Question) -> str:
    """The manual's section a question belongs to: as the file says, else that of its first gold page.

    A suffix is left off (`open(3perl)` is in "3", `after(n)` in "n"); what is not a manual page is in
    "other", and a question with neither section nor gold in "".
    """
    if question.section:
        return _main_section(question.section)
    if not question.gold:
        return ""
    found = re.search(r"\(([0-9A-Za-z][^()\s]*)\)$", question.gold[0])
    return _main_section(found[1]) if found else OTHER


def ranking_of(hits: Sequence[Hit], gold: Sequence[str]) -> Ranking:
    """Which of the first ten hits have a gold reference, to the letter."""
    wanted = frozenset(gold)
    return Ranking(tuple(not wanted.isdisjoint((hit.reference, *hit.names)) for hit in hits[:LIMIT]))


def exact_citations(answer: Answer, text_of: Callable[[str], str], faults: list[str]) -> Counted:
    """How many citations quote, character by character, what is in the document at their place."""
    exact = 0
    for citation in answer.citations:
        try:
            text = text_of(citation.document)
        except VademecumError as error:
            faults.append(f"{citation.location} is cited, but {error.message}")
            continue
        if 0 <= citation.start < citation.end and text[citation.start : citation.end] == citation.quote:
            exact += 1
        else:
            place = f"{citation.start}-{citation.end}"
            faults.append(
                f"{citation.location} is cited, but {place} reads otherwise than {citation.quote!r}"
            )
    return Counted(exact, len(answer.citations))


def cited_sentences(answer: Answer) -> Counted:
    """How many sentences and steps rest on citations, all of which are in the answer."""
    statements = (*answer.summary, *answer.steps)
    known = range(len(answer.citations))
    cited = [statement.citations for statement in statements if statement.citations]
    return Counted(sum(all(place in known for place in places) for places in cited), len(statements))


def _main_section(name: str) -> str:
    """`3` of `3perl`, and a name that does not begin with a digit as it is."""
    return name[0] if name[0].isdigit() else name


def _timed(call: Callable[[], Value], otherwise: Value, faults: list[str]) -> tuple[Value, float]:
    """What a call gives and its wall time in ms; `otherwise`, and the fault, if it does not accept the question."""
    start_s = time.perf_counter()
    try:
        value = call()
    except AnswerError as error:
        faults.append(f"not accepted as a question: {error.message}")
        value = otherwise
    return value, (time.perf_counter() - start_s) * 1000
