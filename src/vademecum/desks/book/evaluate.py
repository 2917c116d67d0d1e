"""Asks questions whose passages are known, and says how often they came, next to plain BM25."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory

from vademecum.ask.passages import PassageHit
from vademecum.core.answers import Citation
from vademecum.core.errors import AnswerError, StoreError
from vademecum.core.trace import Json
from vademecum.desks.book.adding import add_book
from vademecum.desks.book.asking import Ask, ask_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.phrases import holds
from vademecum.desks.book.settings import BookSettings
from vademecum.evaluation.intervals import RESAMPLES, interval, mean_interval
from vademecum.evaluation.lines import read_lines
from vademecum.evaluation.metrics import (
    auroc,
    ece,
    false_answer_rate,
    false_refusal_rate,
    first_rank,
    mean,
    page_at_k,
    percentile,
    risk_coverage,
)
from vademecum.library.collections import Collections
from vademecum.library.library import Library
from vademecum.retrieval.answer_kinds import NAMES, answer_kinds
from vademecum.retrieval.definitions import asked_thing, defines

EXAMPLE = '{"question": "...", "gold_files": ["guide/start.md"], "gold_phrase": "...", "answerable": true}'
LIMIT = 30
_GAIN_LIMIT = 10
_FILES = 5
_BEGINNING = 300
"""Characters of an answer that are read at a glance."""
_RISK = 0.05
_DEFINES = 0.5
"""From which likeness on what a sentence defines is the thing that was asked for."""

_KINDS = ("yes_no", "reason", "comparison", "way", "person", "time", "amount", "meaning")
"""The kinds of questions that figures are told for; a question counts with the first that it is of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to a book.

    Attributes:
        question: As asked.
        gold_files: The pages that answer it, by their paths in the book.
        must: Groups of words as the book has them: what answers has one of each group.
        answerable: Whether the book answers it.
    """

    question: str
    gold_files: tuple[str, ...]
    must: tuple[tuple[str, ...], ...]
    answerable: bool

    def is_answered_by(self, text: str) -> bool:
        """Whether a text has the words that answer it; never, where the book does not answer it."""
        return self.answerable and all(any(holds(text, words) for words in group) for group in self.must)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What a way of ranking gave: which of its passages hold the phrase, and the rank of the first page that is right."""

    right: tuple[bool, ...]
    file_rank: int | None

    @property
    def rank(self) -> int | None:
        """Of the first passage that holds the phrase, from 1."""
        return first_rank(self.right)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a question.

    Attributes:
        question: The question.
        ranking: Ours.
        words: That of plain BM25.
        answered: Whether it was answered.
        has_phrase: Whether the answer holds the phrase.
        lead_has_phrase: Whether its first 300 characters do.
        first_has_phrase: Whether its first statement does.
        defines: Whether its first statement says what the thing is that the question wants explained; None for other questions.
        answerability: As judged.
        confidence: Likewise.
        citations: Of the answer: exact ones, and all.
        answer: The answer's text.
        latency_ms: Of the answer.
    """

    question: Question
    ranking: Ranking
    words: Ranking
    answered: bool
    has_phrase: bool
    lead_has_phrase: bool
    first_has_phrase: bool
    defines: bool | None
    answerability: float
    confidence: float
    citations: tuple[int, int]
    answer: str
    latency_ms: float


def read_questions(path: Path) -> list[Question]:
    """The questions of a file of one JSON object a line; blank lines are skipped.

    Raises:
        ConfigError: The file cannot be read, is empty, or a line is not as it must be.
    """
    return read_lines(path, _question, what="question", example=EXAMPLE)


def _question(data: dict[str, object]) -> Question:
    """A line's question.

    Raises:
        ValueError: It is none.
    """
    question, phrase, files = (
        data.get("question"),
        data.get("gold_phrase") or "",
        data.get("gold_files") or [],
    )
    must = data.get("must") or ([[phrase]] if phrase else [])
    answerable = data.get("answerable", bool(must))
    if not isinstance(question, str) or not question.strip():
        raise ValueError('there is no text "question"')
    if not isinstance(phrase, str) or not isinstance(answerable, bool):
        raise ValueError('"gold_phrase" is not text, or "answerable" is neither true nor false')  # noqa: TRY004 - the same
    if not isinstance(must, list) or not all(isinstance(group, list) and group for group in must):
        raise ValueError('"must" is not a list of lists of words')
    if not isinstance(files, list) or not all(isinstance(one, str) for one in files):
        raise ValueError('"gold_files" is not a list of paths')
    words = [word for group in must for word in group]
    if not all(isinstance(word, str) and word.strip() for word in words):
        raise ValueError('"must" or "gold_phrase" has a word that is not text, or blank')
    if answerable and not (must and files):
        raise ValueError("it is answerable, and has no gold_phrase or no gold_files")
    for text in (question, *words, *files):
        text.encode()  # a lone surrogate is a ValueError
    return Question(
        question=question, gold_files=tuple(files), must=tuple(map(tuple, must)), answerable=answerable
    )


def run(
    book: Path,
    questions: Sequence[Question],
    *,
    exclude: Sequence[str] = (),
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[Outcome]:
    """Index a book in a folder that goes with the end, and ask every question.

    Raises:
        VademecumError: The book cannot be read or indexed.
    """
    with TemporaryDirectory(prefix="vademecum-eval-") as folder:
        collections = Collections(Path(folder))
        added, _ = add_book(collections, book, name="book", exclude=exclude)
        desk = Desk(collections, BookSettings(cached=0))
        found = []
        for done, question in enumerate(questions, start=1):
            found.append(_outcome(desk, added.library, question))
            progress(done, len(questions))
    return found


def _outcome(desk: Desk, library: Library, question: Question) -> Outcome:
    asked = question.question
    started_s = time.perf_counter()
    try:
        reply = ask_book(Ask(query=asked), desk)
    except AnswerError:
        reply = None
    latency_ms = (time.perf_counter() - started_s) * 1000
    exact = [_is_exact(one, library) for one in reply.citations] if reply else []
    said = "\n".join(one.text for one in reply.summary) if reply else ""
    lead = reply.summary[0].text if reply and reply.summary else ""
    return Outcome(
        question=question,
        ranking=_ranking(question, library.passages(asked, limit=LIMIT)) if reply else _NOTHING,
        words=_ranking(question, library.passages(asked, limit=LIMIT, by="words")) if reply else _NOTHING,
        answered=bool(reply and not reply.no_answer),
        has_phrase=question.is_answered_by(said),
        lead_has_phrase=question.is_answered_by(said[:_BEGINNING]),
        first_has_phrase=question.is_answered_by(lead),
        defines=_defines(lead, asked) if question.answerable else None,
        answerability=reply.answerability if reply else 0.0,
        confidence=reply.confidence if reply else 0.0,
        citations=(sum(exact), len(exact)),
        answer=said,
        latency_ms=latency_ms,
    )


def _defines(lead: str, question: str) -> bool | None:
    thing = asked_thing(question)
    return bool(thing) and defines(lead, thing)[0] >= _DEFINES if thing else None


_NOTHING = Ranking(right=(), file_rank=None)


def _ranking(question: Question, hits: Sequence[PassageHit]) -> Ranking:
    right = tuple(question.is_answered_by(hit.text) for hit in hits)
    return Ranking(right=right, file_rank=first_rank(hit.reference in question.gold_files for hit in hits))


def _is_exact(citation: Citation, library: Library) -> bool:
    try:
        return library.text(citation.document)[citation.start : citation.end] == citation.quote != ""
    except StoreError:
        return False


def summarise(
    outcomes: Sequence[Outcome], *, resamples: int = RESAMPLES, worst: int | None = None
) -> dict[str, Json]:
    """All figures as plain data; `null` where nothing was there to measure.

    Ranks, files and phrases are of the answerable questions, whatever was decided. `auroc` is of `answerability`;
    `ece` and `coverage_at_5pct_error` are of `confidence`, against whether the first statement of the answer holds the phrase.
    """
    answerable = [one for one in outcomes if one.question.answerable]
    data: dict[str, Json] = {
        "n": len(outcomes),
        "n_answerable": len(answerable),
        "n_unanswerable": len(outcomes) - len(answerable),
        **_ranks(answerable, lambda one: one.ranking),
        "answer_has_phrase": mean([float(one.has_phrase) for one in answerable]),
        "lead_has_phrase": mean([float(one.lead_has_phrase) for one in answerable]),
        "auroc": auroc([(one.answerability, one.question.answerable) for one in outcomes]),
        "ece": ece(_sure(outcomes)),
        "coverage_at_5pct_error": max(
            (point.coverage for point in risk_coverage(_sure(outcomes)) if point.risk <= _RISK), default=0.0
        )
        if outcomes
        else None,
        "false_answer_rate": false_answer_rate([(one.question.answerable, one.answered) for one in outcomes]),
        "false_refusal_rate": false_refusal_rate(
            [(one.question.answerable, one.answered) for one in outcomes]
        ),
        "citation_exact": _exact(outcomes),
    }
    times = sorted(one.latency_ms for one in outcomes)
    data["latency_ms"] = {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}
    data["defines"] = mean([float(one.defines) for one in answerable if one.defines is not None])
    data["characters_median"] = _median(outcomes)
    data["by_kind"] = _by_kind(outcomes)
    data["bm25"] = _ranks(answerable, lambda one: one.words)
    shares = {
        "passage_at_5": [page_at_k(one.ranking.rank, 5) for one in answerable],
        "file_at_5": [page_at_k(one.ranking.file_rank, _FILES) for one in answerable],
        "answer_has_phrase": [float(one.has_phrase) for one in answerable],
        "lead_has_phrase": [float(one.lead_has_phrase) for one in answerable],
        "false_answer_rate": [float(one.answered) for one in outcomes if not one.question.answerable],
        "false_refusal_rate": [float(not one.answered) for one in answerable],
    }
    data["intervals"] = {
        **{name: _span(mean_interval(values, resamples=resamples)) for name, values in shares.items()},
        "auroc": _span(
            interval(
                list(outcomes),
                lambda some: auroc([(one.answerability, one.question.answerable) for one in some]),
                resamples=resamples,
            )
        ),
    }
    if worst is not None:
        data["worst"] = [_told(one) for one in sorted(outcomes, key=_shortfall, reverse=True)[:worst]]
    return data


def kind_of(question: str) -> str:
    """What kind of question it is: `definition`, one of `_KINDS`, or `other`."""
    if asked_thing(question):
        return "definition"
    wants = dict(zip(NAMES, answer_kinds(question), strict=True))
    return next((kind for kind in _KINDS if wants[kind]), "other")


def _by_kind(outcomes: Sequence[Outcome]) -> dict[str, Json]:
    """The figures of the answers to each kind of question."""
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(kind_of(one.question.question), []).append(one)
    found: dict[str, Json] = {}
    for kind in sorted(groups):
        group = groups[kind]
        answerable = [one for one in group if one.question.answerable]
        found[kind] = {
            "n": len(group),
            "n_answerable": len(answerable),
            "lead_has_phrase": mean([float(one.lead_has_phrase) for one in answerable]),
            "answer_has_phrase": mean([float(one.has_phrase) for one in answerable]),
            "false_refusal_rate": mean([float(not one.answered) for one in answerable]),
            "characters_median": _median(group),
        }
    return found


def _median(outcomes: Sequence[Outcome]) -> float | None:
    return percentile(sorted(float(len(one.answer)) for one in outcomes if one.answered), 0.5)


def _ranks(outcomes: Sequence[Outcome], of: Callable[[Outcome], Ranking]) -> dict[str, Json]:
    rankings = [of(one) for one in outcomes]
    found: dict[str, Json] = {
        f"passage_at_{k}": mean([page_at_k(one.rank, k) for one in rankings]) for k in (1, 5, LIMIT)
    }
    found["ndcg_at_10"] = mean([_gain(one) for one in rankings])
    found["file_at_5"] = mean([page_at_k(one.file_rank, _FILES) for one in rankings])
    return found


def _gain(ranking: Ranking) -> float:
    """The normalised discounted gain of the first ten, all right passages found counting the same (Järvelin & Kekäläinen 2002)."""
    best = sum(1 / log2(place + 1) for place in range(1, min(sum(ranking.right), _GAIN_LIMIT) + 1))
    own = sum(1 / log2(place + 1) for place, right in enumerate(ranking.right[:_GAIN_LIMIT], 1) if right)
    return own / best if best else 0.0


def _sure(outcomes: Sequence[Outcome]) -> list[tuple[float, bool]]:
    return [(one.confidence, one.first_has_phrase) for one in outcomes]


def _exact(outcomes: Sequence[Outcome]) -> float | None:
    total = sum(one.citations[1] for one in outcomes)
    return sum(one.citations[0] for one in outcomes) / total if total else None


def _span(bounds: object) -> Json:
    return None if bounds is None else [bounds.low, bounds.high]  # type: ignore[attr-defined] # an Interval


def _shortfall(one: Outcome) -> float:
    """How bad it is: sure of what has no answer, or far from a passage that is there."""
    if not one.question.answerable:
        return 100 * one.answerability if one.answered else 0.0
    return float(one.ranking.rank or 2 * LIMIT) + (0 if one.has_phrase else LIMIT)


def _told(one: Outcome) -> Json:
    return {
        "question": one.question.question,
        "answerable": one.question.answerable,
        "gold_files": list(one.question.gold_files),
        "rank": one.ranking.rank,
        "answered": one.answered,
        "has_phrase": one.has_phrase,
        "answerability": round(one.answerability, 4),
        "answer": one.answer[:300],
    }
