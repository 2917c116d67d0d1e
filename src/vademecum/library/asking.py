"""A question's path: analyse, retrieve, evaluate, decide, compose, verify; rendering is the caller's."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from vademecum.answering.budget import within
from vademecum.answering.extract import extract
from vademecum.answering.verify import Verified, verify
from vademecum.core.answers import LOW_CONFIDENCE, Answer, Hit, Outcome, Reference
from vademecum.core.candidates import Candidate, PassageScore, Place
from vademecum.core.evidence import Evidence
from vademecum.core.limits import CHARACTERS_A_TOKEN, CONTEXT_TOKENS
from vademecum.core.settings import Settings
from vademecum.core.trace import Json, Trace
from vademecum.library.evidence import best_passage, gather, likeness, relevance
from vademecum.library.index import Index
from vademecum.library.limits import Limits
from vademecum.library.opening import url_of
from vademecum.retrieval.answerability import Judgement, judge, missing
from vademecum.retrieval.collect import collect
from vademecum.retrieval.features import FEATURES, measure
from vademecum.retrieval.question import Question, analyse
from vademecum.retrieval.rank import rank
from vademecum.retrieval.weights import fitted_with

if TYPE_CHECKING:
    from vademecum.retrieval.followup import Reading, Turn


_EXPLAINED = 5
"""How many candidates the trace shows with all their features."""

_SEE_ALSO = 3
_MOST_CHOSEN = 3
_NONE = "No answer found. Add sources with: ragadmin sources add PATH, and bring the index up to date with: ragadmin reindex"
TOO_LONG = (
    "The answer is longer than the context tokens allow: left out {} of its sentences. Narrow the question."
)
_NEAR_ENOUGH = 3.0
"""How far (in the learned score) another document may lie behind the first and still be answered from."""

_NOTES = frozenset({"docs", "kiwix"})
_NOTES_SOONER = 0.25
"""How much less likely (in log odds) an answer may be in documents of these types than in others, and they still come
first: whoever adds notes wants them."""

_LEAST_LIFT = 0.01


def find(question: Question, index: Index) -> list[Candidate]:
    """Retrieve and evaluate: the candidates, best first."""
    return evaluate(question, collect(question, index), index)[0]


def evaluate(
    question: Question, collected: Sequence[Candidate], index: Index
) -> tuple[list[Candidate], Judgement]:
    """Rank what was collected, best first, and judge it.

    The ranking was fitted on manual pages and has little to say for notes and articles. So where there are both, each kind
    is judged by itself and the likelier one comes first; how far the documents of a kind lie apart stays as it was.
    """
    weights = fitted_with(index.embedder)
    ranked = rank(question, measure(question, collected, index), weights)
    notes, others = _parted(ranked, index)
    if not notes or not others:
        return ranked, judge(question, ranked, weights)
    of_notes, of_others = judge(question, notes, weights), judge(question, others, weights)
    if of_notes.log_odds + _NOTES_SOONER > of_others.log_odds:
        return _ahead(notes, others, _NEAR_ENOUGH), of_notes
    return _ahead(others, notes, 0.0), of_others


def _parted(ranked: Sequence[Candidate], index: Index) -> tuple[list[Candidate], list[Candidate]]:
    """The documents of folders and archives, and all others, each in their order."""
    types = {entry.alias: entry.type for entry in index.manifest.sources}
    is_note = [types.get(segment.info.alias) in _NOTES for segment in index.segments]
    parts: tuple[list[Candidate], list[Candidate]] = ([], [])
    for one in ranked:
        parts[not is_note[one.place.segment]].append(one)
    return parts


def _ahead(first: Sequence[Candidate], others: Sequence[Candidate], by: float) -> list[Candidate]:
    """Both, the best of the first more than `by` ahead of all others."""
    lift = max(0.0, others[0].score - first[0].score + by + _LEAST_LIFT)
    lifted = [one._replace(score=one.score + lift) for one in first]
    return sorted([*lifted, *others], key=lambda one: -one.score)


def search(text: str, index: Index, limit: int) -> list[Hit]:
    """The best documents for a question, each with its best passage.

    Raises:
        AnswerError: There is nothing to look for in `text`.
    """
    question = analyse(text, index)
    return [
        _hit(one.place, best_passage(question, one.place, index), one.score, rank, index)
        for rank, one in enumerate(find(question, index)[:limit], 1)
    ]


def search_plain(text: str, index: Index, limit: int) -> list[Hit]:
    """The baseline: documents by the plain BM25 score of their best passage, nothing else."""
    question = analyse(text, index)
    found: dict[Place, PassageScore] = {}
    for place, passage in index.passages(question.vector(), 50 * limit):
        found.setdefault(place, passage)
    return [
        _hit(place, one.passage, one.score, rank, index)
        for rank, (place, one) in enumerate(list(found.items())[:limit], 1)
    ]


class Prepared(NamedTuple):
    """A question, and what was found to answer it from.

    Attributes:
        asked: As it was asked.
        question: As it is put to the documents.
        read_as: The same in words, where it was a follow-up and taken as another; else "".
        ranked: The candidates, best first.
        judgement: How sure all of it is.
        evidence: The documents to answer from; none for a refusal.
        where: The index they are from.
        characters: How much question and answer together may hold.
        trace: What every step saw so far.
    """

    asked: str
    question: Question
    read_as: str
    ranked: Sequence[Candidate]
    judgement: Judgement
    evidence: Sequence[Evidence]
    where: Index
    characters: int
    trace: Trace


def ask(
    text: str,
    index: Index,
    settings: Settings,
    *,
    characters: int = CONTEXT_TOKENS * CHARACTERS_A_TOKEN,
    before: "Sequence[Turn]" = (),
) -> Answer:
    """Answer a question from the index, in the documents' own words.

    Args:
        text: The question.
        index: What may be found.
        settings: When to refuse.
        characters: How much question and answer together may hold; of an answer the beginning always stays.
        before: What was said before, oldest first.

    Raises:
        AnswerError: There is nothing to look for in `text`.
    """
    prepared = prepare(text, index, settings, characters=characters, before=before)
    verified, left_out = compose(prepared)
    return finish(prepared, verified, [TOO_LONG.format(left_out)] if left_out else [])


def prepare(
    text: str,
    index: Index,
    settings: Settings,
    *,
    characters: int,
    before: "Sequence[Turn]" = (),
    reading: "Reading | None" = None,
) -> Prepared:
    """Find what a question is to be answered from.

    Args:
        text: As for `ask`, as are all others.
        index: What may be found.
        settings: When to refuse.
        characters: How much question and answer together may hold.
        before: What was said before.
        reading: How the question is taken, if that is known already.

    Raises:
        AnswerError: There is nothing to look for in `text`.
    """
    trace = Trace()
    reading = reading or (read_follow_up(text, before, index) if before else None)
    question = analyse(reading.text if reading else text, index)
    trace.record("analyse", **_analysed(question), **_read(text, reading, index.limits))
    collected = collect(question, index)
    trace.record(
        "retrieve", candidates=len(collected), first=[one.page.reference for one in collected[:_EXPLAINED]]
    )
    ranked, judgement = evaluate(question, collected, index)
    trace.record("evaluate", candidates=[_explained(one) for one in ranked[:_EXPLAINED]])
    chosen = decide(question, ranked, judgement, settings)
    trace.record(
        "decide",
        answerability=judgement.answerability,
        confidence=judgement.confidence,
        threshold=settings.confidence_threshold,
        chosen=[one.page.reference for one in chosen],
        reasons=list(judgement.reasons),
    )
    read_as = question.text if reading and reading.carried else ""
    evidence = gather(question, chosen, index)
    return Prepared(text, question, read_as, ranked, judgement, evidence, index, characters, trace)


def compose(prepared: Prepared) -> tuple[Verified, int]:
    """Answer in the documents' own words; and how many sentences there was no room for."""
    question, evidence, trace = prepared.question, prepared.evidence, prepared.trace
    about = relevance(question, evidence[0] if evidence else None)
    draft = extract(evidence, about, likeness(question, prepared.where))
    draft, left_out = within(draft, prepared.characters - len(prepared.asked))
    trace.record(
        "compose",
        sentences=len(draft.summary),
        steps=len(draft.steps),
        **({"left_out": left_out} if left_out else {}),
    )
    verified = verify(draft, evidence)
    trace.record("verify", verdicts=list(verified.verdicts), dropped=verified.dropped)
    return verified, left_out


def finish(prepared: Prepared, verified: Verified, warnings: Sequence[str] = ()) -> Answer:
    """The answer, from what was verified."""
    index, trace = prepared.where, prepared.trace
    answer = _answer(
        prepared.question,
        ranked=prepared.ranked,
        judgement=prepared.judgement,
        verified=verified,
        index=index,
        trace=trace,
    )
    return replace(
        answer,
        question=" ".join(prepared.asked.split()) if prepared.read_as else answer.question,
        read_as=prepared.read_as,
        references=_with_urls(answer.references, index),
        see_also=_with_urls(answer.see_also, index),
        warnings=(*answer.warnings, *warnings),
    )


def is_command(name: str, index: Index) -> bool:
    """Whether a word is the name of a command that has a page."""
    return any(index.named(f"{name}({section})") for section in ("1", "8"))


def _with_urls(references: Sequence[Reference], index: Index) -> tuple[Reference, ...]:
    """References with where they can be opened."""
    sources = {entry.alias: entry for entry in index.manifest.sources}
    return tuple(
        replace(one, url=url_of(sources[one.alias], one.document_ref)) if one.alias in sources else one
        for one in references
    )


def decide(
    question: Question, ranked: Sequence[Candidate], judgement: Judgement, settings: Settings
) -> list[Candidate]:
    """Which documents to answer from; none is a refusal."""
    if not ranked or judgement.confidence < settings.confidence_threshold:
        return []
    first, *others = ranked[: 2 * _MOST_CHOSEN]
    near = [
        one for one in others if first.score - one.score <= _NEAR_ENOUGH and _goes_with(one, first, question)
    ]
    return [first, *near[: _MOST_CHOSEN - 1]]


def _goes_with(other: Candidate, first: Candidate, question: Question) -> bool:
    """Whether another page may stand beside the first: no C interface beside a command, unless it was asked for."""
    commands = first.page.reference.rpartition("(")[2][:1] in {"1", "8"}
    interface = other.page.reference.rpartition("(")[2][:1] in {"2", "3"}
    return "programming" in question.kinds or not (commands and interface)


def _hit(place: Place, best: int, score: float, rank: int, index: Index) -> Hit:
    """A document as a search result, with its best passage."""
    segment = index.segments[place.segment]
    flat = segment.flat
    record = flat.document(place.document)
    strings = flat.strings(record)
    passage = flat.passage(best)
    anchor = flat.label(passage.anchor)
    document = f"{segment.info.alias}:{record.digest.hex()}"
    return Hit(
        rank=rank,
        alias=segment.info.alias,
        document=document,
        reference=strings.reference,
        names=strings.names,
        title=strings.title,
        summary=strings.summary,
        passage=f"{document}:{best - record.first_passage}",
        location=f"{strings.reference}#{anchor}" if anchor else strings.reference,
        start=passage.start,
        end=passage.end,
        quote=flat.words(record, passage),
        score=score,
    )


def _answer(
    question: Question,
    *,
    ranked: Sequence[Candidate],
    judgement: Judgement,
    verified: Verified,
    index: Index,
    trace: Trace,
) -> Answer:
    found = bool(verified.summary or verified.steps)
    warnings = _warnings(question, missing(question, ranked) if found else ())
    outcome: Outcome = "answered" if found and not verified.dropped else "partial" if found else "not_found"
    if found:
        return Answer(
            question=question.text,
            outcome=outcome,
            confidence=judgement.confidence,
            answerability=judgement.answerability,
            summary=verified.summary,
            steps=verified.steps,
            references=verified.references,
            citations=verified.citations,
            dropped=verified.dropped,
            warnings=warnings,
            trace=trace,
        )
    nearest = [
        Reference(
            number=0,
            alias=index.segments[one.place.segment].info.alias,
            document_ref=one.page.reference,
            label=one.page.reference,
            notes=one.page.summary,
        )
        for one in ranked[:_SEE_ALSO]
    ]
    return Answer(
        question=question.text,
        outcome="not_found",
        confidence=judgement.confidence,
        answerability=judgement.answerability,
        no_answer=True,
        guidance=(*_nothing_found(index, ranked, judgement), LOW_CONFIDENCE),
        see_also=tuple(nearest),
        dropped=verified.dropped,
        warnings=warnings,
        trace=trace,
    )


def _nothing_found(index: Index, ranked: Sequence[Candidate], judgement: Judgement) -> tuple[str, ...]:
    """Why there is no answer, and what to do where nothing was found at all."""
    if not index.limits:
        return judgement.reasons if ranked else (_NONE, *judgement.reasons)
    asked = f"Only {index.limits} was asked"
    if ranked:
        return (*judgement.reasons, f"{asked}; without that limit more may be found.")
    if index.has_documents():
        return (f"No answer found. {asked}, and no document there shares a word with the question.",)
    return (f"No answer found. {asked}, and the index has no document there. See: ragadmin sources list",)


def _warnings(question: Question, not_there: Sequence[str]) -> tuple[str, ...]:
    """What a reader must know of how the question was taken; `not_there` are pages that it names."""
    found = [f"There is no page {reference} here." for reference in not_there]
    if question.shortened:
        found.append("The question is long; only its most telling part was used. Narrow the question.")
    if question.read_as:
        read = ", ".join(f"“{word}” as “{right}”" for word, right in question.read_as)
        found.append(
            f"No document has {'these words' if len(question.read_as) > 1 else 'this word'}: read {read}."
        )
    return tuple(found)


def _analysed(question: Question) -> dict[str, Json]:
    return {
        "terms": [
            {"term": term.text, "rarity": round(term.rarity, 3), "known": term.known}
            for term in question.terms
        ],
        "kinds": sorted(question.kinds),
        "references": list(question.references),
        "options": list(question.options),
    }


def read_follow_up(text: str, before: "Sequence[Turn]", index: Index) -> "Reading":
    """How a question is taken after what was said before, by rules."""
    from vademecum.retrieval.followup import read  # noqa: PLC0415 - most questions are the only one

    return read(text, before, lambda name: is_command(name, index))


def _read(asked: str, reading: "Reading | None", limits: Limits) -> dict[str, Json]:
    """What of a question's taking is worth telling: what it leans on, and to what it was put."""
    told: dict[str, Json] = {}
    if reading and reading.why:
        told |= {
            "asked": asked,
            "read_as": reading.text,
            "carried": list(reading.carried),
            "leans": reading.why,
        }
    if limits:
        told |= {"sources": list(limits.sources), "sections": list(limits.sections)}
    return told


def _explained(candidate: Candidate) -> dict[str, Json]:
    features = {
        name: round(value, 4) for name, value in zip(FEATURES, candidate.features, strict=True) if value
    }
    return {"reference": candidate.page.reference, "score": round(candidate.score, 4), "features": features}
