"""The question path: rate, decide, gather, compose, verify. Read this module first to see how a question is answered."""

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from vademecum.answering.verify import Verified, verify
from vademecum.ask.answer import answer_of
from vademecum.ask.kinds import USUAL, Corpus, Decision, Limits, Rated
from vademecum.ask.rating import rate
from vademecum.core.answers import Answer
from vademecum.core.errors import AnswerError, VademecumError
from vademecum.core.evidence import Draft
from vademecum.core.trace import Json, Trace
from vademecum.index.reader.index import Index
from vademecum.retrieval.question.question import shown_terms

if TYPE_CHECKING:
    from vademecum.ask.explanation import ExplainedLine
    from vademecum.core.conversations import Turn
    from vademecum.retrieval.question.follow_up import Reading

TOO_LONG = (
    "The answer is longer than the context tokens allow: left out {} of its sentences. Narrow the question."
)


def ask(
    text: str,
    corpora: Sequence[Corpus],
    *,
    limits: Limits = USUAL,
    room: float = inf,
    before: "Sequence[Turn]" = (),
) -> Answer:
    """Answer a question in the words of the documents. Takes the same arguments as `decide`."""
    decision = decide(text, corpora, limits=limits, room=room, before=before)
    verified, left_out = own_words(decision)
    while verified.dropped and not (verified.summary or verified.steps) and (other := next_best(decision)):
        decision = other
        verified, left_out = own_words(decision)
    return answer_of(decision, verified, corpora[0].index, [TOO_LONG.format(left_out)] if left_out else [])


def decide(
    text: str,
    corpora: Sequence[Corpus],
    *,
    limits: Limits = USUAL,
    room: float = inf,
    before: "Sequence[Turn]" = (),
    reading: "Reading | None" = None,
) -> Decision:
    """Choose the documents to answer a question from.

    Args:
        corpora: The corpora to search; at least one.
        limits: How many passages an answer may use.
        room: The maximum length of question and answer together, in characters. The beginning of the answer is always kept.
        before: The earlier turns of the conversation, oldest first.
        reading: The resolved follow-up question, if it is already known.
    """
    trace = Trace()
    said = text if reading else spelled(text, corpora)
    if reading is None and before:
        readings = read_follow_up(said, before, corpora)
    else:
        readings = [reading] if reading else []
    reading, (rated, *others), faults = _best_reading(said, readings, corpora, limits)
    trace.record("analyse", **_analysed(rated), **_read(text, said, reading, corpora))
    trace.record("retrieve", **rated.retrieved())
    trace.record("evaluate", **rated.evaluated())
    evidence, chosen = rated.evidence(limits) if rated.answers or rated.is_guess else ([], [])
    trace.record("decide", **_decided(rated, chosen, others, limits))
    read_as = rated.question.text if said != text or (reading and reading.carried) else ""
    return Decision(
        asked=text,
        read_as=read_as,
        rated=rated,
        others=others,
        faults=faults,
        evidence=evidence,
        chosen=chosen,
        room=room,
        trace=trace,
        confidence=rated.confidence,
        limits=limits,
        is_guess=rated.is_guess,
    )


def spelled(text: str, corpora: Sequence[Corpus]) -> str:
    """Correct the typing errors of a question to running text: words that are neither in its documents nor English."""
    indexes = [corpus.index for corpus in corpora]
    if any(index.manifest.collections or index.running_text().method != "documents" for index in indexes):
        return text
    from vademecum.retrieval.question.spelling import corrected_text  # noqa: PLC0415 - manual pages have no everyday words

    return corrected_text(text, lambda term: sum(index.frequency(term) for index in indexes))


def _best_reading(
    text: str, readings: "Sequence[Reading]", corpora: Sequence[Corpus], limits: Limits
) -> "tuple[Reading | None, list[Rated], list[VademecumError]]":
    """Rate a question in each of its readings. Return the reading that is answered best, its ratings and the errors."""
    found: list[tuple[Reading | None, list[Rated], list[VademecumError]]] = []
    ways: Sequence[Reading | None] = readings or [None]
    for reading in ways:
        asked = reading.text if reading else text
        named = [corpus.naming(asked) for corpus in corpora]
        try:
            rated, faults = _rated(asked, named, limits)
        except AnswerError:  # a reading without words
            if not found and reading is ways[-1]:
                raise
            continue
        faults = [*faults, *(fault for corpus in named for fault in corpus.faults)]
        rated = [rating.carried() for rating in rated] if reading and reading.carried else rated
        found.append((reading, rated, faults))
    return max(found, key=lambda of: of[1][0].margin + (of[0].prior if of[0] else 0.0))


def _rated(asked: str, corpora: Sequence[Corpus], limits: Limits) -> tuple[list[Rated], list[VademecumError]]:
    """Return ratings, most probable first: a command line is looked up, and other questions are ranked.

    That a command or file has no manual page is reported unless running text answers the question, or is a guess that names the command.
    """
    line = _looked_up(asked, corpora)
    if line is None:
        return rate(asked, corpora, limits)
    if line.answers or all(part.method != "documents" for corpus in corpora for part in corpus.index.parts()):
        return [line], []
    rated, faults = rate(asked, corpora, limits)
    of_texts = (rating for rating in rated if rating.index.method == "documents")
    texts = [
        rating for rating in of_texts if rating.answers or (rating.is_guess and rating.names(line.absent))
    ]
    return ([*texts, line] if texts else [line]), faults


def _looked_up(asked: str, corpora: Sequence[Corpus]) -> "ExplainedLine | None":
    """Explain a command line, or report a named command that has no page. Return None for other questions."""
    if all(
        part.method == "documents" for corpus in corpora for part in corpus.index.parts() or [corpus.index]
    ):
        return None
    from vademecum.ask.explanation import explained  # noqa: PLC0415 - running text has no command lines

    return explained(asked, corpora)


def own_words(decision: Decision) -> tuple[Verified, int]:
    """Answer in the words of the documents. Also return the number of sentences omitted because of `room`."""
    draft, left_out = _within(decision.rated.draft(decision.evidence), decision.room - len(decision.asked))
    decision.trace.record(
        "compose",
        sentences=len(draft.summary),
        steps=len(draft.steps),
        **({"left_out": left_out} if left_out else {}),
    )
    verified = verify(draft, decision.evidence, decision.asked)
    decision.trace.record("verify", verdicts=list(verified.verdicts), dropped=verified.dropped)
    return verified, left_out


def next_best(decision: Decision, limits: Limits = USUAL) -> Decision | None:
    """Decide on the next kind of document, if nothing can be quoted from the first; None if no other kind answers."""
    if not decision.others or not decision.others[0].answers:
        return None
    rated, *others = decision.others
    evidence, chosen = rated.evidence(limits)
    return decision._replace(
        rated=rated, others=others, evidence=evidence, chosen=chosen, confidence=rated.confidence
    )


def read_follow_up(text: str, before: "Sequence[Turn]", corpora: Sequence[Corpus]) -> "list[Reading]":
    """Return the readings of a question of a conversation by rules, the likeliest first."""
    from vademecum.providers.builtin import words_near  # noqa: PLC0415 - most questions are the only one
    from vademecum.retrieval.question.follow_up import readings  # noqa: PLC0415 - likewise

    return readings(
        text, before, lambda name: any(is_command(name, corpus.index) for corpus in corpora), words_near
    )


_MOST_TURNS = 20


def turns_of(questions: Sequence[str]) -> "list[Turn]":
    """Return earlier questions as turns. Only the last questions of a long conversation are used."""
    from vademecum.core.conversations import Turn  # noqa: PLC0415 - most questions are the only one

    return [Turn(question, question, ()) for question in questions[-_MOST_TURNS:]]


def is_command(name: str, index: Index) -> bool:
    """Return whether a word is the name of a command with a manual page."""
    return any(index.named(f"{name}({section})") for section in ("1", "8"))


def _analysed(rated: Rated) -> dict[str, Json]:
    question = rated.question
    sources = [source for source in rated.sources if source]
    return {
        "terms": shown_terms(question),
        "kinds": sorted(question.kinds),
        "references": list(question.references),
        "options": list(question.options),
        **({"books": sources} if sources else {}),
    }


def _read(asked: str, said: str, reading: "Reading | None", corpora: Sequence[Corpus]) -> dict[str, Json]:
    """Describe for the trace what the question was corrected and resolved to, and which documents were searched."""
    noted: dict[str, Json] = {"asked": asked, "read_as": said} if said != asked else {}
    if reading and reading.why:
        noted |= {
            "asked": asked,
            "read_as": reading.text,
            "carried": list(reading.carried),
            "leans": reading.why,
        }
    for corpus in corpora:
        if scope := corpus.index.limits:
            noted |= {"sources": list(scope.sources), "sections": list(scope.sections)}
            if scope.documents:
                noted["documents"] = list(scope.documents)
    return noted


def _decided(rated: Rated, chosen: Sequence[str], others: Sequence[Rated], limits: Limits) -> dict[str, Json]:
    return {
        "answerability": rated.answerability,
        "confidence": rated.confidence,
        "threshold": rated.threshold,
        "chosen": list(chosen),
        "reasons": list(rated.reasons),
        **rated.noted(limits),
        **({"others": [other.confidence for other in others]} if others else {}),
    }


def _within(draft: Draft, characters: float) -> tuple[Draft, int]:
    """Keep the first statements that fit, and at least one each of summary and steps."""
    left = characters - sum(len(first.text) + len(first.command) for part in draft for first in part[:1])
    kept = []
    for part in draft:
        count = len(part[:1])
        for statement in part[1:]:
            left -= len(statement.text) + len(statement.command)
            if left < 0:
                break
            count += 1
        kept.append(part[:count])
    summary, steps = kept
    return Draft(summary, steps), sum(map(len, draft)) - len(summary) - len(steps)
