"""Markdown to text and blocks, for every source that keeps Markdown: folders of files, books.

CommonMark with tables and strikethrough, read by markdown-it-py.
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from vademecum.core.documents import Block
from vademecum.sources._dialects import ATTRIBUTES, plain_markdown
from vademecum.sources._front import front_matter
from vademecum.sources._html import read_html
from vademecum.sources._html.blocks import shown
from vademecum.sources._html.layout import Layout

_DEEPEST = 100
_DEEPEST_QUOTE = 6
_MOST_OPEN = 20
_LONGEST_HEADING = 400
_BRACKET = re.compile(r"[\[\]]")
_WITH_ATTRIBUTES = {"link_close", "image", "code_inline", "em_close", "strong_close"}
_NO_SLUG = re.compile(r"[^\w\- ]+")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_ANCHOR = re.compile(r"\s*\{#([\w:.-]+)\}$")
_AFTER_TAG = re.compile(r"\s*(?::|\s[-–—])\s+")

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
"""What HTML has, had, or draws with."""


class MarkdownPage(NamedTuple):
    """What a file says.

    Attributes:
        front: The plain values of its front matter by name.
        title: Its first heading, or "".
        text: All of it but the front matter, white space folded, lines kept between blocks and within code.
        blocks: Its structure, in reading order.
        links: Where it leads, as written, each once, in order; also to places on other sites.
    """

    front: Mapping[str, str]
    title: str
    text: str
    blocks: tuple[Block, ...]
    links: tuple[str, ...]


def read_markdown(source: str) -> MarkdownPage:
    """Read one file. Any string is Markdown.

    Bullets and numbers of lists are in the text, not in the blocks. A bullet that begins with code and a
    colon or dash (`--force`: overwrite) is an item with that code as its tag. Headings have the anchors that
    GitHub gives them, or their own (`{#name}`). The blocks of books' dialects are read as what they say. HTML in
    between is read as what it says; `<name>` that is no element is text. What stands in more than some fifty lists
    within each other is left out, and the marks of quotes that are too deep are text.
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    front, body = front_matter(source)
    reader = _Reader()
    reader.read(_parser().parse(plain_markdown(body)))
    layout = reader.layout
    return MarkdownPage(front, reader.title, layout.text, tuple(layout.blocks), tuple(reader.links))


def slug(heading: str) -> str:
    """The anchor GitHub makes of a heading: `What's new?` is `whats-new`."""
    return _NO_SLUG.sub("", heading.lower()).replace(" ", "-")


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    parser.core.ruler.at("inline", _read_inline)
    parser.block.ruler.at(
        "blockquote", _read_quote, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    return parser


@cache
def _linkless() -> MarkdownIt:
    return (
        MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("strikethrough").disable(["link", "image"])
    )


def _read_inline(state: StateCore) -> None:
    """Read what is within paragraphs and cells, without attributes of links, pictures, code and emphasis.

    One of too many open brackets has no links: for each its end would be looked for.
    """
    for token in state.tokens:
        if token.type == "inline":
            parser = _linkless() if _most_open(token.content) > _MOST_OPEN else state.md
            token.children = parser.inline.parse(token.content, parser, state.env, [])
            for before, behind in pairwise(token.children):
                if before.type in _WITH_ATTRIBUTES and behind.type == "text":
                    found = ATTRIBUTES.match(behind.content)
                    behind.content = behind.content[found.end() :] if found else behind.content


def _most_open(text: str) -> int:
    """How many square brackets are open at once."""
    steps = (1 if sign == "[" else -1 for sign in _BRACKET.findall(text))
    return max(accumulate(steps, lambda depth, step: max(0, depth + step), initial=0))


def _read_quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a quote. Those too deep are text: each line is looked at once for every quote it is in."""
    depth = state.env.get("quotes", 0)
    if depth >= _DEEPEST_QUOTE:
        return False
    state.env["quotes"] = depth + 1
    try:
        return blockquote(state, start, end, silent)
    finally:
        state.env["quotes"] = depth


class _Reader:
    def __init__(self) -> None:
        self.layout = Layout()
        self.links: dict[str, None] = {}
        self.title = ""
        self._lists: list[int] = []  # of each list we are in the next number, or 0
        self._slugs: dict[str, int] = {}
        self._fresh = False  # at the beginning of a list's entry
        self._row: list[str] = []
        self._rows: list[str] = []

    def read(self, tokens: Sequence[Token]) -> None:
        inside = ""
        for token in tokens:
            match token.type:
                case "heading_open" | "th_open" | "td_open":
                    inside = token.tag
                case "inline":
                    self._inline(token, inside)
                    inside = ""
                case "bullet_list_open" | "ordered_list_open":
                    start = token.attrGet("start")
                    number = int(start) if start is not None else 1
                    self._lists.append(number if token.type[0] == "o" else -1)
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                case "list_item_open":
                    self._enter()
                case "list_item_close":
                    self.layout.settle()
                case "fence" | "code_block":
                    self._code(token.content)
                case "html_block":
                    self._html(token.content)
                case "tr_close":
                    self._rows.append(row_of(self._row))
                    self._row = []
                case "table_close":
                    if rows := [row for row in self._rows if row]:
                        self.layout.table("\n".join(rows), len(self._lists))
                    self._rows = []
        self.layout.settle()

    def _enter(self) -> None:
        number = self._lists[-1]
        self.layout.marker("•" if number < 0 else f"{number}.")
        if number >= 0:
            self._lists[-1] = number + 1
        self._fresh = True

    def _inline(self, token: Token, inside: str) -> None:
        children = token.children or []
        fresh, self._fresh = self._fresh, False
        if inside in {"th", "td"}:
            self._row.append(" ".join(self._said(children).split()))
        elif inside:
            self._heading(" ".join(self._said(children).split()), int(inside[1:]))
        elif fresh and children and children[0].type == "code_inline":
            self._entry(children)
        elif text := self._said(children):
            self.layout.paragraph(text, len(self._lists))

    def _entry(self, children: list[Token]) -> None:
        """A bullet that begins with code: an item, if a colon or dash parts it from the rest."""
        tag = fold(children[0].content)
        rest = self._said(children[1:])
        parted = _AFTER_TAG.match(children[1].content) if len(children) > 1 else None
        level = len(self._lists)
        if tag and parted and (body := rest[len(parted[0].strip()) :].strip()):
            self.layout.settle()
            self.layout.tag(tag, level, "")
            self.layout.paragraph(body, level)
        elif text := self._said(children):
            self.layout.paragraph(text, level)

    def _heading(self, text: str, level: int) -> None:
        own = _ANCHOR.search(text)
        text = text[: own.start()] if own else text
        if not text:
            return
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
        if code := fold_code(content):
            self.layout.code(code, len(self._lists))

    def _html(self, markup: str) -> None:
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

    def _said(self, children: Sequence[Token]) -> str:
        """The words of a paragraph; hard breaks stay line ends."""
        pieces: list[str] = []
        ended = {
            token.content[2:-1].strip()
            for token in children
            if token.type == "html_inline" and token.content.startswith("</")
        }
        for token in children:
            match token.type:
                case "text" | "code_inline" | "text_special":
                    pieces.append(token.content)
                case "softbreak":
                    pieces.append(" ")
                case "hardbreak":
                    pieces.append("\n")
                case "html_inline" if _is_placeholder(token.content, ended):
                    pieces.append(token.content)
                case "html_inline":
                    pieces.append("\n" if _BREAK.fullmatch(token.content) else "")
                case "image":
                    pieces.append(self._said(token.children or []))
                case "link_open":
                    self.links[str(token.attrGet("href"))] = None
        return "\n".join(line for line in map(fold, "".join(pieces).split("\n")) if line)


def _is_placeholder(tag: str, ended: AbstractSet[str]) -> bool:
    """Whether a tag stands for what a reader is to put there: `<file name>`. No element is called so, and nothing ends it."""
    found = _PLACEHOLDER.fullmatch(tag)
    return found is not None and found[1].lower() not in _ELEMENTS and found[1] not in ended


def row_of(cells: Sequence[str]) -> str:
    """Cells as one line. Empty ones keep their place, except at the end."""
    last = max((number for number, cell in enumerate(cells, 1) if cell), default=0)
    return " | ".join(cells[:last]).strip()


def fold(line: str) -> str:
    """A line with its white space folded, without signs that have no shape."""
    return shown(" ".join(line.split()))


def fold_code(code: str) -> str:
    """Keep lines and the indentation within them; drop what is common to all, and blank ends."""
    lines = [shown(line).rstrip() for line in code.replace("\xa0", " ").expandtabs().split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    kept = [line[margin:] for line, before in zip(lines, ["", *lines], strict=False) if line or before]
    return "\n".join(kept).strip()
