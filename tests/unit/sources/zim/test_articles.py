"""From an archive to documents: what is listed, under which names, and what is read."""

import pickle

import pytest

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.sources.zim import ZimSource, clusters
from vademecum.testing import broken_promises

PLAIN, XZ, ZSTD = 1, 4, 5


def refs(source):
    return [one for one in source.scan() if isinstance(one, DocumentRef)]


def read(path):
    source = ZimSource(path, "handbook")
    source.check()
    listed = refs(source)
    return {ref.key: one for ref, one in zip(listed, source.read(listed), strict=True)}


@pytest.mark.parametrize("version", [(5, 0), (6, 1), (6, 3)])
@pytest.mark.parametrize("compression", [PLAIN, 0, XZ, ZSTD])
@pytest.mark.parametrize("extended", [False, True])
def test_every_form_gives_the_same(archive, entry, version, compression, extended):
    entries = [
        entry("a/b.html", "<p>One.", "First", cluster=1),
        entry("c", "<p>Two.", cluster=0),
        entry("d", to="c", title="Third"),
        entry("e.png", b"\x89PNG", mime="image/png"),
    ]
    path = archive(
        *entries, version=version, compression=compression, extended=extended, titles=version != (6, 3)
    )
    source = ZimSource(path, "handbook")
    source.check()
    assert [ref.names for ref in source.scan()] == [("c", "Third"), ("First",)]
    assert [one.text for one in source.read(refs(source))] == ["Two.", "One."]
    assert broken_promises(source) == []


def test_articles_come_in_the_order_in_which_they_are_stored(archive, entry):
    path = archive(
        entry("a", cluster=2),
        entry("b", cluster=0, blob=1),
        entry("c", cluster=0, blob=0),
        entry("d", cluster=1),
    )
    assert [ref.key for ref in ZimSource(path, "handbook").scan()] == ["c", "b", "d", "a"]


def test_leaves_out_entries_that_are_no_articles(archive, entry):
    path = archive(
        entry("page", mime="text/html; charset=utf-8"),
        entry("xhtml", mime="application/xhtml+xml"),
        entry("style.css", "p {}", mime="text/css"),
        entry("notes", "text", mime="text/plain"),
        entry("other", namespace="W"),
    )
    assert {ref.key for ref in ZimSource(path, "handbook").scan()} == {"page", "xhtml"}


def test_an_archive_that_lists_its_articles_is_believed(archive, entry):
    path = archive(entry("frame"), entry("page"), entry("to", to="page"), front=["page", "to"])
    source = ZimSource(path, "handbook")
    assert [ref.names for ref in source.scan()] == [("page", "to")]
    assert source.metadata().articles == 2


def test_names_are_unique(archive, entry):
    path = archive(
        entry("a", title="Mercury"),
        entry("b", title="Mercury"),
        entry("c", title="Mercury (a)"),
        entry("d", title="Venus"),
        entry("e", title="Venus", to="a"),
        entry("f", title="Morning star", to="d"),
        entry("g", title="Evening star", to="f"),
        entry("h", title="Evening star", to="d"),
        entry("i", title="Picture", to="z.png"),
        entry("z.png", mime="image/png"),
    )
    assert [ref.names for ref in ZimSource(path, "handbook").scan()] == [
        ("Mercury (a) (a)",),
        ("Mercury (b)",),
        ("Mercury (a)",),
        ("Venus", "Morning star", "Evening star"),
    ]


def test_redirects_that_lead_nowhere_are_named(archive, entry):
    path = archive(
        entry("page"),
        entry("r1", to="r2"),
        entry("r2", to="r3"),
        entry("r3", to="r2"),
        entry("self", to="self"),
        entry("far", to=4_000_000_000),
        entry("farther", to="far"),
        entry("good", to="page"),
    )
    found = list(ZimSource(path, "handbook").scan())
    assert found[0].names == ("page", "good")
    assert {(one.place, one.fault) for one in found[1:]} == {
        *((name, "redirect-loop") for name in ("r1", "r2", "r3", "self")),
        *((name, "redirect-out-of-range") for name in ("far", "farther")),
    }


def test_a_long_chain_of_redirects_ends(archive, entry):
    chain = [entry(f"r{n:05}", to=f"r{n + 1:05}") for n in range(500)]
    found = list(ZimSource(archive(entry("page"), *chain, entry("r00500", to="page")), "handbook").scan())
    assert "r00500" in found[0].names
    assert {one.fault for one in found[1:]} <= {"redirect-loop"}


def test_odd_titles_are_text(archive, entry):
    path = archive(
        entry("../../etc/passwd", title="../../etc/passwd"),
        entry("line", title="one\ntwo\r\n three"),
        entry("turned", title="abc\u202etxt.exe"),
        entry("hebrew", title="שלום"),
        entry(b"\xff\xfe", title=b"bad \xff"),
        entry("blank", title="\u200b"),
        entry("long/" + "x" * 3000, title="y" * 3000),
    )
    found = read(path)
    names = {key: document.reference for key, document in found.items()}
    assert names.pop("long/" + "x" * 3000) == "y" * 3000
    assert names == {
        "../../etc/passwd": "../../etc/passwd",
        "line": "one two three",
        "turned": "abctxt.exe",
        "hebrew": "שלום",
        "\\xff\\xfe": "bad \ufffd",
        "blank": "blank",
    }


def test_the_document(archive, entry):
    page = """<html lang=de><title>Window</title><main><h1 id=top>Knots</h1>
        <p>A knot, e.g. a hitch, holds. It is made of rope.</p>
        <p><a href="../bend%20.html#x">bend</a> <a href="../C/no">no</a> <a href="https://example.org/">out</a>
        <a href="hitch?a=b">hitch</a> <a href="Sheet_bend" title="Sheet bend">sheet</a> <a href="../pic.png">p</a>"""
    path = archive(
        entry("bend .html", title="Bend"),
        entry("k/Sheet_bend"),
        entry("k/hitch", title="Hitch"),
        entry("k/knots", page, title="Knots"),
        entry("pic.png", mime="image/png"),
    )
    document = read(path)["k/knots"]
    assert (document.reference, document.title, document.names) == ("Knots", "Knots", ("Knots",))
    assert document.summary == "A knot, e.g. a hitch, holds."
    assert document.links == ("Bend", "Hitch", "k/Sheet_bend")
    assert document.language == "en"
    assert [(block.kind, block.anchor) for block in document.blocks[:1]] == [("heading", "top")]


def test_a_page_without_a_title_takes_that_of_its_window(archive, entry):
    document = read(archive(entry("x1.html", "<title> The\nBook </title><p>Text.")))["x1.html"]
    assert (document.reference, document.title) == ("x1.html", "The Book")


@pytest.mark.parametrize(
    ("content", "mime"),
    [
        ("<p>größe".encode("cp1252"), "text/html"),
        ("<p>größe".encode("latin-1"), "text/html;charset=iso-8859-1"),
        ('<meta charset="iso-8859-2"><p>größe'.encode("iso-8859-2"), "text/html"),
        ('<meta charset="latin-1"><p>größe'.encode(), "text/html"),
        ("<p>größe".encode("utf-16"), "text/html"),
        ("<p>größe".encode("utf-8-sig"), "text/html; charset=zip"),
        (b'<meta charset="rot13"><p>gr\xf6\xdfe', "text/html; charset=no-such"),
    ],
)
def test_charsets(archive, entry, content, mime):
    assert read(archive(entry("a", content, mime=mime)))["a"].text == "größe"


def test_pages_without_text_are_problems(archive, entry):
    found = read(
        archive(entry("a", b""), entry("b", "<p> &nbsp;"), entry("c", "<script>1</script>"), entry("d"))
    )
    assert [getattr(one, "fault", "") for one in found.values()] == ["nothing-shown"] * 3 + [""]


@pytest.mark.parametrize(
    ("metadata", "languages"),
    [
        ({}, ("und",)),
        ({"Language": "eng"}, ("en",)),
        ({"Language": "deu,bel, fra"}, ("de", "be", "fr")),
        ({"Language": "=en"}, ("en",)),
        ({"Language": "??"}, ("und",)),
    ],
)
def test_languages(archive, entry, metadata, languages):
    source = ZimSource(archive(entry("a"), entry("b", "<html lang=be><p>Тэкст."), metadata=metadata), "x")
    assert (source.metadata().language, source.metadata().languages) == (languages[0], languages)
    assert [one.language for one in source.read(refs(source))] == [
        languages[0],
        "be" if "be" in languages else languages[0],
    ]


def test_metadata(archive, entry):
    facts = {
        "Title": "Hand\nbook",
        "Creator": "We",
        "Date": "2025-01-02",
        "Counter": "text/html;a=b=1;text/html=2",
    }
    found = ZimSource(archive(entry("a"), metadata=facts), "x").metadata()
    assert (found.title, found.creator, found.date, found.articles) == ("Hand book", "We", "2025-01-02", 3)


class TestSplit:
    @pytest.fixture
    def parts(self, tmp_path, entry, written):
        data = written([entry(f"a{n}", f"<p>Text {n}.", cluster=n) for n in range(40)]).sealed()
        size = len(data) // 3 + 1
        for number, name in enumerate(("aa", "ab", "ac")):
            (tmp_path / f"[book].zim{name}").write_bytes(data[number * size : (number + 1) * size])
        return tmp_path

    @pytest.mark.parametrize("name", ["[book].zimaa", "[book].zim"])
    def test_parts_are_one_archive(self, parts, name):
        found = read(parts / name)
        assert [found[f"a{n}"].text for n in range(40)] == [f"Text {n}." for n in range(40)]

    @pytest.mark.parametrize("missing", ["[book].zimab", "[book].zimac"])
    def test_a_missing_part_is_named(self, parts, missing, fault_of):
        (parts / missing).unlink()
        assert fault_of(parts / "[book].zimaa") == "missing-part"

    def test_a_later_part_is_not_the_archive(self, parts, fault_of):
        assert fault_of(parts / "[book].zimab") == "missing-part"


class TestBetweenScanAndRead:
    @pytest.fixture
    def source(self, archive, entry):
        return ZimSource(archive(entry("a", "<p>Old."), entry("b")), "x")

    def test_replaced(self, source, archive, entry):
        listed = refs(source)
        assert isinstance(next(iter(source.read(listed))), Document)
        archive(entry("a", "<p>New."), entry("b"))
        assert [one.fault for one in source.read(listed)] == ["changed", "changed"]
        assert next(iter(source.read(refs(source)))).text == "New."

    def test_removed(self, source):
        listed = refs(source)
        list(source.read(listed))
        source.location.unlink()
        assert [one.fault for one in source.read(listed)] == ["unreadable", "unreadable"]

    def test_cut_short_while_open(self, source):
        listed = refs(source)
        list(source.read(listed))
        source.location.write_bytes(source.location.read_bytes()[:100])
        assert [one.fault for one in source.read(listed)] == ["truncated", "truncated"]

    @pytest.mark.parametrize("fingerprint", ["", "x", "a-b-c", "{}-zz-0", "{}-ffffffff-0", "{}-1-0"])
    def test_another_fingerprint(self, source, fingerprint):
        listed = refs(source)[0]
        odd = DocumentRef(key="a", names=("a",), fingerprint=fingerprint.format(listed.fingerprint[:16]))
        (found,) = source.read([odd])
        assert isinstance(found, Problem)


def test_an_unchanged_archive_is_unchanged_elsewhere(archive, entry):
    path = archive(entry("a"), entry("b", to="a"))
    before = refs(ZimSource(path, "x"))
    moved = path.rename(path.with_name("moved.zim"))
    assert refs(ZimSource(moved, "x")) == before


def test_a_source_travels_without_its_open_files(archive, entry):
    source = ZimSource(archive(entry("a")), "x")
    list(source.read(refs(source)))
    copy = pickle.loads(pickle.dumps(source))  # noqa: S301 - ours
    assert copy._reading is None
    assert list(copy.read(refs(source))) == list(source.read(refs(source)))


def test_each_cluster_is_inflated_once_for_a_batch(archive, entry, monkeypatch):
    source = ZimSource(archive(*(entry(f"a{n}", cluster=n % 20) for n in range(100))), "x")
    inflated = []
    inflate = clusters.Clusters._inflate
    monkeypatch.setattr(
        clusters.Clusters,
        "_inflate",
        lambda self, number, *rest: inflated.append(number) or inflate(self, number, *rest),
    )
    listed = refs(source)
    assert len(list(source.read(listed[::-1]))) == 100
    assert sorted(inflated) == list(range(20))


def test_articles_and_clusters_have_limits(archive, entry, monkeypatch):
    monkeypatch.setattr(clusters.Clusters.blob, "__defaults__", (1000,))
    plain = archive(entry("big", "x" * 2000), entry("good"), compression=PLAIN)
    monkeypatch.setattr(clusters, "CLUSTER_LIMIT_BYTES", 1000)
    packed = archive(entry("big", "x" * 2000, cluster=1), entry("good"), name="packed.zim")
    for path in (plain, packed):
        found = read(path)
        assert found["big"].fault == "too-large"
        assert found["good"].text


def test_many_entries(archive, entry):
    entries = [entry(f"a{n:05}", f"<p>{n}.", cluster=n // 500) for n in range(2_000)]
    entries += [entry(f"r{n:05}", to=f"a{n % 100:05}") for n in range(2_000)]
    source = ZimSource(archive(*entries), "x")
    source.check()
    found = refs(source)
    assert len(found) == 2_000
    assert len(found[0].names) == 21
    assert [one.text for one in source.read(found[-3:])] == ["1997.", "1998.", "1999."]
