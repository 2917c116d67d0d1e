"""Convert Markdown to text and blocks, for folders of files and books.

The syntax is CommonMark with tables and strikethrough, parsed by pulldown-cmark.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

from pyromark import Markdown, Options

from vademecum.core.documents import Block
from vademecum.sources._dialects import ATTRIBUTES, front_matter, plain_markdown
from vademecum.sources._html import read_html
from vademecum.sources._html.blocks import shown
from vademecum.sources._html.layout import Layout

_PARSER = Markdown(
    options=Options.ENABLE_TABLES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_DEFINITION_LIST
    | Options.ENABLE_WIKILINKS
)
_LONGEST_HEADING = 400
_LONG_DESCRIPTION = 4
"""The minimum number of words of the description of an image that is text by itself."""

_OF_THE_SITE = frozenset(
    """title description lang language layout slug permalink id uid url image weight template nav_order sidebar_label sidebar_position
    sidebar pagination_next pagination_prev hide_title hide_table_of_contents toc draft published type class cssclass cssclasses
    redirect_from format editor execute output""".split()  # noqa: SIM905
)
"""Fields of front matter that are not text for readers, or are read in another place."""

_WITH_ATTRIBUTES = {"Link", "Image", "Emphasis", "Strong"}
_WITHIN_PARAGRAPHS = {*_WITH_ATTRIBUTES, "Strikethrough"}
_TAGS = {"Start", "End"}
_BARE = {"SoftBreak": " ", "HardBreak": "\n"}
_NO_SLUG = re.compile(r"[^\w\- ]+")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_FIELD = re.compile(r"\s*[^\W\d_][\w /()&-]{0,39}: +\S")
_ANCHOR = re.compile(r"\s*\{#([\w:.-]+)\}$")
_AFTER_TAG = re.compile(r"\s*(?::|\s[-–—])\s+")
_TABLE_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)
_DRAWN = frozenset({"mermaid", "plantuml", "puml", "ditaa", "vega", "vega-lite"})
"""Languages of code blocks that are diagrams."""

_PLACEHOLDER = re.compile(r"<([a-z][a-z0-9_-]*|[A-Z][A-Z0-9_-]*)(?: [\w-]+)*>")
_ELEMENTS = {
    "a", "abbr", "acronym", "address", "area", "article", "aside", "audio", "b", "base", "bdi", "bdo",
    "big", "blink", "blockquote", "body", "br", "button", "canvas", "caption", "center", "circle",
    "cite", "code", "col", "colgroup", "data", "datalist", "dd", "del", "details", "dfn", "dialog",
    "dir", "div", "dl", "dt", "em", "embed", "fieldset", "figcaption", "figure", "font", "footer",
    "form", "frame", "frameset", "g", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup",
    "hr", "html", "i", "iframe", "img", "input", "ins", "kbd", "label", "legend", "li", "line", "link",
    "main", "map", "mark", "marquee", "math", "menu", "meta", "meter", "nav", "nobr", "noframes",
    "noscript", "object", "ol", "optgroup", "option", "output", "p", "param", "path", "picture",
    "polygon", "polyline", "pre", "progress", "q", "rect", "rp", "rt", "ruby", "s", "samp", "script",
    "search", "section", "select", "slot", "small", "source", "span", "strike", "strong", "style", "sub",
    "summary", "sup", "svg", "table", "tbody", "td", "template", "text", "textarea", "tfoot", "th",
    "thead", "time", "title", "tr", "track", "tt", "u", "ul", "use", "var", "video", "wbr",
}  # fmt: skip
"""Current and obsolete HTML elements, and those of SVG."""


class MarkdownPage(NamedTuple):
    """The content of a file.

    Attributes:
        text: The text without the front matter. White space is folded; line ends remain between blocks and within code.
        links: The link targets as written, without duplicates, in order; also those on other sites.
    """

    front: Mapping[str, str]
    title: str
    text: str
    blocks: tuple[Block, ...]
    links: tuple[str, ...]


def read_markdown(source: str) -> MarkdownPage:
    """Read a file. Any string is valid Markdown.

    Bullets and list numbers are in the text, not in the blocks. A bullet that begins with code and a colon or dash
    (`--force`: overwrite) is an item with that code as its tag. Headings have the anchors that GitHub assigns, or their
    own (`{#name}`). Constructs of book dialects are reduced to their content, and so is embedded HTML. An HTML table
    extends from its start tag to its end tag, even across blank lines. `<name>` is text if it is not an element. Lines
    that contain only images, and the code of diagrams, are not text.
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    front, body = front_matter(source)
    reader = _Reader()
    if fields := [f"{name}: {value}" for name, value in front.items() if name.lower() not in _OF_THE_SITE]:
        reader.layout.paragraph("\n".join(fields), 0)
    reader.read(_PARSER.events(plain_markdown(body).encode(errors="ignore").decode()))
    layout = reader.layout
    return MarkdownPage(front, reader.title, layout.text, tuple(layout.blocks), tuple(reader.links))


def slug(heading: str) -> str:
    """Return the anchor that GitHub assigns to a heading: `What's new?` gives `whats-new`."""
    return _NO_SLUG.sub("", heading.lower()).replace(" ", "-")


_Piece = tuple[str, str]
"""A piece of a paragraph: the kind of the parser event, and its text."""


class _Reader:
    def __init__(self) -> None:
        self.layout = Layout()
        self.links: dict[str, None] = {}
        self.title = ""
        self._lists: list[int] = []  # the next number of each open list, or -1
        self._slugs: dict[str, int] = {}
        self._starts_entry = False
        self._is_wiki = False  # in a wiki link without words of its own
        self._pieces: list[_Piece] = []  # of the current paragraph, heading or cell
        self._verbatim: list[str] | None = None  # of the current code or HTML
        self._language: str | None = None  # of the current code; None if it is indented code
        self._tables = 0  # the number of open HTML tables
        self._markup: list[str] = []  # the outermost one so far
        self._row: list[str] = []
        self._rows: list[str] = []

    def read(self, events: Iterable[Any]) -> None:
        """Read all events of the parser."""
        value: Any
        may_have_attributes = False  # depends on the previous event
        for event in events:
            if isinstance(event, str):
                kind, value = event, _BARE.get(event, "")
            else:
                ((kind, value),) = event.items()
            if kind in _TAGS:
                name, data = (value, None) if isinstance(value, str) else next(iter(value.items()))
                (self._begin if kind == "Start" else self._end)(name, data)
                may_have_attributes = kind == "End" and name in _WITH_ATTRIBUTES
            elif self._verbatim is not None:
                self._verbatim.append(value)
            elif kind == "FootnoteReference":
                continue
            elif kind == "Rule":
                self._paragraph()
            else:
                if self._is_wiki and kind == "Text":  # `[[Note#Part]]` has no text of its own
                    value = (
                        "" if self._pieces[-1:] == [("Image", "")] else value.strip("#").replace("#", " > ")
                    )
                if may_have_attributes and kind == "Text" and (found := ATTRIBUTES.match(value)):
                    value = value[found.end() :]
                self._pieces.append((kind, value))
                may_have_attributes = kind == "Code"
        self._close_tables()
        self.layout.settle()

    def _begin(self, name: str, data: Any) -> None:
        if name in _WITHIN_PARAGRAPHS:
            self._is_wiki = False
            self._pieces.append((name, ""))
            if name in {"Link", "Image"}:
                self._is_wiki = data["link_type"] == {"WikiLink": {"has_pothole": False}}
            if name == "Link":
                scheme = "mailto:" if data["link_type"] == "Email" else ""
                self.links[f"{scheme}{data['dest_url']}"] = None
            return
        self._paragraph()
        match name:
            case "List":
                self._lists.append(-1 if data is None else data)
            case "Item":
                number = self._lists[-1]
                self.layout.marker("•" if number < 0 else f"{number}.")
                self._lists[-1] += number >= 0
                self._starts_entry = True
            case "CodeBlock":
                self._verbatim = []
                self._language = data["Fenced"] if isinstance(data, dict) else None
            case "HtmlBlock":
                self._verbatim = []

    def _end(self, name: str, data: Any) -> None:
        self._is_wiki = False
        match name:
            case "Heading":
                self._heading(" ".join(self._taken().split()), int(data[1:]))
            case "DefinitionListTitle":
                self.layout.tag(" ".join(self._taken().split()), len(self._lists), "")
            case "DefinitionList":
                self._paragraph()
                self.layout.settle()
            case "TableCell":
                self._row.append(" ".join(self._taken().split()))
            case "TableHead" | "TableRow":
                self._rows.append(row_of(self._row))
                self._row = []
            case "Table":
                if rows := [row for row in self._rows if row]:
                    self.layout.table("\n".join(rows), len(self._lists))
                self._rows = []
            case "CodeBlock":
                self._code(self._taken_verbatim())
            case "HtmlBlock":
                self._html(self._taken_verbatim())
            case "Image":
                self._pieces.append(("ImageEnd", ""))
            case "Item":
                self._paragraph()
                self.layout.settle()
            case "List":
                self._lists.pop()
            case _ if name not in _WITHIN_PARAGRAPHS:
                self._paragraph()

    def _taken(self) -> str:
        """Return the text of the heading or cell that ends here."""
        pieces, self._pieces, self._starts_entry = self._pieces, [], False
        return _words(pieces)

    def _taken_verbatim(self) -> str:
        """Return the code or HTML that ends here."""
        words, self._verbatim = "".join(self._verbatim or ()), None
        return words

    def _paragraph(self) -> None:
        """Add the paragraph that ends here, if any. Paragraphs of tight lists have no events of their own."""
        if not self._pieces:
            return
        self._pieces = _without_pictures(self._pieces)
        if self._tables:
            self._markup.append(f"<p>{escape(self._taken())}</p>")
            return
        entry = _entry(self._pieces) if self._starts_entry else None
        text = self._taken()
        if entry:
            tag, text = entry
            self.layout.settle()
            self.layout.tag(tag, len(self._lists), "")
        if text:
            self.layout.paragraph(text, len(self._lists))

    def _heading(self, text: str, level: int) -> None:
        own = _ANCHOR.search(text)
        text = text[: own.start()] if own else text
        if not text:
            return
        self._close_tables()
        self.title = self.title or text
        if len(text) > _LONGEST_HEADING:
            self.layout.paragraph(text, len(self._lists))
            return
        anchor = own[1] if own else self._unique(slug(text))
        self.layout.heading(text, level, anchor)

    def _unique(self, anchor: str) -> str:
        count = self._slugs.get(anchor, 0)
        self._slugs[anchor] = count + 1
        return f"{anchor}-{count}" if count else anchor

    def _code(self, content: str) -> None:
        code = fold_code(content)
        if self._tables:
            is_markup = self._language is None and code.startswith("<")
            self._html(code if is_markup else f"<pre>{escape(code)}</pre>")
        elif code and (self._language or "").partition(" ")[0].lower() not in _DRAWN:
            self.layout.code(code, len(self._lists))

    def _html(self, markup: str) -> None:
        """Read HTML. A table is read at its end, and everything before that is part of it."""
        self._markup.append(markup)
        for tag in _TABLE_TAG.finditer(markup):
            self._tables = max(0, self._tables + (-1 if tag[1] else 1))
        if not self._tables:
            self._close_tables()

    def _close_tables(self) -> None:
        """Read the pending HTML, even if its table is not closed."""
        markup, self._markup, self._tables = "".join(self._markup), [], 0
        if markup:
            self._add_html(markup)

    def _add_html(self, markup: str) -> None:
        page = read_html(markup)
        self.links.update(dict.fromkeys(link.target for link in page.links))
        for block in page.blocks:
            words = page.text[block.start : block.end]
            match block.kind:
                case "heading":
                    self._heading(words, block.level)
                case "code":
                    self.layout.code(words, len(self._lists))
                case "table":
                    self.layout.table(words, len(self._lists))
                case _:
                    self.layout.paragraph(words, len(self._lists))


def _entry(pieces: Sequence[_Piece]) -> tuple[str, str] | None:
    """Return the tag and body of a bullet that begins with code followed by a colon or dash; otherwise None."""
    if len(pieces) < 2 or pieces[0][0] != "Code" or not (parted := _AFTER_TAG.match(pieces[1][1])):
        return None
    tag = fold(pieces[0][1])
    body = _words(pieces[1:])[len(parted[0].strip()) :].strip()
    return (tag, body) if tag and body else None


def _without_pictures(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Return the pieces of a paragraph without the lines that contain only images with short descriptions, such as badges."""
    if ("Image", "") not in pieces:
        return [*pieces]
    kept: list[_Piece] = []
    for is_break, group in groupby(pieces, lambda piece: piece[0] in _BARE):
        line = [*group]
        if is_break or not _is_of_pictures(line):
            kept += line
    return kept


def _is_of_pictures(line: Sequence[_Piece]) -> bool:
    """Return whether a line contains images, no words outside them, and no long description."""
    depth = words = 0
    seen = False
    for kind, text in line:
        depth += (kind == "Image") - (kind == "ImageEnd")
        seen = seen or kind == "Image"
        words = words + len(text.split()) if depth else 0
        if words >= _LONG_DESCRIPTION:
            return False
        if not depth and kind != "InlineHtml" and any(map(str.isalnum, text)):
            return False
    return seen


def _words(pieces: Sequence[_Piece]) -> str:
    """Return the text of a paragraph.

    Hard breaks remain line ends, and so do the breaks between lines that each consist of a name and a value.
    """
    if ("SoftBreak", " ") in pieces and _are_fields(pieces):
        pieces = [(kind, "\n" if kind == "SoftBreak" else text) for kind, text in pieces]
    tags = [text for kind, text in pieces if kind == "InlineHtml"]
    if tags:
        ended = {tag[2:-1].strip() for tag in tags if tag.startswith("</")}
        words = "".join(_shown(text, ended) if kind == "InlineHtml" else text for kind, text in pieces)
    else:
        words = "".join([text for _, text in pieces])
    if "\n" not in words:
        return fold(words)
    return "\n".join(line for line in map(fold, words.split("\n")) if line)


def _are_fields(pieces: Sequence[_Piece]) -> bool:
    """Return whether each line of a paragraph consists of a name and a value, as in `Phone: 0171 555`."""
    lines = "".join("\n" if kind == "SoftBreak" else text for kind, text in pieces).split("\n")
    return all(_FIELD.match(line) for line in lines)


def _shown(tag: str, ended: AbstractSet[str]) -> str:
    """Return the text of an inline tag: a placeholder unchanged, a line end for `<br>`, otherwise ""."""
    if _is_placeholder(tag, ended):
        return tag
    return "\n" if _BREAK.fullmatch(tag) else ""


def _is_placeholder(tag: str, ended: AbstractSet[str]) -> bool:
    """Return whether a tag is a placeholder that the reader fills in, such as `<file name>`.

    A placeholder is not the name of an element and has no end tag.
    """
    found = _PLACEHOLDER.fullmatch(tag)
    return found is not None and found[1].lower() not in _ELEMENTS and found[1] not in ended


def row_of(cells: Sequence[str]) -> str:
    """Join cells into one line. Empty cells keep their position, except at the end."""
    last = max((number for number, cell in enumerate(cells, 1) if cell), default=0)
    return " | ".join(cells[:last]).strip()


def fold(line: str) -> str:
    """Fold the white space of a line, and remove invisible characters."""
    return shown(" ".join(line.split()))


def fold_code(code: str) -> str:
    """Remove common indentation, repeated blank lines and blank ends of code, but keep its line ends."""
    lines = [shown(line).rstrip() for line in code.replace("\xa0", " ").expandtabs().split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    kept = [line[margin:] for line, before in zip(lines, ["", *lines], strict=False) if line or before]
    return "\n".join(kept).strip()
