"""tldr pages: what is told, which pages count, and zips that are not to be trusted."""

import os
import pickle
import struct
import zipfile

import pytest

from vademecum.core.documents import Document, DocumentRef, Need, Problem
from vademecum.core.errors import SourceError
from vademecum.retrieval.passages.needs import met_needs
from vademecum.retrieval.passages.passages import passages_of
from vademecum.sources.tldr import TldrSource
from vademecum.sources.tldr import archive as archives

TAR = """\
# tar

> Archiving utility.
> Often used with `gzip`. See also: `pax`, `git commit`.
> More information: <https://www.gnu.org/software/tar>.

- E[x]tract an archive into a folder:

`tar {{[-x|--extract]}} -f {{path/to/source.tar}} -C {{folder}}`

- Lis[t] the contents:

`tar tf {{source.tar}}`

- Show a template:

`show --format='\\{\\{.Name\\}\\}' {{name}}`
"""


def write(root, pages):
    for name, content in pages.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def zipped(path, pages):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in pages:
            archive.writestr(name, content)
    return path


def scanned(place):
    found = list(TldrSource(place, "tldr").scan())
    refs = {one.names[0]: one.key for one in found if isinstance(one, DocumentRef)}
    return refs, [(one.place, one.fault) for one in found if isinstance(one, Problem)]


def read_all(place):
    source = TldrSource(place, "tldr")
    return list(source.read([one for one in source.scan() if isinstance(one, DocumentRef)]))


@pytest.fixture
def tar(tmp_path):
    (document,) = read_all(write(tmp_path, {"pages/common/tar.md": TAR}))
    return document


def test_reads_a_page_as_text(tar):
    assert tar.text == (
        "tar\n"
        "Archiving utility.\n"
        "Often used with gzip. See also: pax, git commit.\n"
        "More information: https://www.gnu.org/software/tar.\n"
        "tar [-x|--extract] -f path/to/source.tar -C folder\nExtract an archive into a folder\n"
        "tar tf source.tar\nList the contents\n"
        "show --format='{{.Name}}' name\nShow a template"
    )
    assert (tar.reference, tar.title, tar.summary) == ("tar(tldr)", "tar", "Archiving utility.")
    tags = [tar.text[block.start : block.tag_end] for block in tar.blocks if block.kind == "item"]
    assert tags[1] == "tar tf source.tar"


def test_intents_are_needs_that_their_examples_meet(tar):
    assert tar.needs == (
        Need(
            "Extract an archive into a folder", ("-x", "--extract", "-f", "-C"), "tar -x -f SOURCE -C FOLDER"
        ),
        Need("List the contents", (), "tar tf SOURCE_TAR"),
        Need("Show a template", ("--format",), "show --format='{{.Name}}' NAME"),
    )
    passages = passages_of(tar)
    first, _, last = met_needs(tar, passages)
    assert tar.text[passages[first.passages[0]].start :].startswith("tar [-x")
    assert tar.text[passages[last.passages[0]].start :].startswith("show --format")


def test_it_links_to_manual_pages(tar):
    assert tar.links[:5] == ("tar(1)", "tar(8)", "pax(tldr)", "pax(1)", "pax(8)")
    assert "git-commit(1)" in tar.links


def test_an_alias_links_to_its_original_and_is_no_need(tmp_path):
    alias = "# a\n\n> This command is an alias of `b c`.\n\n- View documentation for the original:\n\n`tldr b c`\n"
    (document,) = read_all(write(tmp_path, {"pages/common/a.md": alias}))
    assert document.needs == ()
    assert "b-c(1)" in document.links


PAGE = "# x\n\n> It does x.\n"


def test_reads_english_pages_of_linux_and_common(tmp_path):
    pages = dict.fromkeys(
        (
            "pages/common/a.md", "pages/common/b.md", "pages/linux/b.md", "pages/osx/c.md", "pages/windows/d.md",
            "pages.de/common/e.md", "pages.en/linux/f.md", "README.md", "pages/common/notes.txt",
        ),
        PAGE,
    )  # fmt: skip
    expected = {
        "a(tldr)": "pages/common/a.md",
        "b(tldr)": "pages/linux/b.md",
        "f(tldr)": "pages.en/linux/f.md",
    }
    assert scanned(write(tmp_path / "tldr", pages)) == (expected, [])
    assert scanned(zipped(tmp_path / "tldr.zip", pages.items())) == (expected, [])


@pytest.mark.parametrize("top", ["common/x.md", "pages/linux/x.md", "tldr-main/pages/common/x.md"])
def test_finds_pages_below_any_top_folder(tmp_path, top):
    assert scanned(write(tmp_path / "tldr", {top: PAGE})) == ({"x(tldr)": top}, [])
    assert scanned(zipped(tmp_path / "tldr.zip", [(top, PAGE)])) == ({"x(tldr)": top}, [])


def test_pages_en_as_a_link_to_pages(tmp_path):
    write(tmp_path, {"pages/common/x.md": PAGE})
    (tmp_path / "pages.en").symlink_to("pages")
    assert scanned(tmp_path) == ({"x(tldr)": "pages/common/x.md"}, [])


def test_odd_files_of_a_folder(tmp_path):
    root = write(
        tmp_path / "tldr", {"common/ok.md": PAGE, "common/big.md": b"x" * 70_000, "common/a (b).md": PAGE}
    )
    (root / "common/dir.md").mkdir()
    os.mkfifo(root / "common/pipe.md")
    (tmp_path / "secret.md").write_text(PAGE)
    (root / "common/out.md").symlink_to("../../secret.md")
    (root / os.fsdecode(b"common/\xff.md")).write_text(PAGE)
    refs, problems = scanned(root)
    assert list(refs) == ["ok(tldr)"]
    assert problems == [
        ("common/\\xff.md", "bad-name"),
        ("common/a (b).md", "bad-name"),
        ("common/big.md", "too-large"),
        ("common/dir.md", "not-a-file"),
        ("common/out.md", "not-a-file"),
        ("common/pipe.md", "not-a-file"),
    ]


def test_reports_pages_that_change_between_scan_and_read(tmp_path):
    names = ("empty", "gone", "link", "pipe", "stays")
    root = write(tmp_path / "tldr", {f"common/{name}.md": PAGE for name in names})
    source = TldrSource(root, "tldr")
    refs = list(source.scan())
    for name in names[:-1]:
        (root / f"common/{name}.md").unlink()
    (tmp_path / "secret").write_text(PAGE)
    (root / "common/empty.md").touch()
    (root / "common/link.md").symlink_to("../../secret")
    os.mkfifo(root / "common/pipe.md")
    found = list(source.read(refs))
    assert [getattr(one, "fault", "") for one in found] == [
        "no-text",
        "unreadable",
        "unreadable",
        "not-a-file",
        "",
    ]
    assert isinstance(found[-1], Document)


def test_odd_entries_of_a_zip(tmp_path):
    pages = [
        ("../pages/common/up.md", PAGE), ("/pages/common/root.md", PAGE), ("pages/common/x.md", PAGE),
        ("pages/common/bomb.md", b"\0" * 500_000), ("../../etc/passwd", PAGE), ("pages/common/a\nb.md", PAGE),
    ]  # fmt: skip
    refs, problems = scanned(zipped(tmp_path / "tldr.zip", pages))
    assert list(refs) == ["x(tldr)"]
    assert [fault for _, fault in problems] == ["bad-name", "bad-name", "bad-name", "too-large"]


def test_the_first_of_two_equal_entries_counts(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        place = zipped(tmp_path / "tldr.zip", [("common/x.md", PAGE), ("common/x.md", "# y\n> Another.\n")])
    assert scanned(place) == ({"x(tldr)": "common/x.md"}, [("common/x.md", "shadowed")])
    (document,) = read_all(place)
    assert document.summary == "It does x."


def test_an_entry_that_lies_about_its_size(tmp_path):
    place = zipped(tmp_path / "tldr.zip", [("common/bomb.md", b"\0" * 5_000_000), ("common/x.md", PAGE)])
    raw = place.read_bytes().replace(struct.pack("<L", 5_000_000), struct.pack("<L", 100))
    place.write_bytes(raw)
    bomb, page = read_all(place)
    assert bomb.fault in {"damaged-archive", "too-large"}
    assert page.reference == "x(tldr)"


def test_an_encrypted_entry(tmp_path):
    place = zipped(tmp_path / "tldr.zip", [("common/x.md", PAGE)])
    raw = bytearray(place.read_bytes())
    raw[raw.rindex(b"PK\x01\x02") + 8] |= 1
    place.write_bytes(raw)
    assert scanned(place) == ({}, [("common/x.md", "encrypted")])


def test_damage_within_a_zip(tmp_path):
    place = zipped(tmp_path / "tldr.zip", [("common/x.md", PAGE * 50), ("common/y.md", PAGE)])
    raw = bytearray(place.read_bytes())
    raw[45] ^= 0xFF
    place.write_bytes(raw)
    damaged, page = read_all(place)
    assert damaged.fault == "damaged-archive"
    assert isinstance(page, Document)


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06", b"no zip at all", None])
def test_rejects_a_damaged_zip(tmp_path, content):
    place = tmp_path / "tldr.zip"
    if content is not None:
        place.write_bytes(content)
    with pytest.raises(SourceError) as error:
        scanned(place)
    assert error.value.hint


def test_a_zip_or_folder_without_pages(tmp_path):
    for place in (zipped(tmp_path / "tldr.zip", [("a.md", PAGE)]), write(tmp_path / "tldr", {"a.md": PAGE})):
        with pytest.raises(SourceError, match="no tldr pages"):
            scanned(place)


def test_a_zip_with_too_many_entries_is_not_opened(tmp_path, monkeypatch):
    place = zipped(tmp_path / "tldr.zip", [(f"common/{number}.md", PAGE) for number in range(50)])
    monkeypatch.setattr(archives, "_MOST_DIRECTORY_BYTES", 1000)
    with pytest.raises(SourceError, match="too many"):
        scanned(place)


def test_a_zip_that_is_replaced_is_opened_again(tmp_path):
    place = zipped(tmp_path / "tldr.zip", [("common/x.md", PAGE), ("common/y.md", PAGE)])
    source = TldrSource(place, "tldr")
    refs = list(source.scan())
    zipped(tmp_path / "new.zip", [("common/x.md", "# x\n> It is new.\n")]).replace(place)
    page, gone = pickle.loads(pickle.dumps(source)).read(refs)  # noqa: S301 - ours, a moment ago
    assert (page.summary, gone.fault) == ("It is new.", "unreadable")
    assert next(iter(source.scan())).fingerprint != refs[0].fingerprint
