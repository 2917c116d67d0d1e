"""Folders of documents: which files are listed, and what is not read for good reason."""

import os
import socket

import pytest

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.core.errors import SourceError
from vademecum.sources.docs import DocsSource
from vademecum.sources.docs.folder import reference_of


@pytest.fixture
def root(tmp_path):
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


def scanned(root):
    found = list(DocsSource(root, "docs").scan())
    keys = [one.key for one in found if isinstance(one, DocumentRef)]
    return keys, [(one.place, one.fault) for one in found if isinstance(one, Problem)]


def test_files_are_told_by_ending_in_folders_within_folders(root):
    (root / "a" / "b.md").mkdir(parents=True)
    wanted = (
        "a/b.md/c.txt",
        "a/x.MD",
        "b.markdown",
        "c.html",
        "d.htm",
        "e.text",
        "f.rst",
        "g.pdf",
        "h.docx",
        "README",
    )
    others = ("code.py", "md", "picture.png", "key.asc.gpg", "other.png", "package-lock.json")
    for folder in (".hidden", ".git", "node_modules/x", "made/html"):
        (root / folder).mkdir(parents=True)
    for name in (
        *wanted,
        *others,
        ".hidden/x.md",
        ".git/x.md",
        "node_modules/x/x.md",
        "made/html/x.md",
        "made/y.md",
        ".x.md",
    ):
        (root / name).write_text("words")
    (root / ".gitignore").write_text("*.log\nmade/html/\n")
    (root / "made/.gitignore").write_text("y.*\n!z.md\n")
    assert scanned(root) == (sorted(wanted), [(root.name, "other-kinds"), (root.name, "left-out")])
    said = " ".join(found.message for found in DocsSource(root, "docs").scan() if isinstance(found, Problem))
    assert all(
        part in said for part in ("6 files", ".png 2", ": .hidden/, made/html/, made/y.md, node_modules/.")
    )


def test_an_upload_is_named_without_the_id_of_its_folder_where_that_is_unique(root):
    one, other, third = (f"{number:016x}" for number in range(3))
    for name in (f"{one}/on-call.md", f"{other}/twice.md", f"{third}/twice.md", "0123/x.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("words")
    named = {found.key: found.names for found in DocsSource(root, "docs").scan()}
    assert named == {
        f"{one}/on-call.md": ("on-call.md",),
        f"{other}/twice.md": (f"{other}/twice.md",),
        f"{third}/twice.md": (f"{third}/twice.md",),
        "0123/x.md": ("0123/x.md",),
    }


def test_the_fingerprint_changes_with_the_file(root):
    (root / "a.md").write_text("one")
    os.utime(root / "a.md", ns=(1, 1))
    (before,) = DocsSource(root, "docs").scan()
    os.utime(root / "a.md", ns=(1, 2))
    (after,) = DocsSource(root, "docs").scan()
    assert before.fingerprint != after.fingerprint


def test_links_are_not_followed(root, tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "elsewhere").mkdir()
    (root / "sub").mkdir()
    (root / "sub" / "x.md").write_text("words")
    for name, target in {
        "inside.md": "sub/x.md", "again": "sub", "up": ".", "loop.md": "loop.md", "sub/back": "..",
        "out.md": "../secret.md", "elsewhere": "../elsewhere", "gone.md": "nothing", "other": "nothing",
    }.items():  # fmt: skip
        (root / name).symlink_to(target)
    assert scanned(root) == (
        ["sub/x.md"],
        [
            ("elsewhere", "outside"),
            ("gone.md", "dangling-link"),
            ("loop.md", "link-cycle"),
            ("out.md", "outside"),
        ],
    )


def test_what_is_no_file_is_not_opened(root):
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(root, os.O_RDONLY)
        try:
            listener.bind(f"/proc/self/fd/{here}/socket.txt")
        finally:
            os.close(here)
        assert scanned(root) == ([], [("pipe.md", "not-a-file"), ("socket.txt", "not-a-file")])


def test_a_sparse_file_of_10_gb(root):
    with (root / "huge.txt").open("wb") as file:
        file.truncate(10 * 1024**3)
    assert scanned(root) == ([], [("huge.txt", "too-large")])


NAMES = [
    "a b.md",
    "new\nline.md",
    "quote'\".md",
    "100%0A.md",
    "\u202eltr.md",
    "\\n.md",
    "ü" * 126 + ".md",
    "(1).md",
]


def test_odd_names(root):
    for name in NAMES:
        (root / name).write_text(f"words of {name!r}")
    (root / os.fsdecode(b"\xff.md")).write_text("words")
    (root / os.fsdecode(b"\xfe")).mkdir()
    (root / os.fsdecode(b"\xfe/x.md")).write_text("words")
    keys, problems = scanned(root)
    assert keys == sorted(NAMES)
    assert problems == [("\\xfe/x.md", "bad-name"), ("\\xff.md", "bad-name")]
    source = DocsSource(root, "docs")
    documents = list(source.read([one for one in source.scan() if isinstance(one, DocumentRef)]))
    assert all(isinstance(one, Document) for one in documents)
    references = {one.reference for one in documents}
    assert len(references) == len(NAMES)
    assert all(reference.isprintable() for reference in references)


def test_references_of_different_names_differ():
    assert reference_of("a\nb") == "a\\nb"
    assert reference_of("a\\nb") == "a\\\\nb"
    assert reference_of("\u202ea%20b\x85") == "\\u202ea%20b\\x85"


def test_what_changes_between_scan_and_read(root, tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    for name in ("a", "b", "c", "d", "e"):
        (root / name).mkdir()
        (root / name / "x.md").write_text("words")
    source = DocsSource(root, "docs")
    refs = list(source.scan())
    for name in ("a", "b", "c", "d"):
        (root / name / "x.md").unlink()
    os.mkfifo(root / "b" / "x.md")
    (root / "c" / "x.md").symlink_to("../../secret.md")
    (root / "d").rmdir()
    (root / "d").symlink_to("..")
    (tmp_path / "x.md").write_text("secret")
    found = list(source.read(refs))
    assert [getattr(one, "fault", "") for one in found] == [
        "unreadable",
        "not-a-file",
        "unreadable",
        "outside",
        "",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read(root):
    (root / "closed").mkdir(mode=0)
    (root / "x.md").touch(mode=0)
    source = DocsSource(root, "docs")
    assert scanned(root) == (["x.md"], [("closed", "unreadable")])
    (found,) = source.read([next(iter(source.scan()))])
    assert found.fault == "unreadable"


def test_a_place_that_is_not_there(root):
    with pytest.raises(SourceError) as error:
        list(DocsSource(root / "nothing", "docs").scan())
    assert error.value.hint


def test_a_single_file(root):
    for name in ("x.md", "y.md", ".hidden.md"):
        (root / name).write_text("words")
    assert scanned(root / "x.md") == (["x.md"], [])
    assert scanned(root / ".hidden.md") == ([".hidden.md"], [])


def test_folders_that_lie_too_deep(root, monkeypatch):
    monkeypatch.setattr("vademecum.sources.docs.folder._DEEPEST", 2)
    (root / "a/b/c").mkdir(parents=True)
    assert scanned(root) == ([], [("a/b/c", "unreadable")])
