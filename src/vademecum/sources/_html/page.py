"""`read_html`: extract the content of an HTML page."""

import re
from html import unescape
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from vademecum.core.documents import Block
from vademecum.sources._html.blocks import fold, read_blocks
from vademecum.sources._html.guard import is_hostile, tamed

_MAIN = ("main", "[role=main]", "#mw-content-text")
_SILENT = (
    "script, style, template, noscript, iframe, noembed, noframes, object, svg, canvas, audio, video, button, select, "
    "input, textarea, dialog, nav, footer, annotation"
)
"""Elements that contain no text of the page."""

_NOISE = (
    "[hidden]:not([hidden=until-found]), [aria-hidden=true], [style*='display:none'], [style*='display: none'], "
    "[role=navigation], [role=search], [role=banner], [role=contentinfo], "
    # wikis: edit links, reference marks and their back links, boxes next to or below the text
    ".mw-editsection, sup.reference, .mw-cite-backlink, .mw-jump-link, .noprint, .navbox, .vertical-navbox, .infobox, "
    ".ambox, .sistersitebox, .catlinks, .printfooter, .zim-footer, .toc, #toc, #siteSub, #jump-to-nav, "
    # notes of books: their marks and back links
    "[role=doc-noteref], [role=doc-backlink], .footnote-ref, .footnote-back, .footnote-backref, "
    # documentation generators: the sign that links to a heading, parts next to or around the text
    ".headerlink, .sphinxsidebar, .skip-link"
)
"""Elements that are hidden, lead elsewhere, or repeat the text."""

_LINK = re.compile(r"<a\s([^<>]*)>", re.IGNORECASE)
_HREF = re.compile(r"""(?:^|\s)href\s*=\s*["']?([^"'<>]+)""", re.IGNORECASE)
_TOOLTIP = re.compile(r"""(?:^|\s)title\s*=\s*"([^"]*)\"""", re.IGNORECASE)
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_HEAD = re.compile(r"<title[^<>]*>([^<]*)", re.IGNORECASE)
_UNREAD = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript|svg|nav|head|title)\b.*?(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)


_TEMPLATE = re.compile(
    r"<script\b[^<>]*\btype\s*=\s*[\"']?text/(?:html|template|x-[\w-]*template)\b[^<>]*>(.*?)(?:</script\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""Text of a page that a script puts in its place."""


class HtmlLink(NamedTuple):
    """A link to another page of the same site.

    Attributes:
        target: The address as written, without its fragment: a path relative to the page, not decoded.
        title: The tooltip, or "". In wikis, it is the name of the other page.
    """

    target: str
    title: str


class HtmlPage(NamedTuple):
    """The content of a page.

    Attributes:
        language: The declared language as a BCP 47 tag, or "".
        text: The main text. White space is folded; line ends remain between blocks and within code.
        links: The links to other places on the same site, without duplicates, in order.
    """

    title: str
    language: str
    text: str
    blocks: tuple[Block, ...]
    links: tuple[HtmlLink, ...]


def read_html(markup: str) -> HtmlPage:
    """Read a page. Nothing in it is run or fetched, and any string is accepted.

    Bullets and list numbers are in the text, not in the blocks. A layout table, which contains headings, code or other
    tables, is replaced by its content. If a main part is marked, only that part is read, otherwise the whole body.
    Navigation, hidden parts, and the boxes and marks of wikis are omitted.
    """
    markup = _TEMPLATE.sub(r"\1", tamed(markup))
    title, language, body = _read_raw(markup) if is_hostile(markup) else _read_tree(markup)
    layout = read_blocks(body)
    title = " ".join(fold(title).split())
    return HtmlPage(title, language, layout.text, tuple(layout.blocks), _links(body))


def _read_tree(markup: str) -> tuple[str, str, str]:
    """Return the title, the language and the markup of the main part, using a parser."""
    tree = LexborHTMLParser(markup.encode(errors="replace"))
    head = tree.css_first("title")
    title = head.text() if head else ""
    declared = (tree.root.attributes.get("lang") if tree.root else "") or ""
    language = declared if _LANGUAGE.fullmatch(declared) else ""
    root = tree.body
    if root is None:
        return title, language, ""
    for selectors in (_SILENT, _NOISE):
        for node in root.css(selectors):
            node.decompose()
    main = _main(root)
    if main is root:
        for header in root.css("header"):
            if header.css_first("h1") is None:
                header.decompose()
    return title, language, main.html or ""


def _main(root: LexborNode) -> LexborNode:
    for selector in _MAIN:
        node = root.css_first(selector)
        if node is not None and node.text(strip=True):
            return node
    return root


def _read_raw(markup: str) -> tuple[str, str, str]:
    """Return the same for markup that a parser should not process: everything except scripts and comments."""
    title = _HEAD.search(markup)
    return unescape(title[1]) if title else "", "", _UNREAD.sub(" ", markup)


def _links(body: str) -> tuple[HtmlLink, ...]:
    found: dict[str, HtmlLink] = {}
    for rest in _LINK.findall(body):
        href = _HREF.search(rest)
        if href is None or _OUTSIDE.match(href[1]):
            continue
        target = unescape(href[1]).partition("#")[0].strip()
        if target and target not in found and target.isprintable():
            tooltip = _TOOLTIP.search(rest)
            found[target] = HtmlLink(target, fold(tooltip[1]) if tooltip else "")
    return tuple(found.values())
