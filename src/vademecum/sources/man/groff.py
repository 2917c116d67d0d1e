"""Render pages with groff, as many as possible in one run.

groff starts five processes and reads its macros for each run, which takes ten times as long as a page. Pages that make
the same definitions are rendered together, since no definition of one can change another. All others are rendered alone.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from vademecum.sources.man.process import Outcome, run

IDLE_S = 10.0
"""The maximum time without output. groff renders a page in 20 milliseconds, and the largest in a second."""

_TOTAL_S = 20.0
_LIMIT_BYTES = 64 * 1024 * 1024
_OPTIONS = (
    "-t", "-K", "utf8", "-mandoc", "-T", "utf8",
    "-P-c", "-P-b", "-P-u", "-P-o",  # no colours, no bold, no underlining, no overstriking
    "-rHY=0", "-dAD=l", "-rLL=5000n",  # no hyphenation, no justification, no line breaks
)  # fmt: skip
_LONG = ("long", b".pl 1000000i\n.ad l\n")
"""A file before the pages: a sheet without an end, since space at the end of a sheet is lost, and no justified cells of tables."""

_SEPARATOR = "separator"
_RESET = ".ss 12\n.in 0\n.ft R\n.fi\n.ad l\n.nh\n.TH S 1\n"
_MOST_PAGES = 50

_USUAL = frozenset(
    b"TH SH SS PP P LP IP TP TQ HP RS RE B I BR RB BI IB IR RI SM SB UR UE MT ME OP SY YS EX EE PD DT TS TE T& "
    b"nf fi sp br in ti ad na nh hy hw ft ne ns ta".split()
)
"""The macros and requests that define nothing, and whose effect ends with the page."""

_LINE = re.compile(rb"(?m)^[.'][ \t]*([^\s\\\"]+)(.*)")
_CONDITIONS = frozenset((b"if", b"ie", b"el", b"while", b"nop"))
_NESTED = re.compile(rb"(?:^|[\s{])[.'][ \t]*([^\s\\\"]+)")
_DEFINED = re.compile(rb"(?m)^[.'].*?\b(?:dei?1?|als|rn|rm)[ \t]+([^\s\\]+)")
_SET, _MOVED = (re.compile(rb"(?m)^[.'].*?\bnr[ \t]+(\S+)[ \t]+" + to) for to in (rb"[^\s+-]", rb"[+-]"))
_BODY = re.compile(rb"(?m)^[.'].*?\b(?:dei?1?|ig)\b[\s\S]*?^[.'][ \t]*\.")
_BEGIN = re.compile(rb"(?m)^[.'][ \t]*SH\b")
_ALONE = frozenset(
    b"Dd am am1 ami ami1 as as1 so mso nx ex ab cc c2 ec eo pl po ll ev di da box boxa dev open opena write cf trf rd ch "
    b"wh dwh it itc blm lsm em cs cp pm EQ".split()
)
"""What reaches beyond a page, adds to what there is, or begins a page that is not of the man macros."""


def render_texts(groff: str, files: Sequence[str], folder: Path) -> list[Outcome]:
    """Render pages to the text that `man` shows, each with a line before and after it, such as header and footer.

    After each page of a group, groff renders a separator page that consists of one random word, which no page can
    contain. A group that does not end with as many pages as it began with is rendered page by page.

    Args:
        files: The names of inflated UTF-8 pages within `folder`.

    Returns:
        For each page, the UTF-8 text, and how groff ended.
    """
    (folder / _LONG[0]).write_bytes(_LONG[1])
    groups: dict[str, list[str]] = {}
    for file in files:
        groups.setdefault(_group_of((folder / file).read_bytes()) or file, []).append(file)
    parts = [
        group[start : start + _MOST_PAGES]
        for group in groups.values()
        for start in range(0, len(group), _MOST_PAGES)
    ]
    word = secrets.token_hex(16)
    (folder / _SEPARATOR).write_text(f"{_RESET}{word}\n")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rendered = pool.map(lambda part: _rendered(groff, part, folder, word.encode()), parts)
        found = {
            file: outcome
            for part, outcomes in zip(parts, rendered, strict=True)
            for file, outcome in zip(part, outcomes, strict=True)
        }
    return [found[file] for file in files]


def _rendered(groff: str, files: Sequence[str], folder: Path, word: bytes) -> list[Outcome]:
    """Render a group of pages at once; page by page if that fails."""
    if len(files) > 1:
        names = [_SEPARATOR, *(name for file in files for name in (file, _SEPARATOR))]
        outcome = _run(groff, names, folder)
        pieces = outcome.output.split(word)[1:-1]
        if len(pieces) == len(files) and outcome.ending in {"done", "failed"}:
            return [Outcome(piece, outcome.ending) for piece in pieces]
    return [_run(groff, [file], folder) for file in files]


def _run(groff: str, names: Sequence[str], folder: Path) -> Outcome:
    command = [groff, *_OPTIONS, _LONG[0], *names]
    return run(command, folder, idle_s=IDLE_S, total_s=_TOTAL_S, limit_bytes=_LIMIT_BYTES)


def _group_of(source: bytes) -> str:
    """Return a name that pages share which make the same definitions before their first heading; "" for other pages."""
    begin = _BEGIN.search(source)
    before, page = (source[: begin.start()], source[begin.start() :]) if begin else (b"", source)
    defined = set(_DEFINED.findall(source))
    own = _USUAL | defined | {b"IX"}
    tables = [line[1] for line in _LINE.finditer(source) if line[1] in (b"TS", b"TE")]
    if (
        any(_names(line) & _ALONE for line in _LINE.finditer(before))
        or any(_names(line) - own for line in _LINE.finditer(page))
        or defined & _USUAL
        or set(_MOVED.findall(source)) - set(_SET.findall(source))
        or tables != [b"TS", b"TE"] * (len(tables) // 2)
    ):
        return ""
    made = [body[0] for body in _BODY.finditer(before)]
    made += [line[0] for line in _LINE.finditer(before) if _names(line) - own]
    return hashlib.blake2b(b"\n".join(made), digest_size=16).hexdigest()


def _names(line: re.Match[bytes]) -> set[bytes]:
    """Return the requests and macros that a line calls, also those that depend on a condition."""
    names = _NESTED.findall(line[2]) if line[1] in _CONDITIONS else [line[1]]
    return {name for name in names if name not in _CONDITIONS and name != b"."}
