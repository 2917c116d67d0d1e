"""Evaluate a book: ask questions with known passages, and compare the results with BM25."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from vademecum.core.answers import Citation, Hit
from vademecum.core.errors import AnswerError, StoreError
from vademecum.desks.book.ask import Ask, ask_book
from vademecum.desks.book.books import add_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.settings import BookSettings
from vademecum.evaluation.cases import Fields, Progress, ask_all, read_cases, silent, texts_in
from vademecum.evaluation.figures import NO_RANKING, Outcome, Ranking
from vademecum.evaluation.metrics import first_rank
from vademecum.library.collections import Collections
from vademecum.library.internal import InternalLibrary
from vademecum.retrieval.question.definitions import asked_thing, defines
from vademecum.sources._markdown import read_markdown


def holds(text: str, phrase: str) -> bool:
    r"""Return whether a text contains a phrase, raw or with Markdown rendered, ignoring case and folding white space.

    >>> holds("Start it with\nuorb start.", "with `uorb start`")
    True
    """
    folded = " ".join(text.lower().split())
    return any(form in folded for form in _forms(phrase))


@lru_cache(maxsize=4096)
def _forms(phrase: str) -> tuple[str, ...]:
    """Return a phrase as written, and with its Markdown rendered."""
    forms = [phrase, read_markdown(phrase).text]
    return tuple(dict.fromkeys(folded for form in forms if (folded := " ".join(form.lower().split()))))


EXAMPLE = '{"question": "...", "gold_files": ["guide/start.md"], "gold_phrase": "...", "answerable": true}'
LIMIT = 30
_BEGINNING = 300
"""The number of characters of an answer that are read at a glance."""
_DEFINES = 0.5
"""The minimum score at which a sentence defines the thing that was asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to a book.

    Attributes:
        gold_files: The paths, in the book, of the pages that answer it.
        must: Groups of phrases from the book. A text answers the question if it contains at least one phrase of
            each group.
        answerable: Whether the book answers it.
    """

    question: str
    gold_files: tuple[str, ...]
    must: tuple[tuple[str, ...], ...]
    answerable: bool

    def is_answered_by(self, text: str) -> bool:
        """Return whether a text answers the question; False if the question is not answerable."""
        return self.answerable and all(any(holds(text, words) for words in group) for group in self.must)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Outcome[Question]):
    """The result of a question. Its rankings are of passages; a right one contains the phrase.

    Attributes:
        defines: Whether its first statement defines the thing that the question asks about; None for other questions.
        citations: The number of exact citations, and of all citations.
    """

    answered: bool
    has_phrase: bool
    lead_has_phrase: bool
    first_has_phrase: bool
    defines: bool | None
    answerability: float
    citations: tuple[int, int]
    answer: str

    @property
    def shortfall(self) -> float:
        """How bad it is: a confident answer where there is none, or a low rank of the right passage."""
        if not self.case.answerable:
            return 100 * self.answerability if self.answered else 0.0
        return float(self.ranking.rank or 2 * LIMIT) + (0 if self.has_phrase else LIMIT)


def read_questions(path: Path) -> list[Question]:
    """Read questions from a file with one JSON object per line. Blank lines are skipped."""
    return read_cases(path, _question, what="question", example=EXAMPLE)


def _question(fields: Fields) -> Question:
    phrase, groups = fields.text("gold_phrase"), fields.get("must") or []
    if not isinstance(groups, list):
        raise ValueError('"must" is not a list of lists of words')  # noqa: TRY004 - it becomes a ConfigError
    must = tuple(texts_in(group, "must") for group in groups) or (((phrase,),) if phrase.strip() else ())
    files, answerable = fields.texts("gold_files"), fields.flag("answerable", default=bool(must))
    if not all(must):
        raise ValueError('"must" has an empty list')
    if answerable and not (must and files):
        raise ValueError("it is answerable, and has no gold_phrase or no gold_files")
    return Question(question=fields.required("question"), gold_files=files, must=must, answerable=answerable)


def run(
    book: Path, questions: Sequence[Question], *, exclude: Sequence[str] = (), progress: Progress = silent
) -> list[Asked]:
    """Index a book in a temporary folder, and ask every question."""
    with TemporaryDirectory(prefix="vademecum-eval-") as folder:
        collections = Collections(Path(folder))
        added, _ = add_book(collections, book, name="book", exclude=exclude)
        desk = Desk(collections, BookSettings(cached=0))
        return ask_all(questions, lambda question: _outcome(desk, added.library, question), progress)


def _outcome(desk: Desk, library: InternalLibrary, question: Question) -> Asked:
    asked = question.question
    started_s = time.perf_counter()
    try:
        reply = ask_book(Ask(query=asked), desk)
    except AnswerError:
        reply = None
    duration_ms = (time.perf_counter() - started_s) * 1000
    exact = [_is_exact(citation, library) for citation in reply.citations] if reply else []
    answer = "\n".join(statement.text for statement in reply.summary) if reply else ""
    first = reply.summary[0].text if reply and reply.summary else ""
    thing = asked_thing(asked) if question.answerable else None
    return Asked(
        case=question,
        ranking=_ranking(question, library.passages(asked, limit=LIMIT)) if reply else NO_RANKING,
        baseline=_ranking(question, library.passages_bm25(asked, limit=LIMIT)) if reply else NO_RANKING,
        answered=bool(reply and not reply.no_answer),
        has_phrase=question.is_answered_by(answer),
        lead_has_phrase=question.is_answered_by(answer[:_BEGINNING]),
        first_has_phrase=question.is_answered_by(first),
        defines=defines(first, thing)[0] >= _DEFINES if thing else None,
        answerability=reply.answerability if reply else 0.0,
        confidence=reply.confidence if reply else 0.0,
        citations=(sum(exact), len(exact)),
        answer=answer,
        duration_ms=duration_ms,
    )


def _ranking(question: Question, hits: Sequence[Hit]) -> Ranking:
    right = tuple(question.is_answered_by(hit.text) for hit in hits)
    return Ranking(right, first_rank(hit.reference in question.gold_files for hit in hits))


def _is_exact(citation: Citation, library: InternalLibrary) -> bool:
    try:
        return library.text(citation.document)[citation.start : citation.end] == citation.quote != ""
    except StoreError:
        return False
