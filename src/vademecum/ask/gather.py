"""Turn ranked candidates into evidence: the texts of the chosen documents, with scores for each passage."""

import re
from collections.abc import Callable, Iterable, Sequence
from math import log
from operator import mul
from typing import NamedTuple

from vademecum.core.candidates import DocumentId
from vademecum.core.evidence import Evidence
from vademecum.core.passages import OPTION, SECTION
from vademecum.index.reader.evidence import document_of
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.entries import Entry, features_of, scores_of
from vademecum.retrieval.lexical import name_terms
from vademecum.retrieval.meaning import NEED
from vademecum.retrieval.question.question import Question, Term, analyse
from vademecum.stores.flat import PassageRecord
from vademecum.text.words import WORD, numbers
from vademecum.text.words import terms as terms_of_text

_MOST_PASSAGES = 4000
"""The maximum number of passages of a document that are scored; the longest manual page has about 2,500."""

_MEANT = 14
_MEANT_CHARACTERS = 240
_MEANT_TERMS = 24
"""How many entries of a document are compared by embedding, and how much of their text is embedded."""

_FIRST_TERMS = 8
COMMAND_SECTIONS = ("1", "8", "6")
"""The manual sections that contain commands."""


def is_command(document: Evidence) -> bool:
    """Return whether a page documents a command."""
    return document.reference.rpartition("(")[2][:1] in COMMAND_SECTIONS


_PART = re.compile(r"[,;:]\s|\b(?:and|then|also|but|or)\b")
_LEAST_PART = 2
_PART_SHARE = 0.5
"""Separators of the parts of a question, the minimum number of words in a part, and the weight of its best entry."""


def gather(question: Question, places: Iterable[DocumentId], index: Index) -> list[Evidence]:
    """Return the documents at some places as evidence, in the same order."""
    return [_evidence(question, place, index) for place in places]


def relevance(question: Question, about: Evidence | None) -> Callable[[str], float]:
    """Return a function that scores text by the total rarity of the question's terms in it, except words of the document's name."""
    own = set(name_terms([about.reference])) if about else set()
    weights = {term.number: term.weight for term in question.terms if term.number not in own}

    def judge(text: str) -> float:
        return sum(weights.get(term, 0.0) for term in set(numbers(WORD.findall(text))))

    return judge


def likeness(question: Question, index: Index) -> Callable[[str], float]:
    """Return a function that gives the similarity of the beginning of a text to the question, from -1 to 1."""
    asked = index.embed(term.text for term in question.terms)

    def judge(text: str) -> float:
        return _cosine(asked, index.embed_text(text[:_MEANT_CHARACTERS], _MEANT_TERMS))

    return judge


class Judged(NamedTuple):
    """The passages of a document, scored by their words.

    Attributes:
        place: The location of the document in the index.
        passages: The passages, in order.
        scores: The score of each passage, at least 0.
        cover: The share (0-1) of the question's total rarity in each passage, except words of the document's name.
    """

    place: DocumentId
    passages: list[PassageRecord]
    scores: list[float]
    cover: list[float]
    own: set[int]


def judge_words(question: Question, place: DocumentId, index: Index) -> Judged:
    """Score the passages of a document by their words."""
    flat = index.segments[place.segment].flat
    record = flat.document(place.document)
    count = min(record.passages, _MOST_PASSAGES)
    passages = [flat.passage(number) for number in range(record.first_passage, record.first_passage + count)]
    own = set(name_terms([flat.strings(record).reference]))
    terms = [term for term in question.terms if term.known and term.number not in own]
    texts = [(place.segment, passage.text) for passage in passages]
    weights = index.passage_terms(texts, [term.number for term in terms])
    total = sum(term.rarity for term in terms) or 1.0
    cover = [
        sum(term.rarity for term, weight in zip(terms, row, strict=True) if weight) / total for row in weights
    ]
    return Judged(place, passages, _judge(terms, weights), cover, own)


def best_passage(question: Question, place: DocumentId, index: Index) -> int:
    """Return the index of the passage with the highest score; the first of several."""
    judged = judge_words(question, place, index)
    best = max(range(len(judged.scores)), key=lambda at: judged.scores[at], default=0)
    return index.page(place).first_passage + best


def measure_entries(
    question: Question, judged: Judged, index: Index
) -> tuple[list[int], list[tuple[float, ...]]]:
    """Return the positions of a document's entries among its passages, and their features."""
    flat = index.segments[judged.place.segment].flat
    record = flat.document(judged.place.document)
    meaning = index.vectors(question.wording())[NEED]
    needs = index.needs_of(question.vector(unknown=True), meaning, judged.place)
    alike: dict[int, float] = {}
    for need in needs:
        for number in need.passages:
            at = number - record.first_passage
            alike[at] = max(need.cosine, alike.get(at, 0.0))
    positions = [at for at, passage in enumerate(judged.passages) if passage.kind != SECTION]
    best = max((judged.scores[at] for at in positions), default=0.0) or 1.0
    likely = sorted(positions, key=lambda at: (-judged.scores[at] / best - alike.get(at, 0.0), at))
    compared = frozenset(likely[:_MEANT])
    asked = index.embed(term.text for term in question.terms if term.number not in judged.own)
    entries = []
    for at in positions:
        passage = judged.passages[at]
        words = flat.words(record, passage)
        found = terms_of_text(words[:_MEANT_CHARACTERS])[:_MEANT_TERMS] if at in compared else []
        entries.append(
            Entry(
                record.first_passage + at,
                words[: passage.tag_end - passage.start],
                judged.scores[at],
                judged.cover[at],
                _cosine(asked, index.embed(found)) if found else 0.0,
                _cosine(asked, index.embed(found[:_FIRST_TERMS])) if found else 0.0,
                passage.kind == OPTION,
                flat.label(passage.heading).upper().startswith("ERRORS"),
                len(words),
            )
        )
    return positions, features_of(question, entries, needs)


def _evidence(question: Question, place: DocumentId, index: Index) -> Evidence:
    judged = judge_words(question, place, index)
    positions, features = measure_entries(question, judged, index)
    entries = scores_of(features)
    parts = [
        (part, measure_entries(part, judge_words(part, place, index), index)[1])
        for part in _parts(question, index)
    ]
    for _, of_part in parts:
        scored = scores_of(of_part)
        entries = [max(one, _PART_SHARE * other) for one, other in zip(entries, scored, strict=True)]
    scores = dict(enumerate(judged.scores)) | dict(zip(positions, entries, strict=True))
    return document_of(place, judged.passages, scores, dict(enumerate(judged.cover)), index)


def _parts(question: Question, index: Index) -> list[Question]:
    """Return the parts of a question that asks for several things; empty if it asks for one."""
    texts = [text for text in _PART.split(question.text) if text.strip()]
    found = [analyse(text, index) for text in texts] if len(texts) > 1 else []
    parts = [part for part in found if len(part.words) >= _LEAST_PART]
    return parts if len(parts) > 1 else []


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))


def _judge(terms: Sequence[Term], weights: Sequence[Sequence[float]]) -> list[float]:
    """Score the passages. A term is weighted by its rarity in the library and in the document."""
    count = len(weights)
    local = []
    for column, term in enumerate(terms):
        having = sum(1 for row in weights if row[column])
        local.append(term.weight * log(1 + (count - having + 0.5) / (having + 0.5)))
    return [sum(share * weight for share, weight in zip(local, row, strict=True)) for row in weights]
