"""Find the tasks that a question may ask for, in the book and in pages of examples, and choose one whose line passes the gate."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from math import exp, log1p
from operator import mul
from typing import NamedTuple

from vademecum.command_lines.gate import (
    ProvenLine,
    asks_to_destroy,
    changes,
    destroys,
    only_asks_to_see,
    proven,
)
from vademecum.command_lines.nouns import DATE, nouns_of, without_own_names
from vademecum.command_lines.pages import CommandPages
from vademecum.command_lines.slots import filled, slots_of
from vademecum.core.candidates import Candidate, DocumentId, FoundNeed
from vademecum.core.evidence import Span
from vademecum.core.fitted import weights_of
from vademecum.core.passages import SECTION
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.leading import LEADS
from vademecum.retrieval.lexical import name_terms
from vademecum.retrieval.meaning import NEED
from vademecum.retrieval.passages.features import Likeness, terms_in
from vademecum.retrieval.question.question import Question, analyse
from vademecum.retrieval.weights import fitted_numbers
from vademecum.text.patterns import Pattern

EXAMPLES = "(tldr)"
"""The section of pages of examples."""

_NEEDS, _TASKS = 120, 40
"""The number of phrasings that are looked at, by words and by meaning, and of tasks that are compared."""

_TRIES, _USUAL, _FAR_AHEAD, _NEAR = 2, 3, 0.75, 3.0
"""The number of tasks whose lines are tried for each that is shown; the usual number of these; the chance from which the first is shown alone; the maximum difference in score
between it and another one that is shown."""

_COVERED, _TELLING = 0.35, 0.35
"""The similarity from which a word counts as covered, and the rarity in the book from which it is worth naming if it is not."""

_CAUTION = 1.0
"""By how much the score of a line that destroys something must be ahead of that of a harmless one that meets more of the question."""

_SCENE = frozenset(
    """actually automatically bash best box certain command commands computer console correctly current debian different dirty easily easy ensure fast
    given gnu goes instead line linux machine make manually need normal oneliner output particular possible prevent proper properly quick quickly
    quick-and-dirty script shell simple simply specific sure system tell terminal though ubuntu unix use using via want way ways without""".split()  # noqa: SIM905
)
"""Words that describe the situation, and not what is wanted."""

_DESTROYS = Pattern(
    r"\b(?:delet|remov|overwrit|kill|forc|eras|format|destroy|wipe|purg|discard|truncat|unlink|lock)\w*"
)
_NEGATION = Pattern(r"\b(?:not|never|no|don't|without|disable|omit|exclude|except|ignore|avoid|but)\b")
FEATURES = (
    "cosine", "second_cosine", "recall", "dice", "precision", "whole_cover", "line_cover", "values", "slots", "negates", "destroys", "page",
)  # fmt: skip
"""The features of a task, in order. The similarity of its two nearest phrasings. Of its best phrasing: the share of the question that it
meets, weighted by rarity in the book; the share of common words; the share of its words that the question meets. The shares of the question
that all its phrasings, its line and its page meet, and that only its line and page meet. How many slots the question has values for; the
number of slots. Whether it negates something, or destroys something, unlike the question.
How far the score of its page is behind that of the first page."""

_UNRANKED = -12.0
"""The feature `page` of a page that is not among the ranked ones."""

_RECALL = FEATURES.index("recall")
SIGNALS = (
    "score",
    "ahead",
    "nearer",
    *(f"first_{name}" for name in FEATURES),
    "words",
    *(f"asks_for_{lead}" for lead in LEADS),
)
"""The signals of the confidence in the first task, in order: its score, and how far the score and the cosine are ahead of the next one's;
its features; the length of the question, and the kind of answer that it asks for."""


class Task(NamedTuple):
    """A task that a question may ask for.

    Attributes:
        features: Its features, in the order of `FEATURES`.
    """

    line: str
    place: DocumentId
    phrasings: tuple[str, ...]
    features: tuple[float, ...]
    score: float


class ChosenTask(NamedTuple):
    """The task that answers a question.

    Attributes:
        chance: The probability (0-1) that it does what is asked.
        left_out: The words of the question that neither the line nor anything that is known of it covers.
        values: The words of the question that its line has as they are, such as names of files.
        others: Further lines, if the first is not clearly ahead.
    """

    chance: float
    reference: str
    left_out: tuple[str, ...]
    values: tuple[str, ...]
    line: ProvenLine
    others: tuple[ProvenLine, ...]


class _Fitted(NamedTuple):
    rank: tuple[float, ...]
    bias: float
    judge: tuple[float, ...]
    rarities: Mapping[int, float]


@cache
def _fitted() -> _Fitted:
    fitted = fitted_numbers("tasks")
    rarities = {int(number): rarity for number, rarity in fitted["rarities"].items()}
    return _Fitted(
        weights_of(fitted["rank"], FEATURES), fitted["bias"], weights_of(fitted["judge"], SIGNALS), rarities
    )


def chosen_task(
    question: Question,
    index: Index,
    lead: str,
    pages: CommandPages,
    *,
    ranking: Sequence[Candidate],
    most: int = _USUAL,
) -> ChosenTask | None:
    """Return the best task whose line passes the gate; None if there is none.

    Args:
        lead: The kind of answer that it asks for, one of `leading.LEADS`.
        pages: The pages of the index; those that the lines cite are added.
        ranking: The ranked pages of the index, best first.
        most: How many lines are shown; more than the default also shows those that are behind.
    """
    ranked = offered_tasks(question, index, ranking)
    passed: list[tuple[int, ProvenLine]] = []
    for at, task in enumerate(ranked[: _TRIES * most]):
        line = proven(filled(task.line, question.text), question.text, pages)
        if isinstance(line, ProvenLine):
            if destroys(task.line) and _left_out(question, task, line, index, pages):
                continue  # it destroys something else, or too much
            passed.append((at, _with_source(line, task, index, pages)))
            if len(passed) == most:
                break
    if not passed:
        return None
    first, line = passed[0]
    chance = chance_of(ranked[first:], question, lead)
    near = [
        other for at, other in passed[1:] if most > _USUAL or ranked[first].score - ranked[at].score <= _NEAR
    ]
    others = tuple(near) if chance < _FAR_AHEAD or most > _USUAL else ()
    reference = index.page(ranked[first].place).reference
    left_out = _left_out(question, ranked[first], line, index, pages)
    return ChosenTask(chance, reference, left_out, _values_in(line, question), line, others)


def offered_tasks(question: Question, index: Index, ranking: Sequence[Candidate] = ()) -> list[Task]:
    """Return the tasks that may be offered for a question, best first: none that changes or destroys something unasked."""
    ranked = ranked_tasks(question, index, ranking)
    if only_asks_to_see(question.text):
        ranked = [task for task in ranked if not destroys(task.line) and not changes(task.phrasings)]
    if not asks_to_destroy(question.text):
        ranked = [task for task in ranked if not _DESTROYS.search(task.phrasings[0])]
    harmless = max(
        (task.features[_RECALL] for task in ranked[: _TRIES * _USUAL] if not destroys(task.line)), default=0.0
    )

    def place(task: Task) -> float:
        is_rash = destroys(task.line) and task.features[_RECALL] < harmless
        return _CAUTION * is_rash - task.score

    return sorted(ranked, key=place)


def chance_of(ranked: Sequence[Task], question: Question, lead: str) -> float:
    """Return the probability (0-1) that the first task does what is asked: a logistic regression, fitted by `training/tasks.py`."""
    weights = map(mul, _fitted().judge, signals_of(ranked, question, lead))
    return 1 / (1 + exp(-_fitted().bias - sum(weights)))


def _with_source(line: ProvenLine, task: Task, index: Index, pages: CommandPages) -> ProvenLine:
    """Return a line that also cites the example that it is from."""
    reference = index.page(task.place).reference
    read = [document.reference for document in pages.evidence]
    if reference not in read and reference.rpartition("(")[2][0].isdigit():
        return line  # the page of a book's task that its line does not need
    page = pages.page_at(reference)
    if page is None:
        return line
    text = page.document.text
    is_entry = reference.endswith(EXAMPLES)
    at = text.rfind(task.phrasings[0]) if is_entry else text.find(task.line)
    entries = (passage for passage in page.document.passages if passage.kind != SECTION)
    entry = next((entry for entry in entries if entry.start <= at < entry.end), None)
    if at < 0 or (is_entry and not entry):
        return line
    start, end = (entry.start, entry.end) if entry and is_entry else (at, at + len(task.line))
    span = Span(page.position, start, end, entry.anchor if entry else "")
    return line._replace(statement=line.statement._replace(spans=(*line.statement.spans, span)))


def _left_out(
    question: Question, task: Task, line: ProvenLine, index: Index, pages: CommandPages
) -> tuple[str, ...]:
    """Return the words of a question that the line, its parts, its page and its phrasings do not cover, by meaning."""
    likeness = Likeness(question, index)
    document = pages.evidence[line.statement.spans[0].evidence]
    texts = (
        line.statement.command,
        *(part.text for part in line.parts),
        document.summary,
        document.reference,
        *task.phrasings,
    )
    met = likeness.met(frozenset().union(*map(terms_in, texts)))
    rarities = _fitted().rarities
    values = frozenset(" ".join(_values_in(line, question)).split())
    return tuple(
        dict.fromkeys(
            term.word
            for term, alike in zip(likeness.terms, met.alike, strict=True)
            if term.word in question.text
            and term.word not in values
            and term.word.lower() not in _SCENE
            and not only_asks_to_see(term.word)
            and alike < _COVERED
            and rarities.get(term.number, 1.0) >= _TELLING
            and term.word.lower() not in line.statement.command.lower()
        )
    )


def _values_in(line: ProvenLine, question: Question) -> tuple[str, ...]:
    """Return the words of a question that a line has as values."""
    nouns = [noun for noun in nouns_of(question.text) if noun.value in line.statement.command]
    return tuple(dict.fromkeys(question.text[noun.start : noun.end] for noun in nouns))


def ranked_tasks(question: Question, index: Index, ranking: Sequence[Candidate] = ()) -> list[Task]:
    """Return the tasks that a question may ask for, best first: a listwise logistic regression, fitted by `training/tasks.py`.

    The question is read twice, with its own values and with general words in their place (`in /tmp` as `in file`). The better
    reading of a task counts.
    """
    behind: dict[str, float] = {}
    for candidate in ranking:
        name = candidate.page.reference.partition("(")[0]
        behind.setdefault(name, candidate.score - ranking[0].score)
    best: dict[str, Task] = {}
    for task in chain.from_iterable(_found(reading, index, behind) for reading in _readings(question, index)):
        if task.line not in best or task.score > best[task.line].score:
            best[task.line] = task
    return sorted(best.values(), key=lambda task: (-task.score, task.line))


def _readings(question: Question, index: Index) -> Iterator[Question]:
    yield question
    general = without_own_names(question.text, lambda noun: noun.kind == DATE and noun.value.isalpha())
    if general.strip() and general != question.text:
        yield analyse(general, index)._replace(text=question.text)


def signals_of(ranked: Sequence[Task], question: Question, lead: str) -> tuple[float, ...]:
    """Return the signals of the first task in the order of `SIGNALS`.

    Args:
        ranked: The tasks, best first; at least one.
        lead: The kind of answer that it asks for.
    """
    first, second = ranked[0], ranked[1] if len(ranked) > 1 else None
    return (
        first.score,
        first.score - second.score if second else 1.0,
        first.features[0] - second.features[0] if second else 1.0,
        *first.features,
        log1p(len(question.words)),
        *(float(lead == kind) for kind in LEADS),
    )


def _found(question: Question, index: Index, behind: Mapping[str, float]) -> Iterator[Task]:
    """Yield the tasks that share words or meaning with a question."""
    meaning = index.vectors(question.wording())[NEED]
    needs = [need for need in index.needs(question.vector(unknown=True), meaning, _NEEDS) if need.line]
    most_words = max((need.words for need in needs), default=0.0) or 1.0
    by_line: dict[str, list[FoundNeed]] = {}
    for need in sorted(needs, key=lambda need: (-need.cosine - need.words / most_words, need.line)):
        if need.line in by_line or len(by_line) < _TASKS:
            by_line.setdefault(need.line, []).append(need)
    likeness = Likeness(question, index)
    is_negative, destroys = _NEGATION.search(question.text), _DESTROYS.search(question.text)
    values = len(nouns_of(question.text))
    for line, phrasings in by_line.items():
        page = index.page(phrasings[0].place)
        of_page = terms_in(page.summary) | frozenset(name_terms([page.reference])) | terms_in(line)
        said = [terms_in(need.text) for need in phrasings]
        slots = len(slots_of(line))
        nearest = max(phrasings, key=lambda need: need.cosine)
        cosines = sorted((need.cosine for need in phrasings), reverse=True)
        features = (
            cosines[0],
            cosines[1] if len(cosines) > 1 else 0.0,
            *map(max, zip(*(_alike(likeness, terms) for terms in said), strict=True)),
            likeness.softly(likeness.met(of_page.union(*said)))[1],
            likeness.softly(likeness.met(of_page))[1],
            float(min(slots, values)),
            float(slots),
            float(bool(_NEGATION.search(nearest.text)) != bool(is_negative)),
            float(bool(_DESTROYS.search(nearest.text)) and not destroys),
            behind.get(page.reference.partition("(")[0], _UNRANKED),
        )
        yield Task(
            line,
            nearest.place,
            tuple(need.text for need in phrasings),
            features,
            sum(map(mul, _fitted().rank, features)),
        )


def _alike(likeness: Likeness, found: frozenset[int]) -> tuple[float, float, float]:
    """Return the features `recall`, `dice` and `precision` of a phrasing, given its terms."""
    met, rarities = likeness.met(found), _fitted().rarities
    own = [rarities.get(term.number, 1.0) for term in likeness.terms]
    shared = sum(rarity for rarity, is_there in zip(own, met.exact, strict=True) if is_there)
    whole = sum(own) or 1.0
    return (
        sum(map(mul, own, met.alike)) / whole,
        2 * shared / (whole + sum(rarities.get(number, 1.0) for number in found)),
        sum(map(likeness.alike, found)) / (len(found) or 1),
    )
