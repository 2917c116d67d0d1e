"""BM25F: documents and passages as sparse vectors, and query terms weighted by rarity.

A term's weight in a document is the saturated sum of its field frequencies, each divided by the field's
length normalisation (Robertson, Zaragoza & Taylor, CIKM 2004; Zaragoza et al., TREC 2004). Average lengths
are constants of a collection's kind, so that a document's vector depends on the document alone; rarity (idf)
goes into the question's vector, so that several segments rank as one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import chain
from math import log
from typing import NamedTuple

from vademecum.core.passages import (
    DOCUMENT_STEPS,
    QUESTION_STEPS,
    SECTION,
    Encoded,
    Entry,
    SparseVector,
    TermSteps,
)
from vademecum.retrieval.passages.headings import telling
from vademecum.text.words import numbers_in

_K1 = 1.2
WHOLE = 64
"""The weight of a document that counts fully in the term statistics."""


class Field(NamedTuple):
    """How one field counts: its boost, its length normalisation `b` (0-1) and its usual length in terms."""

    boost: float
    b: float
    usual_length: float


class Fields(NamedTuple):
    """The fields of a kind of collection. `page_*` make up a document's vector, `need` a need's, the others a passage's.

    Where `marks_definitions` is set, a passage's vector also holds a mark of each thing that the passage defines.
    """

    page_name: Field
    page_summary: Field
    page_headings: Field
    page_tags: Field
    page_body: Field
    tag: Field
    heading: Field
    body: Field
    need: Field
    marks_definitions: bool = False


MANUAL_PAGES = Fields(
    page_name=Field(3.0, 0.3, 2),
    page_summary=Field(3.0, 0.3, 8),
    page_headings=Field(1.0, 0.6, 20),
    page_tags=Field(0.7, 0.7, 40),
    page_body=Field(1.0, 0.75, 500),
    tag=Field(1.5, 0.3, 3),
    heading=Field(0.5, 0.3, 3),
    body=Field(1.0, 0.6, 60),
    need=Field(1.0, 0.4, 5),
)


def encode(entry: Entry, fields: Fields = MANUAL_PAGES) -> Encoded:
    """An entry's vectors: one for the whole document, one for each passage in order."""
    body: list[int] = []
    tags: list[int] = []
    headings: dict[str, None] = {}
    windows: list[AbstractSet[int]] = []
    vectors = []
    for passage in entry.passages:
        words = entry.text[passage.start : passage.end]
        found, counts, tag, vector = _passage(words, passage.tag_end - passage.start, passage.heading, fields)
        vectors.append(vector)
        tags.extend(tag)
        if passage.kind == SECTION:
            body.extend(found)
            windows.append(counts.keys())
            headings[telling(passage.heading)] = None
    page = bm25f(
        (
            (name_terms(dict.fromkeys((*entry.names, entry.title))), fields.page_name),
            (numbers_in(entry.summary), fields.page_summary),
            (numbers_in("\n".join(headings)), fields.page_headings),
            (tags, fields.page_tags),
            (body, fields.page_body),
        )
    )
    weight = weight_of(entry.reference)
    return Encoded(
        page=page,
        passages=tuple(vectors),
        needs=tuple(bm25f(((numbers_in(need.text), fields.need),)) for need in entry.needs),
        windows=(*windows, set(page.terms).difference(*windows)),
        share=weight,
        weight=weight * max(1, len(windows)),
    )


@lru_cache(maxsize=512)
def _passage(
    words: str, tag_length: int, heading: str, fields: Fields
) -> tuple[list[int], Counter[int], list[int], TermSteps]:
    """A passage's terms, the same counted, its tag's terms, and its vector.

    Kept, since sub-command pages repeat themselves.
    """
    found = numbers_in(words)
    counts = Counter(found)
    tag = numbers_in(words[:tag_length]) if tag_length else []
    named = numbers_in(telling(heading))
    weighed = ((counts, fields.body), (Counter(tag), fields.tag), (Counter(named), fields.heading))
    vector = _saturated([(counted, field) for counted, field in weighed if counted])
    if fields.marks_definitions:
        from vademecum.retrieval.units.definitions import marks_in  # noqa: PLC0415 - questions need none of it

        marks = {mark: weight for mark, weight in marks_in(words).items() if mark not in counts}
        steps = [int(DOCUMENT_STEPS * weight) for weight in marks.values()]
        vector = TermSteps([*vector.terms, *marks], [*vector.steps, *steps])
    return found, counts, tag, vector


def name_terms(names: Iterable[str]) -> list[int]:
    """The terms of references without their sections: `stat(2)` counts as `stat`."""
    return numbers_in("\n".join(name.partition("(")[0] for name in names))


def depth(reference: str) -> int:
    """How deep a page is in its family of sub-commands: `git(1)` 0, `git-commit(1)` 1.

    Only the sections of commands (1 and 8) have sub-command pages; elsewhere `_` is part of a name.
    """
    name, _, section = reference.partition("(")
    return name.count("-") + name.count("_") if section[:1] in {"1", "8"} else 0


def family(reference: str) -> str:
    """The first component of a page's name: what its sub-command pages share."""
    return reference.partition("(")[0].partition("-")[0].partition("_")[0].lower()


def weight_of(reference: str) -> int:
    """What a document counts for in the term statistics, in 1/64: halved with every level of sub-command.

    Thousands of pages of one family would otherwise make their own words look common everywhere.
    """
    return WHOLE >> min(depth(reference), 6)


def rarity(frequency: int, total: int) -> float:
    """BM25's inverse document frequency, above 0, of windows; both counts in 1/64 windows.

    Windows, not documents: a long document has every common word somewhere, and that would make `file` and
    `name` look as if they said nothing.
    """
    return log(1 + (total - frequency + WHOLE / 2) / (frequency + WHOLE / 2))


def bm25f(weighed: Iterable[tuple[Sequence[int], Field]]) -> TermSteps:
    """The saturated sum over fields of their terms, with repeats; in steps of 1/`DOCUMENT_STEPS`."""
    return _saturated([(Counter(found), field) for found, field in weighed if found])


def _saturated(weighed: Sequence[tuple[Mapping[int, int], Field]]) -> TermSteps:
    """The same of fields that are counted, none of them empty.

    Most terms are in the largest field alone, and there are as often as many others: these share their weights.
    """
    if not weighed:
        return TermSteps([], [])
    main = max((counts for counts, _ in weighed), key=len)
    sums = dict.fromkeys(chain.from_iterable(counts for counts, _ in weighed if counts is not main), 0.0)
    found: dict[int, int] = {}
    for counts, (boost, b, usual_length) in weighed:
        factor = boost / (1 - b + b * sum(counts.values()) / usual_length)
        if counts is main:
            weights = {count: _weight(count * factor) for count in set(counts.values())}
            found = dict(zip(counts, map(weights.__getitem__, counts.values()), strict=True))
            for term in sums.keys() & counts.keys():
                sums[term] += counts[term] * factor
        else:
            for term, count in counts.items():
                sums[term] += count * factor
    for term, frequency in sums.items():
        found[term] = _weight(frequency)
    return TermSteps(list(found), list(found.values()))


def _weight(frequency: float) -> int:
    """What a term counts for that occurs so often: saturated, in steps of 1/512, at least one step."""
    return int((_K1 + 1) * DOCUMENT_STEPS * frequency / (_K1 + frequency) + 0.5) or 1


def exact(query: SparseVector) -> TermSteps:
    """A question's vector in steps of 1/128, at least one step each.

    With documents' weights in whole steps, too, every score is a sum of whole numbers: equal documents score the
    same, in whatever order their terms are added and in whatever segment they are.
    """
    return TermSteps(query.terms, [int(weight * QUESTION_STEPS + 0.5) or 1 for weight in query.weights])
