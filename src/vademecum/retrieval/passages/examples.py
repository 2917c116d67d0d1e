"""Find the tasks that a document shows: an instruction, then the commands that carry it out."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from vademecum.core.documents import Block, Need
from vademecum.text.patterns import Pattern
from vademecum.text.sentences import sentences
from vademecum.text.shell import PROMPT
from vademecum.text.words import STOP_WORDS

_LONGEST, _MOST_LINES = 600, 8
"""The limits of code that is a task, in characters and lines; longer code is a listing."""

_FEWEST_WORDS, _MOST_WORDS = 2, 25
"""The minimum number of content words of an instruction, and the maximum number of its words."""

_COMMENT = Pattern(r"# +(?=\S)", flags=0)
_CONTINUED = Pattern(r"\s*\\\n\s*(?:> )?", flags=0)
_NO_INSTRUCTION = Pattern(
    r"\b(?:synops[ie]s|syntax|usage|outputs?|results?|looks? like|format|following (?:lines?|form|list|table))\b[^.]{0,30}$"
)
"""Sentences that introduce a form or output, and no command."""

_WANTS = Pattern(r"(?:(?:for|as an) example, |if you (?:want|wish|need|like) |in order |how )*to [a-z]+ .*")
"""An instruction in the running text of a manual, which discusses commands as well."""

_EXAMPLES = Pattern(r"(?:.* )?examples?\b.*")
_COMMAND = Pattern(r"(?:sudo +|[A-Z_]+=\S* +)*[a-z][\w.+-]*(?: +(?![=({])\S.*)?", flags=0)
"""A line that may be a command."""

_USAGE = Pattern(r"\.\.\.|\[[A-Z-]|<[a-z]", flags=0)
"""A part of a form that is no command yet."""


def shown_tasks(text: str, blocks: Sequence[Block], *, manual: str = "") -> Iterator[Need]:
    """Yield the tasks that a document or a part of it shows, in reading order.

    The instruction is a comment above the commands, or the last sentence of the paragraph before them. In lists of examples, an item is a
    command with its purpose, or a purpose with its command. In running text, the heading is an instruction as well.

    Args:
        blocks: Its blocks, or those of the part.
        manual: Its reference, if it is a page of a manual, whose headings name things, and not tasks.
    """
    name = re.split(r"[-(]", manual, maxsplit=1)[0]
    for need in _found(text, blocks, of_manual=bool(manual)):
        if not manual or " " in name or name in re.split(r"[^\w.+]+", need.line):
            yield need  # an article of an info manual has a title, and no name


def _found(whole: str, blocks: Sequence[Block], *, of_manual: bool) -> Iterator[Need]:
    headings = dict[int, str]()
    for before, block in pairwise((None, *blocks)):
        if block is None or block.end - block.start > _LONGEST:
            continue
        text = whole[block.start : block.end]
        if block.kind == "heading":
            headings = {level: title for level, title in headings.items() if level < block.level}
            headings[block.level] = text
            continue
        are_examples = any(map(_EXAMPLES.fullmatch, headings.values()))
        if block.kind == "code":
            said = _last_sentence(whole, before) if before else ""
            if of_manual and not are_examples and not _WANTS.fullmatch(said):
                continue
            heading = "" if of_manual else next(reversed(headings.values()), "")
            yield from _in_code(text, (said, heading), only_one=of_manual)
        elif block.kind == "item" and are_examples:
            tag, body = (whole[block.start : block.tag_end], whole[block.tag_end : block.end].strip())
            purpose, code = (tag, body) if tag.endswith(":") else (body, tag)
            first = next(sentences(purpose, 0, len(purpose)), None)
            yield from _in_code(code, (purpose[slice(*first)] if first else "", ""), only_one=of_manual)


def _in_code(text: str, instructions: tuple[str, str], *, only_one: bool) -> Iterator[Need]:
    """Yield the tasks of a block of code: the whole block, and the lines below each comment."""
    lines = _CONTINUED.sub(" ", text).splitlines()
    if any(map(PROMPT.match, lines)):
        lines = [PROMPT.sub("", line, count=1) for line in lines if PROMPT.match(line)]
    whole = [line.strip() for line in lines if line.strip() and not _COMMENT.match(line)]
    yield from _needs(instructions, whole, only_one=only_one)
    said, code = "", list[str]()
    for line in (*lines, "# end"):
        if comment := _COMMENT.match(line):
            yield from _needs((said, ""), code, only_one=only_one)
            said, code = line[comment.end() :], []
        elif line.strip():
            code.append(line.strip())


def _needs(instructions: tuple[str, str], code: list[str], *, only_one: bool) -> Iterator[Need]:
    if (
        not 0 < len(code) <= _MOST_LINES
        or not all(map(_COMMAND.fullmatch, code))
        or any(map(_USAGE.search, code))
    ):
        return
    if only_one and len({line.split()[0] for line in code}) > 1:
        return
    line = code[0] if only_one else "\n".join(code)
    yield from (Need(_bare(said), (), line) for said in instructions if _is_instruction(said))


def _is_instruction(text: str) -> bool:
    """Return whether a sentence may say what commands do: it has enough words, and does not introduce a form or output."""
    words = re.findall(r"[A-Za-z][\w'-]*", text)
    content = [word for word in words if word.lower() not in STOP_WORDS]
    enough = len(content) >= _FEWEST_WORDS and len(words) <= _MOST_WORDS
    return enough and not _NO_INSTRUCTION.search(_bare(text))


def _last_sentence(text: str, block: Block) -> str:
    """Return the last sentence of a paragraph or item, or ""."""
    if block.kind not in {"paragraph", "item"}:
        return ""
    *_, last = ((0, 0), *sentences(text, block.start, block.end))
    return text[slice(*last)]


def _bare(text: str) -> str:
    """Return an instruction without its final sign."""
    return " ".join(text.split()).rstrip(".:")
