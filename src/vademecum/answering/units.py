"""Split running text into units: sentences, list items and table rows."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from vademecum.core.evidence import Evidence, ScoredPassage, Unit
from vademecum.text.patterns import Pattern
from vademecum.text.sentences import cut, sentences

_CELLS = " | "
_LONGEST = 500
_LONGEST_JOINED = 600
_LEAST_LETTERS = 3
_LONGEST_NAME = 60
_BEFORE = (-1, -1)
"""The range before the passage in which the first row of a table is searched."""
_MOST_PASSAGES = 1024
"""The number of passages whose units are cached: good passages are used twice, and questions are often repeated."""

_SMALL_WORDS = frozenset(
    """a an and are as be by can for from if in is it of on or that the this to will with you
    your""".split()  # noqa: SIM905 - one word list reads best
)
_HEADING = Pattern(r"[A-Z][^\W_]*(?:[ ,:&/-]+[^\W_]+){0,7}", flags=0)
_BULLET = Pattern(r"[•*–-] +", flags=0)
_LABEL = Pattern(
    r"(?:[•*–-] +)?(?:Note|Tip|Hint|Info|Warning|Caution|Important|Attention)\b[:.!]? +(?=[A-Z])", flags=0
)
"""A label such as "Note:", which is not part of the remark."""
_CODE = Pattern(r"[{};=<>\\$`]|\w\(|(?<!\w)--?\w|\w/\w|\A[#@]", flags=0)
_NUMBERING = Pattern(r"\d{1,3}[.)]", flags=0)
_NUMBERED = Pattern(r"(\d{1,3})[.)] ", flags=0)
_ABBREVIATION = Pattern(
    r"\b(?:No|Nr|Mr|Mrs|Ms|Dr|St|Prof|[Tt]el|[Mm]in|[Mm]ax|ca|cf|vs|resp|[A-Z])\.\Z", flags=0
)
_DEFINED = Pattern(r"[^.!?]{1,60}:", flags=0)


def units_of(evidence: int, document: Evidence, passage: ScoredPassage, rank: int, lag: float) -> list[Unit]:
    """Return the units of a passage, in reading order.

    Args:
        evidence: The index of its document.
        document: Its document.
        passage: The passage.
        rank: The rank of the passage, from 0.
        lag: The difference between the best passage's score and its own.
    """
    text = document.text
    heading = passage.heading
    headings = frozenset(part for name in heading.split(" > ") for part in (name, *name.split("; ")))
    if not heading.startswith(document.title):
        heading = f"{document.title} > {heading}" if heading else document.title
    found: list[Unit] = []
    lists = _Lists()
    before, paragraph = "", -1
    for start, end, head in _stretches_at(text, passage.start, passage.end, headings):
        said = as_pairs(text[head[0] : head[1]], text[start:end]) if head else text[start:end]
        if not said:  # a row of empty cells
            continue
        line = text.rfind("\n", 0, start)
        introduction, number = None, 0
        if line != paragraph:
            introduction, number = lists.item(text[line + 1 : start], said)
            before = before if before.endswith(":") or not introduction else text[slice(*introduction)]
            before = before if before.endswith(":") else ""
        unit = Unit(
            evidence, start, end, passage.anchor, said, before, heading, head, len(found), rank, lag,
            introduction, number,
        )  # fmt: skip
        found.append(unit)
        lists.add(unit)
        before, paragraph = said, line
    return found


def worded(unit: Unit) -> str:
    """Return the text that a unit is embedded as: the title, the heading above it, and its own text.

    A sentence alone often lacks its subject.
    """
    title, _, path = unit.heading.partition(" > ")
    last = path.rpartition(" > ")[2]
    return f"{title}: {last}. {unit.text}" if last else f"{title}. {unit.text}"


class _Lists:
    """The open lists. The text contains their markers, but not their nesting."""

    def __init__(self) -> None:
        self._last: Unit | None = None
        self._gap = 0
        """Count lines since the last bullet."""
        self._bulleted: tuple[int, int] | None = None
        self._numbered: tuple[int, int] | None = None
        self._number = 0

    def item(self, mark: str, said: str) -> tuple[tuple[int, int] | None, int]:
        """Return the introduction of a line's list, and the number of the item; None and 0 if the line is not an item."""
        introduced = self._last if self._last and self._last.text.endswith(":") else None
        span = (introduced.start, introduced.end) if introduced else None
        if found := _NUMBERED.match(said):
            number = int(found[1])
            if number == 1 or number != self._number + 1:
                self._numbered = span
            self._number, self._bulleted = number, None
            return self._numbered, number
        if _BULLET.fullmatch(mark):
            self._bulleted = span or (self._bulleted if self._gap <= 1 else None)
            self._gap = 0
            return self._bulleted, 0
        self._gap += 1
        return None, 0

    def add(self, unit: Unit) -> None:
        """Record a line as the predecessor of the next."""
        self._last = unit


def as_pairs(head: str, row: str) -> str:
    """Join a table row with the names of its columns: `Month: May; Job: plant out tomatoes`.

    >>> as_pairs("Month | Job", "May | plant out tomatoes")
    'Month: May; Job: plant out tomatoes'
    """
    names, cells = head.split(_CELLS), row.split(_CELLS)
    named = [*names, *[""] * len(cells)]
    pairs = [
        f"{name}: {cell}" if name else cell
        for name, cell in zip(named, cells, strict=False)
        if cell.strip(" -–")
    ]
    return "; ".join(pairs)


def _stretches_at(
    text: str, start: int, end: int, headings: frozenset[str]
) -> Iterator[tuple[int, int, tuple[int, int] | None]]:
    """Return the ranges of units, with the first row of the table for rows. It may be before the passage."""
    before = _first_row_before(text, start, end, headings)
    for first, last, head in _known_stretches(text[start:end], headings, continues=before is not None):
        place = (start + head[0], start + head[1]) if head and head != _BEFORE else before if head else None
        yield start + first, start + last, place


def _first_row_before(text: str, start: int, end: int, headings: frozenset[str]) -> tuple[int, int] | None:
    """Return the range of the first row of the table that continues at an offset; None if there is no table."""
    row = text[start : _end_of_line(text, start, end)]
    if _CELLS not in row:
        return None
    found = None
    last = start - 1
    while last > 0:
        first = text.rfind("\n", 0, last) + 1
        if _CELLS in text[first:last]:
            found = first, last
        elif text[first:last].strip() in headings or not _parts_table(text[first:last], row, row):
            break
        last = first - 1
    return found


def _end_of_line(text: str, start: int, end: int) -> int:
    found = text.find("\n", start, end)
    return end if found < 0 else found


@lru_cache(maxsize=_MOST_PASSAGES)
def _known_stretches(
    passage: str, headings: frozenset[str], *, continues: bool
) -> tuple[tuple[int, int, tuple[int, int] | None], ...]:
    return tuple(_stretches(passage, headings, continues=continues)) or tuple(
        _stretches(passage, frozenset(), continues=continues)
    )


def _stretches(
    text: str, headings: frozenset[str], *, continues: bool
) -> Iterator[tuple[int, int, tuple[int, int] | None]]:
    """Return the ranges of units, with the first row of the table for rows. Fragments are joined to their sentences."""
    pending: tuple[int, int] | None = None
    for first, last, head in _lines(text, 0, len(text), headings, continues=continues):
        if text[first:last].strip() in headings:
            if pending:
                yield *pending, None
                pending = None
            continue
        if head:
            if pending:
                yield *pending, None
                pending = None
            yield first, cut(text, first, last, _LONGEST), head
            continue
        for sentence in _sentences(text, first, last):
            if pending and sentence[1] - pending[0] <= _LONGEST_JOINED and _belongs(text, sentence, pending):
                pending = pending[0], sentence[1]
                continue
            if pending:
                yield *pending, None
            pending = sentence
    if pending:
        yield *pending, None


def _lines(
    text: str, start: int, end: int, headings: frozenset[str], *, continues: bool
) -> Iterator[tuple[int, int, tuple[int, int] | None]]:
    """Return the lines of a range. Rows of a table have its first row, which is a separate line only if no row follows.

    A heading ends a table; another short line can be a title within it.
    """
    head: tuple[int, int] | None = _BEFORE if continues else None
    is_table = continues
    cells = text.partition("\n")[0] if continues else ""
    lines = [*_filled_lines(text, start, end), (end, end)]
    for (first, last), following in pairwise(lines):
        is_row = _CELLS in text[first:last]
        is_title = not is_row and text[first:last].strip() not in headings
        if head and is_title and _parts_table(text[first:last], cells, text[slice(*following)]):
            continue
        if head and is_row:
            is_table = True
            yield first, last, head
            continue
        if head and not is_table:
            yield *head, None
        head, is_table = ((first, last) if is_row else None), False
        cells = text[first:last]
        if not is_row:
            yield first, last, None
    if head and not is_table:
        yield *head, None


def _parts_table(line: str, head: str, following: str) -> bool:
    """Return whether a line between table rows is a title of the following rows: one short cell across all columns."""
    columns = head.count(_CELLS)
    return (
        len(line) <= _LONGEST_NAME and following.count(_CELLS) == columns and line[-1:] not in tuple(".!?:;")
    )


def _filled_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    while first < end:
        last = text.find("\n", first, end)
        last = end if last < 0 else last
        if text[first:last].strip():
            yield first, last
        first = last + 1


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return the sentences of a line. A sentence does not end with an abbreviation."""
    begin = -1
    for first, last in sentences(text, start, end):
        if begin < 0:
            mark = _LABEL.match(text, first, last) or _BULLET.match(text, first, last)
            begin = mark.end() if mark else first
        if begin < last and not _goes_on(text, begin, last, end):
            yield begin, cut(text, begin, last, _LONGEST)
            begin = -1


def _goes_on(text: str, start: int, last: int, end: int) -> bool:
    """Return whether a sentence continues after an apparent end: after `2.`, `Dr.`, or `no.` before a number."""
    if last == end:
        return False
    if _NUMBERING.fullmatch(text, start, last) or _ABBREVIATION.search(text, start, last):
        return True
    return text.endswith(" no.", start, last) and text[last:end].lstrip()[:1].isdigit()


def _belongs(text: str, one: tuple[int, int], before: tuple[int, int]) -> bool:
    """Return whether a sentence or line depends on the one before it."""
    said, last = text[slice(*one)], text[slice(*before)]
    if sum(map(str.isalnum, said)) < _LEAST_LETTERS or (_DEFINED.fullmatch(last) and _is_no_prose(last[:-1])):
        return True
    if "\n" not in text[before[1] : one[0]]:
        return False
    line = last.rpartition("\n")[2]
    if _is_code(said) and _is_code(line):
        return True
    if _BULLET.match(line) and _is_no_prose(line) and _is_no_prose(said):
        return True  # one more name in a list of names
    return _is_heading(last) or (last.endswith(":") and _is_no_prose(said))


def _is_code(said: str) -> bool:
    """Return whether a line is program code or a shell command."""
    return _CODE.search(said) is not None and _is_no_prose(said)


def _is_heading(said: str) -> bool:
    """Return whether a line may be a heading, which depends on what follows. `Manager: Ada` is complete on its own."""
    return _HEADING.fullmatch(said) is not None and ": " not in said and _is_no_prose(said)


def _is_no_prose(said: str) -> bool:
    """Return whether a line is code, a command or a name: it has no final punctuation and no English function words."""
    return said[-1:] not in tuple(".!?:") and _SMALL_WORDS.isdisjoint(said.lower().split())
