"""Pages of PDF files as they are printed: a quote is found on its page, and what is marked there is the quote."""

import random
import subprocess
import zlib

import pypdfium2
import pytest

from vademecum.core.errors import StoreError
from vademecum.files.places import Places
from vademecum.library.internal import InternalLibrary
from vademecum.library.printed import PrintedPages

pytestmark = pytest.mark.needs("groff")

WORDS = """anchor basket candle drum easel fiddle goblet hammer inkwell jigsaw kettle lantern mirror needle organ pillow
quilt ribbon saddle teapot umbrella violin wagon xylophone yarn zither sail mast rudder keel""".split()  # noqa: SIM905 - a word list reads best


def manual(chance, paragraphs):
    said = [
        f"Paragraph {number} says: {' '.join(chance.choices(WORDS, k=chance.randint(8, 90)))}."
        for number in range(paragraphs)
    ]
    return ".TH SHIP 1\n.SH DESCRIPTION\n" + "\n.PP\n".join(said) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a PDF of several pages, set by a real typesetter, and one whose page is turned."""
    folder = tmp_path_factory.mktemp("pdf")
    page = manual(random.Random(7), 120)  # noqa: S311 - the same each time
    made = subprocess.run(["groff", "-Tpdf", "-man"], input=page.encode(), capture_output=True, check=True)
    (folder / "ship.pdf").write_bytes(made.stdout)
    with pypdfium2.PdfDocument(made.stdout) as document:
        document[0].set_rotation(90)
        document.save(folder / "turned.pdf")
    return folder


def library_of(folder, place):
    library = InternalLibrary(Places(place / "data", place / "config"))
    for entry in library.sources():
        library.remove_source(entry.alias)
    library.add_source(folder)
    library.reindex()
    return library


@pytest.fixture(scope="module")
def library(folder, tmp_path_factory):
    return library_of(folder, tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def pages():
    pages = PrintedPages()
    yield pages
    pages.close()


def document_of(library, reference):
    return next(one.id for one in library.documents() if one.reference == reference)


def bare(text):
    return "".join(filter(str.isalnum, text)).casefold()


def under(folder, found):
    """What PDFium says stands under the rectangles, a little wider than they are."""
    with pypdfium2.PdfDocument(folder / "ship.pdf") as document:
        page = document[found.page - 1]
        width, height = page.get_size()
        words = page.get_textpage()
        return " ".join(
            words.get_text_bounded(
                left * width - 1, height * (1 - bottom) - 1, right * width + 1, height * (1 - top) + 1
            )
            for left, top, right, bottom in found.rectangles
        )


def test_what_is_marked_is_the_quote(folder, library, pages):
    id_ = document_of(library, "ship.pdf")
    text = library.text(id_)
    paragraphs = [one for one in library.document(id_).blocks if one.kind == "paragraph"]
    seen = set()
    for block in random.Random(1).sample(paragraphs, 40):  # noqa: S311 - the same each time
        found = pages.place(library, id_, block.start, block.end)
        quote = bare(text[block.start : block.end])
        assert found.placed >= 0.5
        assert found.rectangles
        marked = bare(under(folder, found))
        if found.placed == 1:
            assert marked == quote
        else:  # a page ends within it
            assert marked in quote
            assert len(marked) >= len(quote) / 2
        seen.add(found.page)
    assert len(seen) >= 3


def test_the_same_words_are_marked_where_they_were_quoted(folder, library, pages):
    id_ = document_of(library, "ship.pdf")
    text = library.text(id_)
    places = [at for at in range(len(text)) if text.startswith("says: ", at)]
    for at in places[:10]:
        found = pages.place(library, id_, at, at + len("says: "))
        before = bare(text[max(0, at - 20) : at])
        left, top, _, bottom = found.rectangles[0]
        wider = found._replace(rectangles=((0.0, top, left + 0.06, bottom),))
        assert before[-6:] in bare(under(folder, wider))


def test_what_is_on_no_page_is_not_marked(folder, tmp_path, pages):
    copy = tmp_path / "pdf"
    copy.mkdir()
    (copy / "a.pdf").write_bytes((folder / "ship.pdf").read_bytes())
    library = library_of(copy, tmp_path / "library")
    id_ = document_of(library, "a.pdf")
    other = subprocess.run(
        ["groff", "-Tpdf", "-man"], input=b".TH A 1\n.SH NAME\nother\n", capture_output=True, check=True
    )
    (copy / "a.pdf").write_bytes(other.stdout)
    found = pages.place(library, id_, 200, 400)
    assert (found.pages, found.rectangles) == (1, ())
    assert found.placed < 0.5
    for content in (b"%PDF-1.4 damaged", b"no PDF at all", b""):
        (copy / "a.pdf").write_bytes(content)
        with pytest.raises(StoreError, match="cannot be shown"):
            pages.place(library, id_, 0, 10)
    (copy / "a.pdf").unlink()
    with pytest.raises(StoreError, match="cannot be shown"):
        pages.draw(library, id_, 1, 400)


def size_of(png):
    """Width and height of a PNG whose parts are sound."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data = 8, b""
    while at < len(png):
        length, name = int.from_bytes(png[at : at + 4]), png[at + 4 : at + 8]
        content = png[at + 8 : at + 8 + length]
        assert int.from_bytes(png[at + 8 + length : at + 12 + length]) == zlib.crc32(name + content)
        data += content if name == b"IDAT" else b""
        at += 12 + length
    width, height = int.from_bytes(png[16:20]), int.from_bytes(png[20:24])
    assert len(zlib.decompress(data)) == height * (1 + 3 * width)
    return width, height


def test_a_page_is_a_picture(library, pages):
    id_ = document_of(library, "ship.pdf")
    png = pages.draw(library, id_, 2, 600)
    assert size_of(png) == (600, pytest.approx(849, abs=2))
    with pytest.raises(StoreError, match="It has no page 99"):
        pages.draw(library, id_, 99, 600)


def test_a_turned_page_is_marked_as_it_is_seen(library, pages):
    id_ = document_of(library, "turned.pdf")
    width, height = size_of(pages.draw(library, id_, 1, 600))
    assert width > height
    block = next(one for one in library.document(id_).blocks if one.kind == "paragraph")
    found = pages.place(library, id_, block.start, block.end)
    assert found.width > found.height
    assert all(bottom - top > right - left for left, top, right, bottom in found.rectangles)


def test_a_page_without_measure_does_not_take_all_memory(tmp_path, pages):
    page = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 14400 14400]/Resources<</Font<</F 3 0 R>>>>/Contents 5 0 R>>"
    )
    drawn = b"BT /F 300 Tf 50 7000 Td (The hull is painted red.) Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        page,
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn),
    ]
    content = b"%PDF-1.4\n" + b"".join(b"%d 0 obj%s endobj\n" % pair for pair in enumerate(objects, 1))
    (tmp_path / "pdf").mkdir()
    (tmp_path / "pdf" / "huge.pdf").write_bytes(content + b"trailer<</Root 1 0 R>>")
    library = library_of(tmp_path / "pdf", tmp_path / "library")
    id_ = document_of(library, "huge.pdf")
    width, height = size_of(pages.draw(library, id_, 1, 10_000))
    assert width * height <= 12_010_000
