"""Detect the format of a file from its content and its suffix, and call the reader of that format."""

import io
import posixpath
import re
import zipfile
import zlib
from xml.parsers import expat

from vademecum.files.read import Unreadable, open_within, read_open
from vademecum.sources._blocks import Parsed
from vademecum.sources._html import HtmlPage, decode_html, read_html
from vademecum.sources._markdown import MarkdownPage, fold, read_markdown
from vademecum.sources.docs.folder import LIMIT_BYTES, SUFFIXES, suffix_of
from vademecum.sources.docs.text import read_text
from vademecum.sources.docs.xml_parts import read_part

TEXT_LIMIT_BYTES = 16 * 1024 * 1024
"""The maximum size of a text file. A long book has one or two million bytes."""

_MOST_BLOCKS = 500_000
_BINARY = {".pdf", ".docx", ".epub", ".xlsx", ".xls", ".ods", ".odt", ".odp", ".pptx"}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_PDF = b"%PDF-"
_PDF_WITHIN_BYTES = 1024
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(rb"\s*(?:<!--[^>]*-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_RICH_TEXT = "{\\rtf"
_ARMOURED = "-----BEGIN "
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_MARKED = re.compile(r"^(?:#{1,6} |```|\|.*\||[-*] |\d+\. )", re.MULTILINE)
_LOOK_AT = 100_000
_MOST_CONTROLS = 0.05
_LONGEST_TYPE = 1_000
_MANIFEST = "META-INF/manifest.xml"


def read_file(descriptor: int, suffix: str, root: str = "", key: str = "") -> Parsed:
    """Read an open file, and close it.

    Args:
        suffix: The suffix of its name. The content takes precedence.
        root: The folder of the source, from which other files can be included; "" for none.
    """
    parsed = read_bytes(
        read_open(descriptor, LIMIT_BYTES), suffix.lower(), Included(root, key) if root else None
    )
    if not parsed.text:
        raise Unreadable("no-text", "It holds no text.")
    if len(parsed.blocks) > _MOST_BLOCKS:
        raise Unreadable("too-large", f"It holds more than {_MOST_BLOCKS:,} paragraphs.")
    return parsed if _LANGUAGE.fullmatch(parsed.language) else parsed._replace(language="")


def read_string(text: str) -> Parsed:
    """Read text of unknown markup: as Markdown if lines begin with its marks."""
    return _of_markdown(read_markdown(text)) if _MARKED.search(text) else read_text(text)


def read_bytes(raw: bytes, suffix: str, included: "Included | None" = None) -> Parsed:
    """Read the contents of a file. See `read_file`."""
    # Readers are imported when they are needed: most folders have files of one or two formats.
    if _PDF in raw[:_PDF_WITHIN_BYTES]:
        from vademecum.sources.docs.pdf import read_pdf  # noqa: PLC0415

        return read_pdf(raw)
    if raw.startswith(_ZIP):
        return _read_zip(raw)
    if raw.startswith(_OLE):
        if suffix == ".xls":
            from vademecum.sources.docs.sheets import read_workbook  # noqa: PLC0415

            return read_workbook(raw)
        raise Unreadable("old-format", "It is an Office file of a version before 2007, or has a password.")
    if len(raw) > TEXT_LIMIT_BYTES:
        raise Unreadable("too-large", f"It holds more than {TEXT_LIMIT_BYTES:,} bytes of text.")
    if not raw.strip(b"\0 \t\r\n"):
        raise Unreadable("no-text", "It is empty.")
    if suffix in {".eml", ".mbox", ".mhtml", ".mht"}:
        from vademecum.sources.docs.mail import read_mail, read_saved_page  # noqa: PLC0415

        return _of_html(read_saved_page(raw) if "mht" in suffix else read_mail(raw))
    text = decoded(raw)
    if _is_binary(text):
        fault = "damaged" if suffix in _BINARY else "not-text"
        raise Unreadable(fault, "It holds binary data of no known format.")
    if suffix in {".html", ".htm"} or _HTML.match(raw):
        return _of_html(read_html(text))
    return _read_text(included.whole(text, suffix) if included else text, suffix)


def _read_text(text: str, suffix: str) -> Parsed:
    match suffix:
        case ".md" | ".markdown" | ".mdx" | ".qmd" | ".rmd":
            return _of_markdown(read_markdown(text))
        case ".csv" | ".tsv":
            from vademecum.sources.docs.sheets import read_csv  # noqa: PLC0415

            return read_csv(text, suffix)
        case ".rst":
            try:
                from vademecum.sources.docs.rst import read_rst  # noqa: PLC0415 - an extra
            except ImportError:
                return read_text(text)
            return read_rst(text)
        case ".adoc" | ".asciidoc" | ".asc":
            from vademecum.sources.docs.asciidoc import read_asciidoc  # noqa: PLC0415

            if text.startswith(_ARMOURED):
                raise Unreadable("not-text", "It is a key or a signature.")
            return read_asciidoc(text)
        case ".json" | ".jsonl" | ".yaml" | ".yml" | ".toml" | ".xml":
            from vademecum.sources.docs.data import read_data  # noqa: PLC0415

            return read_data(text, suffix)
        case ".ipynb":
            from vademecum.sources.docs.data import read_notebook  # noqa: PLC0415

            return _of_markdown(read_notebook(text))
        case ".org" | ".tex" | ".srt" | ".vtt":
            from vademecum.sources.docs import light  # noqa: PLC0415

            if suffix in {".srt", ".vtt"}:
                return _of_html(read_html(light.html_of_subtitles(text)))
            convert = light.markdown_of_org if suffix == ".org" else light.markdown_of_latex
            return _of_markdown(read_markdown(convert(text)))
        case ".log":
            return read_text("\n\n".join(text.splitlines()))  # each line is a paragraph
    if text.startswith(_RICH_TEXT):
        from vademecum.sources.docs.light import html_of_rtf  # noqa: PLC0415

        return _of_html(read_html(html_of_rtf(text)))
    return read_text(text)


_INCLUDES = {
    suffix: re.compile(rf"^(?P<margin>[ \t]*)(?:{pattern})[ \t]*$", re.MULTILINE)
    for suffixes, pattern in (
        (".rst .txt", r"\.\. (?P<code>literal)?include:: *(?P<path>\S+)"),
        (".adoc .asciidoc .asc", r"include::(?P<path>[^\[\s]+)\[[^\]]*\]"),
        (".org", r"#\+(?:include|INCLUDE): *\"?(?P<path>[^\s\"]+).*"),
        (".tex", r"\\(?:input|include)\{(?P<path>[^}]+)\}"),
        (".md .markdown .mdx .qmd .rmd", (r"(?:-+8<-+ *[\"'](?P<path>[^\"'\n]+)[\"']|\{\* *(?P<of_code>\S+)[^*\n]*\*\}"
            r"|\{!>? *(?P<of_text>[^!\s]+) *!\}|\{\{(?:#include|< *include) +(?P<of_book>[^\s}>]+)[^}\n]*\}\})")),
    )
    for suffix in suffixes.split()
}  # fmt: skip
_MOST_INCLUDED_BYTES = 4 << 20
_DEEPEST_INCLUDED = 5


class Included:
    """The files that a file includes, from the same folder of documents."""

    def __init__(self, root: str, key: str) -> None:
        self._root = root
        self._open = [key]
        self._left = _MOST_INCLUDED_BYTES

    def whole(self, text: str, suffix: str) -> str:
        """Return a text with the files that it includes. What is not in the folder, or is too large, is left out."""
        pattern = _INCLUDES.get(suffix)
        return pattern.sub(lambda found: self._text(found, suffix), text) if pattern else text

    def _text(self, found: re.Match[str], suffix: str) -> str:
        path = next(
            path for name, path in found.groupdict().items() if path and name not in {"margin", "code"}
        )
        names = [path, f"{path}.tex"] if suffix == ".tex" else [path]
        folder = posixpath.dirname(self._open[-1])
        for key in (
            posixpath.normpath(posixpath.join(start, name)) for start in (folder, "") for name in names
        ):
            if key in self._open or len(self._open) > _DEEPEST_INCLUDED or key.startswith(("..", "/")):
                continue
            try:
                descriptor = open_within(self._root, key, self._left)
                text = decoded(read_open(descriptor, self._left))
            except Unreadable:
                continue
            self._left -= len(text.encode())
            self._open.append(key)
            text = self.whole(text, suffix_of(key))
            self._open.pop()
            is_code = ("code" in found.groupdict() and found["code"]) or suffix_of(key) not in SUFFIXES
            lines = [f"{found['margin']}{line}" for line in text.splitlines()]
            if is_code and suffix in {".rst", ".txt"}:
                return "\n".join([f"{found['margin']}::", "", *(f"    {line}" for line in lines)])
            fence = f"{found['margin']}``````"
            return "\n".join([fence, *lines, fence] if is_code and "of_code" in found.groupdict() else lines)
        return ""


def _read_zip(raw: bytes) -> Parsed:
    """Read a file that is a zip file, whatever the order of its parts."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = archive.NameToInfo
            media = read_part(archive, "mimetype", _LONGEST_TYPE) if "mimetype" in names else b""
            if _MANIFEST in names and b"encryption-data" in read_part(archive, _MANIFEST):
                raise Unreadable("encrypted", "It has a password.")
            if "META-INF/container.xml" in names or b"epub" in media:
                from vademecum.sources.docs.epub import read_epub  # noqa: PLC0415

                return read_epub(archive)
            if b"spreadsheet" not in media and not any(name.startswith("xl/workbook.") for name in names):
                from vademecum.sources.docs.office import is_office, read_office  # noqa: PLC0415

                if is_office(names):
                    return read_office(archive)
                raise Unreadable("not-text", "It is a zip file, but not a document.")
    except KeyError as error:
        raise Unreadable("damaged", f"A part of it is missing: {fold(str(error.args[0]))}.") from error
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, OSError, ValueError) as error:
        raise Unreadable("damaged", f"It is damaged: {error}.") from error
    except (NotImplementedError, RuntimeError) as error:
        raise Unreadable("damaged", "It is packed in a way that such files never are.") from error
    from vademecum.sources.docs.sheets import read_workbook  # noqa: PLC0415

    return read_workbook(raw)


def decoded(raw: bytes) -> str:
    """Return the text of a file: as UTF-8, by its byte order mark or declaration, or in the encoding that its bytes show."""
    head = raw[:_LOOK_AT]
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if _SHARE_OF_ZEROS * len(head) < 2 * zeros.count(0) and head.count(0) < len(head) / 2 + 1:
            return raw.decode(encoding, "replace").removeprefix("\ufeff")
    try:
        return raw.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return decode_html(raw, _shown_encoding(head))


_SHARE_OF_ZEROS = 0.8
"""The minimum share of zero bytes among every second byte, in UTF-16 without a mark."""

_LEAST_CERTAIN = 0.05


def _shown_encoding(head: bytes) -> str:
    """Return the encoding that the bytes of a text show; "" if they do not, or without the library."""
    try:
        import chardet  # noqa: PLC0415 - an extra
    except ImportError:
        return ""
    found = chardet.detect(head)
    return found["encoding"] or "" if found["confidence"] > _LEAST_CERTAIN else ""


def _is_binary(text: str) -> bool:
    head = text[:_LOOK_AT]
    return len(_CONTROLS.findall(head)) > _MOST_CONTROLS * len(head)


def _of_html(page: HtmlPage) -> Parsed:
    links = tuple(link.target for link in page.links)
    return Parsed(page.title, "", page.language, page.text, page.blocks, links)


def _of_markdown(page: MarkdownPage) -> Parsed:
    return Parsed(
        title=page.front.get("title") or page.title,
        summary=page.front.get("description") or "",
        language=page.front.get("lang") or page.front.get("language") or "",
        text=page.text,
        blocks=page.blocks,
        links=page.links,
    )
