"""Parse the Markdown of a tldr page into a `Document`.

    # tar
    > Archiving utility.
    > More information: <https://www.gnu.org/software/tar>.
    - Create an archive from files:
    `tar cf {{target.tar}} {{file1 file2 ...}}`

The format is small and fixed (tldr-pages, `contributing-guides/style-guide.md`), so it can be read line by line.
"""

import re
from typing import NamedTuple

from vademecum.core.documents import Block, BlockKind, Document, DocumentRef, Need

_MANUAL = ("1", "8")
_PLACEHOLDER = re.compile(r"\{\{|\}\}")
_ESCAPED = re.compile(r"\\\{\\\{|\\\}\\\}")
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"<(https?://[^<>\s]+)>|\[([^\[\]\n]*)\]\([^)\s]*\)")
_EMPHASIS = re.compile(r"(?<!\w)([*_]{1,2})(?=\S)([^*_\n]+?)(?<=\S)\1(?!\w)")
_LETTER = re.compile(r"\[(\w)\](?=\w)|(?<=\w)\[(\w)\]")
_SHAPELESS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u200b\u2060\ufeff\ud800-\udfff]+")
_BORDER = re.compile(r"[\s,|=<>\[\](){}\"'‘’]+")
_OPTION = re.compile(r"--?[A-Za-z0-9?@#][\w-]*")
_POINTING = re.compile(r"see also|alias of|related", re.IGNORECASE)
_MARKED = re.compile(r"\{\{(.*?)\}\}(?!\})")
_PATH = re.compile(r"path/to/(\w+).*")
_NAME = re.compile(r"[\w][\w.+ -]*")
_POINTER = "tldr "


class _Example(NamedTuple):
    intent: str
    command: str
    line: str


class _Page(NamedTuple):
    title: str
    description: tuple[str, ...]
    related: tuple[str, ...]
    examples: tuple[_Example, ...]


def make_document(ref: DocumentRef, source: str) -> Document | None:
    """Return the document of a page, or None if the page has no content.

    The text consists of the title, the description line by line, and the examples. Each example is an item with the
    command as its tag, followed by its purpose. The marks of placeholders are removed: `{{path/to/file}}` becomes
    `path/to/file`, and `{{[-x|--extract]}}`, two spellings of an option, becomes `[-x|--extract]`.
    """
    page = _read(source)
    name = ref.names[0].partition("(")[0]
    if not page.description and not page.examples:
        return None
    title = page.title or name
    pieces: list[tuple[BlockKind, str, int]] = [("heading", title, 0)]
    pieces += [("paragraph", line, 0) for line in page.description]
    for intent, command, _ in page.examples:
        both = f"{command}\n{intent}" if intent else command
        pieces.append(("item", both, len(command)))
    text, blocks = _joined(pieces)
    return Document(
        key=ref.key,
        reference=ref.names[0],
        title=title,
        summary=page.description[0] if page.description else "",
        names=ref.names,
        text=text,
        blocks=blocks,
        links=_links(name, page),
        needs=tuple(dict.fromkeys(_needs(page))),
    )


def _joined(pieces: list[tuple[BlockKind, str, int]]) -> tuple[str, tuple[Block, ...]]:
    blocks: list[Block] = []
    at = 0
    for kind, text, tag_length in pieces:
        level = 1 if kind in {"heading", "item"} else 0
        blocks.append(Block(kind, at, at + len(text), level, "", at + tag_length))
        at += len(text) + 1
    return "\n".join(text for _, text, _ in pieces), tuple(blocks)


def _read(source: str) -> _Page:
    title, intent = "", ""
    description: list[str] = []
    related: list[str] = []
    examples: list[_Example] = []
    for line in source.splitlines():
        line = " ".join(_SHAPELESS.sub("", line).split())  # noqa: PLW2901 - the line without invisible characters
        if line.startswith("# ") and not title:
            title = _plain(line[2:])
        elif line.startswith(">"):
            if pointing := _POINTING.search(line):
                related += _CODE.findall(line, pointing.end())
            if said := _plain(line[1:].strip()):
                description.append(said)
        elif line.startswith(("- ", "* ")):
            # `E[x]tract` marks the letter of the option in the word
            intent = _LETTER.sub(r"\1\2", _plain(line[2:])).removesuffix(":").rstrip()
        elif line.startswith("`") and line.endswith("`") and (command := _command(line.strip("`"))):
            examples.append(_Example(intent, command, _with_slots(line.strip("`"))))
            intent = ""
    return _Page(title, tuple(description), tuple(related), tuple(examples))


def _plain(line: str) -> str:
    """Return a line without Markdown."""
    line = _LINK.sub(lambda found: found[1] or found[2], line)
    line = _EMPHASIS.sub(r"\2", _CODE.sub(r"\1", line))
    return " ".join(line.split())


def _command(line: str) -> str:
    """Return a command without the marks of its placeholders, and with its own escaped braces unescaped."""
    line = _PLACEHOLDER.sub("", line)
    return " ".join(_ESCAPED.sub(lambda found: found[0].replace("\\", ""), line).split())


def _with_slots(line: str) -> str:
    """Return a command with the short spellings of its options, and slots in capitals in place of its placeholders.

    >>> _with_slots("tar {{[-x|--extract]}} -f {{path/to/source.tar}}")
    'tar -x -f SOURCE'
    """

    def slot(place: re.Match[str]) -> str:
        first = place[1].split("|")[0]
        if first.startswith("[") or (first != place[1] and first.islower()):
            return first.lstrip("[")
        return " ".join(map(named, first.replace(" ...", "").split() if _PATH.match(first) else [first]))

    def named(place: str) -> str:
        words = re.findall(r"[A-Za-z]+[0-9]?", _PATH.sub(r"\1", place))
        return "_".join(words).upper() if words else "N"

    return _command(_MARKED.sub(slot, line))


def _needs(page: _Page) -> list[Need]:
    """Return the needs that the command meets: the intents, each with the options in its example."""
    found: list[Need] = []
    for intent, command, line in page.examples:
        if intent and not command.startswith(_POINTER):  # "View documentation for the original command"
            words = dict.fromkeys(_BORDER.split(command))
            options = tuple(word for word in words if _OPTION.fullmatch(word))
            found.append(Need(intent, options, line))
    return found


def _links(name: str, page: _Page) -> tuple[str, ...]:
    """Return the manual pages of the command, then the pages it refers to and their manual pages."""
    pointed = [command[len(_POINTER) :] for _, command, _ in page.examples if command.startswith(_POINTER)]
    others = [other.replace(" ", "-") for other in (*page.related, *pointed) if _NAME.fullmatch(other)]
    found = [f"{name}({section})" for section in _MANUAL]
    for other in others:
        if other != name:
            found += [f"{other}(tldr)", *(f"{other}({section})" for section in _MANUAL)]
    return tuple(dict.fromkeys(found))
