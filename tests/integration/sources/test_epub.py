"""EPUB books: chapters in reading order, exact quotations, and books that are broken, locked or built to do harm."""

import io
import zipfile

import pytest

from vademecum import Library
from vademecum.files.read import Unreadable
from vademecum.sources.docs import DocsSource
from vademecum.sources.docs.formats import read_bytes
from vademecum.testing import broken_promises

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">
<metadata><dc:title>The Lighthouse &amp; the Sea</dc:title><dc:title>Second</dc:title><dc:language>en-GB</dc:language>
<dc:description>A keeper's handbook.</dc:description></metadata>
<manifest>
<item id="two" href="text/chapter%202.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="notes" href="text/notes.xhtml" media-type="application/xhtml+xml"/>
<item id="cover" href="cover.png" media-type="image/png"/>
</manifest>
<spine><itemref idref="cover"/><itemref idref="one"/><itemref idref="two"/><itemref idref="notes" linear="no"/><itemref idref="gone"/></spine>
</package>"""
ONE = "<html><body><h1>The lamp</h1><p>The lamp is lit at dusk and burns 40 litres of oil 😀 a night.</p></body></html>"
TWO = "<html><body><h1>The fog horn</h1><p>In fog the horn sounds every 90 seconds.</p><ul><li>Grease it weekly.</li></ul></body></html>"
NOTES = "<html><body><p>Not in the reading order.</p></body></html>"
PARTS = {
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": PACKAGE,
    "OEBPS/text/one.xhtml": ONE,
    "OEBPS/text/chapter 2.xhtml": TWO,
    "OEBPS/text/notes.xhtml": NOTES,
}


def epub(changes=None):
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")
        for name, content in (PARTS | (changes or {})).items():
            if content is not None:
                archive.writestr(name, content)
    return place.getvalue()


def test_a_book_in_its_reading_order():
    parsed = read_bytes(epub(), ".epub")
    assert (parsed.title, parsed.language, parsed.summary) == (
        "The Lighthouse & the Sea",
        "en-GB",
        "A keeper's handbook.",
    )
    headings = [parsed.text[block.start : block.end] for block in parsed.blocks if block.kind == "heading"]
    assert headings == ["The lamp", "The fog horn"]
    assert "Not in the reading order" not in parsed.text
    words = [parsed.text[block.start : block.end] for block in parsed.blocks]
    assert "In fog the horn sounds every 90 seconds." in words
    assert all(word == word.strip() and word for word in words)


def test_it_is_asked_and_quoted_exactly(tmp_path):
    books = tmp_path / "books"
    books.mkdir()
    (books / "lighthouse.epub").write_bytes(epub())
    (books / "really-a-book.docx").write_bytes(epub())
    assert broken_promises(DocsSource(books, "books")) == []
    with Library.open(tmp_path / "library") as library:
        assert library.add(books).documents == 2
        answer = library.ask("How often does the horn sound in fog?")
        assert answer.summary[0].text == "In fog the horn sounds every 90 seconds."
        citation = answer.citations[0]
        assert library.text(citation.document)[citation.start : citation.end] == citation.quote


ENTITY = '<!DOCTYPE package [<!ENTITY a "aaaa">]>'
LOCK = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData><CipherData>'
    '<CipherReference URI="OEBPS/{}"/></CipherData></EncryptedData></encryption>'
)


@pytest.mark.parametrize(
    ("changes", "fault", "said"),
    [
        ({"META-INF/container.xml": None}, "damaged", "container.xml"),
        ({"META-INF/container.xml": "<container/>"}, "damaged", "names no package"),
        ({"META-INF/container.xml": "<container"}, "damaged", "damaged"),
        ({"OEBPS/book.opf": None}, "damaged", "book.opf"),
        ({"OEBPS/book.opf": ENTITY + PACKAGE}, "damaged", "declares entities"),
        ({"OEBPS/text/one.xhtml": None}, "damaged", "one.xhtml"),
        ({"META-INF/encryption.xml": LOCK.format("text/one.xhtml")}, "encrypted", "rights management"),
        ({"OEBPS/text/one.xhtml": " " * 70_000_000}, "too-large", "more than"),
        (
            {"META-INF/container.xml": CONTAINER.replace("OEBPS/book.opf", "../../etc/passwd")},
            "damaged",
            "passwd",
        ),
        ({"OEBPS/book.opf": "<a>" * 2000 + "</a>" * 2000}, "damaged", "nested"),
    ],
)
def test_a_book_that_cannot_be_read_says_why(changes, fault, said):
    with pytest.raises(Unreadable) as caught:
        read_bytes(epub(changes), ".epub")
    assert (caught.value.fault, said in caught.value.message) == (fault, True), caught.value.message


def test_locked_fonts_do_not_matter():
    assert read_bytes(epub({"META-INF/encryption.xml": LOCK.format("font.otf")}), ".epub").text


def test_a_book_that_is_cut_off():
    whole = epub()
    for size in range(100, len(whole), 97):
        with pytest.raises(Unreadable):
            read_bytes(whole[:size], ".epub")


def test_what_a_chapter_holds_is_text_and_nothing_else():
    hostile = "<html><body><script>boom()</script><p>Keep calm. <img src=x onerror=boom()></p></body></html>"
    assert "boom" not in read_bytes(epub({"OEBPS/text/one.xhtml": hostile}), ".epub").text
