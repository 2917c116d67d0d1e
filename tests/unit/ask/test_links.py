"""How a document that is cited can be opened, and read on."""

import pytest

from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.catalog.links import read_with, url_of


@pytest.mark.parametrize(
    ("kind", "reference", "typed"),
    [
        ("man", "tar(1)", "man 1 tar"),
        ("man", "open(3perl)", "man 3perl open"),
        ("man", "x(1); rm -r y(1)", ""),
        ("info", "chmod invocation(coreutils)", "info '(coreutils) chmod invocation'"),
        ("info", "it's(coreutils)", ""),
        ("zim", "A/Page", ""),
    ],
)
def test_what_is_typed(kind, reference, typed):
    assert read_with(CatalogEntry("x", kind, "/there"), reference, "any words") == typed


def test_a_file_is_given_with_its_line(tmp_path):
    (tmp_path / "a.md").write_text("# Backup\n\nRun *restic* every\nnight at two.\n")
    entry = CatalogEntry("notes", "docs", str(tmp_path))
    assert read_with(entry, "a.md", "Run restic every night at two.") == f"{tmp_path}/a.md:3"
    assert read_with(entry, "a.md", "Nothing of this is there") == f"{tmp_path}/a.md"
    assert read_with(entry, "a.md") == f"{tmp_path}/a.md"
    assert read_with(entry, "gone.md", "Run restic") == ""
    (tmp_path / "b.md").write_bytes(b"\xff\xfe Run restic")
    assert read_with(entry, "b.md", "Run restic") == f"{tmp_path}/b.md"


def test_a_pdf_file_is_opened_at_the_page():
    entry = CatalogEntry("books", "docs", "/books")
    assert read_with(entry, "a.pdf", "any words", "page-12") == "/books/a.pdf, page 12"
    assert url_of(entry, "a.pdf", "page-12") == "file:///books/a.pdf#page=12"
    assert url_of(entry, "a.pdf", "intro") == "file:///books/a.pdf"
