"""Every source holds to what `core.protocols.Source` promises; and the suite that says so can tell."""

from dataclasses import replace

import pytest

from vademecum.core.documents import Block, Problem
from vademecum.sources.man import ManSource
from vademecum.testing import MemorySource, broken_promises, document

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
