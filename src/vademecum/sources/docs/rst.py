"""Convert reStructuredText to text and blocks, with docutils.

Directives and roles that docutils does not know, as Sphinx and others define them, are read by their content.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles

from vademecum.sources._blocks import Parsed
from vademecum.sources._html.layout import TermLayout
from vademecum.sources._markdown import fold, fold_code, row_of
from vademecum.sources.docs.text import read_text

_SILENT = frozenset(
    """autosummary codeauthor contents currentmodule default-domain default-role doctest-requires figure-md graphviz
    highlight highlightlang image include index inheritance-diagram literalinclude meta module plot program
    py:currentmodule py:module raw sectionauthor sectnum tabularcolumns target-notes testcleanup testsetup title
    toctree""".split()  # noqa: SIM905 - one word list reads best
)
"""Directives whose content is not text of the document, or is in another file."""

_CODE = frozenset("code-block ipython parsed-literal productionlist prompt sourcecode testcode".split())  # noqa: SIM905 - likewise
_REMARKS = frozenset("deprecated seealso todo versionadded versionchanged versionremoved".split())  # noqa: SIM905 - likewise
_DIRECTIVE = re.compile(r"^[ \t]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w:.+-]+?)::(?=\s|$)", re.MULTILINE)
_ROLE = re.compile(r":([A-Za-z][\w.+-]*(?::[A-Za-z][\w.+-]*)*):(?=`)|(?<=`):([A-Za-z][\w:.+-]*):")
_OF_NAMES = re.compile(r"(?:\w+:)?(?:attr|class|const|data|exc|func|meth|mod|obj)")
"""Roles of names of code, in which a dot at the beginning asks for the nearest name."""

_TARGET = re.compile(r"(?P<text>.+?)\s*<(?P<target>[^<>]+)>", re.DOTALL)
_LEFT_OUT = re.compile(r"\s*\0")
_LONGEST_LINE = 10_000
_SETTINGS = {
    "_disable_config": True,  # no file of settings is looked for
    "docinfo_xform": False,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "line_length_limit": _LONGEST_LINE,
    "raw_enabled": False,
    "report_level": 5,
}


def read_rst(text: str) -> Parsed:
    """Read reStructuredText: sections, lists, definitions, options, tables, code, and the content of directives.

    Nothing is included or executed: `include`, `raw` and the like are omitted.
    """
    _make_known(text)
    document = publish_doctree(text, settings_overrides=_SETTINGS)
    writer = _Writer()
    has_title = any(isinstance(child, nodes.title) for child in document.children)
    writer.children(document, level=int(has_title), depth=0)
    writer.layout.settle()
    if not writer.layout.text:
        return read_text(text)
    return Parsed(
        title=fold(document.get("title", "")),
        summary="",
        language="",
        text=writer.layout.text,
        blocks=tuple(writer.layout.blocks),
        links=tuple(writer.links),
    )


class _Writer:
    """A writer of a tree of docutils as text and blocks."""

    def __init__(self) -> None:
        self.layout = TermLayout()
        self.links: dict[str, None] = {}

    def children(self, node: nodes.Element, level: int, depth: int) -> None:
        """Add the children of a node."""
        for child in node.children:
            self._add(child, level, depth)

    def _add(self, node: nodes.Node, level: int, depth: int) -> None:
        match node:
            case nodes.section():
                self.children(node, level + 1, depth)
            case nodes.title() if isinstance(node.parent, nodes.section | nodes.document):
                ids = node.parent["ids"]
                self.layout.heading(self._said(node), max(level, 1), ids[0] if ids else "")
            case nodes.subtitle() if isinstance(node.parent, nodes.document):
                self.layout.heading(self._said(node), 2, "")
            case nodes.literal_block() | nodes.doctest_block() | nodes.math_block():
                if code := fold_code(node.astext()):
                    self.layout.code(code, depth)
            case nodes.bullet_list() | nodes.enumerated_list():
                self._list(node, level, depth)
            case nodes.definition_list_item() | nodes.field() | nodes.option_list_item():
                self._definition(node, level, depth)
            case nodes.table():
                self._table(node, depth)
            case nodes.line_block():
                lines = (self._said(line) for line in node.findall(nodes.line))
                self._paragraph("\n".join(filter(None, lines)), depth)
            case nodes.topic() if "contents" in node["classes"]:
                pass
            case nodes.Invisible() | nodes.image() | nodes.label() | nodes.system_message():
                pass
            case nodes.TextElement() | nodes.Text():
                self._paragraph(self._said(node), depth)
            case nodes.Element():
                self.children(node, level, depth)

    def _paragraph(self, text: str, depth: int) -> None:
        if text:
            self.layout.paragraph(text, depth)

    def _list(self, node: nodes.Element, level: int, depth: int) -> None:
        number = int(node.get("start", 1))
        for item in node.children:
            self.layout.marker("•" if isinstance(node, nodes.bullet_list) else f"{number}.")
            self.children(item, level, depth + 1)
            number += 1

    def _definition(self, node: nodes.Element, level: int, depth: int) -> None:
        """Add terms, options or the name of a field, then what is said of them."""
        *terms, body = node.children
        if isinstance(node, nodes.field) and not body.children:  # `:orphan:`, a note to a program
            return
        named = [self._said(term) for term in terms]
        if tag := " : ".join(filter(None, named)):
            self.layout.tag(tag, depth + 1, next((term["ids"][0] for term in terms if term.get("ids")), ""))
        self.children(body, level, depth + 1)

    def _table(self, node: nodes.Element, depth: int) -> None:
        for title in node.findall(nodes.title):
            self._paragraph(self._said(title), depth)
        rows = [row_of(row) for row in self._grid(node)]
        if text := "\n".join(filter(None, rows)):
            self.layout.table(text, depth)

    def _grid(self, node: nodes.Element) -> Iterator[list[str]]:
        """Yield the rows of a table. A cell of several rows is in each of them, one of several columns in the first."""
        below: dict[int, tuple[int, str]] = {}
        for row in node.findall(nodes.row):
            cells: list[str] = []

            def fill(cells: list[str] = cells) -> None:
                while (found := below.get(len(cells), (0, "")))[0]:
                    below[len(cells)] = (found[0] - 1, found[1])
                    cells.append(found[1])

            for entry in row.children:
                fill()
                text = fold(" ".join(self._said(child) for child in entry.children)).replace(" | ", "|")
                below[len(cells)] = (int(entry.get("morerows", 0)), text)
                cells += [text, *[""] * int(entry.get("morecols", 0))]
            fill()
            yield cells

    def _said(self, node: nodes.Node) -> str:
        """Return the text of a node, and note its links. References to footnotes and pictures are omitted."""
        return fold(_LEFT_OUT.sub("", "".join(self._pieces(node))))

    def _pieces(self, node: nodes.Node) -> Iterator[str]:
        if isinstance(node, nodes.Text):
            yield node.astext()
            return
        if isinstance(node, nodes.footnote_reference | nodes.image | nodes.system_message | nodes.Invisible):
            yield "\0"
            return
        if isinstance(node, nodes.Element) and "refuri" in node:
            self.links[node["refuri"]] = None
        if isinstance(node, nodes.option_group):
            yield ", ".join(option.astext() for option in node.children)
            return
        for child in node.children:
            yield from self._pieces(child)
            if isinstance(child, nodes.Body):
                yield " "


def _make_known(text: str) -> None:
    """Register the directives and roles of a text that docutils does not have."""
    for name in set(_DIRECTIVE.findall(text)):
        if name.lower() in _SILENT | _CODE | _REMARKS or not _is_built_in(name):
            directives.register_directive(name.lower(), _Directive)
    for before, after in set(_ROLE.findall(text)):
        name = (before or after).lower()
        if name not in roles._role_registry:  # noqa: SLF001 - there is no other way to ask
            roles.register_local_role(name, _role)


def _is_built_in(name: str) -> bool:
    return name.lower() in directives._directive_registry  # noqa: SLF001 - likewise


def _role(
    name: str,
    rawtext: str,
    text: str,
    _line: int,
    _inliner: object,
    _options: Mapping[str, Any] | None = None,
    _content: Sequence[str] = (),
) -> tuple[list[Any], list[Any]]:
    """Read a role as its text: of `the guide <guide>` the first part, of `~os.path.join` the last."""
    found = _TARGET.fullmatch(text)
    said = found["text"] if found else text.removeprefix("!")
    if _OF_NAMES.fullmatch(name):
        said = said.removeprefix(".")
    if said.startswith("~"):
        said = said[1:].rpartition(".")[2]
    return [nodes.inline(rawtext, said)], []


class _AnyOption(dict[str, Any]):
    def __missing__(self, _name: str) -> Any:
        return directives.unchanged


class _Directive(Directive):  # type: ignore[misc] # docutils ships no types
    """A directive that docutils does not know: its argument, with its content as what is said of it."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _AnyOption({"class": directives.unchanged})

    def run(self) -> Sequence[nodes.Node]:
        """Return the nodes of the directive."""
        content = "\n".join(self.content)
        argument = " ".join(self.arguments)
        if self.name in _SILENT:
            return []
        if self.name in _CODE:
            return [nodes.literal_block(content, content)] if content else []
        inside = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, inside)
        if not argument:
            return [*inside.children]
        if self.name in _REMARKS:
            said, _ = self.state.inline_text(argument, self.lineno)
            return [nodes.paragraph("", "", *said), *inside.children]
        term = nodes.term("", "")
        term += nodes.Text(argument)
        return [nodes.definition_list_item("", term, nodes.definition("", *inside.children))]
