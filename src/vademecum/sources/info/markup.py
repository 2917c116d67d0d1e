"""The markup of info files: encodings, quoting, menus, cross-references, images."""

import codecs
import re
from typing import NamedTuple

_TEXT_CODEC = re.compile(
    r"utf-8|ascii|iso8859-\d+|cp125\d|koi8-[ru]|euc_(?:jp|kr)|shift_jis|gb2312|gbk|gb18030|big5"
)
_AS_LATIN = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MARKUP = re.compile(r"\x00\x08\[(\w+)([^\x00]*)\x00\x08\]")
_PICTURE_TEXT = re.compile(r'\b(text|alt)="((?:[^"\\]|\\.)*)"', re.DOTALL)

_TARGET = (
    r"(?:\((?P<file>[^()\n]{1,300})\))?(?:\x7f(?P<quoted>[^\x7f]{0,500})\x7f|(?P<node>[^,\t\x7f]{0,500}?))"
)
_NOTE = re.compile(
    r"(?P<see>\b[Ss]ee\s{1,80})?\*(?P<letter>[Nn])ote\s{1,80}"
    r"(?:\x7f(?P<quoted_label>[^\x7f]{1,500})\x7f|(?P<label>[^:\x7f]{1,200}))"
    r"(?:::|:\s{1,80}" + _TARGET + r"(?=[,;:\t]|\.(?![^\s)\]\"'’”])|\Z))"
)
_ENTRY = re.compile(
    r"\*[ \t]{1,80}(?:\x7f(?P<quoted_label>[^\x7f\n]{1,500})\x7f|(?P<label>(?:[^:\n\x7f]|:(?!:?(?:\s|\Z))){1,500}))"
    r"(?:::|:(?:[ \t]{0,80}\n)?[ \t]{1,80}" + _TARGET + r"(?:[,\t]|\.(?=\s|\Z)|(?=\n)|\Z))"
    r"(?P<about>[^\n]*(?:\n[ \t]+[^\s*][^\n]*)*)"
)
_MENU = re.compile(r"(?m)^\* [Mm][Ee][Nn][Uu]:[^\n]*$")
_ENTRY_START = re.compile(r"(?m)^\*[ \t]")
_IN_INDEX = re.compile(r"\(line\s+\d+\)")


class Target(NamedTuple):
    """The target of a menu entry or cross-reference: a manual ("" for the same manual) and a node."""

    manual: str
    node: str


class Entry(NamedTuple):
    """A menu entry: its target, its label, and its description on one line."""

    target: Target
    label: str
    about: str


class Menu(NamedTuple):
    """The menu of a node.

    Attributes:
        is_index: Whether the entries are an index: keywords with line numbers.
    """

    entries: list[Entry]
    is_index: bool


def codec_named(coding: str) -> str:
    """Return the codec for a manual's `coding:` value, or UTF-8 if that is not a text encoding."""
    name = re.sub(r"-(?:unix|dos|mac)$", "", coding.strip().lower()).replace("iso-latin-", "latin-")
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return "utf-8"
    return found if _TEXT_CODEC.fullmatch(found) and found != "ascii" else "utf-8"


def decoded(data: bytes, codec: str) -> str:
    """Decode bytes. Bytes that are invalid in the codec are read as Latin-1, in which every byte is a character."""
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return data.decode(codec, "surrogateescape").translate(_AS_LATIN)


def plain(text: str) -> str:
    """Return the text of a node without image markup, quoting and control characters. Tabs become spaces."""
    if "\x00\x08[" in text:
        text = _MARKUP.sub(_picture, text)
    text = _CONTROLS.sub("", text)
    return text.expandtabs() if "\t" in text else text


def _picture(found: re.Match[str]) -> str:
    """Return the replacement for an image: its text version, otherwise its description."""
    if found[1] != "image":
        return ""
    said = {name: re.sub(r"\\(.)", r"\1", text) for name, text in _PICTURE_TEXT.findall(found[2])}
    return said.get("text") or said.get("alt", "")


def fold(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def part_menu(text: str) -> tuple[str, Menu]:
    """Split the text of a node into the text to read and the menu.

    The text between entries consists of group titles and belongs to the menu. The text after the last entry is text
    again.
    """
    begin = _MENU.search(text)
    if "\x00\x08[index" in text:
        return text[: begin.start()] if begin else text, Menu([], is_index=True)
    if not begin:
        return text, Menu([], is_index=False)
    entries, end, lines = [], begin.end(), 0
    for start in _ENTRY_START.finditer(text, begin.end()):
        if start.start() < end:
            continue
        found = _ENTRY.match(text, start.start())
        if found:
            end = found.end()
            lines += _IN_INDEX.search(found[0]) is not None
            entries.append(Entry(_target(found), _label(found), fold(plain(found["about"]))))
        else:
            end = text.find("\n", start.start()) + 1 or len(text)
    return f"{text[: begin.start()]}\n{text[end:]}", Menu(entries, is_index=2 * lines > len(entries) > 0)


def entries_in(text: str) -> list[Entry]:
    """Return the entries in lines that have the form of menu entries."""
    found = (_ENTRY.match(text, start.start()) for start in _ENTRY_START.finditer(text))
    return [Entry(_target(one), _label(one), fold(plain(one["about"]))) for one in found if one]


def read_notes(text: str) -> tuple[str, list[Target]]:
    """Return a text with readable cross-references (`see Modes.` for `*note Modes: (sed)Modes.`), and their targets."""
    targets: list[Target] = []

    def shown(found: re.Match[str]) -> str:
        targets.append(_target(found))
        see = found["see"] or ("See " if found["letter"] == "N" else "see ")
        return see + (found["quoted_label"] or found["label"])

    return (_NOTE.sub(shown, text) if "ote" in text else text), targets


def _label(found: re.Match[str]) -> str:
    return fold(found["quoted_label"] or found["label"])


def _target(found: re.Match[str]) -> Target:
    manual, node = found["file"] or "", fold(found["quoted"] or found["node"] or "")
    if not manual and not node:
        return named(_label(found))
    return Target(manual, node or "Top")


def named(text: str) -> Target:
    """Return the target that `(sed)Modes` or `Modes` names."""
    found = re.match(r"\(([^()]{1,300})\)\s*(.*)", text, re.DOTALL)
    return Target(found[1], fold(found[2]) or "Top") if found else Target("", fold(text))
