"""The sentences and entries of manual pages as units, for questions that ask for a fact."""

import re
from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import islice

from vademecum.answering.blocks import lead_of, units_of
from vademecum.answering.extract import BOILERPLATE, entry_step, one_line
from vademecum.ask.running_text.nearness import nearness
from vademecum.command_lines.options import forms_of
from vademecum.core.evidence import DraftStatement, Evidence, ScoredPassage, Span, Unit
from vademecum.core.passages import SECTION
from vademecum.index.reader.evidence import heading_span
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.leading import DEFINITION, DIFFERENCE, FORMAT, OPTION
from vademecum.retrieval.documents.statement_ranking import is_asked, ranked_page_units
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.features import written_as_it_is
from vademecum.retrieval.units.ranking import ranked_units
from vademecum.text.sentences import TORN, fold, sentences, trimmed

_MOST_PASSAGES = 32
"""The maximum number of passages of a page; those that share the most terms with the question are used."""

_LAG_OF_WORDS = 3.0
"""The difference in score between the page's best passage and one that shares no term with the question."""

_LONGEST_TAG = 120
_MOST_OF_ENTRY = 6
"""The number of sentences of an entry that are considered."""

_MOST_OF_ASKED, _ASKED_SCORE = 2, 100.0
"""The number of sentences of an entry named by its tag that come first, and their score, which is above all others."""

_MOST_OPTIONS, _SHARE_OF_OPTION = 2, 0.6
"""The maximum number of options, and the minimum score of the second one as a share of the first one's."""

_MOST_OFFERED_OPTIONS = 12
"""The number of options that a model can choose from."""

_MOST = 3
_SHORTEST = 20
_TORN = 1.0
_NEAR = 2.5
"""The maximum number of statements, the minimum length of one in characters, the penalty for a statement that depends on
the sentence before it, and the maximum difference in score from the first."""

_ASKS_FIELDS = re.compile(
    r"\b(?:fields?|columns?|format|entry|entries|layout|lines?|syntax)\b", re.IGNORECASE
)
_FIELD = re.compile(r"\b(?:fields?|columns?)\b", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*(?:[•*·o-]|\(?\d{1,2}[.)])[ \t]+(\S.*)$", re.MULTILINE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_LEAST_FIELDS, _MOST_FIELDS = 3, 9
_BEFORE_LIST = 300
"""The patterns of a list of fields, the limits of its length, and the maximum distance in code points of the announcement."""

_NO_STATEMENTS = frozenset(
    {"NAME", "SYNOPSIS", "SEE ALSO", "COPYRIGHT", "AUTHOR", "AUTHORS", "REPORTING BUGS", "COLOPHON"}
)


def stated(
    question: Question, index: Index, evidence: Sequence[Evidence], lags: Sequence[float], lead: str
) -> list[DraftStatement]:
    """Return the sentences and entries that answer a question, best first.

    Args:
        index: The index that contains the pages.
        lags: For each page, the difference between the first page's score and its own, 0 or more.
        lead: The kind of answer that the question asks for, one of `leading.LEADS`.
    """
    if lead == DIFFERENCE and (sides := _sides(question, evidence)):
        return sides
    if lead != DIFFERENCE and _is_named(question, evidence[0]):
        evidence, lags = evidence[:1], lags[:1]
    named = next((at for at, document in enumerate(evidence) if _is_named(question, document)), 0)
    if lead == OPTION and (options := _options(named, evidence[named])):
        return options
    if lead == FORMAT and (fields := _fields(question.text, evidence[0])):
        return fields
    likeness, near = Likeness(question, index), nearness(question)
    written = written_as_it_is(question.text)
    units = page_units(evidence, lags, written)
    if lead in {DEFINITION, DIFFERENCE}:  # said as in any other text
        ranked = [
            (ranked_unit.unit, ranked_unit.score)
            for ranked_unit in ranked_units(question, likeness, units, near)
        ]
    else:
        ranked = ranked_page_units(question, likeness, units, near)
    asked = [
        unit
        for unit in units
        if unit.evidence == 0 and unit.head and is_asked(_tag(unit), unit.heading, written)
    ]
    if asked:  # what the question names by its tag comes first, as the page has it
        first = asked[: _MOST_OF_ASKED if lead != DIFFERENCE else None]
        ranked = [
            *((unit, _ASKED_SCORE) for unit in first),
            *(pair for pair in ranked if pair[0] not in first),
        ]
    return _statements(ranked, of_one_page=lead != DIFFERENCE)


def offered(
    question: Question, index: Index, evidence: Sequence[Evidence], lags: Sequence[float]
) -> Iterator[DraftStatement]:
    """Yield statements for a model to choose from: the likeliest options, then sentences and entries, best first.

    Args:
        index: The index that contains the pages.
        lags: As for `stated`.
    """
    options = nlargest(
        _MOST_OFFERED_OPTIONS,
        (
            (passage.score, -at, -passage.start, entry_step(at, document, passage))
            for at, document in enumerate(evidence)
            for passage in _typed(document)
        ),
        key=lambda option: option[:3],
    )
    yield from (statement for *_, statement in options)
    units = page_units(evidence, [max(0.0, lag) for lag in lags], written_as_it_is(question.text))
    for unit, _ in ranked_page_units(question, Likeness(question, index), units, nearness(question)):
        if _says_something(unit):
            yield _of_unit(unit)


def _of_unit(unit: Unit) -> DraftStatement:
    spans = ([unit.head] if unit.head else []) + [(unit.start, unit.end)]
    return DraftStatement(
        unit.text, "", tuple(Span(unit.evidence, start, end, unit.anchor) for start, end in spans)
    )


def _tag(unit: Unit) -> str:
    return unit.text.partition(": ")[0]


def _is_named(question: Question, document: Evidence) -> bool:
    """Return whether a question names a page: as a reference, a file, or a word."""
    name = document.reference.partition("(")[0].lower()
    return document.reference in question.references or name in question.text.lower().split()


def _fields(question: str, document: Evidence) -> list[DraftStatement]:
    """Return the fields of a file in the order of its page; a field that is asked for by its number comes first."""
    if not _ASKS_FIELDS.search(question):
        return []
    fields = _listed(document) or _described(document)
    asked = _ORDINAL.search(question)
    number = _ORDINALS.index(asked[0].lower()) if asked else len(fields)
    return [*fields[number : number + 1], *fields[:number], *fields[number + 1 :]][:_MOST_FIELDS]


def _options(position: int, document: Evidence) -> list[DraftStatement]:
    """Return the options of a command that do what is asked, likeliest first."""
    best = nlargest(_MOST_OPTIONS, _typed(document), key=lambda passage: (passage.score, -passage.start))
    return [
        _cited(document, passage.anchor, [(passage.start, passage.tag_end), sentence], position)
        for passage in best
        if passage.score >= _SHARE_OF_OPTION * best[0].score
        and (sentence := next(sentences(document.text, passage.tag_end, passage.end), None))
    ]


def _typed(document: Evidence) -> Iterator[ScoredPassage]:
    """Yield the entries of a page that declare something to type."""
    for passage in document.passages:
        if passage.kind != SECTION and forms_of(document.text[passage.start : passage.tag_end]):
            yield passage


def _listed(document: Evidence) -> list[DraftStatement]:
    """Return the items of a list of fields."""
    for passage in document.passages:
        items = [match.span(1) for match in _ITEM.finditer(document.text, passage.start, passage.end)]
        if passage.kind == SECTION and len(items) >= _LEAST_FIELDS:
            before = document.text[max(passage.start, items[0][0] - _BEFORE_LIST) : items[0][0]]
            if _FIELD.search(before):
                return [_cited(document, passage.anchor, [span]) for span in items]
    return []


def _described(document: Evidence) -> list[DraftStatement]:
    """Return the first sentence about each field: under its own heading, or in its entry of the description."""
    by_heading = [
        passage
        for passage in document.passages
        if passage.kind == SECTION and _FIELD.search(passage.heading.rpartition(" > ")[2])
    ]
    entries = [
        passage
        for passage in document.passages
        if passage.kind != SECTION
        and passage.heading.upper() == "DESCRIPTION"
        and document.text[passage.start : passage.start + 1] not in {"-", "/"}
    ]
    if len(by_heading) >= _LEAST_FIELDS:
        tagged = [
            (passage, [span] if (span := heading_span(document, passage)) else []) for passage in by_heading
        ]
    elif len(entries) >= _LEAST_FIELDS and _FIELD.search(
        document.text, max(0, entries[0].start - _BEFORE_LIST), entries[0].start
    ):
        tagged = [(passage, [(passage.start, passage.tag_end)]) for passage in entries]
    else:
        return []
    return [
        _cited(document, passage.anchor, [*tag, sentence])
        for passage, tag in tagged
        if (sentence := next(sentences(document.text, passage.tag_end, passage.end), None))
    ]


def _cited(
    document: Evidence, anchor: str, spans: Sequence[tuple[int, int]], position: int = 0
) -> DraftStatement:
    """Return a statement that cites a page: by default the first one of the cited documents."""
    words = ": ".join(fold(document.text[start:end]) for start, end in spans)
    return DraftStatement(words, "", tuple(Span(position, start, end, anchor) for start, end in spans))


def _sides(question: Question, evidence: Sequence[Evidence]) -> list[DraftStatement]:
    """Return the summary line of each of the two pages that the question compares; nothing if it does not name two."""
    words = set(re.findall(r"[\w.+-]+", question.text.lower()))
    lines = [
        line
        for at, document in enumerate(evidence)
        if document.reference.partition("(")[0].lower() in words and (line := one_line(at, document))
    ]
    return lines if len(lines) > 1 else []


def page_units(
    evidence: Sequence[Evidence], lags: Sequence[float], written: frozenset[str] = frozenset()
) -> list[Unit]:
    """Return the units of pages that share the most terms with the question.

    Args:
        lags: For each page, the difference between the first page's score and its own, 0 or more.
        written: The words of the question that may be tags, from `written_as_it_is`.
    """
    found: list[Unit] = []
    for position, (document, behind) in enumerate(zip(evidence, lags, strict=True)):
        passages = [
            passage
            for passage in document.passages
            if passage.heading.upper().partition(" > ")[0] not in _NO_STATEMENTS
        ]
        first = next(
            (
                one
                for one in passages
                if one.kind == SECTION and one.heading.upper().startswith("DESCRIPTION")
            ),
            None,
        )
        best = nlargest(
            _MOST_PASSAGES,
            passages,
            key=lambda one: (
                is_asked(document.text[one.start : one.tag_end], one.heading, written),
                one.coverage,
                one is first,
                one.score,
                -one.start,
            ),
        )
        most = max((one.coverage for one in best), default=0.0) or 1.0
        for rank, passage in enumerate(best):
            lag = behind + _LAG_OF_WORDS * (1 - passage.coverage / most)
            if passage.kind == SECTION:
                for start, end in _without_entries(passage, document.passages):
                    units = units_of(position, document, passage._replace(start=start, end=end), rank, lag)
                    found += [lead_of(unit) for unit in units if unit.lead]
            else:
                found += _of_entry(position, document, passage, rank, lag)
    return found


def _says_something(unit: Unit) -> bool:
    """Return whether a unit is an entry or a complete sentence that is not about the page itself."""
    if unit.head:
        return True
    is_whole = unit.text.endswith((".", "!", ")")) or ":\n" in unit.text
    return is_whole and len(unit.text) >= _SHORTEST and not BOILERPLATE.match(unit.text)


def _without_entries(section: ScoredPassage, passages: Sequence[ScoredPassage]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a section that are outside of its entries."""
    start = section.start
    for entry in passages:
        if entry.kind != SECTION and entry.start < section.end and entry.end > start:
            if entry.start > start:
                yield start, entry.start
            start = max(start, entry.end)
    if start < section.end:
        yield start, section.end


def _of_entry(
    position: int, document: Evidence, entry: ScoredPassage, rank: int, lag: float
) -> Iterator[Unit]:
    """Yield the sentences of an entry, each with its tag; the tag alone if the entry has no text."""
    text = document.text
    tag = (entry.start, min(entry.tag_end, entry.start + _LONGEST_TAG))
    heading = " > ".join(filter(None, (document.title, entry.heading)))
    named = fold(text[slice(*tag)])
    nested = [
        passage.start
        for passage in document.passages
        if passage.kind != SECTION and entry.start < passage.start < entry.end
    ]
    end = min([entry.end, *nested])
    said = ""
    for number, (first, last) in enumerate(islice(sentences(text, entry.tag_end, end), _MOST_OF_ENTRY)):
        sentence = fold(text[first:last])
        if sentence:
            yield Unit(
                position, first, last, entry.anchor, f"{named}: {sentence}", said, heading, tag, number, rank, lag,
                kind="entry",
            )  # fmt: skip
            said = sentence
    if not said and named:
        yield Unit(position, *trimmed(text, *tag), entry.anchor, named, "", heading, None, 0, rank, lag)


def _statements(ranked: Sequence[tuple[Unit, float]], *, of_one_page: bool) -> list[DraftStatement]:
    """Return the best units as statements.

    Sentences about the page itself are omitted. Statements that depend on the sentence before them come last.

    Args:
        ranked: Units with their scores, best first.
        of_one_page: Whether all statements must be from the page of the first.
    """
    telling = [
        (score - (_TORN if unit.head is None and TORN.match(unit.text) else 0.0), unit)
        for unit, score in ranked
        if _says_something(unit)
    ]
    telling.sort(key=lambda pair: -pair[0])
    chosen: dict[str, Unit] = {}
    for score, unit in telling:
        if len(chosen) == _MOST or score < telling[0][0] - _NEAR:
            break
        if not of_one_page or unit.evidence == telling[0][1].evidence:
            chosen.setdefault(unit.text, unit)
    return [_of_unit(unit) for unit in chosen.values()]
