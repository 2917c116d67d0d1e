"""Files of every kind and state: each is read, left alone, or told of."""

import gzip
import os
import time

import pytest

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.core.errors import SourceError
from vademecum.sources.info import InfoSource


def node(name, text="Words.", *, up="Top"):
    return f"\x1f\nFile: x.info,  Node: {name},  Up: {up}\n\n{name}\n{'*' * len(name)}\n\n{text}\n\n"


def manual(*nodes, tags=()):
    table = "".join(f"Node: {name}\x7f{10**6}\n" for name in tags)
    return "This is x.info.\n\n" + "".join(nodes) + f"\x1f\nTag Table:\n{table}\x1f\nEnd Tag Table\n"


def split(*parts, tags=()):
    table = "".join(f"{part}: {at * 1000}\n" for at, part in enumerate(parts))
    return f"This is x.info.\n\n\x1f\nIndirect:\n{table}" + manual(tags=tags).partition("\n\n")[2]


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def folder(tmp_path):
    """A folder with one good manual, beside which everything else is tried."""
    place = tmp_path / "info"
    write(place, "good.info", manual(node("Top", up="(dir)"), node("One")))
    return place


def read_all(place):
    source = InfoSource(place, "info")
    listed = list(source.scan())
    found = list(source.read([one for one in listed if isinstance(one, DocumentRef)]))
    problems = [one for one in (*listed, *found) if isinstance(one, Problem)]
    assert all(one.message and one.hint for one in problems)
    for one in problems:
        (one.place + one.message).encode()
    documents = {one.reference: one for one in found if isinstance(one, Document)}
    return documents, {(one.place, one.fault): one.message for one in problems}


def told(place):
    """The problems, with a check that the good manual is read all the same."""
    documents, problems = read_all(place)
    assert {"Top(good)", "One(good)"} <= documents.keys()
    return problems


class TestEncodings:
    def test_latin_1_without_a_word(self, folder):
        write(folder, "x.info", manual(node("Top", "Caf\xe9 \xa9 na\xefve")).encode("latin-1"))
        documents, problems = read_all(folder)
        assert problems == {}
        assert "Café © naïve" in documents["Top(x)"].text

    def test_a_few_wrong_bytes_do_not_spoil_the_rest(self, folder):
        write(
            folder,
            "x.info",
            manual(node("Top", "‘right’ and LATIN")).encode().replace(b"LATIN", b"\xe9t\xe9"),
        )
        assert "‘right’ and été" in read_all(folder)[0]["Top(x)"].text

    @pytest.mark.parametrize(
        ("coding", "codec"),
        [
            ("iso-8859-2", "iso8859-2"),
            ("utf-8-unix", "utf-8"),
            ("koi8-r", "koi8-r"),
            ("latin-1", "latin-1"),
            ("rot13", "utf-8"),
            ("unicode_escape", "utf-8"),
            ("no-such", "utf-8"),
            ("utf-16", "utf-8"),
        ],
    )
    def test_reads_the_encoding_from_the_local_variables(self, folder, coding, codec):
        word = "\\x41 ž" if codec == "iso8859-2" else "жук" if codec == "koi8-r" else "\\x41 é"
        text = manual(node("Top", word)) + f"\x1f\nLocal Variables:\ncoding: {coding}\nEnd:\n"
        write(folder, "x.info", text.encode(codec))
        assert word in read_all(folder)[0]["Top(x)"].text

    def test_control_characters_are_left_out(self, folder):
        write(folder, "x.info", manual(node("Top", "a\x00b\x1b[1mc\x08 d")))
        assert "ab[1mc d" in read_all(folder)[0]["Top(x)"].text

    def test_line_ends_of_dos(self, folder):
        write(folder, "x.info", manual(node("Top"), node("One")).replace("\n", "\r\n"))
        documents, problems = read_all(folder)
        assert problems == {}
        assert documents["One(x)"].text == "One\nWords."


class TestTables:
    def test_nodes_that_are_promised_and_missing(self, folder):
        write(folder, "x.info", manual(node("Top"), tags=["Top", "Ghost"]))
        assert "Ghost" in told(folder)["x.info", "missing-node"]

    def test_nodes_of_one_name(self, folder):
        write(folder, "x.info", manual(node("Top"), node("One", "First."), node("One", "Second.")))
        documents, problems = read_all(folder)
        assert "First." in documents["One(x)"].text
        assert "One" in problems["x.info", "duplicate-node"]

    def test_a_stretch_without_a_header(self, folder):
        write(folder, "x.info", manual(node("Top"), "\x1f\nNo header here.\n", node("One")))
        documents, problems = read_all(folder)
        assert "One(x)" in documents
        assert problems.keys() == {("x.info", "no-header")}

    def test_a_separator_within_a_line_is_none(self, folder):
        write(folder, "x.info", manual(node("Top", "Press\n\x1fthat.")))
        documents, problems = read_all(folder)
        assert problems == {}
        assert documents["Top(x)"].text == "Top\nPress that."

    def test_names_may_be_quoted(self, folder):
        menu = "* Menu:\n\n* \x7fa: b, c\x7f::  Said.\n"
        write(
            folder,
            "x.info",
            manual(node("Top", menu), node("\x7fa: b, c\x7f", "See *note \x7fa: b, c\x7f::.")),
        )
        document = read_all(folder)[0]["a: b, c(x)"]
        assert document.summary == "Said."
        assert "See a: b, c." in document.text

    def test_nodes_above_that_are_a_loop_or_not_there(self, folder):
        write(folder, "x.info", manual(node("A", up="B"), node("B", up="A"), node("C", up="Ghost")))
        documents, _ = read_all(folder)
        assert [one.title for one in documents.values() if "(x)" in one.reference] == [
            "x: B > A",
            "x: A > B",
            "x: C",
        ]

    @pytest.mark.parametrize(
        "content", ["", "\n", "Just a text.\n", "\x1f\n\x1f\n\x0c\x1f", "\x1f\nTag Table:\n"]
    )
    def test_a_file_without_nodes(self, folder, content):
        write(folder, "x.info", content)
        assert ("x.info", "no-nodes") in told(folder)

    def test_an_index_is_no_document(self, folder):
        old = "* Menu:\n\n* cut: One.   (line 3)\n* dig: One.   (line 5)\n"
        write(folder, "x.info", manual(node("Top"), node("One"), node("Index", old)))
        documents, problems = read_all(folder)
        assert problems == {}
        assert "Index(x)" not in documents


class TestParts:
    def test_a_split_manual(self, folder):
        write(folder, "x.info.gz", gzip.compress(split("x.info-1", "x.info-2", tags=["Top", "One"]).encode()))
        write(folder, "x.info-1.gz", gzip.compress(("This is x.info.\n\n" + node("Top")).encode()))
        write(folder, "x.info-2", "This is x.info.\n\n" + node("One", "*Note Top::."))
        documents, problems = read_all(folder)
        assert problems == {}
        assert documents["One(x)"].key == "x.info.gz/One"
        assert documents["One(x)"].links == ("Top(x)",)

    def test_a_missing_part_is_named_and_the_rest_read(self, folder):
        write(folder, "x.info", split("x.info-1", "x.info-2", tags=["Top", "One"]))
        write(folder, "x.info-1", node("Top"))
        documents, problems = read_all(folder)
        assert "Top(x)" in documents
        assert problems.keys() == {("x.info", "missing-part")}
        assert "x.info-2" in problems["x.info", "missing-part"]

    def test_a_damaged_part(self, folder):
        write(folder, "x.info", split("x.info-1", "x.info-2"))
        write(folder, "x.info-1", node("Top"))
        write(folder, "x.info-2.gz", gzip.compress(os.urandom(2000))[:1000])
        documents, problems = read_all(folder)
        assert "Top(x)" in documents
        assert "x.info-2" in problems["x.info", "damaged-archive"]

    @pytest.mark.parametrize(
        "part", ["../secret", "../info/../secret", "sub/x.info-1", "..", "\x00", "/etc/passwd"]
    )
    def test_a_part_elsewhere_is_refused(self, folder, part):
        write(folder.parent, "secret", node("Secret"))
        write(folder, "sub/x.info-1", node("Secret"))
        write(folder, "x.info", split(part, "x.info-2"))
        write(folder, "x.info-2", node("Top"))
        documents, problems = read_all(folder)
        assert "Top(x)" in documents
        assert not any("Secret" in name for name in documents)
        assert ("x.info", "outside") in problems

    def test_a_part_that_links_out_of_the_folder(self, folder):
        (folder / "x.info-1").symlink_to(write(folder.parent, "secret", node("Secret")))
        write(folder, "x.info", split("x.info-1"))
        documents, problems = read_all(folder)
        assert "Secret(x)" not in documents
        assert ("x.info", "outside") in problems

    def test_loops(self, folder):
        write(folder, "x.info", split("x.info", "y.info"))
        write(folder, "y.info", split("x.info"))
        problems = told(folder)
        assert ("x.info", "indirect-loop") in problems
        assert ("y.info", "indirect-loop") in problems


class TestBadFiles:
    def test_archives(self, folder):
        packed = gzip.compress(manual(node("Top", "word " * 5000 + os.urandom(5000).hex())).encode())
        write(folder, "truncated.info.gz", packed[: len(packed) // 2])
        write(folder, "empty.info.gz", b"")
        write(folder, "garbage.info.gz", os.urandom(1000))
        write(folder, "garbage2.info.xz", b"nothing compressed")
        write(folder, "streams.info.gz", gzip.compress(b"") * 100_000)
        write(folder, "other.info.zst", b"")
        assert dict(told(folder).keys()) == {
            "truncated.info.gz": "damaged-archive",
            "empty.info.gz": "damaged-archive",
            "garbage.info.gz": "damaged-archive",
            "garbage2.info.xz": "damaged-archive",
            "streams.info.gz": "damaged-archive",
            "other.info.zst": "unknown-compression",
        }

    def test_too_large(self, folder, monkeypatch):
        monkeypatch.setattr("vademecum.sources.info.files.LIMIT_BYTES", 1_000_000)
        write(folder, "bomb.info.gz", gzip.compress(bytes(2_000_000)))
        with write(folder, "sparse.info", b"").open("ab") as sparse:
            sparse.truncate(10 * 2**30)
        with write(folder, "sparse2.info.gz", b"").open("ab") as sparse:
            sparse.truncate(10 * 2**30)
        assert told(folder).keys() == {
            ("bomb.info.gz", "too-large"),
            ("sparse.info", "too-large"),
            ("sparse2.info.gz", "too-large"),
        }

    def test_parts_share_the_limit(self, folder, monkeypatch):
        monkeypatch.setattr("vademecum.sources.info.files.LIMIT_BYTES", 5000)
        write(folder, "x.info", split(*(f"x.info-{number}" for number in range(5))))
        for number in range(5):
            write(folder, f"x.info-{number}", node(f"N{number}", "word " * 300))
        documents, problems = read_all(folder)
        assert "N0(x)" in documents
        assert "N4(x)" not in documents
        assert ("x.info", "too-large") in problems

    def test_too_large_a_node_and_too_many(self, folder):
        write(folder, "x.info", manual(node("Top"), node("Large", "word\n" * 1_000_000)))
        write(folder, "y.info", "\x1f\n" * 110_000)
        documents, problems = read_all(folder)
        assert "Top(x)" in documents
        assert problems.keys() == {("x.info/Large", "too-large"), ("y.info", "too-large")}

    def test_reports_folders_and_pipes(self, folder):
        (folder / "folder.info").mkdir()
        os.mkfifo(folder / "pipe.info")
        assert told(folder).keys() == {("folder.info", "not-a-manual"), ("pipe.info", "unreadable")}

    def test_leaves_other_files_alone(self, folder):
        write(folder, "dir", manual(node("Top")))
        write(folder, "dir.gz", b"x")
        write(folder, "picture.png", b"\x89PNG")
        write(folder, "notes.txt", "x")
        write(folder, ".hidden.info", manual(node("Top")))
        documents, problems = read_all(folder)
        assert problems == {}
        assert documents.keys() == {"Top(good)", "One(good)"}

    @pytest.mark.parametrize(
        "text",
        [
            "* " * 5_000,
            "     " + "\n     ".join("* a" for _ in range(1_000)),
            "\n".join(" " * (number % 60) + "* x" for number in range(2_000)),
            "‘-a’\n     b\n" * 1_000,
            "*note " * 5_000,
            "*note a:" + " " * 10_000,
            "* Menu:\n" + "* a: " + " : " * 5_000 + "\n",
            "* Menu:\n" + "* a:" + " " * 10_000 + "x",
            "\x00\x08[image " * 5_000,
            "‘" * 10_000,
            "x  " * 5_000 + "\n" + "=" * 15_000,
            "\n\x1fx" * 10_000,
            " -- F: x\n" * 5_000,
            "Ab\n--\n" * 5_000,
        ],
        ids=range(14),
    )
    def test_nothing_takes_long(self, folder, text):
        write(folder, "x.info", manual(node("Top"), node("Odd", text)))
        began_s = time.process_time()
        documents, _ = read_all(folder)
        assert "Odd(x)" in documents
        assert time.process_time() - began_s < 10


class TestNames:
    @pytest.mark.parametrize(
        "name",
        ["new\nline", "a'b\"c", "100%s%d", "right\u202eleft", "x" * 250, "a (b) #c", "back\\slash", "é"],
    )
    def test_odd_ones(self, folder, name):
        write(folder, f"{name}.info", manual(node("Top"), node("I/O")))
        source = InfoSource(folder, "info")
        refs = [ref for ref in source.scan() if isinstance(ref, DocumentRef)]
        documents = {one.key: one for one in source.read(refs)}
        document = documents[f"{name}.info/I/O"]
        assert document.text == "I/O\nWords."
        assert document.reference.isprintable()
        assert len({one.reference for one in documents.values()}) == 4

    def test_one_that_is_not_utf_8(self, folder):
        write(folder, os.fsdecode(b"caf\xe9.info"), manual(node("Top")))
        write(folder, os.fsdecode(b"caf\xe9.info-1"), node("Top"))
        (folder / os.fsdecode(b"th\xe9.info")).symlink_to("good.info")
        assert told(folder).keys() == {("caf\\xe9.info", "not-a-manual"), ("caf\\xe9.info-1", "stray-part")}
        documents, problems = read_all(folder / os.fsdecode(b"caf\xe9.info"))
        assert not documents
        assert problems.keys() == {("caf\\xe9.info", "not-a-manual")}

    def test_a_manual_in_a_folder_of_the_folder(self, folder):
        write(folder, "guile-3.0/guile.info", manual(node("Top")))
        document = read_all(folder)[0]["Top(guile-3.0/guile)"]
        assert {"(guile)Top", "(guile-3.0/guile)Top"} <= set(document.names)

    def test_compressed_and_not(self, folder):
        write(folder, "good.info.gz", gzip.compress(manual(node("Top")).encode()))
        assert told(folder).keys() == {("good.info.gz", "shadowed")}

    def test_links_are_further_names(self, folder):
        write(folder, "tool-1.0.info", manual(node("Top")))
        (folder / "tool.info").symlink_to("tool-1.0.info")
        documents, problems = read_all(folder)
        assert problems == {}
        assert "(tool)Top" in documents["Top(tool-1.0)"].names
        assert "Top(tool)" not in documents

    def test_links_that_lead_astray(self, folder):
        (folder / "out.info").symlink_to(write(folder.parent, "out.info", manual(node("Secret"))))
        (folder / "gone.info").symlink_to("nothing.info")
        (folder / "loop.info").symlink_to("loop.info")
        (folder / "text.info").symlink_to(write(folder, "text", "x"))
        assert told(folder).keys() == {
            ("out.info", "outside"),
            ("gone.info", "dangling-link"),
            ("loop.info", "dangling-link"),
            ("text.info", "not-a-manual"),
        }

    def test_languages(self, folder):
        for name in ("x.pt_BR", "de/x", "x.el", "fr"):
            write(folder, f"{name}.info", manual(node("Top")))
        documents, _ = read_all(folder)
        languages = [documents[f"Top({name})"].language for name in ("x.pt_BR", "de/x", "x.el", "fr", "good")]
        assert languages == ["pt-BR", "de", "en", "en", "en"]


class TestPlaces:
    def test_one_file(self, folder):
        write(folder, "other.info", manual(node("Top")))
        documents, problems = read_all(folder / "good.info")
        assert problems == {}
        assert documents.keys() == {"Top(good)", "One(good)"}

    @pytest.mark.parametrize("name", ["missing", "missing.info", "text.txt"])
    def test_none(self, tmp_path, name):
        write(tmp_path, "text.txt", "x")
        with pytest.raises(SourceError) as caught:
            list(InfoSource(tmp_path / name, "info").scan())
        assert caught.value.hint


class TestChanges:
    def test_a_fingerprint_is_that_of_the_files(self, folder):
        def fingerprints():
            return {ref.key: ref.fingerprint for ref in InfoSource(folder, "info").scan()}

        before = fingerprints()
        os.utime(folder / "good.info")
        assert fingerprints() == before
        write(folder, "good.info", manual(node("Top"), node("One", "Other words.")))
        after = fingerprints()
        assert after.keys() == before.keys()
        assert all(after[key] != before[key] for key in before)

    def test_one_that_is_gone_or_another_after_the_scan(self, folder):
        for name in ("gone", "changed", "less", "pipe", "out"):
            write(folder, f"{name}.info", manual(node("Top"), node("One")))
        source = InfoSource(folder, "info")
        refs = list(source.scan())
        secret = write(folder.parent, "secret.info", manual(node("Top"), node("One")))
        for name in ("gone", "pipe", "out"):
            (folder / f"{name}.info").unlink()
        os.mkfifo(folder / "pipe.info")
        (folder / "out.info").symlink_to(secret)
        write(folder, "changed.info", manual(node("Top"), node("One", "Other words.")))
        write(folder, "less.info", manual(node("Top")))
        found = list(source.read(refs))
        assert len(found) == len(refs)
        faults = {one.place: one.fault for one in found if isinstance(one, Problem)}
        assert faults == {
            f"{name}.info/{node}": fault
            for name, fault in [
                ("gone", "unreadable"),
                ("changed", "changed"),
                ("less", "changed"),
                ("pipe", "unreadable"),
                ("out", "outside"),
            ]
            for node in ("Top", "One")
        }
