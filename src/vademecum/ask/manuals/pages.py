"""Rate manual pages as documents, and answer from their entries, options and usage."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from vademecum.answering.extract import extract
from vademecum.ask.gather import COMMAND_SECTIONS, best_passage, gather, is_command, likeness, relevance
from vademecum.ask.kinds import USUAL, Corpus, Limits, Rated
from vademecum.command_lines.gate import notes_on
from vademecum.command_lines.nouns import DATE, GLOB, NAME, PORT, PROCESS, Noun, without_own_names
from vademecum.command_lines.pages import NO_PAGE, CommandPages, is_english
from vademecum.command_lines.tasks import EXAMPLES, ChosenTask, chosen_task
from vademecum.core.answers import LineNotes, Reference
from vademecum.core.candidates import Candidate
from vademecum.core.evidence import BY_MODEL, Draft, DraftStatement, Evidence
from vademecum.core.passages import SECTION
from vademecum.core.trace import Json
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.answerability import Judgement, judge, missing
from vademecum.retrieval.documents.features import FEATURES, measure
from vademecum.retrieval.documents.leading import (
    FUNCTION,
    OPTION,
    TASK,
    OfLine,
    chance_of_lead,
    leading_kind,
    signals_of_lead,
)
from vademecum.retrieval.documents.ranking import collect, rank
from vademecum.retrieval.question.question import Question, analyse
from vademecum.retrieval.question.wanted import asks_fact
from vademecum.retrieval.weights import manual_weights
from vademecum.text.words import number, stem

if TYPE_CHECKING:
    from vademecum.answering.selection import Proof
    from vademecum.ask.hits import SourcedHit

_MOST_CHOSEN = 3
_NEAR_ENOUGH = 3.0
"""The maximum difference in the learned score between the first document and another one that is answered from."""

_COMPARED, _MOST_PARTS = 0.1, 6
"""The chance of a line below which an answer from pages may be better, though a task is asked for; and the maximum number of its parts that are explained."""

_MOST_OFFERED, _MOST_NAMED = 5, 4
"""The number of pages that a model can choose from, and of those that it named."""

_SECTIONS_NAMED = (*COMMAND_SECTIONS, "5", "7")
"""The sections of pages that a model may name."""

_LEADING_SENTENCES = 2
_AS_GOOD = 1.5
"""The maximum difference in score at which another page is also listed as a candidate."""

_LEAST_COVERED, _NOT_THERE = 0.35, 0.2
"""The minimum share of the question's rarity that an entry contains if an option is asked for, and the confidence if the pages lack what is
asked for."""

_ABOUT_NAMES = frozenset({"programming", "format"})
"""The kinds of question in which names of files and programs are the topic."""

_SYSTEM_FOLDERS = frozenset("bin boot dev etc lib opt proc root run sbin srv sys tmp usr var".split())  # noqa: SIM905
"""Folders that manual pages document."""

_USUAL_GLOB = re.compile(r"\*\.\w+|[\w-]+\*")
_USUAL_ENDINGS = frozenset(
    """7z avi bak bin bz2 c cpp crt csv db deb diff doc docx epub exe gif go gz h html img ini iso java jpeg jpg js json key log md
    mkv mp3 mp4 odt out patch pdf pem pl png ppt py rar rb rpm rs sh sql svg tar tgz tmp ts tsv txt wav xls xlsx xml xz yaml yml zip""".split()  # noqa: SIM905
)
"""Common extensions of users' own files."""

_RARE = 0.62
"""The minimum rarity of a user's own name, as a share of the maximum rarity."""

_EXPLAINED = 5
"""The number of candidates that the trace shows with all features."""


class RatedPages(Rated):
    """Manual pages, rated for a question."""

    least_guess: ClassVar[float] = 0.15

    def __init__(
        self,
        question: Question,
        corpus: Corpus,
        ranked: Sequence[Candidate],
        judged: Judgement,
        limits: Limits = USUAL,
    ) -> None:
        self.question, self.ranked, self._limits = question, ranked, limits
        self.index, self.threshold, self.sources = corpus.index, corpus.threshold, (corpus.source,)
        self.answerability, self._right, self._of_ranking = judged

    @property
    def found(self) -> bool:
        """See `Rated`."""
        return bool(self.ranked)

    def references(self) -> list[str]:
        """Return the references of the pages found, best first."""
        return [candidate.page.reference for candidate in self.ranked]

    def chosen(self) -> list[Candidate]:
        """Return the pages to answer from: the first one, and those with a similar score."""
        if not self.ranked:
            return []
        first, *others = self._with_page_first(self.ranked[: 2 * _MOST_CHOSEN])
        near = [
            other
            for other in others
            if first.score - other.score <= _NEAR_ENOUGH and _goes_with(other, first, self.question)
        ]
        return [first, *near[: _MOST_CHOSEN - 1]]

    def lags(self) -> list[float]:
        """Return, for each chosen page, the difference between the first page's score and its own."""
        chosen = self.chosen()
        return [chosen[0].score - candidate.score for candidate in chosen]

    def evidence(self, limits: Limits) -> tuple[list[Evidence], list[str]]:  # noqa: ARG002 - limits are those of running text
        """See `Rated`."""
        found, _ = self._drafted
        return found, [document.reference for document in found]

    @staticmethod
    def _with_page_first(ranked: Sequence[Candidate]) -> Sequence[Candidate]:
        """Move a page of examples behind the manual page of its command, if that page was found, too."""
        first = ranked[0]
        if first.page.reference.endswith(EXAMPLES):
            name = first.page.reference.partition("(")[0]
            manual = [one for one in ranked[1:] if one.page.reference.partition("(")[0] == name]
            if manual:
                return [manual[0], first, *(one for one in ranked[1:] if one is not manual[0])]
        return ranked

    @cached_property
    def task(self) -> ChosenTask | None:
        """The task that answers the question; None if the pages answer it better."""
        if not self.ranked or self._is_only_named:
            return None
        pages = CommandPages(self.index)
        task = chosen_task(
            self.question, self.index, self.lead, pages, ranking=self.ranked, most=self._limits.lines
        )
        if task is None:
            return None
        is_task = self.lead == TASK and not asks_fact(self.question.text)
        is_likely = is_task and task.chance >= _COMPARED
        if not is_likely and self._chance_of_pages > chance_of_lead(self.lead_signals(task)):
            return None
        self._of_task = pages.evidence
        return task

    @cached_property
    def of_pages(self) -> tuple[list[Evidence], Draft]:
        """The chosen pages, and the draft of an answer from them, without a task."""
        gathered = gather(self.question, (candidate.place for candidate in self.chosen()), self.index)
        return gathered, self._draft(gathered)

    @cached_property
    def _chance_of_pages(self) -> float:
        return chance_of_lead(self.lead_signals())

    @cached_property
    def _drafted(self) -> tuple[list[Evidence], Draft]:
        if not self.task:
            return self.of_pages
        shown, others = self.task.line, [other.statement for other in self.task.others]
        return self._of_task, Draft(shown.about[:1], (shown.statement, *shown.parts[:_MOST_PARTS], *others))

    @cached_property
    def _lacks(self) -> str:
        """A sentence about the program or option that the question names and the installed pages do not have; "" for none."""
        if not self.ranked:
            return ""
        _, draft = self._drafted
        shown = " ".join(f"{step.command} {step.text}" for step in (*draft.summary, *draft.steps))
        if name := CommandPages(self.index).absent_program(self.question.text, shown):
            return NO_PAGE.format(name)
        if self.task or self.lead != OPTION or self.question.options or self._is_only_named:
            return ""
        words = self._words
        named = next((page for page in self.of_pages[0] if page.reference.partition("(")[0] in words), None)
        if named is None or not is_command(named) or is_english(named.reference.partition("(")[0]):
            return ""
        entries = [passage.coverage for passage in named.passages if passage.kind != SECTION]
        if not entries or max(entries) >= _LEAST_COVERED:
            return ""
        return f"No option of {named.reference} was found that clearly does that."

    @cached_property
    def confidence(self) -> float:
        """See `Rated`."""
        if not self.ranked:
            return 0.0
        chance = chance_of_lead(self.lead_signals(self.task)) if self.task else self._chance_of_pages
        return min(_NOT_THERE, chance) if self._lacks else chance

    @property
    def reasons(self) -> Sequence[str]:
        """See `Rated`."""
        return (self._lacks,) if self._lacks else self._of_ranking

    def lead_signals(self, task: ChosenTask | None = None) -> tuple[float, ...]:
        """Return the signals of the confidence in a task, or in an answer without one, in the order of `leading.SIGNALS`."""
        first = self.ranked[0]
        return signals_of_lead(
            there=self.answerability,
            right=self._right,
            named=self._first_name in self._words,
            only_named=self._is_only_named,
            need=max((need.cosine for need in first.needs), default=0.0),
            covered=0.0 if task else self._covered(),
            words=len(self.question.words),
            lead=self.lead,
            line=task
            and OfLine(
                task.chance,
                len(task.left_out),
                agrees=task.reference in first.page.names,
                for_fact=asks_fact(self.question.text),
            ),
        )

    @property
    def _first_name(self) -> str:
        return self.ranked[0].page.reference.partition("(")[0].lower()

    @cached_property
    def _words(self) -> set[str]:
        return {word.strip("?.,!'\"") for word in self.question.text.lower().split()}

    @property
    def _is_only_named(self) -> bool:
        """Return whether the first page's name is the only search term of the question."""
        return {term.word.lower() for term in self.question.terms} == {self._first_name}

    def _covered(self) -> float:
        """Return the share of the question's rarity that the lead of an answer without a task and its page contain."""
        evidence, draft = self.of_pages
        lead = [draft.steps[0].command] if draft.steps else []
        about = [evidence[0].summary, evidence[0].reference.partition("(")[0]]
        said = " ".join([*lead, *about, *(one.text for one in draft.summary[:_LEADING_SENTENCES])])
        whole = sum(term.weight for term in self.question.terms) or 1.0
        return relevance(self.question, None)(said) / whole

    @cached_property
    def lead(self) -> str:
        """The kind of answer that the question asks for, one of `leading.LEADS`."""
        return leading_kind(self.question.text, self.references())

    def draft(self, evidence: Sequence[Evidence]) -> Draft:
        """See `Rated`."""
        gathered, drafted = self._drafted
        return drafted if evidence == gathered else self._draft(evidence)

    def _draft(self, evidence: Sequence[Evidence]) -> Draft:
        if not evidence:
            return Draft((), ())
        is_done = self._is_only_named or (self.lead == TASK and is_command(evidence[0]))
        sentences = [] if is_done else self._stated(evidence)
        if sentences and self.lead not in {TASK, FUNCTION}:
            return Draft(tuple(sentences), ())
        about = relevance(self.question, evidence[0])
        drafted = extract(evidence, about, likeness(self.question, self.index))
        if sentences:
            return drafted._replace(summary=(*drafted.summary[:1], *sentences[:1]))
        return drafted

    def choices(
        self, evidence: Sequence[Evidence], limits: Limits, names: Sequence[str] = ()
    ) -> tuple[Sequence[Evidence], Iterator[DraftStatement]]:
        """See `Rated`. After the own answer, options by their chance, then sentences and entries, also of further pages."""
        from vademecum.ask.manuals.statements import offered  # noqa: PLC0415 - only with a model

        there = {document.reference for document in evidence}
        named = [
            place
            for name in names
            for place in self.index.named(name)
            if self.index.page(place).reference.rpartition("(")[2][:1] in _SECTIONS_NAMED
        ][:_MOST_NAMED]
        ranked = [found.place for found in self.ranked[:_MOST_OFFERED]]
        others = [
            place
            for place in dict.fromkeys([*named, *ranked])
            if self.index.page(place).reference not in there
        ]
        wide = [*evidence, *gather(self.question, others, self.index)]
        scores = {candidate.place: candidate.score for candidate in self.ranked}
        first = self.ranked[0].score
        lags = [
            0.0 if place in named else first - scores.get(place, first - _NEAR_ENOUGH) for place in others
        ]
        of_own = {candidate.page.reference: first - candidate.score for candidate in self.ranked}
        lags = [*(of_own.get(document.reference, _NEAR_ENOUGH) for document in evidence), *lags]
        _, own = super().choices(evidence, limits)
        return wide, chain(own, offered(self.question, self.index, wide, lags))

    @property
    def takes_names(self) -> bool:
        """See `Rated`."""
        return True

    def prove(self, line: str) -> "Proof | str":
        """See `Rated`."""
        from vademecum.answering.selection import Proof  # noqa: PLC0415 - only with a model
        from vademecum.command_lines.model_lines import proven_of_model  # noqa: PLC0415 - the same

        pages = CommandPages(self.index)
        found = proven_of_model(line, self.question.text, pages)
        if isinstance(found, str):
            return found
        steps = (found.statement._replace(origin=BY_MODEL), *found.parts[:_MOST_PARTS])
        return Proof(pages.evidence, Draft(found.about[:1], steps))

    @property
    def asks_for_line(self) -> bool:
        """See `Rated`."""
        return self.lead == TASK and not asks_fact(self.question.text)

    def _stated(self, evidence: Sequence[Evidence]) -> list[DraftStatement]:
        """Return the sentences and entries that answer the question."""
        from vademecum.ask.manuals.statements import stated  # noqa: PLC0415 - a task needs none of it

        pages = evidence[:1] if self.lead in {TASK, FUNCTION} else evidence
        return stated(self.question, self.index, pages, self.lags()[: len(pages)], self.lead)

    def nearest(self, most: int) -> list[tuple[str, Reference]]:
        """See `Rated`."""
        return [(self.sources[0], self._reference(candidate)) for candidate in self.ranked[:most]]

    def others(self) -> list[Reference]:
        """See `Rated`. The other chosen pages; for a task, only the pages of commands."""
        return [
            self._reference(candidate)
            for candidate in self.chosen()[1:]
            if self.ranked[0].score - candidate.score <= _AS_GOOD
            if self.lead != TASK or candidate.page.reference.rpartition("(")[2][:1] in COMMAND_SECTIONS
        ]

    def _reference(self, candidate: Candidate) -> Reference:
        segment = self.index.segments[candidate.place.segment]
        digest = segment.flat.document(candidate.place.document).digest.hex()
        return Reference(
            number=0,
            alias=segment.info.alias,
            document_ref=candidate.page.reference,
            label=candidate.page.reference,
            notes=candidate.page.summary,
            document=f"{segment.info.alias}:{digest}",
        )

    def passages(self) -> "Iterator[SourcedHit]":
        """See `Rated`. A node that is only a menu has none."""
        from vademecum.ask.hits import SourcedHit, hit_at  # noqa: PLC0415 - an answer needs none of it

        for at, found in enumerate(self.ranked, 1):
            flat = self.index.segments[found.place.segment].flat
            if not flat.document(found.place.document).passages:
                continue
            best = best_passage(self.question, found.place, self.index)
            hit = hit_at(self.index, found.place, best, rank=at, score=found.score)
            yield SourcedHit(self.sources[0], hit)

    def lacking(self) -> tuple[str, ...]:
        """See `Rated`."""
        return ()

    def notes(self) -> LineNotes:
        """See `Rated`."""
        if not self.task:
            return LineNotes()
        lines = [line.statement.command for line in (self.task.line, *self.task.others)]
        return notes_on(lines, self.task.left_out, self.task.values)

    def missing(self) -> tuple[str, ...]:
        """The pages that the question names and that the index does not contain."""
        return missing(self.question, self.ranked)

    def retrieved(self) -> dict[str, Json]:
        """See `Rated`."""
        return {
            "candidates": len(self.ranked),
            "first": [candidate.page.reference for candidate in self.ranked[:_EXPLAINED]],
        }

    def evaluated(self) -> dict[str, Json]:
        """See `Rated`."""
        return {"candidates": [_explained(candidate) for candidate in self.ranked[:_EXPLAINED]]}


def rate_pages(text: str, corpus: Corpus, limits: Limits = USUAL) -> RatedPages:
    """Rate the manual pages for a question."""
    index = corpus.index
    question = _analysed(text, index)
    weights = manual_weights(index.embedder)
    ranked = rank(question, measure(question, collect(question, index), index), weights)
    return RatedPages(question, corpus, ranked, judge(question, ranked, weights), limits)


def _analysed(text: str, index: Index) -> Question:
    """Analyse a question without the names of the user's own files, hosts and people."""
    question = analyse(text, index)
    if question.kinds & _ABOUT_NAMES:
        return question

    def is_topic(noun: Noun) -> bool:
        if noun.kind == NAME:
            rarity = index.rarity(number(stem(noun.value.lower())))
            return rarity < _RARE * index.rarest() or bool(index.named(noun.value))
        if noun.kind in {PORT, PROCESS, DATE}:
            return noun.value.isalpha()
        value = noun.value.lower()
        if noun.kind == GLOB:
            return _USUAL_GLOB.fullmatch(value) is None
        base = value.rpartition("/")[2]
        if index.named(base) or base.startswith("tar."):
            return True
        if value.startswith("/"):
            return value.split("/")[1] in _SYSTEM_FOLDERS
        return value[:1] != "~" and base.rpartition(".")[2] not in _USUAL_ENDINGS

    general = without_own_names(question.text, is_topic)
    if general == question.text or not general.strip():
        return question
    return analyse(general, index)._replace(text=question.text, shortened=question.shortened)


def _goes_with(other: Candidate, first: Candidate, question: Question) -> bool:
    """Return whether a page may accompany the first. A C interface does not accompany a command, unless it was asked for."""
    commands = first.page.reference.rpartition("(")[2][:1] in {"1", "8"}
    interface = other.page.reference.rpartition("(")[2][:1] in {"2", "3"}
    return "programming" in question.kinds or not (commands and interface)


def _explained(candidate: Candidate) -> dict[str, Json]:
    features = {
        name: round(value, 4) for name, value in zip(FEATURES, candidate.features, strict=True) if value
    }
    return {"reference": candidate.page.reference, "score": round(candidate.score, 4), "features": features}
