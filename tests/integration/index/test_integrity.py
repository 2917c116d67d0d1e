"""Checksums of the index's files: every kind of damage shows, holes or not."""

import os
import random

import pytest

from vademecum.index.integrity import FILE, Verified, file_checksum, verify, write_checksums

MIB = 1 << 20


def sizes(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.stat().st_size for path in files}


@pytest.fixture
def folder(tmp_path):
    """Files as an index has them: short, long, empty, and mostly holes."""
    place = tmp_path / "index"
    (place / "deep").mkdir(parents=True)
    chance = random.Random(5)  # noqa: S311 - seeded, so that a failure comes again
    (place / "short").write_bytes(b"x")
    (place / "empty").write_bytes(b"")
    (place / "long").write_bytes(chance.randbytes(3 * MIB + 17))
    (place / "deep/plain").write_bytes(b"data" * 99)
    (place / "zeros").write_bytes(bytes(MIB))
    write_checksums(place)
    return place


def test_what_was_written_is_found_to_be_so(folder):
    assert verify(folder, sizes(folder)) == Verified(6, (), 0)


@pytest.mark.parametrize("name", ["short", "long", "deep/plain", "zeros", FILE])
def test_one_bit_anywhere_shows(folder, name):
    known = sizes(folder)
    path = folder / name
    chance = random.Random(name)  # noqa: S311 - as above
    size = path.stat().st_size
    places = {0, size - 1, size // 2, *(chance.randrange(size) for _ in range(10))}
    for at in places:
        with path.open("r+b", buffering=0) as file:
            before = os.pread(file.fileno(), 1, at)
            os.pwrite(file.fileno(), bytes([before[0] ^ 1 << chance.randrange(8)]), at)
            assert verify(folder, known).damaged, at
            os.pwrite(file.fileno(), before, at)
    assert verify(folder, known).damaged == ()


@pytest.mark.parametrize("name", ["short", "empty", "long", "deep/plain", "zeros", FILE])
def test_a_file_that_is_gone_cut_or_longer_shows(folder, name):
    known = sizes(folder)
    path = folder / name
    data = path.read_bytes()
    path.unlink()
    assert f"{path} cannot be read: No such file or directory." in verify(folder, known).damaged
    path.mkdir()
    assert verify(folder, known).damaged
    path.rmdir()
    for other in {data[: len(data) // 2], data + b"\0"} - {data}:
        path.write_bytes(other)
        said = f"{path} has {len(other):,} bytes; {len(data):,} were written."
        assert said in verify(folder, known).damaged


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"short": 1}', "[" * 10_000])
def test_checksums_that_are_none_are_damage(folder, text):
    (folder / FILE).write_text(text)
    assert verify(folder, sizes(folder)).damaged


def test_blocks_that_changed_places_show(folder):
    path = folder / "long"
    data = path.read_bytes()
    path.write_bytes(data[1 << 16 : 2 << 16] + data[: 1 << 16] + data[2 << 16 :])
    assert verify(folder, sizes(folder)).damaged == (f"{path} is not what was written.",)


def test_files_of_an_earlier_version_have_their_sizes_alone(folder):
    (folder / FILE).unlink()
    known = sizes(folder)
    assert verify(folder, known) == Verified(5, (), 5)
    (folder / "short").write_bytes(b"xy")
    assert len(verify(folder, known).damaged) == 1


def test_empty_files_of_different_lengths_differ(tmp_path):
    for size in (0, 1, MIB):
        (tmp_path / str(size)).write_bytes(bytes(size))
    assert len({file_checksum(tmp_path / str(size)) for size in (0, 1, MIB)}) == 3
