"""Divide text into the parts that a person would copy out: a paragraph from any sentence on, code, an entry, an item, a row.

The kinds come from the parser of the document. A part has what it introduces (the code or list after a sentence that leads to it), and knows
what introduces it. Parts overlap, because an answer may begin with any sentence.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from vademecum.core.documents import Block
from vademecum.core.evidence import Evidence, ScoredPassage, Unit
from vademecum.text.patterns import Pattern
from vademecum.text.sentences import TORN, cut, sentences, trimmed
from vademecum.text.shell import PROMPT

_CELLS = Pattern(r" *\| *", flags=0)
_LONGEST = 320
"""The length of running text in characters, if its first sentence is not longer."""

_LONGEST_SENTENCE, _LONGEST_CODE, _LONGEST_LIST, _LONGEST_ROW, _LONGEST_TAG = 500, 700, 480, 500, 160
_LONGEST_INTRODUCTION = 240
_MOST_OF_PASSAGE = 80
"""The maximum number of parts of a passage, which is exceeded only by tables of very short rows."""

_NUMBERED = Pattern(r"(\d{1,3})[.)] ?", flags=0)
_LABEL = Pattern(r"(?:Note|Tip|Hint|Info|Warning|Caution|Important|Attention)\b[:.!]? +(?=[A-Z])", flags=0)
"""A label such as "Note:", which is not part of the remark."""

_NUMBERING = Pattern(r"(?:\d{1,3}|[a-z])[.)]", flags=0)
_ABBREVIATION = Pattern(
    r"\b(?:No|Nr|Mr|Mrs|Ms|Dr|St|Prof|[Tt]el|[Mm]in|[Mm]ax|ca|cf|vs|resp|[A-Z])\.\Z", flags=0
)
_MARK = Pattern(r"(?:[•*–-]|\d{1,3}[.)]) +(?=\S)", flags=0)
_STOPS = frozenset(".!?…)")
_NO_CODE: tuple[tuple[int, int], ...] = ()


def units_of(evidence: int, document: Evidence, passage: ScoredPassage, rank: int, lag: float) -> list[Unit]:
    """Return the parts of a passage, in reading order.

    Args:
        evidence: The index of its document.
        passage: The passage. Without blocks, each line is a paragraph.
        lag: The difference between the best passage's score and its own.
    """
    reader = _Reader(evidence, document, passage, rank, lag)
    reader.read(passage.blocks or tuple(_lines(document.text, passage.start, passage.end)))
    return reader.units


def _lines(text: str, start: int, end: int) -> Iterator[Block]:
    """Yield the blocks of a range whose document has none: rows of tables together, and each other line as a paragraph or an item."""
    for is_table, lines in groupby(_filled(text, start, end), lambda line: " | " in text[slice(*line)]):
        spans = [trimmed(text, *line) for line in lines]
        if is_table:
            yield Block("table", spans[0][0], spans[-1][1])
            continue
        for first, last in spans:
            mark = _MARK.match(text, first, last)
            yield Block("paragraph", mark.end() if mark else first, last, int(mark is not None))


class _Reader:
    """Collects the parts of a passage block by block, and keeps track of headings and open lists."""

    def __init__(
        self, evidence: int, document: Evidence, passage: ScoredPassage, rank: int, lag: float
    ) -> None:
        self._evidence, self._text, self._passage = evidence, document.text, passage
        self._title, self._rank, self._lag = document.title, rank, lag
        self._path: list[tuple[int, str]] = []
        self._heading = self._entitled(passage.heading)
        self._anchor = passage.anchor
        self._lists: dict[int, tuple[tuple[int, int] | None, int]] = {}
        """For each depth, the introduction of its list, and the number of its last item."""
        self._before: tuple[int, int] | None = None
        """The last sentence of the text above, under the same heading."""
        self.units: list[Unit] = []

    def read(self, blocks: Sequence[Block]) -> None:
        """Add the parts of all blocks."""
        for at, block in enumerate(blocks):
            if block.kind == "heading":
                self._under(block)
                continue
            if block.end <= self._passage.start:
                self._before = _last_sentence(self._text, block)
                continue
            if len(self.units) >= _MOST_OF_PASSAGE:
                break
            following = blocks[at + 1 :]
            if block.kind == "table":
                self._rows(block)
            elif block.kind == "code":
                self._code(block)
            elif block.kind == "item":
                self._entry(block, following)
            else:
                self._paragraph(block, following)

    def _under(self, heading: Block) -> None:
        """Begin the section of a heading."""
        self._path = [*(above for above in self._path if above[0] < heading.level)]
        self._path.append((heading.level, self._text[heading.start : heading.end]))
        self._heading = self._entitled(" > ".join(name for _, name in self._path))
        self._anchor = heading.anchor
        self._before, self._lists = None, {}

    def _entitled(self, path: str) -> str:
        if path.startswith(self._title):
            return path
        return f"{self._title} > {path}" if path else self._title

    def _paragraph(self, block: Block, following: Sequence[Block]) -> None:
        text = self._text
        start, end = max(block.start, self._passage.start), min(block.end, self._passage.end)
        mark = self._mark(block)
        introduction, number = self._item(mark, block.level) if mark else (None, 0)
        if not mark:
            self._lists = {depth: of for depth, of in self._lists.items() if depth < block.level}
        if label := _LABEL.match(text, start, end):
            start = label.end()
        found = list(_sentences(text, start, end))
        if not found:
            return
        before = introduction or (self._before if block.level else None)
        for at, (first, last) in enumerate(found):
            stop = max(cut(text, first, end, _LONGEST), last)
            is_whole = stop == end
            ending, code = end, _NO_CODE
            if is_whole and end == block.end:
                after = self._of_step(block, following) if number else following
                ending, code = self._followed(first, block, after, text[found[-1][0] : end])
            kind = "list" if is_whole and ending > end else "item" if mark else "paragraph"
            self._add(
                "code" if is_whole and code else kind,
                (first, max(stop, ending) if is_whole else stop),
                code=code if is_whole else (),
                before=found[at - 1] if at else before,
                introduction=introduction if not at else None,
                number=number if not at else 0,
                lead=last,
                depends=at > 0 and TORN.match(text, first) is not None,
            )
        self._before = _last_sentence(text, block)

    def _item(self, mark: str, depth: int) -> tuple[tuple[int, int] | None, int]:
        """Return the introduction of an item of a list, and its number, or 0."""
        numbered = _NUMBERED.fullmatch(mark)
        number = int(numbered[1]) if numbered else 0
        self._lists = {at: of for at, of in self._lists.items() if at <= depth}
        last = self._lists.get(depth)
        if last is None or (number and number != last[1] + 1):
            leads = self._before and self._text[self._before[1] - 1] == ":"
            last = (self._before if leads else None, 0)
        self._lists[depth] = last[0], number
        return last[0], number

    def _of_step(self, block: Block, following: Sequence[Block]) -> Sequence[Block]:
        """Return the further blocks of an item of a list."""
        own = takewhile(
            lambda one: one.level > block.level or (one.level == block.level and not self._mark(one)),
            following,
        )
        return [*own]

    def _mark(self, block: Block) -> str:
        """Return the bullet or number before a block, or ""."""
        return self._text[self._text.rfind("\n", 0, block.start) + 1 : block.start].strip()

    def _followed(
        self, start: int, block: Block, following: Sequence[Block], sentence: str
    ) -> tuple[int, tuple[tuple[int, int], ...]]:
        """Return the end of a part that continues after a block, and the lines of code that it ends with.

        It has the list or code that its last sentence introduces. A paragraph that does not end like a sentence, such as a label, goes on.
        """
        end = block.end
        leads = sentence.endswith(":") and len(sentence) <= _LONGEST_INTRODUCTION
        for at, one in enumerate(following):
            if one.kind == "code":
                code = _code_of(self._text, one)
                fits = not at or (code and end - start + code[-1][1] - code[0][0] <= _LONGEST_LIST)
                return end, code if fits else ()
            is_of_list = leads and one.level > block.level and one.end - block.end <= _LONGEST_LIST
            goes_on = self._text[end - 1] not in _STOPS and one.end - start <= _LONGEST
            if one.kind not in {"paragraph", "item"} or not (is_of_list or goes_on):
                break
            end = one.end
        return end, ()

    def _code(self, block: Block) -> None:
        """Add code that no sentence introduces; with an introduction, the part of that has it."""
        last = self.units[-1].code if self.units else ()
        if not (last and last[0][0] >= block.start) and (code := _code_of(self._text, block)):
            self._add("code", self._before or (code[0][0], code[0][0]), code=code)
        self._before = None

    def _entry(self, block: Block, following: Sequence[Block]) -> None:
        text = self._text
        tag = (block.start, min(block.tag_end, block.start + _LONGEST_TAG))
        body = block.tag_end
        while body < block.end and (text[body].isspace() or text[body] == ":"):
            body += 1
        found = list(_sentences(text, body, block.end))
        if not found and following and following[0].kind == "code":
            self._add("entry", tag, code=_code_of(text, following[0]), before=self._before)
        for at, (first, last) in enumerate(found):
            stop = max(cut(text, first, block.end, _LONGEST), last)
            ending, code = stop, _NO_CODE
            if stop == block.end:
                ending, code = self._followed(first, block, _body(block, following), text[first:last])
            self._add(
                "entry", (first, ending), code=code, head=tag, before=found[at - 1] if at else None, lead=last
            )
        self._before = _last_sentence(text, block)
        self._lists[block.level] = (tag, 0)

    def _rows(self, block: Block) -> None:
        """Add the rows of a table, each with the names of its columns; a table of one row as it is."""
        text = self._text
        rows = [*_filled(text, block.start, block.end)]
        head = rows[0]
        for row in rows[1:] or rows:
            if row[1] > self._passage.start and row[0] < self._passage.end:
                self._add("row", (row[0], cut(text, *row, _LONGEST_ROW)), head=head if rows[1:] else None)
        self._before = None

    def _add(
        self,
        kind: str,
        span: tuple[int, int],
        *,
        code: tuple[tuple[int, int], ...] = (),
        head: tuple[int, int] | None = None,
        before: tuple[int, int] | None = None,
        introduction: tuple[int, int] | None = None,
        number: int = 0,
        lead: int = 0,
        depends: bool = False,
    ) -> None:
        text = self._text
        said = text[slice(*span)]
        if head:
            said = as_pairs(text[slice(*head)], said) if kind == "row" else f"{text[slice(*head)]}: {said}"
        if not code and not any(map(str.isalnum, said)):  # a row of empty cells, a line of dashes
            return
        self.units.append(
            Unit(
                self._evidence,
                *span,
                self._anchor,
                "\n".join(filter(None, (said, *(text[slice(*line)] for line in code)))),
                text[slice(*before)] if before else "",
                self._heading,
                head,
                len(self.units),
                self._rank,
                self._lag,
                introduction,
                number,
                kind,
                code,
                len(said) - (span[1] - lead if lead else 0),
                depends,
            )
        )


def lead_of(unit: Unit) -> Unit:
    """Return a part cut to its first sentence; code alone as it is."""
    if not unit.lead:
        return unit
    end = unit.end - (len(unit.text) - unit.lead - sum(last - first + 1 for first, last in unit.code))
    return unit._replace(end=end, text=unit.text[: unit.lead], code=())


def worded(unit: Unit) -> str:
    """Return the text that a unit is embedded as: the title, the heading above it, and its own text.

    A sentence alone often lacks its subject.
    """
    title, _, path = unit.heading.partition(" > ")
    last = path.rpartition(" > ")[2]
    return f"{title}: {last}. {unit.text}" if last else f"{title}. {unit.text}"


def as_pairs(head: str, row: str) -> str:
    """Join a table row with the names of its columns: `Month: May; Job: plant out tomatoes`. Empty cells are left out, also of folded rows.

    >>> as_pairs("| May | June", "Job | | plant out tomatoes")
    'Job; June: plant out tomatoes'
    """
    names, cells = _CELLS.split(head), _CELLS.split(row)
    named = [*names, *[""] * len(cells)]
    pairs = [
        f"{name}: {cell}" if name else cell
        for name, cell in zip(named, cells, strict=False)
        if cell.strip(" -–")
    ]
    return "; ".join(pairs)


def _code_of(text: str, block: Block) -> tuple[tuple[int, int], ...]:
    """Return the ranges of code without prompts and output; empty for a listing that is too long to copy."""
    lines = [*_filled(text, block.start, block.end)]
    prompts = [PROMPT.match(text, *line) for line in lines]  # lines without one are output if another has one
    if not any(prompts):
        return ((block.start, block.end),) if block.end - block.start <= _LONGEST_CODE else ()
    found = [(prompt.end(), end) for prompt, (_, end) in zip(prompts, lines, strict=True) if prompt]
    return tuple(found) if sum(end - start for start, end in found) <= _LONGEST_CODE else ()


def _body(entry: Block, following: Sequence[Block]) -> Sequence[Block]:
    """Return the further blocks of the body of an entry."""
    inside = takewhile(
        lambda one: one.level > entry.level or (one.level == entry.level and one.kind != "item"), following
    )
    return [*inside]


def _last_sentence(text: str, block: Block) -> tuple[int, int] | None:
    """Return the last sentence of a paragraph or entry; None for other blocks, and if it is too long to introduce anything."""
    if block.kind not in {"paragraph", "item"}:
        return None
    *_, last = _sentences(text, block.start, block.end)
    return last if last[1] - last[0] <= _LONGEST_INTRODUCTION else None


def _filled(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the lines of a range that are not empty."""
    while start < end:
        last = text.find("\n", start, end)
        last = end if last < 0 else last
        if text[start:last].strip():
            yield start, last
        start = last + 1


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a paragraph. A sentence does not end with an abbreviation."""
    begin = -1
    for first, last in sentences(text, start, end):
        begin = first if begin < 0 else begin
        if not _goes_on(text, begin, last, end):
            yield begin, cut(text, begin, last, _LONGEST_SENTENCE)
            begin = -1
    if begin >= 0:
        yield begin, cut(text, begin, end, _LONGEST_SENTENCE)


def _goes_on(text: str, start: int, last: int, end: int) -> bool:
    """Return whether a sentence continues after an apparent end: after `2.`, `Dr.`, or `no.` before a number."""
    if last == end:
        return False
    if _NUMBERING.fullmatch(text, start, last) or _ABBREVIATION.search(text, start, last):
        return True
    return text.endswith(" no.", start, last) and text[last:end].lstrip()[:1].isdigit()
