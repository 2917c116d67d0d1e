"""Documents of every format, told by what they hold; and files that would break or hold up their reader."""

import builtins
import io
import os
import zipfile
import zlib
from copy import copy
from pathlib import Path

import pytest

from vademecum.core.documents import DocumentRef
from vademecum.files.read import Unreadable
from vademecum.sources.docs import DocsSource, _contained
from vademecum.sources.docs._contained import Contained
from vademecum.sources.docs.formats import read_bytes, read_file
from vademecum.sources.docs.pdf import read_pdf
from vademecum.sources.docs.text import read_text

LOCKED = Path(__file__).parents[2] / "data" / "docs" / "locked.pdf"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(*pages, title="", extra=b""):
    """A PDF file; a page is a list of (x, y, size, text)."""
    streams = [
        "".join(f"BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n" for x, y, size, text in page).encode("cp1252")
        + extra
        for page in pages
    ]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for number, stream in enumerate(streams):
        packed = zlib.compress(stream)
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents {5 + 2 * number} 0 R>>".encode(),
            b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(packed), packed),
        ]
    objects.append(f"<</Title({title})>>".encode())
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, content)
    xref = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Size %d/Root 1 0 R/Info %d 0 R>>startxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        len(objects),
        xref,
    )
    return bytes(out)


def docx(body, styles="", title="", declaration=""):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        content = (
            body
            if isinstance(body, bytes)
            else f"<w:document xmlns:w='{W}'><w:body>{body}</w:body></w:document>".encode()
        )
        archive.writestr("word/document.xml", declaration.encode() + content)
        archive.writestr("word/styles.xml", f"<w:styles xmlns:w='{W}'>{styles}</w:styles>")
        archive.writestr(
            "docProps/core.xml",
            f"<c xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>{title}</dc:title></c>",
        )
    return file.getvalue()


def paragraph(text, properties=""):
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def shown(parsed, kind=None):
    return [parsed.text[block.start : block.end] for block in parsed.blocks if kind in (None, block.kind)]


@pytest.fixture
def read(tmp_path):
    """Reads one file, of a name and content, in this process."""

    def read_one(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        descriptor = os.open(path, os.O_RDONLY)
        return read_file(descriptor, path.suffix)

    return read_one


@pytest.fixture
def document(tmp_path):
    """Reads one file, of a name and content, as a source does."""

    def read_one(name, content):
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        source = DocsSource(tmp_path / "docs", "docs")
        (found,) = source.read(
            [one for one in source.scan() if isinstance(one, DocumentRef) and one.key == name]
        )
        return found

    return read_one


# --- Documents -----------------------------------------------------------------------------------------------------


def test_markdown(document):
    found = document(
        "a.md",
        "---\ntitle: The title\nlang: de\n---\n# Head\n\nFirst *sentence* here. Second.\n\n"
        "See [b](sub/b.md#x), [c](../out.md), [d](https://example.org/), [e](/abs.md), [f](with%20space.md).\n",
    )
    assert (found.title, found.language, found.summary) == ("The title", "de", "First sentence here.")
    assert found.links == ("sub/b.md", "with space.md")
    assert found.names == (found.reference,) == ("a.md",)


def test_html(document):
    found = document(
        "a.html",
        "<html lang=fr><title>T</title><body><h1>H</h1><p>Words &eacute;t <a href=b.html#x>b</a>.</p></body></html>",
    )
    assert (found.title, found.language, found.summary, found.links) == (
        "T",
        "fr",
        "Words ét b.",
        ("b.html",),
    )


def test_titles_and_summaries_where_nothing_is_said(document):
    found = document("some notes.txt", "word " * 100)
    assert found.title == "some notes"
    assert 190 < len(found.summary) <= 200
    assert found.text.startswith(found.summary)
    assert document("b.md", "## *First* heading\n\nWords").title == "First heading"
    assert found.language == "en"


def test_a_label_of_a_box_is_not_a_section_and_tbd_is_not_a_title(document):
    found = document("c.md", "# TBD\n\n## Ropes\n\n### Note\n\nDry them.\n\nCoil them.")
    headings = [found.text[block.start : block.end] for block in found.blocks if block.kind == "heading"]
    assert (found.title, headings) == ("Ropes", ["TBD", "Ropes"])


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("x.txt", "größe", "größe"),
        ("x.txt", b"\xef\xbb\xbfgr\xc3\xb6\xc3\x9fe", "größe"),
        ("x.md", "\ufeff# größe\r\n\r\nx\ty\r\n".encode("utf-16"), "größe\nx y"),
        ("x.txt", "größe – x".encode("cp1252"), "größe – x"),
        ("x.txt", "one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("x.txt", b"a line of some words, with\0a zero byte", "a line of some words, witha zero byte"),
        ("x.txt", b"\xff\xfe\x00\xd8a\x00b\x00" + "c".encode("utf-16-le") * 40, "\ufffdab" + "c" * 40),
        ("x.md", b"<!DOCTYPE html><html><p>It is <b>HTML</b>", "It is HTML"),
        ("x.txt", pdf([(50, 700, 12, "It is PDF")]), "It is PDF"),
        ("x.html", docx(paragraph("It is Word")), "It is Word"),
        ("x.docx", pdf([(50, 700, 12, "It is PDF")]), "It is PDF"),
        ("x.pdf", "It is text", "It is text"),
    ],
)
def test_files_are_told_and_decoded_by_what_they_hold(read, name, content, text):
    assert read(name, content).text == text


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("x.md", b"", "no-text"),
        ("x.txt", b"\xef\xbb\xbf", "no-text"),
        ("x.html", "<title>Only a title</title>", "no-text"),
        ("x.txt", bytes(range(256)) * 10, "not-text"),
        ("x.md", b"\x7fELF" + b"\0" * 500, "not-text"),
        ("x.txt", b"\0" * 500, "no-text"),
        ("x.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500, "old-format"),
        ("x.docx", b"PK\x03\x04 and no more", "damaged"),
        ("x.pdf", b"%PDF-1.7 and no more", "damaged"),
        ("x.pdf", pdf([]), "no-text"),
        ("x.pdf", LOCKED.read_bytes(), "encrypted"),
    ],
)
def test_what_can_not_be_read_has_a_name(read, name, content, fault):
    with pytest.raises(Unreadable) as bad:
        read(name, content)
    assert bad.value.fault == fault


def test_text_over_the_limit(read, monkeypatch):
    monkeypatch.setattr("vademecum.sources.docs.formats.TEXT_LIMIT_BYTES", 10)
    with pytest.raises(Unreadable, match="more than 10 bytes"):
        read("x.md", "more than ten")


# --- Text ----------------------------------------------------------------------------------------------------------


def test_plain_text():
    long = "This is a line as long as those that a program wraps at its end"
    parsed = read_text(
        f"=====\nTitle\n=====\n\n{long}\n{long}\nends here.\n\nshort\nlines\n\nPart\n----\n\n    code\n      more\n\n"
        f"- one\n- two\n  goes on\n1. three\n\n{'-' * 40}\n\x0cPart\n----\nlast\n"
    )
    assert [(block.kind, block.level) for block in parsed.blocks[:5]] == [
        ("heading", 1), ("paragraph", 0), ("paragraph", 0), ("heading", 2), ("code", 0),
    ]  # fmt: skip
    assert shown(parsed) == [
        "Title", f"{long} {long} ends here.", "short\nlines", "Part", "code\n  more",
        "one", "two\ngoes on", "three", "Part", "last",
    ]  # fmt: skip
    assert "• one" in parsed.text


# --- PDF -----------------------------------------------------------------------------------------------------------


def lines(texts, top, size=11, x=50):
    return [(x, top - 14 * number, size, text) for number, text in enumerate(texts)]


FULL = "These are words up to where the line ends, and there are many of them "


def test_paragraphs_and_headings_of_a_pdf():
    first = [
        (50, 780, 11, "Running title 1"),
        *lines(["Chapter"], 740, size=20),
        *lines([FULL, FULL + "and now encyclo-", "pedia ends it."], 700),
        *lines(["A second one begins."], 640),
        *lines(["• a bullet", "• another"], 600),
        (50, 30, 11, "1"),
    ]
    second = [(50, 780, 11, "Running title 2"), *lines([FULL + "goes"], 700), (50, 30, 11, "2")]
    third = [(50, 780, 11, "Running title 3"), *lines(["on over there."], 700), (50, 30, 11, "3")]
    parsed = read_pdf(pdf(first, second, third, title="What it is"))
    assert parsed.title == "What it is"
    assert [(block.kind, block.level, block.anchor) for block in parsed.blocks] == [
        ("heading", 1, "page-1"), ("paragraph", 0, "page-1"), ("paragraph", 0, "page-1"),
        ("paragraph", 1, "page-1"), ("paragraph", 1, "page-1"), ("paragraph", 0, "page-2"),
    ]  # fmt: skip
    words = shown(parsed)
    assert words[0] == "Chapter"
    assert words[1].endswith("encyclopedia ends it.")
    assert words[2:5] == ["A second one begins.", "a bullet", "another"]
    assert words[5].endswith("goes on over there.")


@pytest.mark.parametrize(
    "content",
    [
        pdf([(50, 700, 12, "x")]).replace(b"/Kids[4 0 R]", b"/Kids[2 0 R]"),
        pdf([(50, 700, 12, "x")])[:300],
        pdf([(50, 700, 12, "x")]).replace(b"/Parent 2 0 R", b"/Parent 4 0 R"),
        b"%PDF-1.4\n" + b"[" * 200_000,
        b"%PDF-1.4\n1 0 obj<</Length 1 0 R>>stream\n" * 1000,
        pdf([(50, 700, 12, "x")], extra=b" " * 100_000_000),
    ],
)
def test_a_pdf_that_is_broken_or_loops_ends_in_time(tmp_path, content):
    (tmp_path / "x.pdf").write_bytes(content)
    with Contained(15) as reader:
        found = ask(reader, tmp_path / "x.pdf", ".pdf")
    assert found in {"x", "damaged", "no-text", "reader-failed", "reader-timeout"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.html", "<div>" * 300_000 + "words"),
        ("x.html", "<p " + "a=b " * 300_000 + ">words"),
        ("x.html", "<b><p>" * 100_000 + "words"),
        ("x.txt", "words " * 1_700_000),
        ("x.txt", "words\n===\n" * 100_000),
        ("x.md", "- " * 10_000 + "words"),
    ],
)
def test_a_bomb_of_markup_or_text_ends_in_time(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with Contained(20) as reader:
        found = ask(reader, tmp_path / name, Path(name).suffix)
    assert found.removeprefix("• ").startswith("words") or found in {
        "no-text",
        "reader-failed",
        "reader-timeout",
    }


def test_without_the_extra(read, monkeypatch):
    real_import = builtins.__import__

    def no_pdfium(name, *rest):
        if name == "pypdfium2":
            raise ImportError(name)
        return real_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", no_pdfium)
    with pytest.raises(Unreadable) as bad:
        read("x.pdf", pdf([(50, 700, 12, "x")]))
    assert bad.value.fault == "extra-missing"


def test_the_hint_names_the_command_that_installs_the_extra():
    from vademecum.sources._problems import problem

    assert 'pip install "vademecum[docs]"' in problem("docs", "x.pdf", "extra-missing", "").hint


# --- Word ----------------------------------------------------------------------------------------------------------


def test_a_word_file():
    styles = (
        "<w:style w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style>"
        "<w:style w:styleId='T'><w:name w:val='Title'/></w:style>"
    )
    cell = "<w:tc>{}</w:tc>"
    body = (
        paragraph("The title", "<w:pStyle w:val='T'/>")
        + paragraph("Part", "<w:pStyle w:val='berschrift2'/>")
        + "<w:p><w:r><w:t>Run </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:r><w:t>on</w:t><w:br/><w:t>line</w:t><w:tab/><w:t>&amp; tab</w:t></w:r></w:p>"
        + paragraph("bullet", "<w:numPr><w:ilvl w:val='1'/><w:numId w:val='3'/></w:numPr>")
        + "<w:tbl><w:tr>" + cell.format(paragraph("a") + paragraph("b")) + cell.format(paragraph("c")) + "</w:tr>"
        "<w:tr>" + cell.format("<w:p/>") + cell.format("<w:tbl><w:tr><w:tc>" + paragraph("in") + "</w:tc></w:tr></w:tbl>")
        + "</w:tr></w:tbl>"
        + "<w:p/>"
    )  # fmt: skip
    parsed = read_bytes(docx(body, styles), ".docx")
    assert parsed.title == "The title"
    assert [(block.kind, block.level, block.anchor) for block in parsed.blocks] == [
        ("heading", 1, "the-title"), ("heading", 2, "part"), ("paragraph", 0, ""), ("paragraph", 2, ""), ("table", 0, ""),
    ]  # fmt: skip
    assert shown(parsed)[2:] == ["Run on\nline & tab", "bullet", "a b | c\n| in"]
    assert read_bytes(docx(paragraph("x"), title="Of the properties"), ".docx").title == "Of the properties"


ENTITIES = "<!DOCTYPE d [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]>"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (docx(paragraph("&b;"), declaration=ENTITIES), "entities"),
        (docx(b"<w:p" + b" " * 80_000_000), "more than"),
        (docx(b"<a>" * 5_000), "too deep"),
        (docx(b"<a><b></a>"), "damaged"),
        (docx(b"\xff\xfe\xff"), "damaged"),
    ],
)
def test_word_files_that_would_break_their_reader(content, said):
    with pytest.raises(Unreadable, match=said):
        read_bytes(content, ".docx")


def test_an_encrypted_word_file():
    raw = bytearray(docx(paragraph("x")))
    at = -1
    while (at := raw.find(b"PK\x01\x02", at + 1)) >= 0:
        raw[at + 8] |= 1
    with pytest.raises(Unreadable) as bad:
        read_bytes(bytes(raw), ".docx")
    assert bad.value.fault == "encrypted"


# --- The process they are read in ----------------------------------------------------------------------------------


def ask(reader, path, suffix=".md"):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return reader.read(descriptor, suffix).text
    except Unreadable as bad:
        return bad.fault
    finally:
        os.close(descriptor)


def process_of(reader):
    return reader._ending.peek()[2][0]


def test_a_file_that_takes_too_long_is_given_up_and_the_next_is_read(tmp_path):
    columns = 2_000
    row = "|".join("a" * columns) + "\n"
    (tmp_path / "slow.md").write_text(row + "|".join("-" * columns) + "\n" + row * 2_000)
    (tmp_path / "next.md").write_text("the next")
    with Contained(2) as reader:
        assert ask(reader, tmp_path / "slow.md") == "reader-timeout"
        assert ask(reader, tmp_path / "next.md") == "the next"


def test_a_file_that_takes_too_much_memory_is_given_up_and_the_next_is_read(tmp_path, monkeypatch):
    lower = (
        "import os, vademecum.sources.docs._contained as c, vademecum.sources.docs.formats;"
        "size = int(open('/proc/self/statm').read().split()[0]) * os.sysconf('SC_PAGE_SIZE');"
        "c.MEMORY_LIMIT_BYTES = size + 100_000_000; serve(int"
    )
    monkeypatch.setattr(_contained, "_PROGRAM", _contained._PROGRAM.replace("serve(int", lower))
    (tmp_path / "big.txt").write_text("xy\n" * 1_500_000)
    (tmp_path / "next.md").write_text("the next")
    with Contained() as reader:
        assert ask(reader, tmp_path / "big.txt", ".txt") == "reader-failed"
        assert ask(reader, tmp_path / "next.md") == "the next"


def test_too_many_paragraphs(read, monkeypatch):
    monkeypatch.setattr("vademecum.sources.docs.formats._MOST_BLOCKS", 2)
    with pytest.raises(Unreadable, match="more than 2 paragraphs"):
        read("x.md", "a\n\nb\n\nc\n")


def test_a_process_that_is_gone_is_replaced(tmp_path):
    (tmp_path / "x.md").write_text("words")
    with Contained() as reader:
        assert ask(reader, tmp_path / "x.md") == "words"
        process_of(reader).kill()
        process_of(reader).wait()
        assert ask(reader, tmp_path / "x.md") == "words"
        child = process_of(reader)
    assert child.poll() is not None


def test_an_answer_that_is_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_contained, "_ANSWER_LIMIT_BYTES", 100)
    (tmp_path / "x.md").write_text("words " * 100)
    with Contained() as reader:
        assert ask(reader, tmp_path / "x.md") == "too-large"


def test_a_source_has_one_process_that_ends_with_it(tmp_path):
    (tmp_path / "a.md").write_text("words")
    source = DocsSource(tmp_path, "docs")
    found = list(source.scan())
    assert [document.text for document in source.read(found)] == ["words"]
    (reader,) = source._idle
    child = process_of(reader)
    assert [document.text for document in source.read(found)] == ["words"]
    assert source._idle == [reader]
    assert process_of(reader) is child
    assert child.poll() is None
    assert copy(source)._idle == []
    del source, reader
    assert child.poll() is not None


def test_a_source_that_is_left_in_the_middle_leaves_no_process(tmp_path):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("words")
    source = DocsSource(tmp_path, "docs")
    reading = iter(source.read(list(source.scan())))
    next(reading)
    child = process_of(reading.gi_frame.f_locals["reader"])
    reading.close()
    assert child.poll() is not None
