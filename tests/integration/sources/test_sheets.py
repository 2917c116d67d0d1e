"""CSV files and workbooks: rows with the names of their columns, and files that are broken or too large."""

import datetime as dt
import io
import sys
import zipfile

import pytest

from vademecum import Library
from vademecum.files.read import Unreadable
from vademecum.sources.docs import DocsSource
from vademecum.sources.docs.sheets import read_csv, read_workbook
from vademecum.testing import broken_promises

HOSTS = "Host,Address,Owner\nprinter-3,10.1.4.7,Anna Berg\nprinter-4,10.1.4.8,Sam Ode\n"
CONTENT_TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="xml" ContentType="application/xml"/>
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
</Types>"""
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def column(number):
    return chr(ord("A") + number)


def cell(place, value):
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, dt.date):
        return f'<c r="{place}" s="1"><v>{(value - dt.date(1899, 12, 30)).days}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>' if value else ""


def workbook(sheets, hidden=()):
    """Return a workbook of Excel as ECMA-376 describes it: sheets by name, each a list of rows."""
    place = io.BytesIO()
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"{" state=" + chr(34) + "hidden" + chr(34) if name in hidden else ""}/>'
        for number, name in enumerate(sheets, 1)
    )
    related = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number in range(1, len(sheets) + 1)
    )
    styles = f'<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES)
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}">{related}<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
        )
        archive.writestr("xl/styles.xml", styles)
        for number, rows in enumerate(sheets.values(), 1):
            lines = (
                f'<row r="{at}">{"".join(cell(f"{column(x)}{at}", value) for x, value in enumerate(row))}</row>'
                for at, row in enumerate(rows, 1)
            )
            archive.writestr(
                f"xl/worksheets/sheet{number}.xml",
                f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>',
            )
    return place.getvalue()


STOCK = workbook(
    {
        "Stock": [
            ["Stock of the cellar"],
            [],
            ["Part", "Count", "Price", "Since", "Spare"],
            ["Pump", 12, 99.5, dt.date(2024, 5, 2), True],
            ["Valve | small", 3.0, 1234567, dt.date(2023, 1, 31), False],
        ],
        "Secret": [["Wages", "10,000"]],
        "Empty": [],
    },
    hidden=["Secret"],
)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "bar"])
def test_separators(separator):
    parsed = read_csv(HOSTS.replace(",", separator), ".csv")
    assert (
        parsed.text
        == "Host | Address | Owner\nprinter-3 | 10.1.4.7 | Anna Berg\nprinter-4 | 10.1.4.8 | Sam Ode"
    )
    assert [(block.kind, block.start, block.end) for block in parsed.blocks] == [
        ("table", 0, len(parsed.text))
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('Name,Note\nAnn,"first, second\nthird ""x"""\n', 'Name | Note\nAnn | first, second third "x"'),
        ("Anna,030 1234\nBob,030 5678\n", "Anna; 030 1234\nBob; 030 5678"),
        ("Hosts of the office\n\nHost,Room\nnas,12\n", "Hosts of the office\nHost | Room\nnas | 12"),
        ("A,B,C\n1,,3\n4,,\n", "A | B | C\n1 |  | 3\n4"),
        ("A,B\n1,2\n\nC,D\n3,4\n", "A | B\n1 | 2\nC | D\n3 | 4"),
        ("milk\nbread\n", "milk\nbread"),
        ("A,B\n1,2,3\n", "A | B\n1 | 2 | 3"),
    ],
    ids=[
        "quoted", "no names of columns", "a title", "empty cells", "two tables", "one column", "a longer row",
    ],
)  # fmt: skip
def test_tables(source, text):
    assert read_csv(source, ".csv").text == text


def test_a_quotation_mark_that_is_not_closed():
    with pytest.raises(Unreadable) as raised:
        read_csv('A,B\n"' + "x,y\n" * 400_000, ".csv")
    assert (raised.value.fault, raised.value.message) == (
        "damaged",
        "It is not sound CSV: field larger than field limit (1000000).",
    )


def test_a_workbook():
    parsed = read_workbook(STOCK)
    assert parsed.text == (
        "Stock\nStock of the cellar\nPart | Count | Price | Since | Spare\n"
        "Pump | 12 | 99.5 | 2024-05-02 | TRUE\nValve|small | 3 | 1234567 | 2023-01-31 | FALSE"
    )
    assert [block.kind for block in parsed.blocks] == ["heading", "paragraph", "table"]


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (STOCK[:-200], "damaged"),
        (STOCK.replace(b"xl/worksheets/sheet1.xml", b"xl/worksheets/sheet9.xml"), "damaged"),
        (b"PK\x03\x04 xl/workbook.xml", "damaged"),
    ],
    ids=["cut short", "a part is missing", "not a zip file"],
)
def test_damaged_workbooks(raw, fault):
    with pytest.raises(Unreadable) as raised:
        read_workbook(raw)
    assert raised.value.fault == fault


def test_rows_are_answered_with_their_columns(tmp_path):
    folder = tmp_path / "office"
    folder.mkdir()
    (folder / "hosts.csv").write_text(
        HOSTS + "".join(f"desk-{n},10.2.{n // 250}.{n % 250},Kim Lee\n" for n in range(3_000))
    )
    (folder / "stock.xlsx").write_bytes(STOCK)
    (folder / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert [
        problem for problem in broken_promises(DocsSource(folder, "office")) if "old.xls" not in problem
    ] == []
    with Library.open(tmp_path / "library") as library:
        library.add_source(str(folder))
        report = library.reindex()
        assert [problem.fault for problem in report.problems] == ["damaged"]
        answer = library.ask("what is the address of printer-4?").to_markdown()
        assert "Host: printer-4; Address: 10.1.4.8; Owner: Sam Ode" in answer
        assert "desk-2871; Address: 10.2.11.121; " in library.ask("address of desk-2871").to_markdown()
        assert {block.kind for block in library.document(library.documents()[0].id).blocks} == {"row"}
        assert "Price: 99.5" in library.ask("what does the pump cost? its price?").to_markdown()


def test_each_sheet_has_its_own_columns(tmp_path):
    folder = tmp_path / "office"
    folder.mkdir()
    sheets = {
        "Licences": [["Product", "Vendor", "Seats"], ["PhotoSuite", "Acme", 5]],
        "UPS": [["Rack", "Model", "Minutes"], ["R1", "APC 1500", 12], ["R2", "Eaton 9PX", 25]],
    }
    (folder / "it.xlsx").write_bytes(workbook(sheets))
    with Library.open(tmp_path / "library") as library:
        library.add_source(folder)
        library.reindex()
        assert (
            library.ask("which model is in rack R2?").summary[0].text
            == "Rack: R2; Model: Eaton 9PX; Minutes: 25"
        )


def test_without_the_extra_the_reader_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(Unreadable) as raised:
        read_workbook(STOCK)
    assert raised.value.fault == "extra-missing"
