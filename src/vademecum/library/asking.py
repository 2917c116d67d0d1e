"""A question's path: analyse, retrieve, evaluate, decide, compose, verify; rendering is the caller's."""

from collections.abc import Sequence

from vademecum.answering.extract import extract
from vademecum.answering.verify import Verified, verify
from vademecum.core.answers import LOW_CONFIDENCE, Answer, Hit, Outcome, Reference
from vademecum.core.candidates import Candidate, PassageScore
from vademecum.core.passages import SECTION
from vademecum.core.settings import Settings
from vademecum.core.trace import Json, Trace
from vademecum.library.evidence import gather, relevance
from vademecum.library.index import Index
from vademecum.retrieval.answerability import Judgement, judge
from vademecum.retrieval.collect import collect
from vademecum.retrieval.features import FEATURES, measure
from vademecum.retrieval.question import Question, analyse
from vademecum.retrieval.rank import rank

_EXPLAINED = 5
"""How many candidates the trace shows with all their features."""

_SEE_ALSO = 3
_MOST_CHOSEN = 3
_NEAR_ENOUGH = 2.0
"""How far (in the learned score) another document may lie behind the first and still be answered from."""


def find(question: Question, index: Index) -> list[Candidate]:
    """Retrieve and evaluate: the candidates, best first."""
    return rank(question, measure(question, collect(question, index), index))


def search(text: str, index: Index, limit: int) -> list[Hit]:
    """The best documents for a question, each with its best passage.

    Raises:
        AnswerError: There is nothing to look for in `text`.
    """
    question = analyse(text, index)
    return [
        hit(candidate, position, index) for position, candidate in enumerate(find(question, index)[:limit], 1)
    ]


def search_plain(text: str, index: Index, limit: int) -> list[Hit]:
    """The baseline: documents by the plain BM25 score of their best passage, nothing else."""
    question = analyse(text, index)
    found: dict[object, Candidate] = {}
    for place, passage in index.passages(question.vector(), 50 * limit):
        if place not in found:
            found[place] = Candidate(place, index.page(place), 0.0, (passage,), (), passage.score)
    return [
        hit(candidate, position, index) for position, candidate in enumerate(list(found.values())[:limit], 1)
    ]


def ask(text: str, index: Index, settings: Settings) -> Answer:
    """Answer a question from the index.

    Raises:
        AnswerError: There is nothing to look for in `text`.
    """
    trace = Trace()
    question = analyse(text, index)
    trace.record("analyse", **_analysed(question))
    collected = collect(question, index)
    trace.record(
        "retrieve", candidates=len(collected), first=[one.page.reference for one in collected[:_EXPLAINED]]
    )
    ranked = rank(question, measure(question, collected, index))
    judgement = judge(question, ranked)
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
    evidence = gather(question, chosen, index)
    draft = extract(evidence, relevance(question, evidence[0] if evidence else None))
    trace.record("compose", sentences=len(draft.summary), steps=len(draft.steps))
    verified = verify(draft, evidence)
    trace.record("verify", verdicts=list(verified.verdicts), dropped=verified.dropped)
    return _answer(question, ranked=ranked, judgement=judgement, verified=verified, index=index, trace=trace)


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


def hit(candidate: Candidate, position: int, index: Index) -> Hit:
    """A candidate as a search result."""
    segment = index.segments[candidate.place.segment]
    flat = segment.flat
    record = flat.document(candidate.place.document)
    strings = flat.strings(record)
    best = (
        candidate.passages[0] if candidate.passages else PassageScore(record.first_passage, SECTION, 0, 0.0)
    )
    passage = flat.passage(best.passage)
    anchor = flat.label(passage.anchor)
    document = f"{segment.info.alias}:{record.digest.hex()}"
    return Hit(
        rank=position,
        alias=segment.info.alias,
        document=document,
        reference=strings.reference,
        names=strings.names,
        title=strings.title,
        summary=strings.summary,
        passage=f"{document}:{best.passage - record.first_passage}",
        location=f"{strings.reference}#{anchor}" if anchor else strings.reference,
        start=passage.start,
        end=passage.end,
        quote=flat.words(record, passage),
        score=candidate.score,
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
    warnings = _warnings(question)
    found = bool(verified.summary or verified.steps)
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
    none = ("No answer found. Bring the index up to date with: ragadmin reindex",)
    return Answer(
        question=question.text,
        outcome="not_found",
        confidence=judgement.confidence,
        answerability=judgement.answerability,
        no_answer=True,
        guidance=(*(() if ranked else none), *judgement.reasons, LOW_CONFIDENCE),
        see_also=tuple(nearest),
        dropped=verified.dropped,
        warnings=warnings,
        trace=trace,
    )


def _warnings(question: Question) -> tuple[str, ...]:
    """What a reader must know of how the question was taken."""
    found = []
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


def _explained(candidate: Candidate) -> dict[str, Json]:
    features = {
        name: round(value, 4) for name, value in zip(FEATURES, candidate.features, strict=True) if value
    }
    return {"reference": candidate.page.reference, "score": round(candidate.score, 4), "features": features}
