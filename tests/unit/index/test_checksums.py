"""Checksums: another one whenever a source may have changed, the same one as long as it has not."""

import hashlib
import os

import pytest

from vademecum.core.errors import SourceError
from vademecum.index.catalog import checksums
from vademecum.index.catalog.checksums import checksum_of


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a/one").write_bytes(b"one")
    (tmp_path / "a/deep/two").write_bytes(b"two!")
    return tmp_path / "a"


def test_a_files_checksum_is_that_of_its_bytes(tmp_path):
    data = os.urandom(3_000_000)
    (tmp_path / "a.zim").write_bytes(data)
    assert checksum_of(tmp_path / "a.zim") == (hashlib.sha256(data).hexdigest(), len(data))


def test_an_archive_in_parts_has_one_checksum(tmp_path):
    for part, data in (("aa", b"1"), ("ab", b"22"), ("ac", b"333")):
        (tmp_path / f"w.zim{part}").write_bytes(data)
    (tmp_path / "w.zimaa.md5").touch()
    assert checksum_of(tmp_path / "w.zimaa") == (hashlib.sha256(b"122333").hexdigest(), 6)


def test_a_folders_checksum_stays_as_long_as_its_files(folder):
    first = checksum_of(folder)
    assert first.size_bytes == 7
    assert checksum_of(folder) == first
    os.utime(folder / "deep", ns=(1, 1))
    assert checksum_of(folder) == first


@pytest.mark.parametrize("change", ["add", "remove", "rename", "write", "rights", "deep"])
def test_every_change_gives_a_folder_another_checksum(folder, change):
    first = checksum_of(folder)
    state = (folder / "one").stat()
    if change == "add":
        (folder / "three").touch()
    elif change == "remove":
        (folder / "one").unlink()
    elif change == "rename":
        (folder / "one").rename(folder / "uno")
    elif change == "write":
        (folder / "one").write_bytes(b"ONE")
        os.utime(folder / "one", ns=(state.st_atime_ns, state.st_mtime_ns))
    elif change == "rights":
        (folder / "one").chmod(0o600 if state.st_mode & 0o077 else 0o644)
    else:
        (folder / "deep/two").write_bytes(b"three")
    assert checksum_of(folder).checksum != first.checksum


def test_loops_and_dangling_links_do_no_harm(folder):
    (folder / "loop").symlink_to(folder)
    (folder / "gone").symlink_to("nowhere")
    (folder / "self").symlink_to("self")
    os.mkfifo(folder / "pipe")
    assert checksum_of(folder) == checksum_of(folder)


def test_very_deep_folders_do_no_harm(tmp_path):
    place = tmp_path
    for _ in range(400):
        place = place / "d"
    place.mkdir(parents=True)
    assert checksum_of(tmp_path).size_bytes == 0


def test_names_a_missing_place(tmp_path):
    with pytest.raises(SourceError, match="gone"):
        checksum_of(tmp_path / "gone")


def test_reports_progress_of_a_large_file(tmp_path, monkeypatch):
    monkeypatch.setattr(checksums, "_EVERY_S", 0)
    with (tmp_path / "a.zim").open("wb") as file:
        file.truncate(1 << 23)
    reports = []
    checksum_of(tmp_path / "a.zim", lambda done, total: reports.append((done, total)))
    assert reports
    assert all(0 < done <= total == 1 << 23 for done, total in reports)
    assert reports == sorted(reports)
