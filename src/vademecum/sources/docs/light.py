"""Convert text with other markup to Markdown or HTML: Org, LaTeX, Rich Text and subtitles."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from vademecum.files.read import Unreadable
from vademecum.sources._markdown import fold

_FENCE = "``````"
_BEGIN = re.compile(r"[ \t]*#\+begin_(\w+)(?:[ \t]+([\w+-]+))?.*", re.IGNORECASE)
_KEYWORD = re.compile(r"[ \t]*#\+(title|subtitle|author|date|description|caption):[ \t]*(.+)", re.IGNORECASE)
_HEADING = re.compile(
    r"(\*+) +(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED) +)?(?:\[#[A-Z]\] +)?(.+?)(?:[ \t]+:[\w@:%#]+:)?[ \t]*"
)
_DRAWER = re.compile(r"[ \t]*:(\w+):[ \t]*")
_RULE = re.compile(r"[ \t]*\|-[-+|]*[ \t]*")
_LINK = re.compile(r"\[\[([^\]\n]+)\](?:\[([^\]\n]+)\])?\]")
_BROKEN_LINK = re.compile(r"\[\[[^\[\]]+\](?:\[[^\[\]]+\])?\]")
_ENTITY = re.compile(r"\\(?:nbsp|thinsp|ensp)\{\}")
_PICTURE = re.compile(r"\[\[[^\]\n]+\.(?:png|jpe?g|gif|svg|webp|pdf)\]\]", re.IGNORECASE)
_NOTE = re.compile(r"\[fn:[\w-]*\] ?")
_CODE = re.compile(r"(?<!\w)([=~])(?=\S)([^\n]{0,200}?\S)\1(?!\w)")
_SLANTED = re.compile(r"(?<![\w/:.~])/(?=[^\s/])([^/\n]{0,200}?[^\s/])/(?![\w/])")
_FIXED = re.compile(r"[ \t]*:(?: |$)")
_TERM = re.compile(r"([ \t]*[-+] +)(.+?) ::(?=\s|$)")
_NOT_SHOWN = frozenset({"comment", "export"})
_AS_IT_IS = frozenset({"src", "example"})


def markdown_of_org(text: str) -> str:
    """Return an Org file (of Emacs) as Markdown. Drawers, comments and settings are omitted."""
    lines: list[str] = []
    title = ""
    ends = ""  # the line that ends the block or drawer
    text = _BROKEN_LINK.sub(lambda found: found[0].replace("\n", " "), text)
    drawers = text.lower().count(":end:")
    for line in text.splitlines():
        if ends:
            is_end = line.strip().lower() == ends
            if ends in {f"#+end_{kind}" for kind in _AS_IT_IS}:
                lines.append(_FENCE if is_end else line)
            drawers -= is_end and ends == ":end:"
            ends = "" if is_end else ends
        elif begin := _BEGIN.fullmatch(line):
            kind = begin[1].lower()
            ends = f"#+end_{kind}" if kind in _NOT_SHOWN | _AS_IT_IS else ""
            lines.append(f"{_FENCE}{begin[2] or ''}" if kind in _AS_IT_IS else "")
        elif drawers and _DRAWER.fullmatch(line):
            ends = ":end:"
        elif heading := _HEADING.fullmatch(line):
            level = min(len(heading[1]) + bool(title), 6)
            lines += ["", f"{'#' * level} {_inline(heading[2])}", ""]
        elif keyword := _KEYWORD.fullmatch(line):
            title = title or (keyword[2] if keyword[1].lower() == "title" else "")
            lines += ["", f"# {_inline(title)}" if title == keyword[2] else _inline(keyword[2]), ""]
        elif _RULE.fullmatch(line):
            lines.append("|---" * (line.count("+") + 1) + "|")
        elif not re.match(r"[ \t]*#(?:\+|[ \t]|$)", line):
            lines.append(
                f"    {line.lstrip()[2:]}" if _FIXED.match(line) else _inline(_TERM.sub(r"\1**\2**:", line))
            )
    return "\n".join(lines)


def _inline(line: str) -> str:
    line = _PICTURE.sub("", _NOTE.sub("", _ENTITY.sub(" ", line)))
    line = _LINK.sub(lambda found: f"[{found[2] or found[1]}](<{found[1]}>)", line)
    return _CODE.sub(r"`\2`", _SLANTED.sub(r"\1", line))


_VERBATIM = re.compile(
    r"\\begin\{(verbatim|Verbatim|lstlisting|minted|alltt)\*?\}(?:\[[^\]]*\])?(?:\{[^}]*\})?(.*?)\\end\{\1\*?\}",
    re.DOTALL,
)
_SECTIONS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_DROPPED = frozenset(
    """label ref eqref pageref cite citep citet autoref cref index vspace hspace includegraphics input include bibliography
    bibliographystyle usepackage documentclass newcommand renewcommand setlength addtolength setcounter hypersetup pagestyle
    thispagestyle centering maketitle tableofcontents newpage clearpage noindent hline toprule midrule bottomrule endhead
    endfirsthead endfoot cline cmidrule def bgroup egroup tightlist""".split()  # noqa: SIM905 - one word list reads best
)
_MORE_MACROS = (
    ("hypertarget", "{{"),
    ("href", "{{"),
    ("hyperref", "[{"),
    ("textcolor", "[{{"),
    ("multicolumn", "{{{"),
    ("multirow", "{{{"),
)
_LAST = frozenset({"hypertarget", "href", "hyperref", "textcolor", "multicolumn", "multirow", "caption"})
"""Commands whose last argument is text."""

_DEFINED = re.compile(r"\\(?:def|let)\\\w+(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\\w+)")
_COLUMNS = re.compile(r"\s*(?:\[[^\]]*\])?(?:\{(?:[^{}]|\{[^{}]*\})*\})*")
_LISTS = frozenset({"itemize", "enumerate", "description", "thebibliography"})
_TABLES = frozenset({"tabular", "tabular*", "tabularx", "longtable", "tabulary", "array"})
_ROW_END = re.compile(r"\\\\(?:\[[^\]]*\])?|\\tabularnewline\b")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")


def markdown_of_latex(text: str) -> str:
    """Return a LaTeX file as Markdown. Commands that arrange the page are omitted, and footnotes follow their section."""
    try:
        from pylatexenc import latex2text, latexwalker, macrospec  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise Unreadable("extra-missing", "LaTeX is read by pylatexenc, which is not installed.") from error
    known = latexwalker.get_default_latex_context_db()
    known.add_context_category("more", [macrospec.std_macro(*spec) for spec in _MORE_MACROS], prepend=True)
    return _Latex(latexwalker, known, latex2text.LatexNodes2Text()).read(text)


class _Latex:
    def __init__(self, walker: Any, known: Any, plain: Any) -> None:
        self._walker, self._known, self._plain = walker, known, plain
        self._code: list[str] = []
        self._notes: list[str] = []
        self._lists: list[tuple[str, int]] = []

    def read(self, text: str) -> str:
        def keep(found: re.Match[str]) -> str:
            self._code.append(found[2].strip("\n"))
            return f"\n\n\ue000{len(self._code) - 1}\ue001\n\n"

        text = _DEFINED.sub("", _VERBATIM.sub(keep, text))
        front, mark, body = text.partition(r"\begin{document}")
        title = re.search(r"\\title(?:\[[^\]]*\])?\{((?:[^{}]|\{[^{}]*\})*)\}", front)
        head = f"# {self._parsed(title[1])}\n\n" if title else ""
        written = self._parsed(body.partition(r"\end{document}")[0] if mark else text)
        markdown = head + written + self._noted()
        return re.sub(
            "\ue000(\\d+)\ue001", lambda found: f"{_FENCE}\n{self._code[int(found[1])]}\n{_FENCE}", markdown
        )

    def _parsed(self, text: str) -> str:
        try:
            nodes, _, _ = self._walker.LatexWalker(text, latex_context=self._known).get_latex_nodes()
        except (self._walker.LatexWalkerError, IndexError, RecursionError) as error:
            raise Unreadable("damaged", f"It is not sound LaTeX: {fold(str(error))[:200]}") from error
        return self._all(nodes)

    def _all(self, nodes: Iterable[Any]) -> str:
        return "".join(self._one(node) for node in nodes if node is not None)

    def _one(self, node: Any) -> str:
        kind = type(node).__name__
        if kind == "LatexCharsNode":
            return _SPECIAL.sub(r"\\\1", node.chars.replace("~", " ").replace("``", "“").replace("''", "”"))
        if kind == "LatexGroupNode":
            return self._all(node.nodelist)
        if kind == "LatexEnvironmentNode":
            return self._environment(node)
        if kind == "LatexMacroNode":
            return self._macro(node)
        return self._said(node) if kind != "LatexCommentNode" else ""

    def _said(self, node: Any) -> str:
        """Return a formula or a sign as text."""
        try:
            return _SPECIAL.sub(r"\\\1", self._plain.node_to_text(node))
        except (IndexError, AttributeError, TypeError, ValueError):
            return ""

    def _macro(self, node: Any) -> str:
        name = node.macroname
        given = [
            argument for argument in (node.nodeargd.argnlist if node.nodeargd else ()) if argument is not None
        ]
        if name in _SECTIONS:
            return f"{self._noted()}\n\n{'#' * _SECTIONS[name]} {fold(self._all(given[-1:]))}\n\n"
        if name in _DROPPED:
            return ""
        if name in {"item", "bibitem"}:
            return self._item(fold(self._all(given)) if name == "item" else "")
        if name in {"footnote", "thanks"}:
            self._notes.append(self._all(given[-1:]))
            return ""
        if name == "\\":
            return "\n"
        if name in _LAST:
            said = self._all(given[-1:])
            return f"\n\n{said}\n\n" if name == "caption" else said
        if name == "texttt":
            said = self._all(given)
            return f"`{said}`" if "`" not in said and "\\" not in said else said
        return self._all(given) if given else self._said(node)

    def _item(self, term: str) -> str:
        if not self._lists:
            return "\n\n"
        kind, count = self._lists[-1]
        self._lists[-1] = (kind, count + 1)
        mark = f"{count + 1}. " if kind == "enumerate" else "- "
        return f"\n\n{'    ' * (len(self._lists) - 1)}{mark}{f'**{term}**: ' if term else ''}"

    def _environment(self, node: Any) -> str:
        name = node.environmentname
        if name in _TABLES:
            return f"\n\n{self._table(node, name)}\n\n"
        if name not in _LISTS:
            is_formula = type(node).__name__ == "LatexMathNode"
            return f"\n\n{self._said(node) if is_formula else self._all(node.nodelist)}\n\n"
        self._lists.append((name, 0))
        said = re.sub(r"(\n\n *(?:-|\d+\.) )\s+", r"\1", self._all(node.nodelist))
        self._lists.pop()
        return f"\n\n{said}\n\n"

    def _table(self, node: Any, name: str) -> str:
        source = "".join(part.latex_verbatim() for part in node.nodelist)
        source = source if name == "tabular" else _COLUMNS.sub("", source, count=1)
        rows = []
        for row in _ROW_END.split(source):
            cells = [fold(self._parsed(cell)) for cell in re.split(r"(?<!\\)&", row)]
            if any(cells):
                rows.append(f"| {' | '.join(cells)} |")
        return "\n".join([*rows[:1], "|---" * (rows[0].count(" | ") + 1) + "|", *rows[1:]]) if rows else ""

    def _noted(self) -> str:
        notes, self._notes = self._notes, []
        return "".join(f"\n\n{note}\n\n" for note in notes)


_IMAGE = re.compile(r"\[image: [^\]\n]*\]")
_RTF_TITLE = re.compile(r"\{\\title ([^{}\\]+)\}")


def html_of_rtf(text: str) -> str:
    """Return a Rich Text file as HTML: its paragraphs and tables. It does not say which paragraphs are headings."""
    try:
        from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise Unreadable("extra-missing", "Rich Text is read by striprtf, which is not installed.") from error
    title = _RTF_TITLE.search(text)
    plain = _IMAGE.sub("", rtf_to_text(text, errors="replace"))  # type: ignore[no-untyped-call]
    parts = [f"<title>{escape(title[1], quote=False)}</title>" if title else ""]
    for line in re.sub(r"\n+\|", " |", plain).split("\n"):
        words = escape(line.rstrip(), quote=False)
        cells = "".join(f"<td>{cell}</td>" for cell in words.removesuffix("|").split("|"))
        parts.append(f"<table><tr>{cells}</tr></table>" if words.endswith("|") else f"<p>{words}</p>")
    return "".join(parts).replace("</table><table>", "")


_CUE = re.compile(r"(?:(\d+):)?(\d\d):(\d\d)[,.]\d{3} +-->.*")
_SPEAKER = re.compile(r"<v(?:\.[\w.]+)? ([^>]+)>")
_STYLE = re.compile(r"</?[a-z][^>]*>|\{\\[^}]*\}|<\d[\d:.]+>")
_SENTENCE = re.compile(r"[.?!…][\"')\]]*$")
_LONGEST_SPOKEN = 400


def html_of_subtitles(text: str) -> str:
    """Return subtitles (SubRip or WebVTT) as HTML: what is said, in sentences, each with the time that it begins at."""
    return "".join(
        f"<dl><dt>{time}</dt><dd>{escape(said, quote=False)}</dd></dl>" for time, said in _spoken(text)
    )


def _spoken(text: str) -> Iterator[tuple[str, str]]:
    began, words = "", ""
    for time, said in _cues(text):
        began = began or time
        words = fold(f"{words} {said}")
        if _SENTENCE.search(words) or len(words) > _LONGEST_SPOKEN:
            yield began, words
            began = words = ""
    if words:
        yield began, words


def _cues(text: str) -> Iterator[tuple[str, str]]:
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        lines: Sequence[str] = block.strip().split("\n")
        at = next((at for at, line in enumerate(lines[:2]) if _CUE.match(line)), None)
        if at is not None and (cue := _CUE.match(lines[at])):
            said = _STYLE.sub("", _SPEAKER.sub(r"\1: ", " ".join(lines[at + 1 :])))
            yield f"{int(cue[1] or 0):02}:{cue[2]}:{cue[3]}", said
