"""Convert structured data to text and blocks: JSON, YAML, TOML and XML as settings or records, and Jupyter notebooks.

The path of keys is the heading of a setting, and the comment above it follows it. Records with simple fields are a table.
"""

import csv
import io
import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from itertools import islice
from typing import Any
from xml.parsers import expat

from vademecum.files.read import Unreadable, read_open
from vademecum.sources._blocks import Parsed
from vademecum.sources._html.blocks import read_blocks
from vademecum.sources._html.layout import TermLayout
from vademecum.sources._markdown import MarkdownPage, fold, read_markdown, row_of
from vademecum.sources.docs.folder import LIMIT_BYTES
from vademecum.sources.docs.xml_parts import parse_xml
from vademecum.text.printable import printable

_MOST_VALUES = 400_000
_DEEPEST = 60
_MOST_COLUMNS = 40
_FULL = 0.5
"""The minimum share of fields that records have in common, to be rows of one table."""

_LONGEST_LIST = 200
_MOST_LINES, _MOST_FIELDS = 12, 8
"""The maximum number of lines of a paragraph, and of fields of a mapping that has no heading of its own."""

_NAMES = ("name", "title", "id", "key", "label")
"""The fields that a record is named by."""

_KEY = re.compile(
    r"""[ \t]*(?:- +)?\[*[ \t]*["']?([\w./-]+(?: [\w./-]+)*)["']?[ \t]*(?:[:=]|\]+[ \t]*(?:#|$))"""
)
_COMMENT = re.compile(r"[ \t]*#+[ \t]?(.*)")

_TEXT_OF_XML = {
    "para": "p", "simpara": "p", "p": "p", "programlisting": "pre", "screen": "pre", "codeblock": "pre", "literallayout": "pre",
    "itemizedlist": "ul", "ul": "ul", "orderedlist": "ol", "procedure": "ol", "steps": "ol", "ol": "ol", "listitem": "li", "li": "li",
    "step": "li", "term": "dt", "dt": "dt", "dd": "dd", "variablelist": "dl", "dl": "dl", "row": "tr", "tr": "tr", "entry": "td", "td": "td",
    "th": "td", "table": "table", "informaltable": "table", "simpletable": "table", "strow": "tr", "stentry": "td",
}  # fmt: skip
"""The elements of DocBook and DITA as those of HTML."""


def read_notebook(text: str) -> MarkdownPage:
    """Read a Jupyter notebook: its text and code. Output is omitted."""
    book = _json(text)
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("damaged", "It is not a notebook of version 4: it has no cells.")
    spoken = book.get("metadata", {}).get("kernelspec", {}).get("language", "") if "metadata" in book else ""
    parts = []
    for cell in cells:
        source = cell.get("source", "") if isinstance(cell, dict) else ""
        words = "".join(source) if isinstance(source, list) else str(source)
        parts.append(f"``````{spoken}\n{words}\n``````" if cell.get("cell_type") == "code" else words)
    return read_markdown("\n\n".join(parts))


def read_data(text: str, suffix: str) -> Parsed:
    """Read JSON, JSON lines, YAML, TOML or XML, by the suffix of its name."""
    if suffix in {".json", ".jsonl"}:
        return _laid_out(_json(text))
    if suffix == ".xml":
        return _read_xml(text)
    return _laid_out(_toml(text) if suffix == ".toml" else _yaml(text), text)


def _json(text: str) -> Any:
    read = partial(json.loads, parse_float=str, parse_int=str, parse_constant=str)  # numbers as written
    try:
        return read(text)
    except ValueError as error:
        try:
            return [read(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            raise Unreadable("damaged", f"It is not sound JSON: {error}.") from error
    except RecursionError as error:
        raise Unreadable("damaged", "Its values are nested too deeply.") from error


def _yaml(text: str) -> Any:
    """Return the documents of a file. All scalars are text as written, and tags are ignored."""
    import yaml  # noqa: PLC0415 - 30 ms

    try:
        found = [*yaml.load_all(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))]
    except (yaml.YAMLError, RecursionError) as error:
        raise Unreadable("damaged", f"It is not sound YAML: {fold(str(error))[:200]}.") from error
    return found[0] if len(found) == 1 else found


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(text, parse_float=str)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Unreadable("damaged", f"It is not sound TOML: {error}.") from error


def _laid_out(data: Any, source: str = "") -> Parsed:
    walk = _Walk(_Comments(source, data))
    walk.value("", data, (), 1)
    for comment in walk.comments.last:
        walk.layout.paragraph(comment, 0)
    walk.layout.settle()
    title = data.get("title") or data.get("name") if isinstance(data, dict) else ""
    return Parsed(
        title if isinstance(title, str) else "", "", "", walk.layout.text, tuple(walk.layout.blocks)
    )


class _Comments:
    """The comments above keys, by path. Keys are found by the number of their name in the file, since parsers omit their lines."""

    def __init__(self, source: str, data: Any) -> None:
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_path: dict[tuple[str, ...], str] = {}
        self._seen: Counter[str] = Counter()
        lines: list[str] = []
        for line in source.splitlines():
            if comment := _COMMENT.fullmatch(line):
                lines.append(comment[1].strip())
            elif key := _KEY.match(line):
                self._by_name[key[1]].append(_words(lines))
                lines = []
        self.last = [_words(lines)] if any(lines) else []
        if any(map(any, self._by_name.values())):
            self._place(data, ())

    def _place(self, data: Any, path: tuple[str, ...]) -> None:
        if len(path) > _DEEPEST:
            return
        if isinstance(data, Mapping):
            for key, value in data.items():
                found = self._by_name.get(key, ())
                self._by_path[*path, key] = found[self._seen[key]] if self._seen[key] < len(found) else ""
                self._seen[key] += 1
                self._place(value, (*path, key))
        elif isinstance(data, list):
            for number, value in enumerate(data):
                self._place(value, (*path, str(number)))

    def of(self, path: tuple[str, ...]) -> str:
        """Return the comment above a key."""
        return self._by_path.get(path, "")


def _words(lines: Sequence[str]) -> str:
    return fold(" ".join(line for line in lines if any(map(str.isalnum, line))))


class _Walk:
    """Values as headings, terms, lists and tables."""

    def __init__(self, comments: _Comments) -> None:
        self.layout = TermLayout()
        self.comments = comments
        self._left = _MOST_VALUES

    def value(self, name: str, value: Any, path: tuple[str, ...], level: int) -> None:
        """Add a value under the heading of its name."""
        self._left -= 1
        if self._left < 0 or len(path) > _DEEPEST:
            raise Unreadable(
                "too-large", f"It holds more than {_MOST_VALUES:,} values, or nests them too deeply."
            )
        if name:
            self.layout.heading(fold(name), min(level, 6), ".".join(path))
        if comment := path and self.comments.of(path):
            self.layout.paragraph(comment, 0)
        if isinstance(value, Mapping):
            self._mapping(value, path, level)
        elif isinstance(value, list):
            self._list(name, value, path, level)
        elif text := _simple(value):
            self.layout.paragraph(text, 0)

    def _mapping(self, data: Mapping[Any, Any], path: tuple[str, ...], level: int) -> None:
        """Add simple fields first, so that they are not under the heading of another."""
        nested, lines = [], list[str]()
        for key, value in data.items():
            fields = [*islice(self._fields(value, (*path, str(key))), _MOST_FIELDS + 1)]
            if len(fields) > _MOST_FIELDS or any(text is None for _, text, _ in fields):
                nested.append((str(key), value))
                continue
            for own, text, comment in fields:
                self._left -= 1
                lines += filter(
                    None, (f"{fold('.'.join(own[len(path) :]))}: {text}" if text else "", comment)
                )
        for start in range(0, len(lines), _MOST_LINES):
            self.layout.paragraph("\n".join(lines[start : start + _MOST_LINES]), 0)
        for key, value in nested:
            self.value(key, value, (*path, key), level + 1)

    def _fields(self, value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str | None, str]]:
        """Yield the fields of a small mapping by path, each with its text, or None if that is a list of mappings, and its comment."""
        if isinstance(value, Mapping) and value:
            for key, inner in value.items():
                yield from self._fields(inner, (*path, str(key)))
        else:
            yield path, _short(value), self.comments.of(path)

    def _list(self, name: str, items: Sequence[Any], path: tuple[str, ...], level: int) -> None:
        if table := _table(items):
            self._left -= len(items)
            self.layout.table(table, 0)
            return
        for number, item in enumerate(items):
            text = _simple(item)
            if text is None:
                own = (
                    next((_simple(item[key]) for key in _NAMES if key in item), None)
                    if isinstance(item, Mapping)
                    else None
                )
                self.value(own or f"{name} {number + 1}".strip(), item, (*path, str(number)), level + 1)
            elif text:
                self._left -= 1
                self.layout.marker("•")
                self.layout.paragraph(text, 1)


def _simple(value: Any) -> str | None:
    """Return a single value as text; None for mappings and lists."""
    if isinstance(value, (Mapping, list)):
        return None if value else ""
    if value is None:
        return ""
    return (
        str(value).lower()
        if isinstance(value, bool)
        else "\n".join(filter(None, map(fold, str(value).split("\n"))))
    )


def _short(value: Any) -> str | None:
    """Return a single value, or a short list of them, as text."""
    if isinstance(value, list) and value:
        found = [_simple(item) for item in value]
        text = ", ".join(item for item in found if item)
        return None if None in found or len(text) > _LONGEST_LIST else text
    return _simple(value)


def _table(items: Sequence[Any]) -> str:
    """Return records as lines of a table; "" if they are not alike."""
    if len(items) < 2 or not all(isinstance(item, Mapping) for item in items):
        return ""
    columns = list(dict.fromkeys(key for item in items for key in item))
    cells = [[_short(item.get(column)) for column in columns] for item in items]
    count = len(items) * len(columns)
    if (
        len(columns) > _MOST_COLUMNS
        or any(None in row for row in cells)
        or sum(map(len, items)) < _FULL * count
    ):
        return ""
    rows = [
        [str(column) for column in columns],
        *([(cell or "").replace("\n", " ") for cell in row] for row in cells),
    ]
    return "\n".join(row_of([fold(cell).replace(" | ", "|") for cell in row]) for row in rows)


def _read_xml(text: str) -> Parsed:
    """Read XML: DocBook and DITA as text, otherwise as data."""
    reader = _Xml()
    try:
        parse_xml(text.encode(errors="ignore"), reader.start, reader.end, reader.text, "utf-8")
    except expat.ExpatError as error:
        raise Unreadable("damaged", f"It is not sound XML: {error}.") from error
    if reader.paragraphs:
        layout = read_blocks("".join(reader.markup))
        return Parsed(fold(reader.title), "", "", layout.text, tuple(layout.blocks))
    ((name, data),) = reader.root.items()
    return _laid_out(data if isinstance(data, dict) else {name: data})


class _Xml:
    """Elements as nested values, and as HTML."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}
        self.markup: list[str] = []
        self.paragraphs = 0
        self.title = ""
        self._open: list[tuple[str, dict[str, Any], list[str]]] = []
        self._titles = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = _TEXT_OF_XML.get(tag, "")
        self.paragraphs += element == "p"
        if tag == "title":
            element = f"h{min(len(self._open), 6)}"
        self.markup.append(f"<{element}>" if element else "")
        self._open.append((tag, dict(attributes), []))

    def end(self, tag: str) -> None:
        element = f"h{min(len(self._open) - 1, 6)}" if tag == "title" else _TEXT_OF_XML.get(tag, "")
        self.markup.append(f"</{element}>" if element else "")
        _, fields, words = self._open.pop()
        text = "".join(words).strip()
        if tag == "title" and not self.title:
            self.title = text
        value: Any = (fields | {"": text} if text else fields) if fields else text
        outer = self._open[-1][1] if self._open else self.root
        if tag not in outer:
            outer[tag] = value
        elif isinstance(outer[tag], list):
            outer[tag].append(value)
        else:
            outer[tag] = [outer[tag], value]

    def text(self, words: str) -> None:
        self.markup.append(escape(words, quote=False))
        if self._open:
            self._open[-1][2].append(words)


_MOST_RECORDS = 100_000
"""The maximum number of records in a file."""

RECORD_FIELDS = {
    "text": ("text", "body", "content", "answer", "description"),
    "title": ("title", "name", "question", "subject", "id"),
    "url": ("url", "link", "href"),
}
"""The parts of a document, and the fields that are tried for each part by default."""

_LONGEST_FIELD = 1 << 20
_MARKS = re.compile(r"^(\s*)([#>=~`-])", re.MULTILINE)


def read_records(descriptor: int, media: str, fields: Mapping[str, str], stem: str) -> dict[str, Any]:
    """Read the records of an open file as Markdown, in the separate process."""
    try:
        return {"texts": [*_written(_records_of(read_open(descriptor, LIMIT_BYTES), media), fields, stem)]}
    except (ValueError, RecursionError) as error:
        said = printable(str(error) or type(error).__name__, 200)
        raise Unreadable("records", f"The records cannot be read: {said}") from None


def _records_of(raw: bytes, media: str) -> Iterator[Mapping[str, Any]]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"it is not in UTF-8 (byte {error.start + 1:,} is none of it); save it as UTF-8"
        raise ValueError(message) from error
    if media == "csv":
        csv.field_size_limit(_LONGEST_FIELD)
        yield from _rows(text)
        return
    found: Iterable[Any]
    if media == "jsonl":
        lines = (line for line in text.splitlines() if line.strip())
        found = (_json_of(line, f"record {number}") for number, line in enumerate(lines, 1))
    else:
        found = _json_of(text, "the file")
        if isinstance(found, dict):  # a list under a single name, as in exports
            lists = [value for value in found.values() if isinstance(value, list)]
            found = lists[0] if len(lists) == 1 else [found]
        if not isinstance(found, list):
            message = "it is not a list of records"
            raise ValueError(message)
    for number, one in enumerate(found, 1):
        if not isinstance(one, dict):
            message = f"record {number} is not a mapping of names to values"
            raise ValueError(message)  # noqa: TRY004 - the file is wrong, not the caller
        yield one


def _json_of(text: str, what: str) -> Any:
    """Parse JSON. The message of the `ValueError` for invalid JSON gives the position of the error."""
    try:
        return json.loads(text)
    except RecursionError:
        message = f"{what} is nested too deeply"
        raise ValueError(message) from None
    except json.JSONDecodeError as error:
        of_line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        message = f"{what} is not JSON: {of_line}column {error.colno}: {error.msg}"
        raise ValueError(message) from error


def _rows(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a CSV table. The delimiter is the most frequent one in the header."""
    names = text.partition("\n")[0]
    mark = max(",;\t", key=names.count)
    count = 0
    try:
        for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=mark, strict=True):
            count += 1
            yield row
    except csv.Error as error:
        message = f"record {count + 1} is not a row: {error}"
        raise ValueError(message) from error


def _written(records: Iterable[Mapping[str, Any]], fields: Mapping[str, str], stem: str) -> Iterator[str]:
    number = 0
    for number, record in enumerate(records, 1):
        if number > _MOST_RECORDS:
            message = f"there are more than {_MOST_RECORDS:,}"
            raise ValueError(message)
        text = _field(record, "text", fields)
        if not text:
            message = f"record {number} has no text (its fields: {', '.join(map(str, record))[:200]})"
            raise ValueError(message)
        title = " ".join(_field(record, "title", fields).split())[:200] or f"{stem} {number}"
        url = _field(record, "url", fields)
        ending = f"\n\nSource: {url}\n" if url.startswith(("https://", "http://")) else "\n"
        body = _MARKS.sub(r"\1\\\2", text.strip())  # the text is not Markdown
        yield f"# {title}\n\n{body}{ending}"
    if not number:
        message = "there are none"
        raise ValueError(message)


def _field(record: Mapping[str, Any], part: str, fields: Mapping[str, str]) -> str:
    """Return a part of a document from its mapped field, or the first default field that exists; otherwise ""."""
    names = (fields[part],) if part in fields else RECORD_FIELDS[part]
    for name in names:
        value = record.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, list) and all(isinstance(text, str) for text in value):
            return "\n\n".join(value)
    return ""
