"""Manual pages through real renderers: what is read, what is refused, and that nothing hangs."""

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared import check_blocks, wait_until
from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.core.errors import RendererMissing
from vademecum.sources.man import ManSource
from vademecum.sources.man import source as man_source

RENDERERS = [
    pytest.param("mandoc", marks=pytest.mark.needs("mandoc")),
    pytest.param("groff", marks=pytest.mark.needs("groff")),
]


def refs_of(source):
    return [found for found in source.scan() if isinstance(found, DocumentRef)]


def read_all(root):
    """Every document under a folder by reference, and every problem by place."""
    source = ManSource(root, "man")
    found = list(source.read(refs_of(source)))
    documents = {one.reference: one for one in found if isinstance(one, Document)}
    return documents, {one.place: one for one in found if isinstance(one, Problem)}


def write_page(root, name, content):
    path = root / f"man{next(part for part in name.split('.') if part.isdigit())}" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.needs("mandoc")
@pytest.mark.parametrize(
    ("needed", "named", "in_memory"), [(1, False, True), (1 << 62, False, False), (1, True, False)]
)
def test_pages_are_rendered_in_memory_where_there_is_room(tmp_path, monkeypatch, needed, named, in_memory):
    memory, disk, root = tmp_path / "memory", tmp_path / "disk", tmp_path / "man"
    memory.mkdir()
    disk.mkdir()
    write_page(root, "x.1", page("x"))
    monkeypatch.setattr(man_source, "_MEMORY", memory)
    monkeypatch.setattr(man_source, "_MEMORY_FREE_BYTES", needed)
    monkeypatch.delenv("TMPDIR", raising=False)
    if named:
        monkeypatch.setenv("TMPDIR", str(disk))
    monkeypatch.setattr("tempfile.tempdir", str(disk))
    source = ManSource(root, "man")
    reading = iter(source.read(refs_of(source)))
    next(reading)
    assert [any(place.iterdir()) for place in (memory, disk)] == [in_memory, not in_memory]
    reading.close()
    assert not any(memory.iterdir())
    assert not any(disk.iterdir())


def page(name, body="body"):
    return f".TH {name} 1\n.SH NAME\n{name} \\- about {name}\n.SH DESCRIPTION\n{body}\n"


def shown(document, kind=None):
    return [document.text[b.start : b.end] for b in document.blocks if kind in (None, b.kind)]


@pytest.mark.parametrize("renderer", RENDERERS)
class TestEveryRenderer:
    @pytest.fixture(autouse=True)
    def machine(self, only, renderer):
        only(renderer)

    def test_the_structure_of_a_page(self, tree):
        documents, problems = read_all(tree)
        assert problems == {}
        document = documents["everything(1)"]
        check_blocks(document)
        assert document.summary == "show each way a page is set"
        assert document.names == ("everything(1)",)
        assert document.links == ("chmod(1)", "open(2)", "File::Temp(3perl)")
        headings = [(b.level, b.anchor) for b in document.blocks if b.kind == "heading"]
        assert (1, "SEE_ALSO") in headings
        assert (2, "Modes_and_colours") in headings
        assert "everything [OPTION]... FILE\neverything --version" in shown(document, "paragraph")
        assert "Key  Meaning\na  the first letter" in document.text
        assert "int main(void)\n{\n    return 0;\n}" in shown(document, "code")
        assert "this place ⟨https://example.org/manual⟩." in document.text
        assert "May 2024" not in document.text

    def test_each_tagged_entry_is_an_item(self, tree):
        document = read_all(tree)[0]["everything(1)"]
        items = {
            document.text[b.start : b.tag_end]: (document.text[b.tag_end : b.end].strip(), b.level, b.anchor)
            for b in document.blocks
            if b.kind == "item"
        }
        assert items == {
            "-a, --all": ("do not ignore entries", 1, "a"),
            "-b\n--bee": ("Two tags, one body.", 1, "b"),
            "--no-body": ("", 1, "no"),
            "--format=WORD": ("One of:", 1, "format"),
            "long": ("with details", 2, "long"),
            "short": ("without", 2, "short"),
        }
        levels = {document.text[b.start : b.end]: b.level for b in document.blocks}
        assert levels["A further paragraph of the option."] == 1
        assert levels["After the list."] == 0

    def test_bullets_are_paragraphs_and_their_dots_only_text(self, tree):
        document = read_all(tree)[0]["everything(1)"]
        assert {"first bullet", "second bullet"} <= set(shown(document, "paragraph"))
        assert "• first bullet\n• second bullet" in document.text

    def test_lists_as_docbook_writes_them(self, tree):
        document = read_all(tree)[0]["docbook(5)"]
        check_blocks(document)
        items = shown(document, "item")
        assert items == [
            "--user\nTalk to the service manager of the calling user.",
            "Description=\nA short title of the unit.",
        ]
        assert {"glued bullet", "This is a sentence.", "indented text"} <= set(shown(document, "paragraph"))
        levels = {document.text[b.start : b.end]: b.level for b in document.blocks}
        assert levels["Its second paragraph."] == 1
        assert levels["indented text"] == 0

    def test_the_other_macro_language(self, tree):
        document = read_all(tree)[0]["mdoc(8)"]
        check_blocks(document)
        assert document.summary == "a page in the other macro language"
        assert shown(document, "item") == ["-d\nBe a daemon.", "-f file\nRead file."]
        assert "mdoc [-d] [-f file]" in shown(document)
        assert {"cron(8)", "crontab(5)"} == set(document.links)

    def test_encodings(self, tree):
        documents, _ = read_all(tree)
        assert documents["latin1(7)"].summary == "eine Seite für Müßiggänger"
        assert "René Çelik" in documents["latin1(7)"].text
        assert "René Çelik, 山田" in documents["utf8(7)"].text

    def test_a_page_that_shows_nothing(self, tmp_path):
        write_page(tmp_path, "empty.1", "")
        write_page(tmp_path, "comment.1", '.\\" nothing but a comment\n')
        write_page(tmp_path, "good.1", page("good"))
        documents, problems = read_all(tmp_path)
        assert set(documents) == {"good(1)"}
        assert {problem.fault for problem in problems.values()} <= {"nothing-shown", "renderer-failed"}
        assert set(problems) == {"man1/empty.1", "man1/comment.1"}
        assert all(problem.hint for problem in problems.values())

    @pytest.mark.usefixtures("impatient")
    def test_a_page_no_renderer_ends_on(self, pages, tmp_path):
        write_page(tmp_path, "before.1", page("before"))
        write_page(tmp_path, "endless.1", (pages / "endless.4").read_bytes())
        write_page(tmp_path, "later.1", page("later"))
        documents, problems = read_all(tmp_path)
        assert set(documents) == {"before(1)", "later(1)"}
        assert set(problems) == {"man1/endless.1"}
        assert problems["man1/endless.1"].fault in {"renderer-timeout", "renderer-failed"}

    def test_text_that_looks_like_markup_or_requests_stays_text(self, tmp_path):
        body = 'a <table class="foot"> &amp; <div class="manual-text"> \\e\\e "\'`'
        write_page(tmp_path, "-rf.1", page("odd", body))
        write_page(tmp_path, "$(id) x.1", page("odd2"))
        documents, problems = read_all(tmp_path)
        assert problems == {}
        assert set(documents) == {"-rf(1)", "$(id) x(1)"}
        assert '<table class="foot"> &amp; <div class="manual-text"> \\\\ "' in documents["-rf(1)"].text

    def test_a_page_never_reads_files_outside_of_its_tree(self, tmp_path):
        (tmp_path / "secret").write_text("the secret\n")
        root = tmp_path / "man"
        body = f"kept\n.so {tmp_path}/secret\n.so ../secret\n.so ../../secret\nalso kept"
        write_page(root, "thief.1", page("thief", body))
        documents, _ = read_all(root)
        assert "kept\nalso kept" in documents["thief(1)"].text
        assert "the secret" not in documents["thief(1)"].text

    def test_a_page_that_includes_others_among_its_text(self, tmp_path):
        write_page(tmp_path, "shared.1", "from the shared file\n")
        write_page(tmp_path, "part.1", page("part", "before\n.so man1/shared.1\nafter"))
        write_page(tmp_path, "self.1", page("self", "before\n.so man1/self.1\nafter"))
        documents, _ = read_all(tmp_path)
        assert "before from the shared file after" in documents["part(1)"].text
        assert "before" in documents["self(1)"].text

    def test_reading_twice_gives_the_same(self, tree):
        assert read_all(tree) == read_all(tree)


@pytest.mark.needs("mandoc", "groff")
def test_both_renderers_give_the_same_text(tree, only):
    only("mandoc")
    with_mandoc, _ = read_all(tree)
    only("groff")
    with_groff, _ = read_all(tree)
    assert with_mandoc.keys() == with_groff.keys()
    assert with_mandoc
    for reference, document in with_mandoc.items():
        assert document.text.split() == with_groff[reference].text.split(), reference


def test_without_a_renderer_it_says_what_to_install(tree, only):
    only()
    source = ManSource(tree, "man")
    refs = refs_of(source)
    with pytest.raises(RendererMissing, match="mandoc nor groff") as caught:
        source.read(refs)
    assert "mandoc" in caught.value.hint
    with pytest.raises(RendererMissing):
        source.parser  # noqa: B018


@pytest.mark.needs("mandoc", "groff")
def test_the_parser_names_the_renderer(tree, only, stand_in):
    source = ManSource(tree, "man")
    own = source.parser
    assert own.startswith("man-3/tasks-")
    assert source.parser == own
    stand_in("mandoc", 'exec $REAL "$@"')
    assert source.parser.partition("/tasks-")[2].partition("/")[2].startswith("mandoc-")
    assert source.parser != own
    only("groff")
    assert source.parser.partition("/tasks-")[2].partition("/")[2].startswith("groff-")


@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_batch_gives_what_single_pages_give(tree, renderer, only):
    only(renderer)
    source = ManSource(tree, "man")
    refs = refs_of(source)
    assert len(refs) == 5
    assert list(source.read(refs)) == [document for ref in refs for document in source.read([ref])]


LEAKS = {
    "a redefined macro": ".de SH\nlost\n..",
    "an appended macro": ".am SH\nlost\n..",
    "a conditional definition": ".if 1 .de SH\nlost\n..",
    "swapped macros": ".rn SH x\n.rn SS SH\n.rn x SS",
    "a removed macro": ".rm SH",
    "a string": ".ds lq lost\n\\*(lqquoted\\*(rq",
    "a register": ".nr IN 30n",
    "wide spaces": "a\n.ss 60\nb",
    "a translation": ".tr ab",
    "no filling": ".nf\na\nb",
    "a font": "\\fBbold",
    "an indentation": ".in 40",
    "nesting without an end": ".RS 4\n.RS 4\ninner",
    "an open table": ".TS\nl l.\na\tb",
    "an open condition": ".if 0 \\{\\\nlost",
    "an open definition": ".de XX\nlost",
    "ignored text": ".ig\nlost",
    "the end of the input": ".ex",
    "a nested exit": ".if 1 .ex",
    "no more input": ".nx",
    "another control character": ".cc !",
    "another escape character": ".ec !",
    "a diversion": ".di XX\nlost",
    "a short sheet": ".pl 3v",
    "a trap": ".de XX\nlost\n..\n.it 3 XX",
    "an environment": ".ev 5",
    "macros of the web": ".mso www.tmac\n.LINKSTYLE blue R < >\n.URL http://x.y z",
    "other macros": ".do als SH B",
}


@pytest.mark.needs("groff")
@pytest.mark.parametrize("leak", LEAKS)
def test_groff_shows_a_page_the_same_after_any_other(leak, tmp_path, only):
    long = "\n.PP\n".join(f"Paragraph {number} has bread \\*(lqand\\*(rq\nbutter." for number in range(80))
    for number in range(3):
        write_page(tmp_path, f"before{number}.1", page("before", f"{LEAKS[leak]}\n.SH LAST\nend"))
        write_page(
            tmp_path,
            f"early{number}.1",
            f".TH X 1\n{LEAKS[leak]}\n{page('early', 'end').partition(chr(10))[2]}",
        )
        write_page(tmp_path, f"usual{number}.1", page("usual", f"{long}\n.SH EXAMPLES\n.nf\n a  b\n.fi\nend"))
    only("groff")
    source = ManSource(tmp_path, "man")
    refs = refs_of(source)
    assert len(refs) == 9
    together = list(source.read([*refs, *refs]))
    alone = [document for ref in refs for document in source.read([ref])]
    assert together == [*alone, *alone]
    assert sum(isinstance(found, Document) and len(found.blocks) > 80 for found in alone) == 3


@pytest.mark.needs("mandoc", "groff")
class TestARendererThatFails:
    @pytest.mark.usefixtures("impatient")
    def test_one_that_never_answers(self, tree, stand_in):
        stand_in("mandoc", "sleep 600 & wait")
        documents, problems = read_all(tree)
        assert len(documents) == 5
        assert problems == {}

    @pytest.mark.usefixtures("impatient")
    def test_one_that_hangs_on_a_page(self, tmp_path, stand_in):
        self.fill(tmp_path, "TROUBLE")
        stand_in("mandoc", self.one_by_one("sleep 600"))
        documents, problems = read_all(tmp_path)
        assert len(documents) == 9
        assert problems == {}

    def test_one_that_crashes_on_a_page(self, tmp_path, stand_in):
        self.fill(tmp_path, "TROUBLE")
        stand_in("mandoc", self.one_by_one("kill -SEGV $$"))
        documents, problems = read_all(tmp_path)
        assert len(documents) == 9
        assert problems == {}
        assert "TROUBLE" in documents["page4(1)"].text

    def test_one_that_prints_without_end(self, tree, stand_in, monkeypatch):
        monkeypatch.setattr("vademecum.sources.man.render._MANDOC_LIMIT_BYTES", 1_000_000)
        stand_in("mandoc", "exec yes")
        documents, problems = read_all(tree)
        assert len(documents) == 5
        assert problems == {}

    @pytest.mark.usefixtures("impatient")
    def test_its_children_are_killed_too(self, tree, tmp_path, stand_in):
        stand_in("mandoc", f"sh -c 'echo $$ >> {tmp_path}/pids; exec sleep 600' & wait")
        assert len(read_all(tree)[0]) == 5
        pids = (tmp_path / "pids").read_text().split()
        assert pids
        wait_until(lambda: not any(self.is_running(pid) for pid in pids))

    @staticmethod
    def is_running(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except FileNotFoundError:
            return False

    @staticmethod
    def fill(root, word):
        for number in range(9):
            write_page(root, f"page{number}.1", page(f"page{number}", word if number == 4 else "fine"))

    @staticmethod
    def one_by_one(trouble):
        return f"""
            options="$1 $2 $3 $4 $5 $6"; shift 6
            for page; do
                if grep -q TROUBLE "$page"; then {trouble}; fi
                $REAL $options "$page"
            done"""


@pytest.mark.needs("mandoc")
class TestBadFiles:
    def test_each_is_a_problem_and_the_rest_is_read(self, tmp_path):
        packed = gzip.compress(page("x", "word " * 5000).encode())
        write_page(tmp_path, "truncated.1.gz", packed[: len(packed) // 2])
        write_page(tmp_path, "garbage.1.gz", os.urandom(1000))
        write_page(tmp_path, "garbage.1.xz", b"nothing compressed")
        write_page(tmp_path, "garbage.2.zst", b"nothing compressed")
        write_page(tmp_path, "bomb.1.gz", gzip.compress(bytes(20_000_000)))
        write_page(tmp_path, "large.1", page("large", "word\n" * 4_000_000))
        write_page(tmp_path, "good.1", page("good"))
        documents, problems = read_all(tmp_path)
        assert set(documents) == {"good(1)"}
        assert {place: problem.fault for place, problem in problems.items()} == {
            "man1/truncated.1.gz": "damaged-archive",
            "man1/garbage.1.gz": "damaged-archive",
            "man2/garbage.2.zst": "damaged-archive",
            "man1/bomb.1.gz": "too-large",
            "man1/large.1": "too-large",
        }

    def test_one_that_changes_after_the_scan(self, tmp_path):
        gone = write_page(tmp_path, "gone.1", page("gone"))
        pipe = write_page(tmp_path, "pipe.1", page("pipe"))
        locked = write_page(tmp_path, "locked.1", page("locked"))
        source = ManSource(tmp_path, "man")
        refs = refs_of(source)
        gone.unlink()
        pipe.unlink()
        os.mkfifo(pipe)
        locked.unlink()
        locked.mkdir()
        found = list(source.read(refs))
        assert len(found) == 3
        assert {problem.fault for problem in found} == {"unreadable"}

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_one_that_may_not_be_read(self, tmp_path):
        write_page(tmp_path, "locked.1", page("locked")).chmod(0)
        assert [problem.fault for problem in read_all(tmp_path)[1].values()] == ["unreadable"]

    def test_a_large_page_below_the_limit(self, tmp_path):
        write_page(tmp_path, "large.1", page("large", (".PP\n" + "word " * 300 + "\n") * 2_000))
        documents, problems = read_all(tmp_path)
        assert problems == {}
        assert len(documents["large(1)"].blocks) == 2_003


REQUESTS = st.sampled_from(
    [
        ".TP\n.B \\-x", ".TP 4\n\\fItag\\fR", ".TQ\n.B \\-y", ".IP", ".IP \\(bu 2", ".IP 1. 4", ".IP \\-\\-long 4",
        ".PP", ".HP", ".RS", ".RS 4", ".RE", ".nf", ".fi", ".br", ".sp", ".SH SECTION", ".SS Sub section",
        "plain words", "-option words", "$ command --flag", "    indented text", "é € \\(bu &lt; <b>", ".B bold",
        ".TS\nl l.\na\tb\nc\td\n.TE", ".UR http://x.y\n.UE", ".EX\n  code\n\n    more\n.EE", "\\&", '.IP ""',
    ]
)  # fmt: skip


@pytest.mark.needs("mandoc", "groff")
@pytest.mark.parametrize("renderer", ["mandoc", "groff"])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=st.lists(st.lists(REQUESTS, max_size=25), min_size=8, max_size=8))
def test_offsets_hold_whatever_a_page_does(bodies, renderer, tmp_path_factory, only):
    root = tmp_path_factory.mktemp("man")
    sized = bodies if renderer == "mandoc" else bodies[:2]
    for number, body in enumerate(sized):
        write_page(root, f"p{number}.1", page(f"p{number}", "\n".join(body)))
    only(renderer)
    documents, problems = read_all(root)
    assert problems == {}
    assert len(documents) == len(sized)
    for document in documents.values():
        check_blocks(document)
