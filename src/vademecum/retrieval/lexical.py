"""BM25F: documents and passages as sparse vectors, and query terms weighted by rarity.

A term's weight in a document is the saturated sum of its field frequencies, each divided by the field's
length normalisation (Robertson, Zaragoza & Taylor, CIKM 2004; Zaragoza et al., TREC 2004). Average lengths are
constants of each kind of collection, so that a document's vector depends only on the document. Rarity (IDF) is part
of the question's vector, so that scores of several segments are comparable.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import log
from typing import NamedTuple

from vademecum.core.passages import (
    DOCUMENT_STEPS,
    QUESTION_STEPS,
    SECTION,
    WHOLE,
    Encoded,
    Entry,
    SparseVector,
    TermSteps,
)
from vademecum.text.words import numbers_in, terms

_K1 = 1.2

USUAL_HEADINGS = frozenset(
    {
        "NAME", "SYNOPSIS", "LIBRARY", "DESCRIPTION", "OPTIONS", "RETURN VALUE", "ERRORS", "NOTES", "BUGS",
        "SEE ALSO", "AUTHOR", "AUTHORS", "COPYRIGHT", "REPORTING BUGS", "ATTRIBUTES", "STANDARDS", "VERSIONS",
        "CONFORMING TO", "EXAMPLES", "EXAMPLE", "FILES", "ENVIRONMENT", "EXIT STATUS", "HISTORY", "VERSION",
        "FLAGS", "GCLOUD WIDE FLAGS", "REQUIRED FLAGS", "OPTIONAL FLAGS", "POSITIONAL ARGUMENTS", "PROGRAM SOURCE",
    }
)  # fmt: skip
"""Headings that most documents have, and that therefore do not describe their content."""


@lru_cache(maxsize=4096)
def telling(path: str) -> str:
    """Return the headings of a path that are specific to the document: only `Output` of `OPTIONS > Output`."""
    return " ".join(heading for heading in path.split(" > ") if heading.upper() not in USUAL_HEADINGS)


class Field(NamedTuple):
    """The parameters of a field: boost, length normalization `b` (0-1) and average length in terms."""

    boost: float
    b: float
    usual_length: float


class Fields(NamedTuple):
    """The fields of a kind of collection: `page_*` for documents, `need` for needs, and the others for passages.

    If `marks_definitions` is set, the vector of a passage also contains a mark for each thing that the passage defines.
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
    """Return the vectors of an entry: one for the whole document, and one for each passage in order."""
    body: list[int] = []
    tags: list[int] = []
    headings: dict[str, None] = {}
    windows: list[Collection[int]] = []
    vectors, texts = [], []
    for passage in entry.passages:
        words = entry.text[passage.start : passage.end]
        found, counts, tag, vector = _passage(words, passage.tag_end - passage.start, passage.heading, fields)
        vectors.append(vector)
        texts.append([*named_by(entry.title, passage.heading), *found])
        tags.extend(tag)
        if passage.kind == SECTION:
            body.extend(found)
            windows.append(tuple(counts))
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
        texts=tuple(texts),
        needs=tuple(bm25f(((numbers_in(need.text), fields.need),)) for need in entry.needs),
        windows=(*windows, set(page.terms).difference(*windows)),
        share=weight,
        weight=weight * max(1, len(windows)),
    )


@lru_cache(maxsize=512)
def _passage(
    words: str, tag_length: int, heading: str, fields: Fields
) -> tuple[list[int], Counter[int], list[int], TermSteps]:
    """Return a passage's terms, their counts, the terms of its tag, and its vector.

    Results are cached, because sub-command pages repeat passages.
    """
    found = numbers_in(words)
    counts = Counter(found)
    tag = numbers_in(words[:tag_length]) if tag_length else []
    named = numbers_in(telling(heading))
    weighed = ((counts, fields.body), (Counter(tag), fields.tag), (Counter(named), fields.heading))
    vector = _saturated([(counted, field) for counted, field in weighed if counted])
    if fields.marks_definitions:
        from vademecum.retrieval.question.definitions import marks_in  # noqa: PLC0415 - questions need none of it

        marks = {mark: times for mark, times in marks_in(words).items() if mark not in counts}
        steps = [mark_weight(times) for times in marks.values()]
        vector = TermSteps([*vector.terms, *marks], [*vector.steps, *steps])
    return found, counts, tag, vector


class Window:
    """A window, whose terms are weighed when they are asked for, with the weights that `encode` gives them."""

    __slots__ = ("_fields", "_marks")

    def __init__(
        self, body: Sequence[int], heading: Sequence[int], marks: Sequence[int], fields: Fields
    ) -> None:
        self._fields = [
            (Counter(terms), field.boost / (1 - field.b + field.b * len(terms) / field.usual_length))
            for terms, field in ((body, fields.body), (heading, fields.heading))
            if terms
        ]
        self._marks = Counter(marks)

    def score(self, weights: Mapping[int, int]) -> int:
        """Return the weighted sum of some terms, in steps of 1/(`DOCUMENT_STEPS` * `QUESTION_STEPS`)."""
        score = 0
        for term, weight in weights.items():
            frequency = sum([counts.get(term, 0) * factor for counts, factor in self._fields])
            if frequency:
                score += _weight(frequency) * weight
            elif term in self._marks:
                score += mark_weight(self._marks[term]) * weight
        return score


def mark_weight(times: int) -> int:
    """Return the weight of a mark, in steps of 1/`DOCUMENT_STEPS`: 1 for what says what a thing is (2), 0.5 for what it does (1)."""
    return DOCUMENT_STEPS * times // 2


def named_by(title: str, heading: str) -> list[int]:
    """Return the terms of the headings and title of a passage, with repetitions."""
    return numbers_in(heading if heading.startswith(title) else f"{title} {heading}")


def name_terms(names: Iterable[str]) -> list[int]:
    """Return the terms of references without their sections: `stat(2)` becomes `stat`."""
    return numbers_in("\n".join(name.partition("(")[0] for name in names))


def depth(reference: str) -> int:
    """Return the depth of a page in its family of sub-commands: 0 for `git(1)`, 1 for `git-commit(1)`.

    Only sections 1 and 8 have sub-command pages; elsewhere `_` is part of a name.
    """
    name, _, section = reference.partition("(")
    return name.count("-") + name.count("_") if section[:1] in {"1", "8"} else 0


def family(reference: str) -> str:
    """Return the first component of a page's name, which its sub-command pages share."""
    return reference.partition("(")[0].partition("-")[0].partition("_")[0].lower()


def weight_of(reference: str) -> int:
    """Return the weight of a document in the term statistics, in 1/64. It is halved for each level of sub-command.

    Otherwise, the words of a family with thousands of pages would appear to be common everywhere.
    """
    return WHOLE >> min(depth(reference), 6)


def rarity(frequency: int, total: int) -> float:
    """Return the inverse document frequency of BM25, always positive, based on windows. Both counts are in units of 1/64 window.

    Windows are used instead of documents, because a long document contains every common word, which would make `file` and
    `name` worthless.
    """
    return log(1 + (total - frequency + WHOLE / 2) / (frequency + WHOLE / 2))


def bm25f(weighed: Iterable[tuple[Sequence[int], Field]]) -> TermSteps:
    """Return the saturated sum over the terms of all fields, in steps of 1/`DOCUMENT_STEPS`."""
    return _saturated([(Counter(found), field) for found, field in weighed if found])


def _saturated(weighed: Sequence[tuple[Mapping[int, int], Field]]) -> TermSteps:
    """Return the same for non-empty fields with counted terms.

    Most terms are only in the largest field, and many have the same count there; their weights are computed once.
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
    """Return the saturated weight of a term with a count, in steps of 1/512, at least one step."""
    return int((_K1 + 1) * DOCUMENT_STEPS * frequency / (_K1 + frequency) + 0.5) or 1


def exact(query: SparseVector) -> TermSteps:
    """Return a question's vector in steps of 1/128, at least one step each.

    Document weights are in whole steps too, so every score is a sum of integers. Equal documents have equal scores,
    regardless of the order of terms and of segments.
    """
    return TermSteps(query.terms, [int(weight * QUESTION_STEPS + 0.5) or 1 for weight in query.weights])


class PlainBM25:
    """BM25 (k1 1.2, b 0.75) over whole texts: the baseline of every other search."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts = [Counter(terms(text)) for text in texts]
        self._lengths = [counts.total() for counts in self._counts]
        self._usual = sum(self._lengths) / (len(texts) or 1) or 1.0
        self._holders = Counter(term for counts in self._counts for term in counts)

    def scores(self, query: str) -> list[float]:
        """Return the score of each text, at least 0."""
        rare = {
            term: rarity(self._holders[term] * WHOLE, len(self._counts) * WHOLE)
            for term in dict.fromkeys(terms(query))
        }
        found = []
        for counts, length in zip(self._counts, self._lengths, strict=True):
            norm = 1.2 * (0.25 + 0.75 * length / self._usual)
            found.append(
                sum(
                    rare[term] * counts[term] * 2.2 / (counts[term] + norm) for term in rare if term in counts
                )
            )
        return found
