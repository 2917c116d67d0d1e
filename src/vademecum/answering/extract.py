"""Compose an answer in the words of a document: its summary line, the matching sentences, and what to type."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from operator import attrgetter

from vademecum.core.evidence import Draft, DraftStatement, Evidence, ScoredPassage, Span
from vademecum.core.passages import SECTION
from vademecum.text.patterns import Pattern
from vademecum.text.sentences import TORN, cut, fold, sentences, trimmed

Relevance = Callable[[str], float]
"""Scores a text for the question: 0 or more, higher is better."""

_MOST_STEPS = 7
_MOST_SENTENCES = 2
_OPENING = 1.6
_OPENING_SENTENCES = 3
"""The factor for the first sentences of a description, which say what the thing does."""

BOILERPLATE = Pattern(
    r"(?:this|the) (?:manual |man ?|reference )?page (?:documents|describes|is)|(?:see|refer to) |for (?:more|further) (?:details|information)"
)
"""Patterns of sentences about the page instead of its subject."""

_TORN_SHARE = 0.6
"""The factor for sentences that depend on the one before."""

_SHARE_OF_BEST = 0.25
_SHARE_OF_BEST_SENTENCE = 0.45
"""The minimum score of a displayed entry or sentence, as a share of the best score."""

_COMPARED = 16
"""How many sentences, best by words, are also scored by embedding. Both scores have the same weight."""

_LONGEST_SENTENCE = 420
_LONGEST_STEP = 320
_LONGEST_USAGE = 240
_LONGEST_INTRODUCED = 260
_BREAKS_OFF = Pattern(
    r"(?:[:,]|\b(?:the|these|this|following) (?:command|line|example|form|call)s?)\Z", flags=0
)
_EXAMPLES = Pattern(r"\bexamples?\b")
_COMMAND_LINE = Pattern(r"(?:[$#%>]\s+)?(\S.*)", flags=0)


def extract(evidence: Sequence[Evidence], relevance: Relevance, likeness: Relevance) -> Draft:
    """Draft an answer from the first of the chosen documents: its summary line, the matching sentences, and what to type.

    Every statement consists of the words of its span.
    """
    if not evidence:
        return Draft((), ())
    line = one_line(0, evidence[0])
    first = [line] if line else []
    summary = [*first, *_sentences(0, evidence[0], relevance, likeness, first)]
    return Draft(tuple(summary), tuple(_steps(0, evidence[0], relevance)))


def one_line(position: int, document: Evidence) -> DraftStatement | None:
    """Return the one-line description of a document: its NAME line, or its summary if it is in the text."""
    for passage in document.passages:
        if passage.kind == SECTION and passage.heading.upper() == "NAME":
            end = cut(document.text, passage.start, passage.end, _LONGEST_STEP)
            return _statement(position, document, passage.start, end, "NAME")
    start = document.text.find(document.summary) if document.summary else -1
    return _statement(position, document, start, start + len(document.summary), "") if start >= 0 else None


def _sentences(
    position: int,
    document: Evidence,
    relevance: Relevance,
    likeness: Relevance,
    before: Sequence[DraftStatement],
) -> list[DraftStatement]:
    """Return the best sentences of running text, in reading order.

    Sentences of entries are omitted, because they are not clear without their tags; `steps` contains them.
    """
    in_entry = _inside(
        [(passage.start, passage.end) for passage in document.passages if passage.kind != SECTION]
    )
    said = {statement.text for statement in before}
    sections = [
        passage
        for passage in document.passages
        if passage.kind == SECTION and not _is_listing(passage.heading)
    ]
    sections.sort(key=lambda one: (-one.score, one.start))
    if not sections:
        return []
    opening = min(
        (one for one in sections if one.heading.upper().startswith("DESCRIPTION")),
        key=attrgetter("start"),
        default=None,
    )
    found = []
    for section in dict.fromkeys((*sections[:4], *([opening] if opening else []))):
        for place, (start, end) in enumerate(_running_text(document.text, section.start, section.end)):
            text = document.text[start:end]
            is_prose = end - start >= 25 and " " in text and not BOILERPLATE.match(text)
            if is_prose and text not in said and not in_entry(start):
                fit = relevance(text) / (1 + (end - start) / 600)
                fit *= _OPENING if section is opening and place < _OPENING_SENTENCES else 1.0
                fit *= _TORN_SHARE if TORN.match(text) else 1.0
                found.append((fit, -start, end, section.anchor))
    found.sort(reverse=True)
    most = found[0][0] if found and found[0][0] > 0 else 1.0
    found = [
        (fit / most + max(0.0, likeness(document.text[-start:end])), start, end, anchor)
        for fit, start, end, anchor in found[:_COMPARED]
    ]
    found.sort(reverse=True)
    least = _SHARE_OF_BEST_SENTENCE * found[0][0] if found else 0.0
    best = [one for one in found[:_MOST_SENTENCES] if one[0] > 0 and one[0] >= least]
    return [
        _statement(position, document, -start, cut(document.text, -start, end, _LONGEST_SENTENCE), anchor)
        for _, start, end, anchor in sorted(best, key=lambda one: -one[1])
    ]


def _inside(spans: Sequence[tuple[int, int]]) -> Callable[[int], bool]:
    """Return whether an offset is in one of these spans, which are sorted by start and may overlap."""
    starts = [start for start, _ in spans]
    furthest = list(accumulate((end for _, end in spans), max))

    def inside(place: int) -> bool:
        last = bisect_right(starts, place) - 1
        return last >= 0 and place < furthest[last]

    return inside


def _is_listing(heading: str) -> bool:
    return heading.upper().partition(" > ")[0] in {
        "NAME",
        "SYNOPSIS",
        "SEE ALSO",
        "COPYRIGHT",
        "AUTHOR",
        "AUTHORS",
    }


def _steps(position: int, document: Evidence, relevance: Relevance) -> list[DraftStatement]:
    usage = _usage(position, document, relevance)
    entries = sorted(
        (passage for passage in document.passages if passage.kind != SECTION),
        key=lambda one: (-one.score, one.start),
    )
    best = entries[0].score if entries else 0.0
    chosen = [
        entry for entry in entries[:_MOST_STEPS] if entry.score > 0 and entry.score >= _SHARE_OF_BEST * best
    ]
    chosen = _without_nested(chosen)
    example = _example(position, document, relevance)
    steps = [usage] if usage else []
    steps += [entry_step(position, document, one) for one in chosen[: _MOST_STEPS - 2]]
    return [*steps, example] if example else steps


def _without_nested(entries: list[ScoredPassage]) -> list[ScoredPassage]:
    """Remove entries that are inside a better one, or contain one."""
    kept: list[ScoredPassage] = []
    for entry in entries:
        if not any(entry.start < other.end and other.start < entry.end for other in kept):
            kept.append(entry)
    return kept


def entry_step(position: int, document: Evidence, entry: ScoredPassage) -> DraftStatement:
    """Make a step from an option or entry: its tag is the command, and its text the description."""
    text = document.text
    body = entry.tag_end
    while body < entry.end and text[body].isspace():
        body += 1
    end = cut(text, body, entry.end, _LONGEST_STEP) if body < entry.end else entry.tag_end
    span = Span(position, entry.start, end, entry.anchor)
    return DraftStatement(fold(text[body:end]), fold(text[entry.start : entry.tag_end]), (span,))


def _usage(position: int, document: Evidence, relevance: Relevance) -> DraftStatement | None:
    """Return the best line of the SYNOPSIS; the first if no line is better than the others."""
    for passage in document.passages:
        if passage.kind == SECTION and passage.heading.upper().partition(" > ")[0] == "SYNOPSIS":
            lines = list(_lines(document.text, passage.start, passage.end))
            name = document.reference.partition("(")[0]
            naming = [line for line in lines if _names(document.text[line[0] : line[1]], name)] or lines
            start, _ = max(naming, key=lambda line: relevance(document.text[line[0] : line[1]]))
            header = [
                line for line in lines if line[0] < start and document.text.startswith("#include", line[0])
            ][-1:]
            end = _continued(document.text, name, start, lines)
            spans = [Span(position, first, last, passage.anchor) for first, last in [*header, (start, end)]]
            words = " ".join(fold(document.text[span.start : span.end]) for span in spans)
            return DraftStatement("", words, tuple(spans))
    return None


def _continued(text: str, name: str, start: int, lines: Sequence[tuple[int, int]]) -> int:
    """Return the end of the usage that begins at `start`: the `;` of a prototype, or the start of the next usage."""
    end = start
    for line_start, line_end in lines:
        if line_start < start:
            continue
        if line_start > start and (text.startswith((name, "#"), line_start) or text[end - 1] == ";"):
            break
        if line_end - start > _LONGEST_USAGE:
            break
        end = line_end
    return end if end > start else cut(text, start, max(end for _, end in lines), _LONGEST_USAGE)


def _names(line: str, name: str) -> bool:
    """Return whether a SYNOPSIS line shows the usage of a name, and not only its header file."""
    return name in line and not line.startswith("#")


def _example(position: int, document: Evidence, relevance: Relevance) -> DraftStatement | None:
    """Return the best example line, if one matches."""
    name = re.split(r"[-_ (]", document.reference, maxsplit=1)[0]
    found = []
    for passage in document.passages:
        if passage.kind == SECTION and _EXAMPLES.search(passage.heading):
            for start, end in _lines(document.text, passage.start, passage.end):
                line = document.text[start:end]
                match = _COMMAND_LINE.match(line)
                if match and end - start <= 160 and match[1].startswith(name):
                    found.append((relevance(line), -start, end, passage.anchor))
    if not found or max(found)[0] <= 0:
        return None
    _, start, end, anchor = max(found)
    return DraftStatement("", fold(document.text[-start:end]), (Span(position, -start, end, anchor),))


def _statement(position: int, document: Evidence, start: int, end: int, anchor: str) -> DraftStatement:
    return DraftStatement(fold(document.text[start:end]), "", (Span(position, start, end, anchor),))


def _running_text(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return the sentences of a range. A sentence that introduces something is joined with it, if that is short."""
    pieces = list(sentences(text, start, end))
    taken_in = False
    for (first, last), (_, following) in zip(pieces, [*pieces[1:], (end, end)], strict=True):
        if taken_in:
            taken_in = False
            continue
        taken_in = following - first <= _LONGEST_INTRODUCED and bool(_BREAKS_OFF.search(text, first, last))
        yield first, following if taken_in else last


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for line in text[start:end].split("\n"):
        if line.strip():
            yield trimmed(text, first, first + len(line))
        first += len(line) + 1
