"""Convert records to documents: each entry of a JSON list, JSON Lines or CSV table becomes a small Markdown file.

Files are read in a separate process with limits on memory and time, because a file can be crafted to exhaust both.
"""

import csv
import io
import json
import re
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from vademecum.core.errors import SourceError
from vademecum.text.printable import printable

MOST = 100_000
"""The maximum number of records in a file."""

FIELDS = {
    "text": ("text", "body", "content", "answer", "description"),
    "title": ("title", "name", "question", "subject", "id"),
    "url": ("url", "link", "href"),
}
"""The parts of a document, and the fields that are tried for each part by default."""

_TIME_LIMIT_S = 60.0
_MEMORY_LIMIT_BYTES = 1 << 30
_LONGEST_FIELD = 1 << 20
_HINT = "Send a list of records, each with a text; say which field it is in with the mapping."
_MARKS = re.compile(r"^(\s*)([#>=~`-])", re.MULTILINE)
_PROGRAM = (
    "import json, sys; asked = json.loads(sys.stdin.read()); sys.path[:] = asked.pop('path');"
    "from vademecum.library.uploads.records import work; work(**asked)"
)


def convert(place: Path, media: str, fields: Mapping[str, str], folder: Path, stem: str) -> int:
    """Write the records of a file into a folder, as one Markdown file each.

    Args:
        place: The file.
        media: `json`, `jsonl` or `csv`.
        fields: The fields for `text`, `title` and `url`; by default, those in `FIELDS` are tried.
        folder: The folder to write to.
        stem: The prefix of the file names.

    Returns:
        The number of records.
    """
    unknown = sorted(set(fields) - set(FIELDS))
    if unknown:
        message = f"The mapping names {printable(unknown[0], 40)}, which documents do not have."
        raise SourceError(message, hint=f"Map {', '.join(FIELDS)} to fields of the records.")
    asked = {
        "place": str(place),
        "media": media,
        "fields": dict(fields),
        "folder": str(folder),
        "stem": stem,
        "path": sys.path,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _PROGRAM],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            timeout=_TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"The records could not be read within {_TIME_LIMIT_S:g} seconds."
        raise SourceError(message, hint="Split the file into smaller ones.") from None
    try:
        said = json.loads(done.stdout)
    except ValueError:
        message = "Reading the records ended the process that did: they need too much memory."
        raise SourceError(message, hint="Split the file into smaller ones.") from None
    if "fault" in said:
        raise SourceError(said["fault"], hint=_HINT)
    return int(said["documents"])


def work(place: str, media: str, fields: Mapping[str, str], folder: str, stem: str) -> None:
    """Convert the records, and print the result as JSON. This runs in the separate process."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_LIMIT_BYTES, _MEMORY_LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        said: dict[str, Any] = {"documents": _write(_records(Path(place), media), fields, Path(folder), stem)}
    except (ValueError, RecursionError) as error:
        said = {"fault": f"The records cannot be read: {printable(str(error) or type(error).__name__, 200)}"}
    print(json.dumps(said))  # noqa: T201 - the parent reads it


def _records(place: Path, media: str) -> Iterator[Mapping[str, Any]]:
    try:
        text = place.read_bytes().decode("utf-8-sig")
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
        found = (_parsed(line, f"record {number}") for number, line in enumerate(lines, 1))
    else:
        found = _parsed(text, "the file")
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


def _parsed(text: str, what: str) -> Any:
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


def _write(records: Iterable[Mapping[str, Any]], fields: Mapping[str, str], folder: Path, stem: str) -> int:
    count = 0
    for number, record in enumerate(records, 1):
        if number > MOST:
            message = f"there are more than {MOST:,}"
            raise ValueError(message)
        text = _field(record, "text", fields)
        if not text:
            message = f"record {number} has no text (its fields: {', '.join(map(str, record))[:200]})"
            raise ValueError(message)
        title = " ".join(_field(record, "title", fields).split())[:200] or f"{stem} {number}"
        url = _field(record, "url", fields)
        ending = f"\n\nSource: {url}\n" if url.startswith(("https://", "http://")) else "\n"
        body = _MARKS.sub(r"\1\\\2", text.strip())  # the text is not Markdown
        (folder / f"{stem}-{number:06}.md").write_text(f"# {title}\n\n{body}{ending}", encoding="utf-8")
        count = number
    if not count:
        message = "there are none"
        raise ValueError(message)
    return count


def _field(record: Mapping[str, Any], part: str, fields: Mapping[str, str]) -> str:
    """Return a part of a document from its mapped field, or the first default field that exists; otherwise ""."""
    names = (fields[part],) if part in fields else FIELDS[part]
    for name in names:
        value = record.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return "\n\n".join(value)
    return ""
