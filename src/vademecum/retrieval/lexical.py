"""BM25F: documents and passages as sparse vectors, and a question's terms weighed by rarity.

A term's weight in a document is the saturated sum of its field frequencies, each divided by the field's
length normalisation (Robertson, Zaragoza & Taylor, CIKM 2004; Zaragoza et al., TREC 2004). Average lengths
are constants of a collection's kind, so that a document's vector depends on the document alone; rarity (idf)
goes into the question's vector, so that several segments rank as one.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import NamedTuple

from vademecum.core.passages import SECTION, Encoded, Entry, SparseVector
from vademecum.retrieval.headings import telling
from vademecum.retrieval.words import WORD, counted, numbers

_K1 = 1.2
_STEPS = 512
_QUERY_STEPS = 128
WHOLE = 64
"""The weight of a document that counts fully in the term statistics."""


class Field(NamedTuple):
    """How one field counts: its boost, its length normalisation `b` (0-1) and its usual length in terms."""

    boost: float
    b: float
    usual_length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The fields of a kind of collection. `page_*` make up a document's vector, the others a passage's."""

    page_name: Field
    page_summary: Field
    page_headings: Field
    page_tags: Field
    page_body: Field
    tag: Field
    heading: Field
    body: Field


MANUAL_PAGES = Fields(
    page_name=Field(3.0, 0.3, 2),
    page_summary=Field(3.0, 0.3, 8),
    page_headings=Field(1.0, 0.6, 20),
    page_tags=Field(0.7, 0.7, 40),
    page_body=Field(1.0, 0.75, 500),
    tag=Field(1.5, 0.3, 3),
    heading=Field(0.5, 0.3, 3),
    body=Field(1.0, 0.6, 60),
)


def encode(entry: Entry, fields: Fields = MANUAL_PAGES) -> Encoded:
    """An entry's vectors: one for the whole document, one for each passage in order."""
    body: Counter[int] = Counter()
    tags: list[int] = []
    headings: dict[str, None] = {}
    windows: Counter[int] = Counter()
    count = 0
    vectors = []
    for passage in entry.passages:
        words = entry.text[passage.start : passage.end]
        counts, tag, vector = _passage(words, passage.tag_end - passage.start, passage.heading, fields)
        vectors.append(vector)
        tags.extend(tag)
        if passage.kind == SECTION:
            body.update(counts)
            windows.update(counts.keys())
            count += 1
            headings[telling(passage.heading)] = None
    page = _bm25f(
        (
            (name_terms(entry.names), fields.page_name),
            (numbers(WORD.findall(entry.summary)), fields.page_summary),
            (numbers(WORD.findall("\n".join(headings))), fields.page_headings),
            (tags, fields.page_tags),
            (body, fields.page_body),
        )
    )
    weight = weight_of(entry.reference)
    return Encoded(
        page=page,
        passages=tuple(vectors),
        counts={term: weight * (windows[term] or 1) for term in page.terms},
        weight=weight * max(1, count),
    )


@lru_cache(maxsize=4096)
def _passage(
    words: str, tag_length: int, heading: str, fields: Fields
) -> tuple[Counter[int], list[int], SparseVector]:
    """A passage's term counts, its tag's terms, and its vector. Kept, since sub-command pages repeat themselves."""
    counts = counted(words)
    tag = numbers(WORD.findall(words[:tag_length])) if tag_length else []
    named = numbers(WORD.findall(telling(heading)))
    return counts, tag, _bm25f(((counts, fields.body), (tag, fields.tag), (named, fields.heading)))


def name_terms(names: Iterable[str]) -> list[int]:
    """The terms of references without their sections: `stat(2)` counts as `stat`."""
    return numbers(word for name in names for word in WORD.findall(name.partition("(")[0]))


def depth(reference: str) -> int:
    """How deep a page stands in its family of sub-commands: `git(1)` 0, `git-commit(1)` 1.

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


def _bm25f(weighed: Iterable[tuple[Counter[int] | list[int], Field]]) -> SparseVector:
    """The saturated sum over fields; terms ascending."""
    sums: dict[int, float] = {}
    for found, (boost, b, usual_length) in weighed:
        counts = found if isinstance(found, Counter) else Counter(found)
        length = counts.total()
        if not length:
            continue
        factor = boost / (1 - b + b * length / usual_length)
        for term, count in counts.items():
            sums[term] = sums.get(term, 0.0) + count * factor
    ordered = sorted(sums)
    most = (_K1 + 1) * _STEPS
    weights = [int(most * tf / (_K1 + tf) + 0.5) or 1 for tf in map(sums.__getitem__, ordered)]
    return SparseVector(ordered, [weight / _STEPS for weight in weights])


def exact(query: SparseVector) -> SparseVector:
    """A question's vector in steps of 1/128, none below one step.

    Documents' weights come in steps of 1/512. So every score below 256 is a sum of 24-bit numbers, which a
    32-bit float holds exactly: equal documents score the same whatever order the engine adds in, wherever they are.
    """
    steps = [int(weight * _QUERY_STEPS + 0.5) or 1 for weight in query.weights]
    return SparseVector(query.terms, [step / _QUERY_STEPS for step in steps])
