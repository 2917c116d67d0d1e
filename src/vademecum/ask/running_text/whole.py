"""Questions about documents as a whole: which ones there are, all values of a kind in them, or the outline of one.

They are recognized by their form, and answered from places in the documents instead of a ranking.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from vademecum.answering.blocks import lead_of, units_of
from vademecum.answering.quote import statements_of
from vademecum.core.candidates import DocumentId
from vademecum.core.evidence import Draft, DraftStatement, Evidence, Span, Unit
from vademecum.core.passages import SECTION
from vademecum.index.reader.index import Index
from vademecum.retrieval.question.wanted import QUANTITIES
from vademecum.text.patterns import Pattern
from vademecum.text.small_talk import without_courtesies
from vademecum.text.words import terms

MOST = 12
"""The maximum number of statements in such an answer."""

CHANCES = {"documents": 0.9, "values": 0.8, "outline": 0.8}
"""The confidence that such an answer is what was asked for, by kind."""

_MOST_PASSAGES = 5000
"""The size of a collection, in passages, up to which it is read as a whole: for all values of a kind, or a subject."""

_MOST_OF_DOCUMENT = 40
_MOST_ALIKE = 3
"""The number of documents with equally fitting names from which on no one of them is meant."""

_TITLE = 5
"""The maximum number of words of a title, which says nothing alone."""

_OPENING = (
    r"^(?:(?:ok(?:ay)?|so|and|now|please|can you|could you|i want(?: you)? to|i'd like(?: you)? to)\W+)*"
)
Kind = Literal["documents", "values", "outline"]

_OF = r"(?: (?:for|about|on|of|in|from) (?P<subject>.+))?"
_ALLOWED = (
    "do|does|are|is|can|could|have|has|got|you|your|i|we|there|here|in|it|this|that|the|my|our|me|us|actually|available|loaded|indexed|stored|search|"
    "ask|know|cover|covered|use|read|answer|help|with|about|from|collection|library|system"
)
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "documents",
        Pattern(
            rf"{_OPENING}(?:what|which)(?: \w+){{0,3}}? (?:documents?|docs|files?|sources?|pages?|guides?|manuals?|topics?|subjects?|things)"
            rf"(?= .*\b(?:you|your|here|there|available|ask|cover|covered|loaded|indexed)\b)(?: (?:{_ALLOWED}))*?{_OF}"
        ),
    ),
    (
        "documents",
        Pattern(
            rf"{_OPENING}(?:list|show(?: me)?|name) (?:(?:all|the|your|my|of) )+(?:documents|docs|sources|manuals|topics)(?: (?:{_ALLOWED}))*"
        ),
    ),
    (
        "documents",
        Pattern(
            rf"{_OPENING}what(?:'s| is| are|s)? (?:(?:this|it|that|these|all this) (?:all )?about|in (?:here|this|your \w+)"
            r"|(?:this|these)(?: all)? (?:collection|library|book|documents?|files?)(?: (?:all )?about)?)(?: (?:collection|library|book|documents?|files?))?"
        ),
    ),
    (
        "documents",
        Pattern(
            rf"{_OPENING}what (?:can|could|should) (?:i|we) (?:ask|search)(?: you| here)?(?: (?:for|about))?{_OF}"
        ),
    ),
    (
        "documents",
        Pattern(
            rf"{_OPENING}what (?:can you (?:answer|tell me|help(?: me)? with)(?: about)?(?: here)?|do you know(?: about)?)"
        ),
    ),
    (
        "outline",
        Pattern(
            rf"{_OPENING}(?:summari[sz]e|sum up|outline|(?:(?:give|show|write)(?: me| us)? )?(?:an? |the )?(?:short |quick |brief )?(?:summary|overview|outline) of"
            r"|tl;?dr(?: of)?|what are the (?:main|key|most important) (?:points|rules|ideas|parts) (?:of|in|about))\b(?P<subject>.*)"
        ),
    ),
    (
        "values",
        Pattern(
            rf"{_OPENING}(?=(?:list|collect|what|which)\b|.*\b(?:all|every|each|list of)\b)(?:(?:list|show|give|get|find|tell|name|collect)(?: me| us)?(?: a)? (?:list of )?(?:(?:all|every|each|the|of|your|our) )*"
            rf"|(?:what|which) are (?:all|every)(?: of)?(?: the| your| our)? )(?P<kind>[\w-]+(?: [\w-]+)?)(?: (?:you have|there are|you know))?{_OF}"
        ),
    ),
)
"""The forms of these questions, each with the kind that it asks for."""

_MONTH = "(?:jan|febr)(?:uary)?|march|april|may|june|july|august|(?:sept|octo|novem|decem)(?:ber)?"
_STATED = {name: QUANTITIES[name].stated for name in ("mail", "money")} | {
    "phone": Pattern(
        r"(?<![\w./-])(?!\d{4}-\d\d-\d\d)(?=(?:[+ /()-]*\d){7})(?=\+|\(?0|\(?\d+\)?[ /-]\d)\+?\(?\d[\d /()-]{5,}\d\b|\bext(?:ension)?\.?\s?\d+"
    ),
    "date": Pattern(
        rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.?(?: of)? (?:{_MONTH})\b|\b(?:{_MONTH}) \d|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2}}"
    ),
}
"""The values that can be listed: those whose form says what they are."""

_GENERIC = frozenset(
    terms(
        "document documents file files page policy rule rules section chapter book manual handbook guide information everything collection library all whole content contents"
    )
)
"""Words that name a document without saying which."""


class Whole(NamedTuple):
    """A question about documents as a whole.

    Attributes:
        subject: The terms that a document, or a value's place, must have.
        stated: The pattern of the values.
        total: How many documents there are of a list.
    """

    kind: Kind
    subject: frozenset[str]
    stated: re.Pattern[str] | None = None
    total: int = 0


def whole_asked(question: str) -> Whole | None:
    """Return what a question asks of documents as a whole, or None.

    >>> whole_asked("What documents do you have?").kind, whole_asked("List all phone numbers.").kind
    ('documents', 'values')
    >>> whole_asked("What documents do I need for a visa?")
    """
    for part in re.split(r"[?!]\s+|\.\s+", without_courtesies(question)):
        text = " ".join(part.lower().replace("’", "'").strip(" ?.!").split())
        for kind, form in _FORMS:
            if not (found := form.fullmatch(text)):
                continue
            named = found.groupdict()
            said = frozenset(terms(named.get("subject") or ""))
            if kind == "values":
                if stated := _stated(named["kind"]):
                    return Whole(kind, said - _GENERIC, stated)
            elif kind == "documents" or said:
                return Whole(kind if said - _GENERIC else "documents", said - _GENERIC)
    return None


def _stated(kind: str) -> re.Pattern[str] | None:
    """Return the pattern of the values that words name, such as `phone numbers`; None for other things."""
    asked = set(terms(kind))
    fitting = (stated for name, stated in _STATED.items() if asked and asked <= QUANTITIES[name].asked)
    return next(fitting, None)


def places_of(asked: Whole, index: Index) -> tuple[Whole, list[tuple[DocumentId, int]]]:
    """Return the passages to answer from, best first, and the question with its total; empty if these documents do not have what is asked for."""
    is_list = asked.kind == "documents" and not asked.subject
    if not is_list and sum(segment.info.passages for segment in index.segments) > _MOST_PASSAGES:
        return asked, []
    if asked.kind == "documents":
        places = list(islice(_first_passages(asked, index), None if asked.subject else MOST))
        total = len(places) if asked.subject else sum(1 for _ in index.places())
        return asked._replace(total=total), places[:MOST]
    if asked.kind == "outline":
        return asked, _of_subject(asked, index)
    found = _passages(index)
    return asked, [
        (place, number) for place, number, text in found if asked.stated and asked.stated.search(text)
    ]


def draft_of(asked: Whole, evidence: Sequence[Evidence]) -> tuple[Draft, int]:
    """Compose the answer. Also return the number of statements that are left out."""
    if asked.kind == "values":
        units = [unit for at in range(len(evidence)) for unit in _stating(asked, at, evidence[at])]
        said = list(statements_of(units, evidence))
    else:
        leads = [list(_leads(asked, at, document)) for at, document in enumerate(evidence)]
        if asked.kind == "documents":
            leads = [sorted(of_document, key=_is_title)[:1] for of_document in leads]
        chosen = [lead for of_document in leads for lead in of_document]
        said = [_headed(unit, heading, evidence) for unit, heading in chosen]
    return Draft(tuple(said[:MOST]), ()), max(0, len(said) - MOST)


def _passages(index: Index) -> Iterator[tuple[DocumentId, int, str]]:
    """Yield all sections, with their text."""
    for place in index.places():
        flat = index.segments[place.segment].flat
        record = flat.document(place.document)
        for number in range(record.first_passage, record.first_passage + record.passages):
            passage = flat.passage(number)
            if passage.kind == SECTION:
                yield place, number, flat.words(record, passage)


def _first_passages(asked: Whole, index: Index) -> Iterator[tuple[DocumentId, int]]:
    """Yield the first section of each document that is about the subject, if there is one."""
    last = None
    for place, number, text in _passages(index):
        if place == last:
            continue
        last = place
        segment = index.segments[place.segment]
        strings = segment.flat.strings(segment.flat.document(place.document))
        names = f"{segment.info.alias} {strings.reference} {strings.title} {text}"
        if not asked.subject or not asked.subject.isdisjoint(terms(re.sub(r"[-_./]", " ", names))):
            yield place, number


def _of_subject(asked: Whole, index: Index) -> list[tuple[DocumentId, int]]:
    """Return the passages of the document, or of the section, whose name has all words of the subject and the fewest others."""
    found: dict[tuple[float, DocumentId], list[int]] = {}
    for place, number, _ in _passages(index):
        flat = index.segments[place.segment].flat
        strings = flat.strings(flat.document(place.document))
        headings = re.split(" > |; ", flat.label(flat.passage(number).heading))
        for name in {strings.title, strings.reference, *headings}:
            if fit := _fit(asked.subject, name):
                found.setdefault((fit, place), []).append(number)
    fits = [fit for fit, _ in found]
    if not found or fits.count(max(fits)) > _MOST_ALIKE:
        return []
    best = max(found, key=lambda key: (key[0], len(found[key])))
    return [(best[1], number) for number in dict.fromkeys(found[best])][:_MOST_OF_DOCUMENT]


def _fit(subject: frozenset[str], name: str) -> float:
    """Return the share (0-1) of the words of a name that a subject has, if the name has all of the subject."""
    words = set(terms(re.sub(r"[-_./]", " ", name))) - _GENERIC
    return len(subject) / len(words) if subject <= words else 0.0


def _stating(asked: Whole, at: int, document: Evidence) -> Iterator[Unit]:
    """Yield the sentences, entries and rows of a document that state a value, without repetitions."""
    ends: set[int] = set()
    for passage in document.passages:
        for unit in units_of(at, document, passage, 0, 0.0):
            lead = lead_of(unit)
            sentence = lead if unit.kind not in {"row", "entry"} and len(lead.text.split()) > _TITLE else unit
            words = terms(f"{unit.heading} {sentence.text}") if asked.subject else ()
            is_of_subject = not asked.subject or not asked.subject.isdisjoint(words)
            if (
                asked.stated
                and asked.stated.search(sentence.text)
                and is_of_subject
                and sentence.end not in ends
            ):
                ends.add(sentence.end)
                yield sentence


def _leads(asked: Whole, at: int, document: Evidence) -> Iterator[tuple[Unit, tuple[int, int] | None]]:
    """Yield the first sentence under each heading, with the place of the heading; of a section, the first sentence of each paragraph."""
    is_section = asked.kind == "outline" and not max(
        _fit(asked.subject, document.title), _fit(asked.subject, document.reference)
    )
    seen: set[str] = set()
    for passage in document.passages:
        for unit in units_of(at, document, passage, 0, 0.0):
            if unit.kind == "code" or unit.depends:
                continue
            if is_section and any(_fit(asked.subject, name) for name in unit.heading.split(" > ")):
                yield lead_of(unit), None
            elif not is_section and (asked.kind == "documents" or unit.heading not in seen):
                seen.add(unit.heading)
                above = [
                    block for block in passage.blocks if block.kind == "heading" and block.end <= unit.start
                ]
                yield lead_of(unit), (above[-1].start, above[-1].end) if above else None


def _is_title(lead: tuple[Unit, tuple[int, int] | None]) -> bool:
    return lead[1] is None and len(lead[0].text.split()) <= _TITLE


def _headed(unit: Unit, heading: tuple[int, int] | None, evidence: Sequence[Evidence]) -> DraftStatement:
    """Return a sentence as a statement, after its heading."""
    (statement,) = islice(statements_of([unit._replace(introduction=None)], evidence), 1)
    if heading is None or unit.head:
        return statement
    said = evidence[unit.evidence].text[slice(*heading)]
    return statement._replace(
        text=f"{said}: {statement.text}", spans=(Span(unit.evidence, *heading, unit.anchor), *statement.spans)
    )
