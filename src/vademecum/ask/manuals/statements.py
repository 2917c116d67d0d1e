"""The sentences and entries of manual pages as units, for questions that ask for a fact."""

import re
from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import islice

from vademecum.answering.extract import BOILERPLATE, TORN, one_line
from vademecum.answering.units import units_of
from vademecum.ask.gather import heading_span
from vademecum.ask.running_text.nearness import nearness
from vademecum.core.evidence import DraftStatement, Evidence, ScoredPassage, Span, Unit
from vademecum.core.passages import SECTION
from vademecum.index.reader.index import Index
from vademecum.retrieval.command_lines.line_options import least_chance
from vademecum.retrieval.documents.leading import DEFINITION, DIFFERENCE, FORMAT, OPTION
from vademecum.retrieval.documents.statement_ranking import is_asked, ranked_page_units, written_as_it_is
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.ranking import ranked_units
from vademecum.text.sentences import fold, sentences, trimmed

_MOST_PASSAGES = 32
"""Of a page, those that share most with the question."""

_LAG_OF_WORDS = 3.0
"""How far a passage that shares nothing with the question is behind the page's best one."""

_LONGEST_TAG = 120
_MOST_OF_ENTRY = 6
"""Sentences of an entry that are looked at."""

_MOST_OF_ASKED, _ASKED_SCORE = 2, 100.0
"""How many sentences of what is named by its tag come first, and their score, above all others."""

_MOST_OPTIONS, _SHARE_OF_OPTION = 2, 0.6
"""How many options are shown, and how likely the second must be typed compared with the first."""

_MOST = 3
_SHORTEST = 20
_TORN = 1.0
_NEAR = 2.5
"""How many statements there are at most, characters of one at least, what leaning on the one before costs, and how far others may be behind the first."""

_ASKS_FIELDS = re.compile(
    r"\b(?:fields?|columns?|format|entry|entries|layout|lines?|syntax)\b", re.IGNORECASE
)
_FIELD = re.compile(r"\b(?:fields?|columns?)\b", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*(?:[•*·o-]|\(?\d{1,2}[.)])[ \t]+(\S.*)$", re.MULTILINE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_LEAST_FIELDS, _MOST_FIELDS = 3, 9
_BEFORE_LIST = 300
"""What a list of fields looks like, how many there are in it, and how far before it they may be announced."""

_NO_STATEMENTS = frozenset(
    {"NAME", "SYNOPSIS", "SEE ALSO", "COPYRIGHT", "AUTHOR", "AUTHORS", "REPORTING BUGS", "COLOPHON"}
)


def stated(
    question: Question, index: Index, evidence: Sequence[Evidence], lags: Sequence[float], lead: str
) -> list[DraftStatement]:
    """The sentences and entries that answer a question, best first.

    Args:
        question: What is asked.
        index: Where the pages are.
        evidence: The pages.
        lags: How far the score of each page is behind the first one's, 0 or more.
        lead: What the question asks for, of `leading.LEADS`.
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


def _tag(unit: Unit) -> str:
    return unit.text.partition(": ")[0]


def _is_named(question: Question, document: Evidence) -> bool:
    """Whether a question names a page: as a reference, a file, or a word."""
    name = document.reference.partition("(")[0].lower()
    return document.reference in question.references or name in question.text.lower().split()


def _fields(question: str, document: Evidence) -> list[DraftStatement]:
    """The fields of a file in their order, as its page lists them; the one that is asked for by its number comes first."""
    if not _ASKS_FIELDS.search(question):
        return []
    fields = _listed(document) or _described(document)
    asked = _ORDINAL.search(question)
    number = _ORDINALS.index(asked[0].lower()) if asked else len(fields)
    return [*fields[number : number + 1], *fields[:number], *fields[number + 1 :]][:_MOST_FIELDS]


def _options(position: int, document: Evidence) -> list[DraftStatement]:
    """The options of a command that do what is asked, by how likely they are typed for it."""
    entries = [passage for passage in document.passages if passage.kind != SECTION and passage.typed > 0]
    least = least_chance([passage.typed for passage in entries])
    best = nlargest(_MOST_OPTIONS, entries, key=lambda passage: (passage.typed, -passage.start))
    return [
        _cited(document, passage.anchor, [(passage.start, passage.tag_end), sentence], position)
        for passage in best
        if passage.typed >= max(least, _SHARE_OF_OPTION * best[0].typed)
        and (sentence := next(sentences(document.text, passage.tag_end, passage.end), None))
    ]


def _listed(document: Evidence) -> list[DraftStatement]:
    """The items of a list that speaks of fields."""
    for passage in document.passages:
        items = [match.span(1) for match in _ITEM.finditer(document.text, passage.start, passage.end)]
        if passage.kind == SECTION and len(items) >= _LEAST_FIELDS:
            before = document.text[max(passage.start, items[0][0] - _BEFORE_LIST) : items[0][0]]
            if _FIELD.search(before):
                return [_cited(document, passage.anchor, [span]) for span in items]
    return []


def _described(document: Evidence) -> list[DraftStatement]:
    """What a page says first of each field: under a heading of its own, or as an entry of the description."""
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
    """A statement of a page, the first one unless its place among the cited ones is given."""
    words = ": ".join(fold(document.text[start:end]) for start, end in spans)
    return DraftStatement(words, "", tuple(Span(position, start, end, anchor) for start, end in spans))


def _sides(question: Question, evidence: Sequence[Evidence]) -> list[DraftStatement]:
    """The one line of each page that the question compares; none where it does not name two."""
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
    """The units of pages that share most with the question.

    Args:
        evidence: The pages.
        lags: How far the score of each page is behind the first one's, 0 or more.
        written: Words of the question that may be tags, of `written_as_it_is`.
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
                    found += units_of(position, document, passage._replace(start=start, end=end), rank, lag)
            else:
                found += _of_entry(position, document, passage, rank, lag)
    return found


def _says_something(unit: Unit) -> bool:
    """Whether a unit is an entry or a whole sentence, and not about the page itself."""
    if unit.head:
        return True
    is_whole = unit.text.endswith((".", "!", ")")) or ":\n" in unit.text
    return is_whole and len(unit.text) >= _SHORTEST and not BOILERPLATE.match(unit.text)


def _without_entries(section: ScoredPassage, passages: Sequence[ScoredPassage]) -> Iterator[tuple[int, int]]:
    """The stretches of a section that are in no entry."""
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
    """The sentences of an entry, each behind its tag; the tag alone where nothing follows it."""
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
                position, first, last, entry.anchor, f"{named}: {sentence}", said, heading, tag, number, rank, lag
            )  # fmt: skip
            said = sentence
    if not said and named:
        yield Unit(position, *trimmed(text, *tag), entry.anchor, named, "", heading, None, 0, rank, lag)


def _statements(ranked: Sequence[tuple[Unit, float]], *, of_one_page: bool) -> list[DraftStatement]:
    """The best units as statements: what is about the page itself is left out, and what leans on the sentence before comes last.

    Args:
        ranked: Units with how well they answer, best first.
        of_one_page: Whether all are to be of the page of the first.
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
    return [
        DraftStatement(
            unit.text,
            "",
            tuple(
                Span(unit.evidence, start, end, unit.anchor)
                for start, end in ([unit.head] if unit.head else []) + [(unit.start, unit.end)]
            ),
        )
        for unit in chosen.values()
    ]
