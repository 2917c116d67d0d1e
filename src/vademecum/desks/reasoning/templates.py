"""A reasoning template: the contents of its file, and defaults for missing fields."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vademecum.core.documents import Problem
from vademecum.core.errors import TemplatesClash
from vademecum.desks.reasoning.fields import Value, read_fields
from vademecum.files.read import Unreadable, open_within, read_open
from vademecum.sources._dialects import parted
from vademecum.text.printable import printable

FALLBACK = "chain-of-thought"
"""The template that is taken when none fits."""

_ALSO_FALLBACK = "bot-chain-of-thought"
_BETWEEN = re.compile(r"[,;\n]")
_PARTED = {"keywords", "near"}
_LISTS = ("keywords", "use_when", "avoid_when", "near", "examples")
TEXTS = ("name", "description", "domain", "complexity", "methodology")
"""The fields that are one text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A way of reasoning.

    Attributes:
        id: The file's name without its ending.
        domain: Where it is at home (`mathematics`).
        complexity: `simple`, `moderate` or `complex`, or what the file says.
        methodology: How it goes about it (`deductive`).
        keywords: Words and phrases of the method.
        description: What it does and what it is for.
        content: The text after the front matter, as written.
        file_path: Where it was read.
        use_when: Situations that it fits, a sentence each.
        avoid_when: Situations that it does not fit, and what does instead.
        near: Ids of templates that it is easily mistaken for.
        examples: Questions that it fits, as people ask them.
        asked: More of these, from `asked/ID.txt` beside the file.
        other: All other fields, as written.
        warnings: What was wrong with the file, in sentences.
    """

    id: str
    name: str
    domain: str = "general"
    complexity: str = "moderate"
    methodology: str = "sequential"
    keywords: tuple[str, ...] = ()
    description: str = ""
    content: str = ""
    file_path: str = ""
    use_when: tuple[str, ...] = ()
    avoid_when: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    other: Mapping[str, Value] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def is_fallback(self) -> bool:
        """Return whether it is the one that is taken when none fits."""
        return self.id == FALLBACK

    def to_dict(self) -> dict[str, object]:
        """Every field of the file, and what was made of it, as plain data."""
        return {
            "id": self.id,
            **{name: getattr(self, name) for name in TEXTS},
            **{name: list(getattr(self, name)) for name in _LISTS},
            "content": self.content,
            "file_path": self.file_path,
            "is_fallback": self.is_fallback,
            "other": dict(self.other),
            "warnings": list(self.warnings),
        }


def parse_template(text: str, path: Path, asked: tuple[str, ...] = ()) -> Template:
    """A template from the text of its file."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    inner, content = parted(text)
    fields, faults = read_fields(inner)
    warnings = [
        f"{name} is not text and counts as left out."
        for name in TEXTS
        if isinstance(fields.get(name), list | dict)
    ]
    given: dict[str, Any] = {name: text for name in TEXTS if (text := _text(fields.get(name)))}
    given |= {name: _list(fields.get(name), parts=name in _PARTED) for name in _LISTS}
    return Template(
        id=FALLBACK if path.stem == _ALSO_FALLBACK else path.stem,
        **({"name": path.stem} | given),
        content=content.strip("\n"),
        file_path=str(path),
        asked=asked,
        other={name: value for name, value in fields.items() if name not in {*TEXTS, *_LISTS}},
        warnings=(*faults, *warnings),
    )


def _text(value: Value) -> str:
    """A text on one line; "" where none stands."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def _list(value: Value, *, parts: bool = False) -> tuple[str, ...]:
    """A list of texts, each once. A text alone is a list of one, or (`parts`) of what is between its commas."""
    if isinstance(value, str):
        value = list(_BETWEEN.split(value)) if parts else list(value.split("\n"))
    if not isinstance(value, list):
        return ()
    return tuple(dict.fromkeys(text for one in value if (text := _text(one))))


ASKED = "asked"
"""The folder beside templates with more questions for each, one a line, in `ID.txt`."""

_MOST_BYTES = 1 << 20
_MOST_FILES = 5000
_MOST_ASKED = 500
_HINTS = {
    "unreadable": "Check the file's permissions, or remove it.",
    "not-a-file": "Keep templates as regular files.",
    "outside": "Copy the file into the folder.",
    "too-large": "A template is a page or two: shorten it.",
    "not-utf-8": "Save it as UTF-8.",
    "empty": "Write down the steps of the method, or remove the file.",
    "too-many": "Part the templates into several folders, and name those that you need.",
    "folder": "Make the folder, or take it out of template_dirs.",
}


def find_templates(folders: Iterable[Path]) -> tuple[list[Path], list[Problem]]:
    """All files `*.md` that lie directly in some folders, by folder and name; and the folders that cannot be listed.

    A folder that is named twice counts once. Hidden files are none.
    """
    found: dict[str, Path] = {}
    problems: list[Problem] = []
    seen: set[str] = set()
    for folder in folders:
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        try:
            names = sorted(name for name in os.listdir(folder) if _is_template(name))  # noqa: PTH208 - names, not paths
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name cannot be used"
            message = f"The folder of templates {printable(str(folder), 200)} cannot be listed: {reason}."
            problems.append(
                Problem(place=str(folder), fault="unreadable", message=message, hint=_HINTS["folder"])
            )
            continue
        if len(names) > _MOST_FILES:
            message = f"It holds more than {_MOST_FILES:,} templates; only the first ones are read."
            problems.append(_problem(folder, "too-many", message))
        for name in names[:_MOST_FILES]:
            path = Path(folder, name)
            other = found.setdefault(path.stem, path)
            if other != path:
                message = f"{printable(str(other), 200)} and {printable(str(path), 200)} have the same id, {printable(path.stem, 80)}."
                raise TemplatesClash(
                    message, hint="Rename one of the two files: its name is the template's id."
                )
    return list(found.values()), problems


def _is_template(name: str) -> bool:
    return name.endswith(".md") and not name.startswith(".") and len(name) > len(".md")


def read_template(path: Path) -> Template | Problem:
    """A template's file, with the questions that stand beside it in `asked/ID.txt`; never an exception."""
    folder = os.path.realpath(path.parent)
    try:
        text = _read(folder, path.name)
    except Unreadable as refused:
        return _problem(path, refused.fault, refused.message)
    template = parse_template(text, path, _asked(folder, path.stem))
    if not template.content.strip():
        return _problem(
            path, "empty", "There is nothing in it but front matter." if text.strip() else "It is empty."
        )
    return template


def _read(folder: str, key: str) -> str:
    """A file's characters, whatever its ends of lines."""
    raw = read_open(open_within(folder, key, _MOST_BYTES), _MOST_BYTES)
    try:
        text = raw.decode("utf-16" if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("not-utf-8", f"It is not written in UTF-8 (byte {error.start}).") from error
    if "\0" in text:
        raise Unreadable("not-utf-8", "It holds zero bytes, so it is not text.")
    return text


def _asked(folder: str, stem: str) -> tuple[str, ...]:
    """The questions beside a template; none where there is no such file, or it is not to be read."""
    name = f"{stem}.txt"
    if not Path(folder, ASKED, name).is_file():
        return ()
    try:
        text = _read(os.path.realpath(Path(folder, ASKED)), name)
    except Unreadable:
        return ()
    lines = (" ".join(line.split()) for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line))[:_MOST_ASKED]


def _problem(path: Path, fault: str, message: str) -> Problem:
    return Problem(place=str(path), fault=fault, message=message, hint=_HINTS[fault])
