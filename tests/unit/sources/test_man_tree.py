"""Trees of manual pages: names, links and what is not a page."""

import bz2
import gzip
import lzma
import os
import time

import pytest

from vademecum.core.documents import DocumentRef, Problem
from vademecum.core.errors import SourceError
from vademecum.core.zstd import compress
from vademecum.sources.man.tree import Tree, page_name

PAGE = b".TH X 1\n.SH NAME\nx \\- a page\n"


@pytest.fixture
def root(tmp_path):
    for section in ("man1", "man3", "man8"):
        (tmp_path / "man" / section).mkdir(parents=True)
    return tmp_path / "man"


def names_of(root):
    return {found.key: found.names for found in Tree(root).scan() if isinstance(found, DocumentRef)}


def faults_of(root):
    return [(found.place, found.fault) for found in Tree(root).scan() if isinstance(found, Problem)]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("open.2.gz", "open(2)"),
        ("open.3perl.gz", "open(3perl)"),
        ("File::Temp.3perl.bz2", "File::Temp(3perl)"),
        ("chmod.1", "chmod(1)"),
        ("systemd.unit.5.zst", "systemd.unit(5)"),
        ("[.1.xz", "[(1)"),
        ("Tcl.n", "Tcl(n)"),
        ("README", None),
        ("page.html", None),
        (".1", None),
    ],
)
def test_names_come_from_file_names(file, name):
    assert page_name(file) == name


def test_every_section_and_only_the_untranslated_tree(root):
    for folder in ("man1x", "man3pm", "mann", "de/man1", "cat1", "manual", "man1/nested"):
        (root / folder).mkdir(parents=True)
        (root / folder / "x.1").write_bytes(PAGE)
    (root / "man8" / "y.8").write_bytes(PAGE)
    (root / "man1x" / "x.1").rename(root / "man1x" / "x.1x")
    (root / "man3pm" / "x.1").rename(root / "man3pm" / "x.3pm")
    (root / "mann" / "x.1").rename(root / "mann" / "x.n")
    assert names_of(root) == {
        "man1x/x.1x": ("x(1x)",),
        "man3pm/x.3pm": ("x(3pm)",),
        "man8/y.8": ("y(8)",),
        "mann/x.n": ("x(n)",),
    }
    assert faults_of(root) == []


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress), (".zst", compress)],
)
def test_so_pages_and_links_are_names(root, suffix, pack):
    (root / f"man1/real.1{suffix}").write_bytes(pack(PAGE))
    (root / f"man1/so.1{suffix}").write_bytes(pack(b'.\\" a comment\n.so man1/real.1\n'))
    (root / f"man3/near.3{suffix}").write_bytes(pack(b".so so.3\n"))
    (root / f"man3/so.3{suffix}").write_bytes(pack(b".so man1/so.1"))
    (root / f"man8/link.8{suffix}").symlink_to(f"../man3/near.3{suffix}")
    (root / f"man8/again.8{suffix}").symlink_to(f"link.8{suffix}")
    assert names_of(root) == {
        f"man1/real.1{suffix}": ("real(1)", "so(1)", "near(3)", "so(3)", "again(8)", "link(8)")
    }
    assert faults_of(root) == []


def test_links_that_lead_nowhere_or_in_circles(root):
    (root / "man1/dangling.1").symlink_to("gone.1")
    (root / "man1/so.1").write_bytes(b".so man1/gone.1\n")
    (root / "man1/to-so.1").symlink_to("so.1")
    (root / "man1/a.1").symlink_to("b.1")
    (root / "man1/b.1").symlink_to("a.1")
    (root / "man1/self.1").write_bytes(b".so man1/self.1\n")
    (root / "man1/escape.1").write_bytes(b".so /etc/passwd\n")
    (root / "man1/up.1").write_bytes(b".so ../../../etc/passwd\n")
    (root / "man1/good.1").write_bytes(PAGE)
    assert names_of(root) == {"man1/good.1": ("good(1)",)}
    assert sorted(faults_of(root)) == [
        ("man1/a.1", "link-cycle"),
        ("man1/b.1", "link-cycle"),
        ("man1/dangling.1", "dangling-link"),
        ("man1/escape.1", "outside"),
        ("man1/self.1", "link-cycle"),
        ("man1/so.1", "dangling-link"),
        ("man1/up.1", "outside"),
    ]


@pytest.mark.parametrize(
    ("target", "is_outside"),
    [
        ("../../secret.txt", True),  # from the page's folder
        ("../secret.txt", True),  # from the tree, as `man` takes it
        ("{tmp}/secret.txt", True),
        ("{tmp}/manual/x.1", True),
        ("{tmp}/man/man1/gone.1", False),
        ("../gone.txt", False),
        ("../man3/gone.3", False),
        ("man1/gone.1", False),
    ],
)
def test_tells_outside_from_missing(root, tmp_path, target, is_outside):
    (tmp_path / "secret.txt").write_text("my password")
    target = target.format(tmp=tmp_path)
    (root / "man1/x.1").write_bytes(f".so {target}\n".encode())
    (found,) = Tree(root).scan()
    assert isinstance(found, Problem)
    assert found.place == "man1/x.1"
    assert target in found.message
    assert is_outside == (found.fault == "outside")
    assert ("package" in found.hint) != is_outside


def test_folders_that_are_links(root):
    (root / "man1/good.1").write_bytes(PAGE)
    (root / "man1p").symlink_to("man1")
    (root / "man2").symlink_to(".")
    (root / "man4").symlink_to("man4")
    (root / "man1/loop").symlink_to("..")
    assert names_of(root) == {"man1/good.1": ("good(1)",)}
    assert faults_of(root) == [("man1/loop", "not-a-page"), ("man4", "link-cycle")]


def test_links_out_of_the_tree_are_followed_to_files(root, tmp_path):
    other = tmp_path / "opt/man/man1"
    other.mkdir(parents=True)
    (other / "tool.1").write_bytes(PAGE)
    (other / "alias.1").write_bytes(b".so man1/tool.1\n")
    (other / "page").write_bytes(PAGE)
    (root / "man1/tool.1").symlink_to(other / "tool.1")
    (root / "man1/tool-1.0.1").symlink_to(other / "tool.1")
    (root / "man1/alias.1").symlink_to(other / "alias.1")
    (root / "man1/page.1").symlink_to(other / "page")
    (root / "man1/folder.1").symlink_to(other)
    assert names_of(root) == {
        "../opt/man/man1/page": ("page(1)",),
        "../opt/man/man1/tool.1": ("tool(1)", "alias(1)", "tool-1.0(1)"),
    }
    assert faults_of(root) == [("../opt/man/man1", "unreadable")]


def test_reports_files_that_are_no_pages(root):
    (root / "man1/README").write_bytes(b"words")
    (root / "man1/.hidden.1").write_bytes(PAGE)
    os.mkfifo(root / "man1/pipe.1")
    (root / os.fsdecode(b"man1/latin\xe9.1")).write_bytes(PAGE)
    assert names_of(root) == {}
    assert faults_of(root) == [
        ("man1/README", "not-a-page"),
        ("man1/latin\\xe9.1", "not-a-page"),
        ("man1/pipe.1", "unreadable"),
    ]


def test_one_name_is_one_document(root):
    (root / "man1/x.1").write_bytes(PAGE)
    (root / "man1/x.1.gz").write_bytes(gzip.compress(PAGE))
    (root / "man3/other.3").write_bytes(PAGE)
    (root / "man8/x.1").symlink_to("../man3/other.3")
    assert names_of(root) == {"man1/x.1": ("x(1)",), "man3/other.3": ("other(3)",)}
    assert faults_of(root) == [("man1/x.1.gz", "shadowed")]


def test_fingerprints_change_with_content_and_names(root):
    page = root / "man1/x.1"
    page.write_bytes(PAGE)

    def fingerprint():
        (ref,) = Tree(root).scan()
        return ref.fingerprint

    first = fingerprint()
    assert fingerprint() == first
    os.utime(page, ns=(1, 1))
    touched = fingerprint()
    (root / "man1/y.1").symlink_to("x.1")
    linked = fingerprint()
    page.write_bytes(PAGE + b"more")
    os.utime(page, ns=(1, 1))
    assert len({first, touched, linked, fingerprint()}) == 4


def test_a_place_that_is_not_there(tmp_path):
    with pytest.raises(SourceError) as caught:
        list(Tree(tmp_path / "gone").scan())
    assert caught.value.hint


def test_the_order_is_stable_and_a_scan_quick(root):
    for number in range(500):
        (root / "man1" / f"page{number}.1").write_bytes(PAGE * 200)
    start = time.process_time()
    found = list(Tree(root).scan())
    assert time.process_time() - start < 1
    assert [ref.key for ref in found] == sorted(ref.key for ref in found)
    assert len(found) == 500
    assert found == list(Tree(root).scan())
