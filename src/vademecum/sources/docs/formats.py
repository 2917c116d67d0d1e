"""Detect the format of a file from its content, and call the reader of that format."""

import re

from vademecum.files.read import Unreadable, read_open
from vademecum.sources._html import decode_html, read_html
from vademecum.sources._markdown import MarkdownPage, read_markdown
from vademecum.sources.docs.folder import LIMIT_BYTES
from vademecum.sources.docs.parsed import Parsed
from vademecum.sources.docs.text import read_text

TEXT_LIMIT_BYTES = 16 * 1024 * 1024
"""The maximum size of a text file. A long book has one or two million bytes."""

_MOST_BLOCKS = 500_000
_BINARY = {".pdf", ".docx", ".epub", ".xlsx", ".xls", ".ods"}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_PDF = b"%PDF-"
_PDF_WITHIN_BYTES = 1024
_ZIP = b"PK\x03\x04"
_EPUB = b"mimetypeapplication/epub+zip"
"""The first entry of an EPUB book, which is not compressed."""

_ODS = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(rb"\s*(?:<!--[^>]*-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_MARKED = re.compile(r"^(?:#{1,6} |```|\|.*\||[-*] |\d+\. )", re.MULTILINE)
_LOOK_AT = 100_000
_MOST_CONTROLS = 0.05


def read_file(descriptor: int, suffix: str) -> Parsed:
    """Read an open file, and close it.

    Args:
        descriptor: The file.
        suffix: The suffix of its name. The content takes precedence.

    Raises:
        Unreadable: The file cannot be read.
    """
    parsed = _read(read_open(descriptor, LIMIT_BYTES), suffix.lower())
    if not parsed.text:
        raise Unreadable("no-text", "It holds no text.")
    if len(parsed.blocks) > _MOST_BLOCKS:
        raise Unreadable("too-large", f"It holds more than {_MOST_BLOCKS:,} paragraphs.")
    return parsed


def read_string(text: str) -> Parsed:
    """Read text of unknown markup: as Markdown if lines begin with its marks."""
    return _of_markdown(read_markdown(text)) if _MARKED.search(text) else read_text(text)


def _read(raw: bytes, suffix: str) -> Parsed:
    if _PDF in raw[:_PDF_WITHIN_BYTES]:
        from vademecum.sources.docs.pdf import read_pdf  # noqa: PLC0415 - not everybody has PDF files

        return read_pdf(raw)
    if raw.startswith(_ZIP) and _EPUB in raw[:120]:
        from vademecum.sources.docs.epub import read_epub  # noqa: PLC0415 - nor books

        parsed = read_epub(raw)
        return parsed if _LANGUAGE.fullmatch(parsed.language) else parsed._replace(language="")
    if _is_workbook(raw, suffix):
        from vademecum.sources.docs.sheets import read_workbook  # noqa: PLC0415 - nor tables

        return read_workbook(raw)
    if raw.startswith(_ZIP):
        from vademecum.sources.docs.docx import read_docx  # noqa: PLC0415 - nor Word files

        return read_docx(raw)
    if raw.startswith(_OLE):
        raise Unreadable("encrypted", "It is an Office file with a password, or of a version before 2007.")
    if len(raw) > TEXT_LIMIT_BYTES:
        raise Unreadable("too-large", f"It holds more than {TEXT_LIMIT_BYTES:,} bytes of text.")
    if not raw.strip(b"\0 \t\r\n"):
        raise Unreadable("no-text", "It is empty.")
    text = decode_html(raw)
    if _is_binary(text):
        fault = "damaged" if suffix in _BINARY else "not-text"
        raise Unreadable(fault, "It holds binary data of no known format.")
    if suffix in {".html", ".htm"} or _HTML.match(raw):
        page = read_html(text)
        links = tuple(link.target for link in page.links)
        return Parsed(page.title, "", page.language, page.text, page.blocks, links)
    if suffix in {".md", ".markdown", ".mdx"}:
        return _of_markdown(read_markdown(text))
    if suffix in {".csv", ".tsv"}:
        from vademecum.sources.docs.sheets import read_csv  # noqa: PLC0415 - likewise

        return read_csv(text, suffix)
    if suffix == ".rst":
        try:
            from vademecum.sources.docs.rst import read_rst  # noqa: PLC0415 - an extra
        except ImportError:
            return read_text(text)
        return read_rst(text)
    if suffix in {".adoc", ".asciidoc"}:
        from vademecum.sources.docs.asciidoc import read_asciidoc  # noqa: PLC0415 - likewise

        parsed = read_asciidoc(text)
        return parsed if _LANGUAGE.fullmatch(parsed.language) else parsed._replace(language="")
    return read_text(text)


def _is_workbook(raw: bytes, suffix: str) -> bool:
    """Return whether a file is a workbook. The names of the parts of a zip file are in it as they are."""
    if raw.startswith(_ZIP):
        return _ODS in raw[:120] or b"xl/workbook." in raw
    return raw.startswith(_OLE) and suffix == ".xls"


def _is_binary(text: str) -> bool:
    head = text[:_LOOK_AT]
    return len(_CONTROLS.findall(head)) > _MOST_CONTROLS * len(head)


def _of_markdown(page: MarkdownPage) -> Parsed:
    language = page.front.get("lang") or page.front.get("language") or ""
    return Parsed(
        title=page.front.get("title") or page.title,
        summary=page.front.get("description") or "",
        language=language if _LANGUAGE.fullmatch(language) else "",
        text=page.text,
        blocks=page.blocks,
        links=page.links,
    )
