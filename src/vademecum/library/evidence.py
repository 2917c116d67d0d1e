"""From ranked candidates to evidence: the chosen documents' texts, each passage judged against the question."""

from collections.abc import Callable, Sequence
from math import log
from operator import mul

from vademecum.core.candidates import Candidate
from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.core.passages import SECTION
from vademecum.library.index import Index
from vademecum.retrieval.lexical import name_terms
from vademecum.retrieval.question import Question, Term
from vademecum.retrieval.words import WORD, numbers
from vademecum.retrieval.words import terms as terms_of_text
from vademecum.stores.flat import PassageRecord

_MOST_PASSAGES = 4000
"""Of one document that are judged; the longest manual page has some 2,500."""

_MEANT = 24
_MEANT_CHARACTERS = 240
_MEANT_TERMS = 24
"""How many entries of a document are compared by meaning, and by how much of their text."""

_UNASKED_ERROR = 0.3
"""What an entry of a page's list of errors keeps when the question is not about one."""

_MEANING = 0.8
"""What a cosine of 1 counts beside the best score by words."""


def gather(question: Question, chosen: Sequence[Candidate], index: Index) -> list[Evidence]:
    """The evidence in the order of `chosen`."""
    return [_evidence(question, candidate, index) for candidate in chosen]


def relevance(question: Question, about: Evidence | None) -> Callable[[str], float]:
    """A judge of text: the summed rarity of the question's terms in it, words of the document's name left out."""
    own = set(name_terms([about.reference])) if about else set()
    weights = {term.number: term.weight for term in question.terms if term.number not in own}

    def judge(text: str) -> float:
        return sum(weights.get(term, 0.0) for term in set(numbers(WORD.findall(text))))

    return judge


def _evidence(question: Question, candidate: Candidate, index: Index) -> Evidence:
    segment = index.segments[candidate.place.segment]
    flat = segment.flat
    record = flat.document(candidate.place.document)
    strings = flat.strings(record)
    count = min(record.passages, _MOST_PASSAGES)
    passages = [flat.passage(number) for number in range(record.first_passage, record.first_passage + count)]
    own = set(name_terms([strings.reference]))
    terms = [term for term in question.terms if term.known and term.number not in own]
    texts = [(candidate.place.segment, passage.text) for passage in passages]
    weights = index.passage_terms(texts, [term.number for term in terms])
    scores = _judge(terms, weights)
    asked = [term.text for term in question.terms if term.number not in own]
    scores = _with_meaning(asked, scores, passages, lambda passage: flat.words(record, passage), index)
    if "error" not in question.kinds:
        scores = [
            score * _UNASKED_ERROR if flat.label(one.heading).upper().startswith("ERRORS") else score
            for score, one in zip(scores, passages, strict=True)
        ]
    total = sum(term.rarity for term in terms) or 1.0
    return Evidence(
        alias=segment.info.alias,
        digest=record.digest.hex(),
        reference=strings.reference,
        title=strings.title,
        summary=strings.summary,
        text=flat.text(record),
        passages=tuple(
            ScoredPassage(
                one.kind,
                one.start,
                one.end,
                one.tag_end,
                flat.label(one.heading),
                flat.label(one.anchor),
                score,
                sum(term.rarity for term, weight in zip(terms, row, strict=True) if weight) / total,
            )
            for one, score, row in zip(passages, scores, weights, strict=True)
        ),
    )


def _with_meaning(
    terms: Sequence[str],
    scores: Sequence[float],
    passages: Sequence[PassageRecord],
    words_of: Callable[[PassageRecord], str],
    index: Index,
) -> list[float]:
    """The scores of entries raised by how near they are in meaning, for the likeliest ones."""
    asked = index.embed(terms)
    entries = [position for position, passage in enumerate(passages) if passage.kind != SECTION]
    entries.sort(key=lambda position: (-scores[position], position))
    best = max(scores, default=0.0) or 1.0
    raised = list(scores)
    for position in entries[:_MEANT]:
        text = words_of(passages[position])
        found = terms_of_text(text[:_MEANT_CHARACTERS])[:_MEANT_TERMS]
        nearness = sum(map(mul, asked, index.embed(found)))
        raised[position] += _MEANING * best * max(0.0, nearness)
    return raised


def _judge(terms: Sequence[Term], weights: Sequence[Sequence[float]]) -> list[float]:
    """Each passage's fit: a term counts by its rarity in the library and within the document."""
    count = len(weights)
    local = []
    for column, term in enumerate(terms):
        having = sum(1 for row in weights if row[column])
        local.append(term.weight * log(1 + (count - having + 0.5) / (having + 0.5)))
    return [sum(share * weight for share, weight in zip(local, row, strict=True)) for row in weights]
