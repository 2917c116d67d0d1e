"""ARCHITECTURE.md lists all packages and names that exist; docs/explanation/paths.md lists what four requests call."""

import re
import shutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

from vademecum import CatalogEntry, Library
from vademecum.index.catalog.catalog import Catalog
from vademecum.library.collections import Collections

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
PATHS_TEXT = (ROOT / "docs/explanation/paths.md").read_text()
ROOMS = {path.parent.name for path in (ROOT / "src/vademecum").glob("*/__init__.py")}

PATHS = {
    "ragadmin": ("vademecum.cli.ragadmin", ["reindex"]),
    "ragman": ("vademecum.cli.ragman", ["How do I change file permissions?"]),
    "vademecum": ("vademecum.cli.vademecum", ["ask", "--book", "book", "How do I change file permissions?"]),
    "os_image_composer": (
        "vademecum.cli.os_image_composer",
        ["ai", "--provider", "none", "--dry-run", "debian 13 with nginx"],
    ),
}

BOOK = "# Files\n\nThe permissions of a file are changed with chmod, those of a whole folder with chmod -R.\n"


def steps(program):
    """The path of a program's request as (depth, dotted name), from the block that begins with its `main`."""
    (block,) = re.findall(
        rf"^```\n(vademecum\.cli\.{program}\.main\n.*?)^```$", PATHS_TEXT, re.MULTILINE | re.DOTALL
    )
    found = re.findall(r"^( *)(vademecum[\w.]*)$", block, re.MULTILINE)
    assert len(found) == len(block.splitlines())
    return [(len(indent) // 2, name) for indent, name in found]


def resolved(name):
    """What a dotted name stands for; fails if it stands for nothing."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise AssertionError(name)


def test_every_dotted_name_stands_for_something():
    rooms = "|".join(ROOMS)
    text = TEXT + PATHS_TEXT
    names = set(re.findall(r"\bvademecum(?:\.\w+)+", text))
    names_in_rooms = set(re.findall(rf"`((?:{rooms})(?:\.\w+)+)`", text))
    assert len(names) > 20
    assert len(names_in_rooms) > 20
    for name in names | {f"vademecum.{name}" for name in names_in_rooms}:
        resolved(name)


def test_every_room_has_its_line():
    assert set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)) == ROOMS


class Left(BaseException):
    """Stands for the end of the process."""


@pytest.mark.needs("mandoc")
def test_its_paths_are_what_requests_call(tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "tests/data/manual", tmp_path / "manual")
    library = Library.open()
    with Catalog(library.places.catalog_file).changing() as entries:
        entries[:] = [CatalogEntry("man-pages", "man", str(tmp_path / "manual"))]
    (tmp_path / "book").mkdir()
    (tmp_path / "book/files.md").write_text(BOOK)
    Collections().create("book", kind="book").library.add(tmp_path / "book")

    def leave(code):
        raise Left(code)

    monkeypatch.setattr("os._exit", leave)
    for program, (module, arguments) in PATHS.items():
        monkeypatch.setattr("sys.argv", [program, *arguments])
        calls = called(import_module(module).main)
        follow(steps(program), calls)
    said = capsys.readouterr().out
    assert "## Summary" in said
    assert "are changed with" in said


def called(main):
    """Every call of ours until the process would end, as the dotted names of all callers and the called."""
    calls, stack = [], []

    def note(frame, event, _argument):
        if event == "call":
            stack.append(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}")
            if stack[-1].startswith("vademecum."):
                calls.append(tuple(stack))
        elif event == "return" and stack:
            stack.pop()

    sys.setprofile(note)
    try:
        main()
    except Left:
        pass
    finally:
        sys.setprofile(None)
    return calls


def follow(path, calls):
    """Find each step among the calls, later than the step before it and below the step it is indented under."""
    rest = iter(calls)
    above = []
    for depth, name in path:
        del above[depth:]
        for stack in rest:
            if stack[-1] == name and is_within(above, stack):
                break
        else:
            pytest.fail(f"{name} is not called there")
        above.append(name)


def is_within(above, stack):
    callers = iter(stack[:-1])
    return all(name in callers for name in above)


def test_a_wrong_path_is_noticed():
    calls = [("a",), ("a", "b"), ("a", "b", "c"), ("a", "d")]
    follow([(0, "a"), (1, "b"), (2, "c"), (1, "d")], calls)
    for wrong in ([(0, "b"), (0, "a")], [(0, "a"), (1, "d"), (2, "c")], [(0, "a"), (1, "b"), (2, "d")]):
        with pytest.raises(pytest.fail.Exception):
            follow(wrong, calls)
