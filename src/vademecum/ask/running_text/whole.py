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
"""The confidence that such an answer is what was asked for, by kind. It is lower if the name of a document has other words, too."""

_MOST_PASSAGES = 5000
"""The size of a collection, in passages, up to which it is read as a whole: for all values of a kind, or a subject."""

_MOST_OF_DOCUMENT = 40
_MOST_ALIKE = 3
"""The number of documents with equally fitting names from which on no one of them is meant."""

_TITLE = 5
"""The maximum number of words of a title, which says nothing alone."""

Kind = Literal["documents", "values", "outline"]

_WORD = Pattern(r"[\w'-]+", flags=0)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DOCUMENTS = _words("documents docs files sources pages guides manuals topics subjects things")
_LISTING = _words("list show name give tell collect get find")
_POINTING = _words("you your here there this these it available indexed loaded stored covered trained")
_ALL = _words("all every each list")
_SMALL = (
    _DOCUMENTS
    | _LISTING
    | _POINTING
    | _ALL
    | _words(
        "what's whats which ask asked search know known have has got see cover read answer help contain contained mentioned inside sort sorts kind kinds "
        "document file book page collection collections library knowledge base database folder system archive everything please hi hello hey ok okay cheers"
    )
)
"""Words that say nothing of what the documents are about. A question of only these asks for the documents themselves."""

_ABOUT = _words("about here inside ask know have contain help")
_ASKS = _words("how where when why who does do did is are will should must")
"""The first words of questions about a thing, and not for a list or an outline."""

_BEFORE_SUBJECT = Pattern(r"\b(?:about|for|on|of|in|from)(?: (?:the|a|an|your|our|my|this|all))*$")
_OUTLINE = Pattern(
    r"\b(?:summari[sz]e|sum up|summary|outline|overview|tl;?dr|short version|(?:main|key) (?:points|ideas|rules))\b(?: of| in| about)?(?P<subject>.*)"
)
_FORM = _words("short quick brief rough write make want need give some version of")
"""Words that an outline can be asked for with."""

_AFTER = Pattern(r"(?: (?:for me|please|pls|thanks|thank you))+$")

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

_NAMES = {
    "phone": frozenset(terms("phone telephone mobile phones")),
    "mail": frozenset(terms("mail email emails e-mail")),
    "money": frozenset(terms("price cost fee charge prices")),
    "date": frozenset(terms("date deadline dates")),
}
_BESIDE_NAMES = frozenset(terms("number address contact"))
"""The words that name a value, and those that go with them (`phone numbers`)."""

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
        fit: The share (0-1) of the words of the outlined document's name that the subject has.
    """

    kind: Kind
    subject: frozenset[str]
    stated: re.Pattern[str] | None = None
    total: int = 0
    fit: float = 1.0


def whole_asked(question: str) -> Whole | None:
    """Return what a question asks of documents as a whole, or None.

    >>> whole_asked("What documents do you have?").kind, whole_asked("List all phone numbers.").kind
    ('documents', 'values')
    >>> whole_asked("What documents do I need for a visa?")
    """
    for part in re.split(r"[?!]\s+|\.\s+", without_courtesies(question)):
        text = " ".join(part.lower().replace("’", "'").strip(" ?.!").split())
        found = _outline(text) or _values(text) or _documents(text)
        if found:
            return found
    return None


def _outline(text: str) -> Whole | None:
    if not (found := _OUTLINE.search(_AFTER.sub("", text))):
        return None
    before, said = _WORD.findall(text[: found.start()]), frozenset(terms(found["subject"]))
    is_asked = all(not terms(word) or word in _SMALL | _FORM for word in before)
    if not said or not is_asked or not _ASKS.isdisjoint(before[:1]):
        return None
    return Whole("outline" if said - _GENERIC else "documents", said - _GENERIC)


def _values(text: str) -> Whole | None:
    words = _WORD.findall(text)
    if not words or words[0] in _ASKS or _ALL.isdisjoint(words):
        return None
    for kind, names in _NAMES.items():
        found = _parted(text, names | _BESIDE_NAMES)
        if found and not names.isdisjoint(terms(" ".join(found[0]))):
            return Whole("values", found[1] - _GENERIC, _STATED[kind])
    return None


def _documents(text: str) -> Whole | None:
    if not (found := _parted(text)):
        return None
    words, subject = found
    points = not _POINTING.isdisjoint(words)
    if _DOCUMENTS.isdisjoint(words):
        asks = points and words[0].startswith("what") and not _ABOUT.isdisjoint(words)
        return Whole("documents", subject) if asks and (not subject or "ask" in words) else None
    is_list = points or "ask" in words or (not subject and not _LISTING.isdisjoint(words))
    return Whole("documents", subject - _GENERIC) if is_list and words[0] not in _ASKS else None


def _parted(text: str, names: frozenset[str] = frozenset()) -> tuple[list[str], frozenset[str]] | None:
    """Return the small words and names that a text begins with, and the terms behind them; None unless these follow a preposition."""
    words: list[str] = []
    for found in _WORD.finditer(text):
        if terms(found[0]) and found[0] not in _SMALL and not names.issuperset(terms(found[0])):
            is_subject = words and _BEFORE_SUBJECT.search(text[: found.start()].rstrip())
            return (words, frozenset(terms(text[found.start() :]))) if is_subject else None
        words.append(found[0])
    return (words, frozenset()) if words else None


def places_of(asked: Whole, index: Index) -> tuple[Whole, list[tuple[DocumentId, int]]]:
    """Return the passages to answer from, best first, and the question with its total; empty if these documents do not have what is asked for."""
    is_list = asked.kind == "documents" and not asked.subject
    if not is_list and sum(segment.info.passages for segment in index.segments) > _MOST_PASSAGES:
        return asked, []
    if asked.kind == "documents":
        places = list(islice(_first_passages(asked, index), None if asked.subject else MOST))
        total = len(places) if asked.subject else sum(1 for _ in index.places())
        if is_list and total == 1:
            whole = islice(_passages(index), _MOST_OF_DOCUMENT)
            return asked._replace(kind="outline"), [(place, number) for place, number, _ in whole]
        return asked._replace(total=total), places[:MOST]
    if asked.kind == "outline":
        fit, parts = _of_subject(asked, index)
        return asked._replace(fit=fit), parts
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


def _of_subject(asked: Whole, index: Index) -> tuple[float, list[tuple[DocumentId, int]]]:
    """Return the passages of the document, or of the section, whose name has all words of the subject and the fewest others, with its fit."""
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
        return 0.0, []
    best = max(found, key=lambda key: (key[0], len(found[key])))
    return best[0], [(best[1], number) for number in dict.fromkeys(found[best])][:_MOST_OF_DOCUMENT]


def _fit(subject: frozenset[str], name: str) -> float:
    """Return the share (0-1) of the words of a name that a subject has, if the name has all of the subject."""
    words = set(terms(re.sub(r"\.\w{1,5}$|[-_./]", " ", name))) - _GENERIC
    return len(subject) / len(words) if words and subject <= words else 0.0


def _stating(asked: Whole, at: int, document: Evidence) -> Iterator[Unit]:
    """Yield the sentences, lines, entries and rows of a document that state a value, without repetitions."""
    ends: set[int] = set()
    for passage in document.passages:
        for unit in units_of(at, document, passage, 0, 0.0):
            is_text = unit.kind not in {"row", "entry"}
            part = lead_of(unit) if is_text and len(lead_of(unit).text.split()) > _TITLE else unit
            stated = asked.stated.search(part.text) if asked.stated else None
            words = terms(f"{unit.heading} {part.text}") if asked.subject else ()
            if not stated or (asked.subject and asked.subject.isdisjoint(words)):
                continue
            if is_text:
                part = _line_at(part, document.text, document.text.find(stated[0], part.start))
            if part.end not in ends:
                ends.add(part.end)
                yield part


def _line_at(unit: Unit, text: str, place: int) -> Unit:
    """Return the line of a unit at a place; a sentence is one line, and addresses or opening hours are several."""
    start = max(unit.start, text.rfind("\n", 0, place) + 1)
    end = text.find("\n", place, unit.end)
    end = unit.end if end < 0 else end
    return unit._replace(start=start, end=end, text=text[start:end], code=(), introduction=None)


def _leads(asked: Whole, at: int, document: Evidence) -> Iterator[tuple[Unit, tuple[int, int] | None]]:
    """Yield the first sentence under each heading, with the place of the heading; of a section, the first sentence of each paragraph."""
    named = max(_fit(asked.subject, document.title), _fit(asked.subject, document.reference))
    is_section = asked.kind == "outline" and asked.subject and named < asked.fit
    seen: set[str] = set()
    for passage in document.passages:
        for unit in units_of(at, document, passage, 0, 0.0):
            if unit.kind == "code" or unit.depends:
                continue
            if is_section and any(
                _fit(asked.subject, name) >= asked.fit for name in unit.heading.split(" > ")
            ):
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
