"""Convert Markdown dialects of book generators to plain Markdown, keeping only the content.

Docusaurus, MyST, GitBook, mdBook and MkDocs add their own constructs to ordinary text: admonitions, tabs, grids,
includes, anchors, redirects. In plain Markdown, their syntax would be read as text, and some text as code. Fenced code
is left unchanged.
"""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"(?P<margin>[ \t]*(?:>[ \t]?)*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>.*)$")
_DIRECTIVE = re.compile(r"\{(?P<name>[\w:.+-]+)\}[ \t]*(?P<argument>.*)$")
_COLONS = re.compile(r"(?P<margin>[ \t]*)(?P<fence>:{3,})[ \t]*(?P<rest>.*)$")
_NAMED = re.compile(
    r"(?:\{(?P<myst>[\w:.+-]+)\}|(?P<plain>[A-Za-z][\w-]*))[ \t]*(?:\[(?P<label>[^\]]*)\]|(?P<argument>.*))$"
)
_OPTION = re.compile(r"[ \t]*:[A-Za-z][\w-]*:(?:[ \t]|$)")
_TICKS = re.compile(r"`+")
_MARK = re.compile(
    r"(?P<ticks>`+)|\{[a-z][\w:+.-]*+\}`(?P<role>[^`]+)`"
    r"|\{%-?[ \t]*+\w++(?P<tag>[^%]*?)-?%\}|\{\{[ \t]*+#[a-z_]+\b[^{}]*+\}\}"
)
"""An inline construct: the possible beginning of code, a MyST role, a GitBook tag, or an mdBook helper."""

_TITLE = re.compile(r"\b(?:title|summary)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)')")
_ADMONITION = re.compile(
    r"(?P<margin>[ \t]*)(?:!!!|\?\?\?\+?|===\+?)[ \t]+(?:[\w-]++[ \t]*+)*+(?:\"(?P<title>[^\"]*)\")?[ \t]*$"
)
_REDIRECT = re.compile(r"!REDIRECT[ \t]+\"[^\"]*\"[ \t]*$")
_TARGET = re.compile(r"[ \t]*\((?P<name>[\w:.-]+)\)=[ \t]*$")
_EMPTY_ANCHOR = re.compile(
    r"<a[ \t]+(?:id|name)[ \t]*=[ \t]*[\"']?(?P<name>[\w:.-]++)[^<>]*+>[ \t]*(?:</a>)?"
)
_TOC = re.compile(r"[ \t]*(?:\[\[?_?toc_?\]?\]|\{:toc\}|\$\{toc\})[ \t]*$", re.IGNORECASE)
_ALERT = re.compile(r"(?P<margin>[ \t]*(?:>[ \t]?)+)\[!(?P<name>[A-Za-z]+)\][+-]?[ \t]*(?P<title>.*)$")
_ES_MODULE = re.compile(
    r"(?:import|export)\b.*\bfrom\b[ \t]*[\"'][^\"']+[\"'][ \t]*+;?[ \t]*$|import[ \t]+[\"'][^\"']+[\"'];?[ \t]*$"
)
_VARIABLE = re.compile(r"\{\{[ \t]*+([^{}\s]++)[ \t]*+\}\}")
"""A variable that the book's generator replaces. Its spaces would end the address of a link."""

_ADDRESS = re.compile(r"(?<=\]\()[^()]{1,2000}")
_ATTRIBUTE = r"(?:[.#][A-Za-z][\w:.-]*+|[\w-]++=(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'{}]++))"
ATTRIBUTES = re.compile(rf"\{{:?[ \t]*+{_ATTRIBUTE}(?:[ \t]++{_ATTRIBUTE})*+[ \t]*+\}}")
"""Attributes of a heading or of preceding text, as in kramdown: `{.external}`, `{: #id width=300}`."""

_OWN_NAME = re.compile(r"[{\s:]#([\w:.-]+)")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_OWN_ANCHOR = re.compile(r"\{#[\w:.-]+\}[ \t]*+#*+[ \t]*$")

_CODE = frozenset(
    """code code-block code-cell sourcecode highlight parsed-literal prompt math console""".split()  # noqa: SIM905
)
"""Directives whose body is code."""

_SILENT = frozenset(
    """mermaid toctree raw include literalinclude bibliography contents tableofcontents eval-rst automodule autoclass index youtube video iframe image
    only-html""".split()  # noqa: SIM905
)
"""Directives whose body is not part of the text of the page."""

_TITLED = frozenset(
    {"card", "dropdown", "admonition", "tab-item", "tab", "grid-item-card", "details", "topic", "figure-md"}
)
"""Directives whose argument is a title. The argument of others is a number, a class or a location."""

_ADMONITIONS = frozenset(
    """note tip info warning danger caution important hint attention seealso todo error success""".split()  # noqa: SIM905
)
_DEEPEST = 50
_MARGIN = " \t>"
_OF_BLOCKS = frozenset("`~:!?=ie")
"""The first characters, after the margin, of a line that may be a fence, a directive, an admonition, or a JavaScript
module.
"""

_OF_ANCHORS = frozenset("`~(<#")
"""The first characters of a fence, an anchor or a heading."""

_OF_LINES = frozenset("[{$")
"""The first characters of a placeholder for a table of contents, or of an alert."""


def plain_markdown(source: str) -> str:
    """Convert a page to plain Markdown. Text that uses no dialect is unchanged.

    A standalone anchor before a heading becomes the anchor of the heading (`## Name {#anchor}`).
    """
    return "\n".join(_anchored(_Lines(source.split("\n")).read()))


class _Lines:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def read(self) -> Iterator[str]:
        """Yield all lines in plain Markdown."""
        yield from self._read(None, 0)

    def _read(self, until: "re.Pattern[str] | None", depth: int) -> Iterator[str]:
        """Yield lines up to the one that closes the current block, or to the end."""
        first = self._at == 0
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if until and until.match(line):
                return
            may_begin = line.lstrip(_MARGIN)[:1] in _OF_BLOCKS
            if may_begin and (found := _FENCE.match(line)):
                yield from self._fenced(found, line, depth)
            elif may_begin and (found := _COLONS.match(line)) and depth < _DEEPEST:
                yield from self._colons(found, line, depth)
            elif may_begin and (found := _ADMONITION.match(line)) and self._is_indented(found["margin"]):
                yield from self._indented(found, depth)
            elif may_begin and (_ES_MODULE.match(line) or (first and _REDIRECT.match(line))):
                yield ""
            else:
                first = first and not line.strip()
                yield _line(line)

    def _fenced(self, found: re.Match[str], line: str, depth: int) -> Iterator[str]:
        """Yield a fenced block: code unchanged, a directive as its content."""
        closing = re.compile(
            rf"[ \t]*(?:>[ \t]?)*{re.escape(found['fence'][0])}{{{len(found['fence'])},}}[ \t]*$"
        )
        directive = _DIRECTIVE.match(found["info"])
        name = directive["name"].lower() if directive else ""
        if not directive or name in _CODE or depth >= _DEEPEST:
            options = directive is not None
            yield f"{found['margin']}{found['fence']}{directive['argument']}" if directive else line
            while self._at < len(self._lines):
                line = self._lines[self._at]
                self._at += 1
                if options and _OPTION.match(line):
                    continue
                options = False
                yield line
                if closing.match(line):
                    return
            return
        yield from self._directive(name, directive["argument"], closing, depth)

    def _colons(self, found: re.Match[str], line: str, depth: int) -> Iterator[str]:
        """Yield the content of a block between rows of colons. A row without an opening row is omitted."""
        named = _NAMED.match(found["rest"])
        if not found["rest"].strip():
            return
        if not named:
            yield line
            return
        closing = re.compile(rf"[ \t]*:{{{len(found['fence'])}}}[ \t]*$")
        name = (named["myst"] or named["plain"]).lower()
        argument = named["label"] or named["argument"] or ""
        if named["plain"] and name in _ADMONITIONS:
            name = "admonition"
        if name in _CODE:
            yield f"{found['margin']}```{argument}"
            yield from self._raw(closing)
            yield f"{found['margin']}```"
            return
        yield from self._directive(name, argument, closing, depth)

    def _raw(self, closing: re.Pattern[str]) -> Iterator[str]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if closing.match(line):
                return
            yield line

    def _directive(self, name: str, argument: str, closing: re.Pattern[str], depth: int) -> Iterator[str]:
        while self._at < len(self._lines) and _OPTION.match(self._lines[self._at]):
            self._at += 1
        yield ""
        if name in _SILENT:
            for _ in self._raw(closing):
                pass
            return
        if name in _TITLED and argument.strip():
            yield _line(argument)
            yield ""
        yield from self._read(closing, depth + 1)
        yield ""

    def _is_indented(self, margin: str) -> bool:
        """Return whether the next non-blank line is indented relative to a margin, as a body is."""
        for at in range(self._at, len(self._lines)):
            line = self._lines[at]
            if line.strip():
                return line.startswith((f"{margin}    ", f"{margin}\t"))
        return False

    def _indented(self, found: re.Match[str], depth: int) -> Iterator[str]:
        """Yield a block whose body is indented by four columns (MkDocs)."""
        margin = found["margin"]
        yield ""
        if found["title"]:
            yield f"{margin}{found['title']}"
            yield ""
        body = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and not line.startswith((f"{margin}    ", f"{margin}\t")):
                break
            self._at += 1
            inner = line[len(margin) :]
            body.append(margin + (inner[1:] if inner.startswith("\t") else inner[4:]) if line.strip() else "")
        if depth < _DEEPEST:
            yield from _Lines(body)._read(None, depth + 1)  # noqa: SLF001 - of this class
        yield ""


def _line(line: str) -> str:
    """Return a line without the syntax of dialects."""
    if "{" in line:
        alone = line.strip()
        line = _ADDRESS.sub(lambda found: _VARIABLE.sub(r"{{\1}}", found[0]), _unmarked(line))
        if alone.startswith("{%") and alone.endswith("%}") and line.strip():
            line += "\n"  # the title of a tab is a separate line
    if line.lstrip(_MARGIN)[:1] not in _OF_LINES:
        return line
    if _TOC.match(line):
        return ""
    if alert := _ALERT.match(line):
        return f"{alert['margin']}{alert['title']}"
    return line


def _unmarked(line: str) -> str:
    """Return a line without inline constructs and trailing attributes. Code is unchanged."""
    ends = _ends_of_code(line)
    pieces: list[str] = []
    since = 0  # the index of the piece after the last code
    at = 0
    while found := _MARK.search(line, at):
        pieces.append(line[at : found.start()])
        at = found.end()
        if not found["ticks"]:
            pieces.append(_said(found))
        elif end := ends.get(found.start()):
            pieces.append(line[found.start() : end])
            since, at = len(pieces), end
        else:
            pieces.append(found[0])
    last = "".join(pieces[since:]) + line[at:]
    if not line.startswith(("    ", "\t")):  # an indented line may be code
        last = _without_attributes(last, heading=_HEADING.match(line) is not None)
    return "".join(pieces[:since]) + last


def _ends_of_code(line: str) -> dict[int, int]:
    """Return the end of the code that each run of backticks would begin."""
    ends: dict[int, int] = {}
    following: dict[int, int] = {}
    for ticks in reversed([*_TICKS.finditer(line)]):
        length = ticks.end() - ticks.start()
        if length in following:
            ends[ticks.start()] = following[length]
        following[length] = ticks.end()
    return ends


def _without_attributes(text: str, *, heading: bool) -> str:
    """Remove the attributes at the end of a text. A heading keeps its anchor. `x_{i=1}` has no attributes."""
    bare = text.rstrip(" \t")
    start = max(0, bare.rfind("{"))
    found = ATTRIBUTES.fullmatch(bare, start)
    if not found or not (heading or start == 0 or bare[start - 1] in " \t"):
        return text
    own = _OWN_NAME.search(found[0]) if heading else None
    bare = bare[:start].rstrip(" \t")
    return f"{bare} {{#{own[1]}}}" if own else bare


def _said(found: re.Match[str]) -> str:
    """Return the visible text of an inline construct: the text of a role, the title of a tag, or nothing."""
    if role := found["role"]:
        return _untargeted(role).lstrip("~!") or role
    title = _TITLE.search(found["tag"] or "")
    return (title[1] or title[2] or "") if title else ""


def _untargeted(role: str) -> str:
    """Return the text of a role without its target: `the guide <guide>` gives `the guide`."""
    start = role.find("<", role.rfind(">", 0, -1) + 1) if role.endswith(">") else -1
    return role[:start].rstrip(" \t") if start >= 0 else role


def _anchored(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines, moving each standalone anchor to the heading that follows it."""
    waiting = ""
    fence = ""
    for line in lines:
        if line.lstrip(_MARGIN)[:1] not in _OF_ANCHORS:
            waiting = "" if fence or line.strip() else waiting
            yield line
            continue
        found = _FENCE.match(line)
        if fence or found:
            if not fence and found:
                fence = found["fence"]
            elif (
                found
                and found["fence"][0] == fence[0]
                and len(found["fence"]) >= len(fence)
                and not found["info"].strip()
            ):
                fence = ""
            waiting = ""
            yield line
        elif target := _TARGET.match(line):
            waiting = target["name"]
            yield ""
        elif (alone := _EMPTY_ANCHOR.fullmatch(line.strip())) is not None:
            waiting = alone["name"]
            yield ""
        elif _HEADING.match(line):
            inside = _EMPTY_ANCHOR.search(line)
            anchor = waiting or (inside["name"] if inside else "")
            bare = _EMPTY_ANCHOR.sub("", line)
            is_new = anchor and not _OWN_ANCHOR.search(bare)
            yield f"{bare.rstrip().rstrip('#').rstrip()} {{#{anchor}}}" if is_new else bare
            waiting = ""
        else:
            waiting = "" if line.strip() else waiting
            yield line
