"""A question's path: analyse, retrieve, evaluate, decide, compose, verify; rendering is the caller's."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from vademecum.answering.budget import within
from vademecum.answering.extract import extract
from vademecum.answering.verify import Verified, verify
from vademecum.ask.gather import gather, likeness, relevance
from vademecum.ask.links import url_of
from vademecum.ask.rating import Rated, evaluated, rate, retrieved
from vademecum.core.answers import LOW_CONFIDENCE, Answer, Outcome, Reference
from vademecum.core.candidates import Candidate
from vademecum.core.evidence import Evidence
from vademecum.core.limits import CHARACTERS_A_TOKEN, CONTEXT_TOKENS
from vademecum.core.settings import Settings
from vademecum.core.trace import Json, Trace
from vademecum.index.reader import Index
from vademecum.index.scope import Limits
from vademecum.retrieval.answerability import missing
from vademecum.retrieval.question import Question, shown_terms

if TYPE_CHECKING:
    from vademecum.core.conversations import Turn
    from vademecum.retrieval.followup import Reading


_SEE_ALSO = 3
_MOST_CHOSEN = 3
_NONE = "No answer found. Add sources with: ragadmin sources add PATH, and bring the index up to date with: ragadmin reindex"
TOO_LONG = (
    "The answer is longer than the context tokens allow: left out {} of its sentences. Narrow the question."
)
_NEAR_ENOUGH = 3.0
"""How far (in the learned score) another document may lie behind the first and still be answered from."""


class Prepared(NamedTuple):
    """A question, and what was found to answer it from.

    Attributes:
        asked: As it was asked.
        question: As it is put to the documents.
        read_as: The same in words, where it was a follow-up and taken as another; else "".
        rated: What was found, and how sure it is.
        evidence: The documents to answer from; none for a refusal.
        where: The index they are from.
        characters: How much question and answer together may hold.
        trace: What every step saw so far.
    """

    asked: str
    question: Question
    read_as: str
    rated: Rated
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
    first, *others = rate(reading.text if reading else text, index)
    trace.record("analyse", **_analysed(first.question), **_read(text, reading, index.limits))
    trace.record("retrieve", **retrieved(first))
    trace.record("evaluate", **evaluated(first))
    evidence = _evidence(first, settings)
    trace.record(
        "decide",
        answerability=first.answerability,
        confidence=first.confidence,
        threshold=settings.confidence_threshold,
        chosen=[one.reference for one in evidence],
        reasons=list(first.reasons),
        **({"others": [one.confidence for one in others]} if others else {}),
    )
    read_as = first.question.text if reading and reading.carried else ""
    return Prepared(text, first.question, read_as, first, evidence, index, characters, trace)


def _evidence(rated: Rated, settings: Settings) -> list[Evidence]:
    """Decide: the documents to answer from; none is a refusal."""
    if not rated.found:
        return gather(rated.question, decide(rated, settings), rated.part)
    sure = rated.confidence >= settings.confidence_threshold
    return rated.found.evidence(rated.found.chosen() if sure else [])


def compose(prepared: Prepared) -> tuple[Verified, int]:
    """Answer in the documents' own words; and how many sentences there was no room for."""
    question, evidence, trace = prepared.question, prepared.evidence, prepared.trace
    if found := prepared.rated.found:
        draft = found.quote(evidence)
    else:
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
        prepared.rated,
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


def decide(rated: Rated, settings: Settings) -> list[Candidate]:
    """Which manual pages to answer from: the first, and those that are near enough to it; none is a refusal."""
    if not rated.ranked or rated.confidence < settings.confidence_threshold:
        return []
    first, *others = rated.ranked[: 2 * _MOST_CHOSEN]
    near = [
        one
        for one in others
        if first.score - one.score <= _NEAR_ENOUGH and _goes_with(one, first, rated.question)
    ]
    return [first, *near[: _MOST_CHOSEN - 1]]


def _goes_with(other: Candidate, first: Candidate, question: Question) -> bool:
    """Whether another page may stand beside the first: no C interface beside a command, unless it was asked for."""
    commands = first.page.reference.rpartition("(")[2][:1] in {"1", "8"}
    interface = other.page.reference.rpartition("(")[2][:1] in {"2", "3"}
    return "programming" in question.kinds or not (commands and interface)


def _answer(rated: Rated, *, verified: Verified, index: Index, trace: Trace) -> Answer:
    question = rated.question
    found = bool(verified.summary or verified.steps)
    warnings = _warnings(question, missing(question, rated.ranked) if found and not rated.found else ())
    lacks = rated.found.unmentioned(names=True) if rated.found and found else ()
    whole = found and not verified.dropped and not lacks
    outcome: Outcome = "answered" if whole else "partial" if found else "not_found"
    if found:
        return Answer(
            question=question.text,
            outcome=outcome,
            confidence=rated.confidence,
            answerability=rated.answerability,
            summary=verified.summary,
            steps=verified.steps,
            references=verified.references,
            citations=verified.citations,
            dropped=verified.dropped,
            warnings=(*warnings, *lacks),
            trace=trace,
        )
    return Answer(
        question=question.text,
        outcome="not_found",
        confidence=0.0 if verified.dropped else rated.confidence,  # what it was of has been left out
        answerability=rated.answerability,
        no_answer=True,
        guidance=(*_nothing_found(index, rated), LOW_CONFIDENCE),
        see_also=_nearest(rated),
        dropped=verified.dropped,
        warnings=warnings,
        trace=trace,
    )


def _nearest(rated: Rated) -> tuple[Reference, ...]:
    """The nearest documents. Of a manual page its summary says what it is; the first words of a note would read like an answer."""
    if rated.found:
        documents = dict.fromkeys((hit.alias, hit.reference, hit.document) for hit in rated.found.hits)
        return tuple(
            Reference(number=0, alias=alias, document_ref=reference, label=reference, document=document)
            for alias, reference, document in list(documents)[:_SEE_ALSO]
        )
    found = []
    for one in rated.ranked[:_SEE_ALSO]:
        segment = rated.part.segments[one.place.segment]
        digest = segment.flat.document(one.place.document).digest.hex()
        found.append(
            Reference(
                number=0,
                alias=segment.info.alias,
                document_ref=one.page.reference,
                label=one.page.reference,
                notes=one.page.summary,
                document=f"{segment.info.alias}:{digest}",
            )
        )
    return tuple(found)


def _nothing_found(index: Index, rated: Rated) -> tuple[str, ...]:
    """Why there is no answer, and what to do where nothing was found at all."""
    near = bool(rated.found.hits if rated.found else rated.ranked)
    if not index.limits:
        return rated.reasons if near else (_NONE, *rated.reasons)
    asked = f"Only {index.limits} was asked"
    if near:
        return (*rated.reasons, f"{asked}; without that limit more may be found.")
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
        "terms": shown_terms(question),
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
