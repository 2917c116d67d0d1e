"""Convert tables to text and blocks: CSV files (RFC 4180 and its relatives), and workbooks (Excel, OpenDocument).

A table keeps the names of its columns as its first row, so that a row can be quoted with them. Rows without such a first
row become lines of their own.
"""

import csv
import datetime as dt
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from vademecum.files.read import Unreadable
from vademecum.sources._blocks import Parsed
from vademecum.sources._html.layout import Layout
from vademecum.sources._markdown import fold, row_of, slug

MOST_ROWS = 400_000
"""The maximum number of rows of a file."""

_DELIMITERS = ",;\t|"
_LOOK_AT_ROWS = 100
_LONGEST_CELL = 1_000_000
_LONGEST_NAME = 80
_VALUE = re.compile(
    r"""[-+(]?[\d.,:/\s%€$£-]*\d[\d.,:/\s%€$£)-]*  # a number, a date or a time
        |\S+@\S+\.\S+|\w+://\S+                     # an address
        |true|false|yes|no""",
    re.IGNORECASE | re.VERBOSE,
)
_BAR = re.compile(r"\s*\|\s*")

_Cell = int | float | str | bool | dt.time | dt.date | dt.datetime | dt.timedelta


def read_csv(text: str, suffix: str) -> Parsed:
    """Read a file of comma-separated values. Semicolons, tabs and vertical bars are recognized as separators.

    Args:
        suffix: The suffix of its name. With `.tsv`, the separator is a tab.
    """
    separator = "\t" if suffix == ".tsv" else _separator(text)
    layout = Layout()
    csv.field_size_limit(_LONGEST_CELL)
    try:
        _add(layout, csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise Unreadable("damaged", f"It is not sound CSV: {error}.") from error
    layout.settle()
    return Parsed("", "", "", layout.text, tuple(layout.blocks))


def read_workbook(raw: bytes) -> Parsed:
    """Read a workbook of Excel (`.xlsx`, `.xls`) or OpenDocument (`.ods`): a heading for each sheet, and its rows.

    Formulas are represented by their last results, dates in ISO 8601. Hidden sheets and formats of numbers are omitted.
    """
    try:
        import python_calamine as calamine  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise Unreadable(
            "extra-missing", "Workbooks are read by python-calamine, which is not installed."
        ) from error
    layout = Layout()
    try:
        with calamine.load_workbook(io.BytesIO(raw)) as book:
            shown = [
                sheet.name
                for sheet in book.sheets_metadata
                if sheet.visible == calamine.SheetVisibleEnum.Visible
                and sheet.typ == calamine.SheetTypeEnum.WorkSheet
            ]
            left = MOST_ROWS
            for name in shown:
                sheet = book.get_sheet_by_name(name)
                if sheet.height:
                    layout.heading(fold(name), 1, slug(name))
                    left -= _add(layout, ([_shown(cell) for cell in row] for row in sheet.iter_rows()), left)
    except calamine.PasswordError as error:
        raise Unreadable("encrypted", "It has a password.") from error
    except (calamine.CalamineError, OSError) as error:
        raise Unreadable("damaged", f"It is not a sound workbook: {error}.") from error
    layout.settle()
    return Parsed("", "", "", layout.text if len(layout.blocks) > len(shown) else "", tuple(layout.blocks))


def _separator(text: str) -> str:
    """Return the separator with which most rows have the same number of cells, more than one."""

    def fit(separator: str) -> tuple[float, int]:
        try:
            rows = list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=separator), _LOOK_AT_ROWS))
        except csv.Error:
            return 0.0, 0
        counts = Counter(len(row) for row in rows if row)
        width, often = counts.most_common(1)[0] if counts else (0, 0)
        return (often / counts.total() if width > 1 else 0.0), width

    return max(_DELIMITERS, key=fit)


def _add(layout: Layout, rows: Iterable[Sequence[str]], most: int = MOST_ROWS) -> int:
    """Add the tables of a sheet, which empty rows separate. Return the number of rows."""
    count = 0
    table: list[list[str]] = []
    for row in chain(rows, [[]]):
        count += 1
        if count > most:
            raise Unreadable("too-large", f"It holds more than {MOST_ROWS:,} rows.")
        cells = [_BAR.sub("|", fold(cell)) for cell in row]
        if any(cells):
            table.append(cells)
        elif table:
            for text, is_table in _blocks(table):
                (layout.table if is_table else layout.paragraph)(text, 0)
            table = []
    return count


def _blocks(rows: Sequence[list[str]]) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a table: lines above it, then the table; or each row by itself if its columns have no names."""
    start = 0
    while start < len(rows) and sum(map(bool, rows[start])) == 1:
        yield "".join(rows[start]), False
        start += 1
    rest = rows[start:]
    if len(rest) > 1 and _names_columns(rest[0]):
        yield "\n".join(map(row_of, rest)), True
        return
    for row in rest:
        yield "; ".join(filter(None, row)), False


def _names_columns(row: Sequence[str]) -> bool:
    """Return whether a row is one of names: short, different from each other, and none of them a number or a date."""
    names = [cell for cell in row if cell]
    return len({name.casefold() for name in names}) == len(names) and not any(
        len(name) > _LONGEST_NAME or _VALUE.fullmatch(name) for name in names
    )


def _shown(cell: _Cell) -> str:
    """Return the value of a cell as text. Whole numbers have no decimal point, and dates no midnight."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, float):
        return f"{cell:.15g}"
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, dt.datetime):
        return str(cell.date()) if cell.time() == dt.time() else cell.isoformat(" ", timespec="seconds")
    return str(cell)
