"""Build an `Answer` from verified statements, or from the reason for a refusal."""

from collections.abc import Sequence
from dataclasses import replace

from vademecum.answering.injection import warnings_of_quotes
from vademecum.answering.verify import Verified
from vademecum.ask.decision import Decision
from vademecum.ask.links import read_with, url_of
from vademecum.core.answers import LOW_CONFIDENCE, Answer, Citation, Outcome, Reference
from vademecum.index.reader.index import Index
from vademecum.index.reader.scope import Limits
from vademecum.retrieval.question.question import Question

_SEE_ALSO = 3
_NONE = "No answer found. Add sources with: ragadmin sources add PATH, and bring the index up to date with: ragadmin reindex"


def answer_of(decision: Decision, verified: Verified, index: Index, warnings: Sequence[str] = ()) -> Answer:
    """Build the answer from verified statements, or a refusal.

    Args:
        decision: The decision that was composed from.
        verified: The verified statements; empty for a refusal.
        index: The index that was searched.
        warnings: Further warnings for the reader.
    """
    rated = decision.rated
    found = bool(verified.summary or verified.steps)
    lacks = rated.lacking() if found else ()
    whole = found and not verified.dropped and not lacks
    outcome: Outcome = "answered" if whole else "partial" if found else "not_found"
    answer = Answer(
        question=rated.question.text if not decision.read_as else " ".join(decision.asked.split()),
        outcome=outcome,
        confidence=rated.confidence if found or not verified.dropped else 0.0,  # what it was of was left out
        answerability=rated.answerability,
        dropped=verified.dropped,
        warnings=(
            *warnings_of(rated.question, rated.missing() if found else ()),
            *warnings_of_quotes(citation.quote for citation in verified.citations),
            *lacks,
            *warnings,
        ),
        read_as=decision.read_as,
        trace=decision.trace,
    )
    if found:
        return replace(
            answer,
            summary=verified.summary,
            steps=verified.steps,
            references=_with_urls(verified.references, index, verified.citations),
            citations=verified.citations,
            see_also=_with_urls(others_of(decision, verified.references), index),
        )
    nearest = [replace(one, label=one.document_ref) for _, one in rated.nearest(_SEE_ALSO)]
    return replace(
        answer,
        no_answer=True,
        guidance=(*_nothing_found(decision, index), LOW_CONFIDENCE),
        see_also=_with_urls(nearest, index),
    )


def others_of(decision: Decision, cited: Sequence[Reference]) -> list[Reference]:
    """Return documents that may answer as well as the cited ones."""
    shown = {(one.alias, one.document_ref) for one in cited}
    return [
        replace(other, label=other.document_ref)
        for other in decision.rated.others()
        if (other.alias, other.document_ref) not in shown
    ]


def _with_urls(
    references: Sequence[Reference], index: Index, citations: Sequence[Citation] = ()
) -> tuple[Reference, ...]:
    """Add addresses and commands to references, which open each document at its first citation."""
    quotes = {(citation.alias, citation.document_ref): citation.quote for citation in reversed(citations)}
    sources = {entry.alias: entry for entry in index.manifest.sources}
    return tuple(
        replace(
            reference,
            url=url_of(sources[reference.alias], reference.document_ref),
            read_with=read_with(
                sources[reference.alias],
                reference.document_ref,
                quotes.get((reference.alias, reference.document_ref), ""),
            ),
        )
        if reference.alias in sources
        else reference
        for reference in references
    )


def _nothing_found(decision: Decision, index: Index) -> tuple[str, ...]:
    """Return why there is no answer, and what to do if nothing was found."""
    reasons = decision.rated.reasons
    if not index.limits:
        return tuple(reasons) if decision.rated.found else (_NONE, *reasons)
    asked = f"Only {index.limits} was asked"
    if decision.rated.found:
        return (*reasons, within_limits(index.limits))
    if index.has_documents():
        return (f"No answer found. {asked}, and no document there shares a word with the question.",)
    return (f"No answer found. {asked}, and the index has no document there. See: ragadmin sources list",)


def within_limits(limits: Limits) -> str:
    """Return a warning for a refusal, if the search was limited to some documents."""
    return f"Only {limits} was asked; without that limit more may be found."


def warnings_of(question: Question, not_there: Sequence[str] = ()) -> tuple[str, ...]:
    """Return warnings on how the question was interpreted. `not_there` contains missing pages that it names."""
    found = [f"There is no page {reference} here." for reference in not_there]
    if question.shortened:
        found.append("The question is long; only its most telling part was used. Narrow the question.")
    if question.read_as:
        read = ", ".join(f"“{word}” as “{right}”" for word, right in question.read_as)
        found.append(
            f"No document has {'these words' if len(question.read_as) > 1 else 'this word'}: read {read}."
        )
    return tuple(found)
