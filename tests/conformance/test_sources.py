"""Every source holds to what `core.protocols.Source` promises; and the suite that says so can tell."""

import gzip
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from vademecum.core.documents import Block, Problem
from vademecum.sources.docs import DocsSource
from vademecum.sources.info import InfoSource
from vademecum.sources.man import ManSource
from vademecum.sources.tldr import TldrSource
from vademecum.sources.zim import ZimSource
from vademecum.testing import MemorySource, broken_promises, document

DATA = Path(__file__).parents[1] / "data"
PAGE = document("open(2)", ("NAME", ["open - open a file"]), ("FLAGS", [("O_RDONLY", "read"), "and so on"]))
OTHER = document("close(2)", ("NAME", ["close - close a file"]))
UNREADABLE = Problem(place="odd", fault="odd", message="It is odd.")


@pytest.mark.parametrize("pages", [[PAGE], [PAGE, OTHER, UNREADABLE]])
def test_the_smallest_source(pages):
    assert broken_promises(MemorySource("memory", pages)) == []


@pytest.mark.needs("mandoc")
def test_manual_pages(tmp_path):
    (tmp_path / "man1").mkdir()
    (tmp_path / "man1" / "true.1").write_text(
        '.TH TRUE 1\n.SH NAME\ntrue \\- do nothing\n.SH OPTIONS\n.TP\n\\fB\\-\\-help\\fR\nsay so\n.SH "SEE ALSO"\nfalse(1)\n'
    )
    (tmp_path / "man1" / "yes.1").write_text(
        ".TH YES 1\n.SH NAME\nyes \\- say y\n.SH DESCRIPTION\nAgain and again.\n"
    )
    assert broken_promises(ManSource(tmp_path, "man")) == []


def test_info_manuals(tmp_path):
    sample = (Path(__file__).parents[1] / "data" / "info" / "sample.info").read_bytes()
    (tmp_path / "sample.info").write_bytes(sample)
    (tmp_path / "other.info.gz").write_bytes(gzip.compress(sample))
    assert broken_promises(InfoSource(tmp_path, "info")) == []


def test_archives():
    assert broken_promises(ZimSource(DATA / "zim" / "handbook.zim", "handbook")) == []


def test_short_pages_of_examples(tmp_path):
    for name in ("pages/common/tar.md", "pages/common/ls.md", "pages/linux/ls.md", "pages/common/bare.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        page = "# x\n\n> It does x.\n\n- Do it to a file:\n\n`x -f {{file}}`\n" if "bare" not in name else ""
        (tmp_path / name).write_text(page)
    assert broken_promises(TldrSource(tmp_path, "tldr")) == []
    with zipfile.ZipFile(tmp_path / "tldr.zip", "w") as archive:
        for path in sorted((tmp_path / "pages").rglob("*.md")):
            archive.write(path, path.relative_to(tmp_path))
    assert broken_promises(TldrSource(tmp_path / "tldr.zip", "tldr")) == []


def test_folders_of_documents(tmp_path):
    (tmp_path / "a.md").write_text("# One\n\nWords.\n\n- `x`: y\n- z\n\n| a | b |\n|---|---|\n| c | |\n")
    (tmp_path / "b.html").write_text("<h1>Two</h1><p>Words <a href=a.md>there</a>.<pre>code</pre>")
    (tmp_path / "c.txt").write_text("Three\n=====\n\nWords.\n\n    code\n")
    (tmp_path / "d.txt").write_bytes(bytes(range(256)))
    (tmp_path / "e.pdf").write_bytes((DATA / "docs" / "locked.pdf").read_bytes())
    assert broken_promises(DocsSource(tmp_path, "docs")) == []


ITEM = next(block for block in PAGE.blocks if block.kind == "item")


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        ([], "lists no document"),
        ([UNREADABLE], "could not read a single document"),
        ([PAGE, PAGE], "same key"),
        ([PAGE, replace(OTHER, reference="open(2)", names=("open(2)",))], "same reference"),
        ([replace(PAGE, names=("creat(2)",))], "not the first of its names"),
        ([replace(PAGE, text=PAGE.text + " ")], "white space"),
        ([replace(PAGE, blocks=())], "outside of all blocks"),
        ([replace(PAGE, blocks=PAGE.blocks[::-1])], "out of order"),
        ([replace(PAGE, blocks=(Block("paragraph", 0, 10_000),))], "not within the text"),
        ([replace(PAGE, blocks=(Block("paragraph", 0, 5),))], "not trimmed"),
        ([replace(PAGE, blocks=(ITEM._replace(tag_end=ITEM.end + 1),))], "tag"),
        ([replace(PAGE, blocks=(Block("heading", 0, 4),))], "no level"),
        ([replace(PAGE, text=PAGE.text + "\ud800")], "UTF-8"),
        ([PAGE, Problem(place="odd", fault="", message="")], "without a name"),
    ],
)
def test_a_broken_promise_is_told(pages, said):
    assert any(said in broken for broken in broken_promises(MemorySource("memory", pages)))


class Unsteady(MemorySource):
    def scan(self):
        self.documents = self.documents[::-1]
        yield from super().scan()


class Mixing(MemorySource):
    def read(self, refs):
        return list(super().read(refs))[::-1]


class Lossy(MemorySource):
    def read(self, refs):
        return list(super().read(refs))[1:]


class Generous(MemorySource):
    def read(self, refs):
        return list(super().read(refs)) or [PAGE]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Unsteady, "second scan"),
        (Mixing, "another key"),
        (Lossy, "1 results for 2"),
        (Generous, "for nothing"),
    ],
)
def test_a_broken_habit_is_told(kind, said, monkeypatch):
    monkeypatch.setattr("vademecum.testing.sources.pickle.dumps", lambda source: source)
    monkeypatch.setattr("vademecum.testing.sources.pickle.loads", lambda source: source)
    assert any(said in broken for broken in broken_promises(kind("memory", [PAGE, OTHER])))
