"""Real archives, and openZIM's deliberately broken ones, against libzim and zimcheck.

They are beside the project where it is developed, and not part of it. Where they are not, archives that libzim makes here
are read.
"""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from libzim.reader import Archive as Oracle
from libzim.writer import Compression, Creator, Hint

from vademecum.core.documents import Document, DocumentRef
from vademecum.core.errors import ArchiveBroken
from vademecum.sources.zim import ZimSource
from vademecum.sources.zim.archive import Archive
from vademecum.testing import broken_promises
from zim_pages import Page

HERE = Path(__file__)
SHARED = HERE.parents[4] / "shared" / "data" / "zim"
REAL = sorted(path for path in SHARED.glob("*.zim") if not path.name.startswith("invalid."))
BROKEN = {
    "bad_mimetype_in_dirent": "bad-directory",
    "bad_mimetype_list": "bad-mime-list",
    "invalid_checksumpos": "bad-header",
    "invalid_mimelistpos": "bad-header",
    "nonsorted_dirent_table": "bad-directory",
    "nonsorted_title_index": "bad-title-index",
    "offset_in_cluster": "bad-cluster",
    "outofbounds_clusterptrpos": "bad-header",
    "outofbounds_first_clusterptr": "bad-cluster",
    "outofbounds_first_direntptr": "bad-directory",
    "outofbounds_first_title_entry": "bad-title-index",
    "outofbounds_last_direntptr": "bad-directory",
    "outofbounds_last_title_entry": "bad-title-index",
    "outofbounds_titleptrpos": "bad-header",
    "outofbounds_urlptrpos": "bad-header",
    "smaller_than_header": "too-small",
}
# what zimcheck of Debian 12 takes for a fault: archives without the old list of titles, which are newer than it
NEWER_THAN_ZIMCHECK = "Full Title index table outside"


def make(path, compression):
    with Creator(path).config_compression(compression).config_clustersize(4096) as creator:
        creator.set_mainpath("page/0")
        for number in range(60):
            creator.add_item(Page(f"page/{number}", f"Page {number}", f"<p>Text {number}. {'word ' * 200}"))
        creator.add_item(Page("frame", "Frame", "<p>part of another", front=False))
        creator.add_item(Page("style.css", "", "p {}", mime="text/css", front=False))
        for number in range(20):
            creator.add_redirection(
                f"other/{number}", f"Other name {number}", f"page/{number}", {Hint.FRONT_ARTICLE: True}
            )
        for name, text in {
            "Title": "Made here",
            "Language": "eng,deu",
            "Creator": "We",
            "Date": "2025-06-07",
        }.items():
            creator.add_metadata(name, text)
    return path


@pytest.fixture(scope="module", params=["none", "zstd", *(path.name for path in REAL)])
def path(request, tmp_path_factory):
    if request.param.endswith(".zim"):
        return SHARED / request.param
    folder = tmp_path_factory.mktemp("zim")
    return make(folder / f"{request.param}.zim", getattr(Compression, request.param))


@pytest.fixture(scope="module")
def oracle(path):
    return Oracle(path)


@pytest.mark.oracle
def test_entries_are_those_of_libzim(path, oracle):
    archive = Archive(path)
    assert len(archive.directory) == oracle.all_entry_count
    assert archive.checksum == oracle.checksum
    assert (archive.header.minor >= 1) == oracle.has_new_namespace_scheme
    contents = 0
    for item in archive.directory.walk():
        expected = oracle._get_entry_by_id(item.number)
        own = (
            item.path.decode() if archive.header.minor else f"{item.namespace.decode()}/{item.path.decode()}"
        )
        assert expected.path == own
        assert expected.title == (item.title or item.path).decode()
        assert expected.is_redirect == (item.target >= 0)
        if expected.is_redirect:
            target = archive.directory.item(item.target)
            assert expected.get_redirect_entry().title == (target.title or target.path).decode()
        else:
            content = expected.get_item()
            assert content.mimetype == archive.header.mimes[item.mime]
            assert archive.content(item) == bytes(content.content)
            contents += 1
        assert archive.directory.find(item.namespace, item.path) == item
    assert contents
    assert archive.directory.find(b"C", b"no such path") is None


@pytest.mark.oracle
def test_metadata_is_that_of_libzim(path, oracle):
    archive = Archive(path)
    for key in oracle.metadata_keys:
        if not key.startswith("Illustration"):
            assert archive.metadata(key) == oracle.get_metadata(key).decode().strip()
    assert archive.front_count() == (oracle.article_count if oracle.has_new_namespace_scheme else 0)


@pytest.mark.oracle
def test_articles_and_redirects(path, oracle):
    source = ZimSource(path, "real")
    source.check()
    found = [one for one in source.scan() if isinstance(one, DocumentRef)]
    content = "" if oracle.has_new_namespace_scheme else "A/"
    names = 0
    for ref in found:
        item = oracle.get_entry_by_path(f"{content}{ref.key}").get_item()
        assert item.mimetype.startswith("text/html")
        names += len(ref.names) - 1
    expected = 0
    for number in range(oracle.all_entry_count):
        entry = oracle._get_entry_by_id(number)
        if entry.is_redirect and entry.path.startswith(content) and entry.path != "mainPage":
            expected += 1
    assert names <= expected
    if path.name in {"libkiwix_zimfile.zim", "zstd.zim", "none.zim"}:
        assert names == {"libkiwix_zimfile.zim": 155}.get(path.name, 20)
    if "devdocs" in path.name:
        assert len(found) == oracle.article_count == 528
    documents = [one for one in source.read(found) if isinstance(one, Document)]
    assert documents
    assert any(document.links for document in documents) or len(found) < 100
    assert broken_promises(source) == []


@pytest.mark.oracle
def test_parts_of_a_split_archive(path, oracle, tmp_path):
    whole = path.read_bytes()
    size = len(whole) // 7 + 1
    for number in range(7):
        (tmp_path / f"parts.zima{'abcdefg'[number]}").write_bytes(whole[number * size : (number + 1) * size])
    source = ZimSource(tmp_path / "parts.zimaa", "real")
    source.check()
    listed = [one for one in source.scan() if isinstance(one, DocumentRef)]
    assert list(source.read(listed[:300])) == list(ZimSource(path, "real").read(listed[:300]))
    assert oracle.checksum == Archive(tmp_path / "parts.zim").checksum


@pytest.mark.oracle
@pytest.mark.needs("zimcheck")
def test_zimcheck_finds_them_whole(path):
    said = subprocess.run(["zimcheck", "-I", path], capture_output=True, text=True, check=False)
    assert said.returncode == 0 or NEWER_THAN_ZIMCHECK in said.stdout + said.stderr
    ZimSource(path, "real").check()


@pytest.mark.oracle
@pytest.mark.needs("zimcheck")
@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_zimcheck_and_libzim_agree_on_damage(tmp_path, compression):
    whole = make(tmp_path / "whole.zim", getattr(Compression, compression)).read_bytes()
    damaged = tmp_path / "damaged.zim"
    for place in range(90, len(whole), len(whole) // 25):
        data = bytearray(whole)
        data[place] ^= 0x55
        damaged.write_bytes(data)
        with pytest.raises(ArchiveBroken):
            ZimSource(damaged, "x").check()
        assert subprocess.run(["zimcheck", "-I", damaged], capture_output=True, check=False).returncode
        with suppress(RuntimeError):  # where libzim does not open it at all
            assert not Oracle(damaged).check()


@pytest.mark.parametrize("name", BROKEN)
def test_each_broken_one_is_refused_for_its_fault(name):
    path = SHARED / f"invalid.{name}.zim"
    if not path.exists():
        pytest.skip("openZIM's broken archives are not here")
    with pytest.raises(ArchiveBroken, match=BROKEN[name]) as error:
        ZimSource(path, "x").check()
    assert error.value.fault == BROKEN[name]
    listed = []
    with suppress(ArchiveBroken):
        listed = [one for one in ZimSource(path, "x").scan() if isinstance(one, DocumentRef)]
    assert len(list(ZimSource(path, "x").read(listed))) == len(listed)


@pytest.mark.skipif(not REAL, reason="the real archives are not here")
def test_the_archives_that_are_not_english():
    languages = {path.name: ZimSource(path, "x").metadata().language for path in REAL}
    assert languages["wikibooks_be_all_nopic_2017-02.zim"] == "be"
    assert languages["libkiwix_spelling_correction_test.zim"] == "de"
    assert languages["devdocs_en_sqlite_2025-04.zim"] == "en"


@pytest.mark.skipif(not REAL, reason="the real archives are not here")
def test_a_real_page():
    source = ZimSource(SHARED / "devdocs_en_sqlite_2025-04.zim", "sqlite")
    (ref,) = (one for one in source.scan() if isinstance(one, DocumentRef) and one.key == "c3ref/open")
    (document,) = source.read([ref])
    assert document.reference == "Opening A New Database Connection"
    assert (
        document.summary
        == "These routines open an SQLite database file as specified by the filename argument."
    )
    kinds = {block.kind for block in document.blocks}
    assert kinds == {"heading", "code", "paragraph", "item", "table"}
    item = next(block for block in document.blocks if block.kind == "item")
    assert document.text[item.start : item.tag_end] == "SQLITE_OPEN_READONLY"
    assert "Database Connection Handle" in document.links
    assert "devdocs-navbar" not in document.text


def test_memory_does_not_grow_with_the_archive(tmp_path):
    """Checking and listing 300 MB of articles takes no more than some tens of megabytes."""
    path = tmp_path / "large.zim"
    with Creator(path).config_compression(Compression.none) as creator:
        for number in range(300):
            creator.add_item(Page(f"{number}", f"{number}", f"<p>{number} " + "x" * 1_000_000))
    program = (
        "import sys, resource; from pathlib import Path; from vademecum.sources.zim import ZimSource\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "source = ZimSource(Path(sys.argv[1]), 'x'); source.check()\n"
        "assert sum(1 for _ in source.scan()) == 300\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    said = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert int(said.stdout) < 40_000
