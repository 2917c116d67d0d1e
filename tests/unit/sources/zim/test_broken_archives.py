"""Archives that are wrong in one place: refused with the fault's name, and harmless when read all the same."""

import os
import random
import struct
from contextlib import closing

import pytest

from vademecum.core.documents import DocumentRef
from vademecum.core.errors import ArchiveBroken
from vademecum.core.zstd import compress
from vademecum.files.read import Unreadable
from vademecum.sources.zim import ZimSource, clusters
from vademecum.sources.zim.archive import Archive

PLAIN, ZIP, BZIP2, XZ, ZSTD = 1, 2, 3, 4, 5


@pytest.fixture
def layout(entry, written):
    """A small archive in memory; the article is entry 0 in cluster 0."""

    def make(**options):
        return written([entry("a"), entry("b", title="B"), entry("c", to="a")], **options)

    return make


def survives(path):
    """Scan and read whatever an archive holds; only `ArchiveBroken` may end it."""
    source = ZimSource(path, "x")
    try:
        found = list(source.scan())
        source.metadata()
    except ArchiveBroken:
        found = []
    listed = [one for one in found if isinstance(one, DocumentRef)]
    results = list(source.read(listed))
    assert len(results) == len(listed)
    return results


def test_a_whole_one_is_not_refused(layout, tmp_path, fault_of):
    (tmp_path / "x.zim").write_bytes(layout().sealed())
    assert fault_of(tmp_path / "x.zim") == ""


def at(name, offset=0):
    return lambda archive: getattr(archive, name) + offset


BREAKS = {
    "version": ("unknown-version", lambda _: 4, "H", 7),
    "mime list elsewhere": ("bad-header", lambda _: 56, "Q", 0),
    "directory outside": ("bad-header", lambda _: 32, "Q", 1 << 40),
    "directory in the header": ("bad-header", lambda _: 32, "Q", 8),
    "titles outside": ("bad-header", lambda _: 40, "Q", 1 << 40),
    "clusters outside": ("bad-header", lambda _: 48, "Q", (1 << 64) - 2),
    "too many entries": ("bad-header", lambda _: 24, "I", 4_000_000_000),
    "too many clusters": ("bad-header", lambda _: 28, "I", 4_000_000_000),
    "checksum in the header": ("bad-header", lambda _: 72, "Q", 0),
    "checksum later": ("truncated", lambda _: 72, "Q", 1 << 40),
    "checksum earlier": ("bad-header", lambda _: 72, "Q", 100),
    "entry outside": ("bad-directory", at("paths"), "Q", 1 << 40),
    "entry in the header": ("bad-directory", at("paths", 8), "Q", 0),
    "entry twice": ("bad-directory", at("paths", 8), "Q", None),
    "type not in the list": ("bad-directory", lambda archive: archive.dirents[0], "H", 1234),
    "cluster not there": ("bad-directory", lambda archive: archive.dirents[0] + 8, "I", 1234),
    "title not there": ("bad-title-index", at("titles"), "I", 1234),
    "cluster outside": ("bad-cluster", at("pointers"), "Q", 1 << 40),
    "cluster in the header": ("bad-cluster", at("pointers"), "Q", 3),
    "compression": ("unknown-compression", lambda archive: archive.clusters[0], "B", 9),
}


@pytest.mark.parametrize("name", BREAKS)
def test_one_wrong_number(name, layout, tmp_path, fault_of):
    fault, place, code, value = BREAKS[name]
    archive = layout()
    where = place(archive)
    archive.put(where, code, archive.dirents[0] if value is None else value)
    path = tmp_path / "x.zim"
    path.write_bytes(archive.sealed())
    assert fault_of(path) == fault
    survives(path)


def test_numbers_of_entries_end_with_the_last(layout, tmp_path):
    path = tmp_path / "x.zim"
    path.write_bytes(layout().sealed())
    with closing(Archive(path)) as archive:
        directory = archive.directory
        assert directory.item(len(directory) - 1).path
        for number in (-1, len(directory)):
            with pytest.raises(Unreadable, match="entry"):
                directory.item(number)


@pytest.mark.parametrize("compression", [ZIP, BZIP2, 7])
def test_refuses_compression_that_is_no_longer_in_use(layout, tmp_path, fault_of, compression):
    path = tmp_path / "x.zim"
    path.write_bytes(layout(compression=compression).sealed())
    assert fault_of(path) == "unknown-compression"
    assert {one.fault for one in survives(path)} <= {"unknown-compression"}


@pytest.mark.parametrize(("place", "offset"), [(1, 0), (1, 7), (1, 1 << 30), (5, 0xFFFFFFFF)])
def test_refuses_wrong_offsets_in_a_plain_cluster(layout, tmp_path, fault_of, place, offset):
    archive = layout(compression=PLAIN)
    path = tmp_path / "x.zim"
    path.write_bytes(archive.put(archive.clusters[0] + place, "I", offset).sealed())
    assert fault_of(path) == "bad-cluster"
    survives(path)


@pytest.mark.parametrize(
    ("compression", "data"),
    [
        (ZSTD, b""),
        (ZSTD, b"no such thing"),
        (ZSTD, compress(b"x" * 100_000)[:-3]),
        (ZSTD, compress(b"")),
        (ZSTD, compress(struct.pack("<III", 12, 20, 4_000_000_000))),
        (ZSTD, compress(struct.pack("<III", 12, 50, 20) + bytes(60))),
        (ZSTD, compress(struct.pack("<I", 4_000_000_000))),
        (XZ, b""),
        (XZ, b"no such thing"),
        (XZ, b"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F"),
    ],
)
def test_bad_data_is_the_article_s_problem(entry, written, tmp_path, compression, data):
    path = tmp_path / "x.zim"
    archive = written([entry("a"), entry("b")], compression=compression, packed=data, metadata={})
    path.write_bytes(archive.sealed())
    found = {getattr(one, "fault", "") for one in survives(path)}
    assert "bad-cluster" in found
    assert found <= {"bad-cluster", "nothing-shown"}


def test_a_blob_that_is_not_in_its_cluster(layout, tmp_path):
    archive = layout()
    path = tmp_path / "x.zim"
    path.write_bytes(archive.put(archive.dirents[0] + 12, "I", 99).sealed())
    assert [getattr(one, "fault", "") for one in survives(path)] == ["", "bad-cluster"]


def test_refuses_a_cluster_that_inflates_beyond_its_limit(entry, written, tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "CLUSTER_LIMIT_BYTES", 1 << 20)
    path = tmp_path / "x.zim"
    bomb = compress(bytes(32 << 20), 3)
    path.write_bytes(written([entry("a"), entry("b")], packed=bomb, metadata={}).sealed())
    assert {one.fault for one in survives(path)} == {"too-large"}


def test_a_list_of_types_without_an_end(entry, written, tmp_path, fault_of):
    archive = written([entry("a")])
    archive.bytes[80 : archive.dirents[0]] = b"x" * (archive.dirents[0] - 80)
    path = tmp_path / "x.zim"
    archive.put(32, "Q", archive.paths)
    path.write_bytes(archive.sealed())
    assert fault_of(path) in {"bad-mime-list", "bad-directory"}
    survives(path)


def test_entries_out_of_order(entry, written, tmp_path, fault_of):
    path = tmp_path / "x.zim"
    path.write_bytes(written([entry("b"), entry("a")], ordered=False, metadata={}).sealed())
    assert fault_of(path) == "bad-directory"
    survives(path)


def test_an_entry_without_an_end(entry, written, tmp_path, fault_of):
    archive = written([entry("a" * 300)], metadata={})
    archive.bytes[archive.dirents[0] + 16 :] = b"x" * (len(archive.bytes) - archive.dirents[0] - 16)
    archive.bytes += b"x" * 300_000
    start = len(archive.bytes)
    archive.bytes += struct.pack("<Q", archive.dirents[0]) + b"x" * 99
    archive.put(32, "QQQ", start, 2**64 - 1, start).put(28, "I", 0).put(72, "Q", len(archive.bytes))
    path = tmp_path / "x.zim"
    path.write_bytes(archive.sealed())
    assert fault_of(path) in {"bad-directory", "bad-mime-list"}
    survives(path)


def test_a_wrong_checksum(layout, tmp_path, fault_of):
    data = bytearray(layout().sealed())
    data[-1] ^= 1
    (tmp_path / "x.zim").write_bytes(data)
    assert fault_of(tmp_path / "x.zim") == "wrong-checksum"


def test_titles_out_of_order_explain_a_wrong_checksum(layout, tmp_path, fault_of):
    archive = layout()
    data = bytearray(archive.sealed())
    numbers = struct.unpack_from("<2I", data, archive.titles)
    struct.pack_into("<2I", data, archive.titles, *numbers[::-1])
    (tmp_path / "x.zim").write_bytes(data)
    assert fault_of(tmp_path / "x.zim") == "bad-title-index"


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "not-an-archive"),
        (b"ZIM\x04", "too-small"),
        (b"ZIM\x04" + bytes(36), "too-small"),
        (b"PK", "not-an-archive"),
    ],
)
def test_refuses_what_is_too_short_for_an_archive(tmp_path, fault_of, data, fault):
    (tmp_path / "x.zim").write_bytes(data)
    assert fault_of(tmp_path / "x.zim") == fault


def test_refuses_pipes_folders_and_missing_files(tmp_path, fault_of):
    (tmp_path / "folder.zim").mkdir()
    os.mkfifo(tmp_path / "pipe.zim")
    assert fault_of(tmp_path / "folder.zim") == "not-an-archive"
    assert fault_of(tmp_path / "pipe.zim") == "not-an-archive"
    assert fault_of(tmp_path / "gone.zim") == "unreadable"
    assert fault_of(tmp_path / "gone" / "gone.zimaa") == "unreadable"


def test_cut_short_anywhere(layout, tmp_path, fault_of):
    data = layout().sealed()
    path = tmp_path / "x.zim"
    for size in range(0, len(data), 7):
        path.write_bytes(data[:size])
        assert fault_of(path)
        survives(path)


@pytest.mark.parametrize("with_header", [False, True])
def test_ten_gigabytes_of_nothing_are_refused_at_once(layout, tmp_path, fault_of, with_header):
    path = tmp_path / "x.zim"
    size = 10 << 30
    archive = layout().put(72, "Q", size - 16).put(24, "II", 100_000_000, 10_000_000)
    archive.put(32, "QQQ", 1 << 20, 2 << 30, 4 << 30)
    path.write_bytes(bytes(archive.bytes[:200]) if with_header else b"")
    os.truncate(path, size)
    assert fault_of(path) in {"not-an-archive", "bad-directory", "bad-mime-list"}


def test_any_damage_is_survived(entry, written, tmp_path, fault_of):
    chance = random.Random(7)  # noqa: S311 - to be the same each time
    entries = [entry(f"a{n}", f"<p>Text {n}.", title=f"T{n}", cluster=n % 3) for n in range(9)]
    entries += [entry(f"r{n}", to=f"a{n}") for n in range(4)]
    wholes = [
        written(entries, compression=compression, extended=extended, front=["a1", "a2"]).sealed()
        for compression in (PLAIN, XZ, ZSTD)
        for extended in (False, True)
    ]
    path = tmp_path / "x.zim"
    for _ in range(150):
        data = bytearray(chance.choice(wholes))
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(6, len(data))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        path.write_bytes(data)
        survives(path)
        assert (fault_of(path) == "") == (data in wholes)
