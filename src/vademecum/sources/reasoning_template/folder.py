"""Folders of templates: which files are templates, and reading them safely."""

import os
from collections.abc import Iterable
from pathlib import Path

from vademecum.core.documents import Problem
from vademecum.core.errors import TemplatesClash
from vademecum.sources._files import Refused, open_within, read_open
from vademecum.sources.reasoning_template.template import Template, parse_template
from vademecum.text.printable import printable

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

    Raises:
        TemplatesClash: Two files have one stem, so that their ids would be the same.
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
    except Refused as refused:
        return _problem(path, refused.fault, refused.message)
    template = parse_template(text, path, _asked(folder, path.stem))
    if not template.content.strip():
        return _problem(
            path, "empty", "There is nothing in it but front matter." if text.strip() else "It is empty."
        )
    return template


def _read(folder: str, key: str) -> str:
    """A file's characters, whatever its ends of lines.

    Raises:
        Refused: It is not to be read, or is not text.
    """
    raw = read_open(open_within(folder, key, _MOST_BYTES), _MOST_BYTES)
    try:
        text = raw.decode("utf-16" if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused("not-utf-8", f"It is not written in UTF-8 (byte {error.start}).") from error
    if "\0" in text:
        raise Refused("not-utf-8", "It holds zero bytes, so it is not text.")
    return text


def _asked(folder: str, stem: str) -> tuple[str, ...]:
    """The questions beside a template; none where there is no such file, or it is not to be read."""
    name = f"{stem}.txt"
    if not Path(folder, ASKED, name).is_file():
        return ()
    try:
        text = _read(os.path.realpath(Path(folder, ASKED)), name)
    except Refused:
        return ()
    lines = (" ".join(line.split()) for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line))[:_MOST_ASKED]


def _problem(path: Path, fault: str, message: str) -> Problem:
    return Problem(place=str(path), fault=fault, message=message, hint=_HINTS[fault])
