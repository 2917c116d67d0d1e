"""The task book: its format, the page that each line belongs to, and that the shipped book keeps to the format."""

from collections import Counter

import pytest

from vademecum.core.documents import Need
from vademecum.sources.man.tasks import BOOK, needs_of, owner_of, read_book

TEXT = """\
# a comment
du -s -h DIR
    total size of a folder
    how big is this directory

find(1) -size
    files bigger than a given size
"""


def test_reads_lines_and_pointers():
    line, pointer = read_book(TEXT)
    assert (line.line, line.reference, line.options) == ("du -s -h DIR", "", ("-s", "-h"))
    assert line.phrasings == ("total size of a folder", "how big is this directory")
    assert (pointer.line, pointer.reference, pointer.options) == ("", "find(1)", ("-size",))
    assert (line.place, pointer.place) == (2, 6)


@pytest.mark.parametrize(
    ("line", "owner"),
    [
        ("du -s -h DIR", "du"),
        ("/usr/bin/du DIR", "du"),
        ("LC_ALL=C sort FILE | uniq -c", "sort"),
        ("sort FILE > NEW_FILE", "sort"),
        ("git commit --amend", "git-commit"),
        ("git --version", "git"),
        ("for f in *; do rm FILE; done", "bash"),
        ("export VARIABLE=VALUE", "bash"),
        ("VARIABLE=VALUE", "bash"),
        ("> FILE", "bash"),
        ("COMMAND1 && COMMAND2", "bash"),
        ("", "bash"),
    ],
)
def test_a_line_belongs_to_the_page_of_its_first_command(line, owner):
    assert owner_of(line) == owner


def test_a_page_has_the_needs_of_all_its_names():
    of_page = needs_of(("du(1)", "du(1posix)"))
    assert any(need.line.startswith("du -") for need in of_page)
    assert len(of_page) == len(set(of_page))
    assert needs_of(("du(3)",)) == ()
    assert all(isinstance(need, Need) and not need.line for need in needs_of(("signal(7)",)))


def test_the_shipped_book_keeps_to_the_format():
    tasks = [task for path in BOOK.glob("*.txt") for task in read_book(path.read_text(encoding="utf-8"))]
    lines = [task for task in tasks if task.line]
    assert len(lines) > 5_000
    for task in lines:
        assert task.phrasings, task.line
        assert task.line == " ".join(task.line.split()) or "'" in task.line or '"' in task.line, task.line
    several = Counter(
        phrasing for line, phrasing in {(task.line, said) for task in lines for said in task.phrasings}
    )
    assert [phrasing for phrasing, count in several.items() if count > 1] == []
