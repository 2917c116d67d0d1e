"""Build an `Answer` from verified statements, or from the reason for a refusal."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from vademecum.answering.injection import warnings_of_quotes
from vademecum.answering.verify import Verified
from vademecum.ask.kinds import Decision
from vademecum.core.answers import LOW_CONFIDENCE, Answer, Citation, LineNotes, Outcome, Reference
from vademecum.index.catalog.changes import GOES_ON
from vademecum.index.catalog.links import read_with, url_of
from vademecum.index.reader.index import Index
from vademecum.index.reader.scope import Limits
from vademecum.retrieval.question.question import Question
from vademecum.text.patterns import Pattern

_SEE_ALSO = 3
_PERHAPS_NOT = "The documents may not answer this. The nearest passage is shown."
_NOT_MENTIONED = Pattern(r"No document mentions “.*?”(?:, “.*?”)*")
_QUOTED = Pattern(r"“(.*?)”")
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
    is_answer = found and not decision.is_guess
    whole = is_answer and not verified.dropped and not lacks
    outcome: Outcome = "answered" if whole else "partial" if is_answer else "not_found"
    answer = Answer(
        question=rated.question.text if not decision.read_as else " ".join(decision.asked.split()),
        outcome=outcome,
        confidence=decision.confidence
        if found or not verified.dropped
        else 0.0,  # what it was of was left out
        answerability=max(rated.answerability, decision.confidence),
        dropped=verified.dropped,
        warnings=(
            *warnings_of(rated.question, rated.missing() if found else (), _known_to_others(decision)),
            *warnings_of_quotes(citation.quote for citation in verified.citations),
            *lacks,
            *warnings,
            *not_asked(decision),
            *(
                f"{entry.growth} {GOES_ON}"
                for entry in index.manifest.sources
                if entry.growth and index.limits.allow_source(entry.alias)
            ),
        ),
        lines=(decision.lines or rated.notes()) if found else LineNotes(),
        read_as=decision.read_as,
        trace=decision.trace,
    )
    if found:
        return replace(
            answer,
            no_answer=decision.is_guess,
            guidance=caveats(decision),
            summary=verified.summary,
            steps=verified.steps,
            references=_with_urls(verified.references, index, verified.citations),
            citations=verified.citations,
            see_also=_with_urls(others_of(decision, verified.references), index),
        )
    nearest = [_by_reference(one) for _, one in rated.nearest(_SEE_ALSO)]
    return replace(
        answer,
        no_answer=True,
        guidance=(*_nothing_found(decision, index), LOW_CONFIDENCE),
        see_also=_with_urls(nearest, index),
    )


def not_asked(decision: Decision) -> list[str]:
    """Return warnings about collections that could not be searched."""
    return [f"Not asked: {fault.message}" for fault in decision.faults]


def caveats(decision: Decision) -> tuple[str, ...]:
    """Return what is said with a guess; empty for an answer."""
    if not decision.is_guess:
        return ()
    return (
        *decision.rated.reasons,
        LOW_CONFIDENCE if decision.confidence < decision.rated.threshold else _PERHAPS_NOT,
    )


def others_of(decision: Decision, cited: Sequence[Reference]) -> list[Reference]:
    """Return documents that may answer as well as the cited ones."""
    shown = {(one.alias, one.document_ref) for one in cited}
    return [
        _by_reference(other)
        for other in decision.rated.others()
        if (other.alias, other.document_ref) not in shown
    ]


def _by_reference(other: Reference) -> Reference:
    """Return a document as it is listed: by its reference, unless that is its URL."""
    return other if "://" in other.document_ref else replace(other, label=other.document_ref)


def _with_urls(
    references: Sequence[Reference], index: Index, citations: Sequence[Citation] = ()
) -> tuple[Reference, ...]:
    """Add addresses and commands to references, which open each document at its first citation."""
    places = {
        (citation.alias, citation.document_ref): (citation.quote, citation.location.partition("#")[2])
        for citation in reversed(citations)
    }
    sources = {entry.alias: entry for entry in index.manifest.sources}
    return tuple(
        replace(
            reference,
            url=url_of(sources[reference.alias], reference.document_ref, anchor),
            read_with=read_with(sources[reference.alias], reference.document_ref, quote, anchor),
        )
        if reference.alias in sources
        else reference
        for reference in references
        for quote, anchor in [places.get((reference.alias, reference.document_ref), ("", ""))]
    )


def _nothing_found(decision: Decision, index: Index) -> tuple[str, ...]:
    """Return why there is no answer, and what to do if nothing was found."""
    reasons = _true_reasons(decision)
    if not index.limits:
        return tuple(reasons) if decision.rated.found else (_NONE, *reasons)
    asked = f"Only {index.limits} was asked"
    if decision.rated.found:
        return (*reasons, within_limits(index.limits))
    if index.has_documents():
        return (f"No answer found. {asked}, and no document there shares a word with the question.",)
    return (f"No answer found. {asked}, and the index has no document there. See: ragadmin sources list",)


def _known_to_others(decision: Decision) -> frozenset[str]:
    """Return the words of the question that other kinds of documents than the rated one contain."""
    return frozenset(term.word for other in decision.others for term in other.question.terms if term.known)


def _true_reasons(decision: Decision) -> list[str]:
    """Return the reasons of the rated kind of documents, without words that another kind contains."""
    known = _known_to_others(decision)
    found: list[str] = []
    for reason in decision.rated.reasons:
        named = _NOT_MENTIONED.match(reason)
        words = [word for word in _QUOTED.findall(named[0]) if word not in known] if named else []
        if not named or len(words) == len(_QUOTED.findall(named[0])):
            found.append(reason)
        elif words:
            found.append(f"No document mentions {', '.join(f'“{word}”' for word in words)}.")
    return found


def within_limits(limits: Limits) -> str:
    """Return a warning for a refusal, if the search was limited to some documents."""
    return f"Only {limits} was asked; without that limit more may be found."


def warnings_of(
    question: Question, not_there: Sequence[str] = (), elsewhere: Collection[str] = ()
) -> tuple[str, ...]:
    """Return warnings on how the question was interpreted."""
    found = [f"There is no page {reference} here." for reference in not_there]
    if question.shortened:
        found.append("The question is long; only its most telling part was used. Narrow the question.")
    if question.read_as:
        read = ", ".join(f"“{word}” as “{right}”" for word, right in question.read_as)
        which = "these words" if len(question.read_as) > 1 else "this word"
        who = (
            "These documents do not have"
            if any(word in elsewhere for word, _ in question.read_as)
            else "No document has"
        )
        found.append(f"{who} {which}: read {read}.")
    return tuple(found)
