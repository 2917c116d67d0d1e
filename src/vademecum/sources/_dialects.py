"""Convert Markdown dialects of book generators to plain Markdown, keeping only the content, and separate front matter.

Docusaurus, MyST, GitBook, mdBook and MkDocs add their own constructs to ordinary text: admonitions, tabs, grids,
includes, anchors, redirects. In plain Markdown, their syntax would be read as text, and some text as code. Fenced code
is left unchanged.
"""

import re
import tomllib
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

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
    r"|\{%-?[ \t]*+\w++(?P<tag>[^%]*?)-?%\}|\{\{[ \t]*+#[a-z_]+\b[^{}]*+\}\}|\{\{[<%][^{}]*+\}\}"
)
"""An inline construct: the possible beginning of code, a MyST role, a GitBook tag, an mdBook helper, or a shortcode of Hugo or Quarto."""

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
_COMPONENT = re.compile(
    r"(?P<margin>[ \t]*)<(?P<end>/?)(?P<name>[A-Z]\w*[a-z][\w.]*)(?P<rest>(?:[ \t][^<>]*)?)(?P<closed>>[ \t]*)?$"
)
"""A tag of MDX on a line of its own, or its first line."""

_LABEL = re.compile(r"\b(?:title|label|summary|heading)[ \t]*=[ \t]*\{?[ \t]*[\"']([^\"']+)[\"']")
_MOST_TAG_LINES = 30
_BRACKETED = re.compile(r"\[\[([^\[\]]+)\]\](?=\()")
"""A link whose text is in brackets, and not a wiki link."""

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
_OF_BLOCKS = frozenset("`~:!?=ie<")
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
            elif may_begin and (found := _COMPONENT.match(line)):
                yield from self._component(found, depth)
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
        closing = re.compile(rf"[ \t]*:{{{len(found['fence'])}}}[ \t]*$")
        if found["rest"].lstrip().startswith("{") and not named:  # of Pandoc and Quarto
            title = _TITLE.search(found["rest"])
            yield from self._directive(
                "admonition", (title[1] or title[2] or "") if title else "", closing, depth
            )
            return
        if not named:
            yield line
            return
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

    def _component(self, found: re.Match[str], depth: int) -> Iterator[str]:
        """Yield the title and the content of an element of MDX, whose indentation means nothing."""
        tag = found["rest"]
        if not found["closed"]:
            most = min(self._at + _MOST_TAG_LINES, len(self._lines))
            at = next((at for at in range(self._at, most) if self._lines[at].rstrip().endswith(">")), None)
            if at is None:
                yield _line(found[0])
                return
            tag, self._at = " ".join([tag, *self._lines[self._at : at + 1]]).rstrip("> "), at + 1
        yield ""
        if found["end"] or tag.rstrip().endswith("/"):
            return
        if title := _LABEL.search(tag):
            yield f"{found['margin']}{title[1]}"
            yield ""
        closing = f"{found['margin']}</{found['name']}>"
        end = next(
            (at for at in range(self._at, len(self._lines)) if self._lines[at].rstrip() == closing), None
        )
        if end is not None and depth < _DEEPEST:
            body = dedent("\n".join(self._lines[self._at : end])).split("\n")
            self._at = end + 1
            inner = [f"{found['margin']}{line}" if line else "" for line in body]
            yield from _Lines(inner)._read(None, depth + 1)  # noqa: SLF001 - of this class
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
    if "[[" in line and "`" not in line:
        line = _BRACKETED.sub(r"[\\[\1\\]]", line).replace("[[ ", "\\[[ ")  # `[[ ` begins a test of a shell
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


_LONGEST_FRONT = 64 * 1024
_DEEPEST_FRONT = 20
_OPENS_FRONT = re.compile(r"(---|\+\+\+)[ \t]*\n")
_CLOSES_TOML = re.compile(r"^\+\+\+[ \t]*(?:\n|\Z)", re.MULTILINE)
_CLOSES_FRONT = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_LOOKS_RIGHT = re.compile(r"(?:[^\S\n]*+(?:#[^\n]*+)?\n)*+[\w\"'-][^\n:]*:(?:\s|\Z)")


def front_matter(source: str) -> tuple[dict[str, str], str]:
    """Separate the front matter of a file from its text.

    Scalars at the top level are returned, and lists of them, joined by commas. Mappings and aliases are omitted, so that the
    input cannot expand. Invalid YAML is removed, too, and the values before the error are returned. A rule at the beginning that is
    not followed by `name: value` is part of the text.

    Returns:
        The values by name, and the rest of the file.
    """
    if source.startswith("+++"):
        inner, rest = _parted(source, _CLOSES_TOML)
        try:
            return {key: _shown(value) for key, value in tomllib.loads(inner).items() if _shown(value)}, rest
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}, source
    inner, rest = parted(source)
    return _values(inner), rest


def _shown(value: Any) -> str:
    """Return a value, or a list of values, as text; "" for mappings."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_shown, value)))
    return "" if isinstance(value, dict) else " ".join(str(value).split())


def parted(source: str) -> tuple[str, str]:
    """Return the YAML between the two rules, as written, and the rest of the file.

    Without front matter, they are "" and the whole file.
    """
    inner, rest = _parted(source, _CLOSES_FRONT) if source.startswith("---") else ("", source)
    return ("", source) if inner.strip() and not _LOOKS_RIGHT.match(inner) else (inner, rest)


def _parted(source: str, closes: re.Pattern[str]) -> tuple[str, str]:
    opened = _OPENS_FRONT.match(source)
    closed = closes.search(source, opened.end(), opened.end() + _LONGEST_FRONT) if opened else None
    if opened is None or closed is None:
        return "", source
    return source[opened.end() : closed.start()], source[closed.end() :]


def _values(inner: str) -> dict[str, str]:
    """Return the values of the top mapping. They are read from parser events, so that no objects are built."""
    import yaml  # noqa: PLC0415 - 30 ms, for files that have front matter

    found: dict[str, str] = {}
    depth = 0
    name = ""
    awaits_value = in_list = False
    try:
        for event in yaml.parse(inner, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
                continue
            plain = " ".join(event.value.split()) if isinstance(event, yaml.ScalarEvent) else ""
            if depth == 1 and isinstance(event, yaml.NodeEvent):
                if not awaits_value:
                    name = plain
                elif name and plain:
                    found.setdefault(name, plain)
                awaits_value = not awaits_value
            elif depth == _IN_LIST and name and plain and in_list:
                found[name] = f"{found[name]}, {plain}" if name in found else plain
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                in_list = (
                    depth == _IN_LIST and isinstance(event, yaml.SequenceStartEvent) and name not in found
                )
                if depth > _DEEPEST_FRONT or (depth == 1 and isinstance(event, yaml.SequenceStartEvent)):
                    break
    except (yaml.YAMLError, ValueError, RecursionError):
        pass
    return found


_IN_LIST = 2
"""The depth of the values of a list at the top level."""
