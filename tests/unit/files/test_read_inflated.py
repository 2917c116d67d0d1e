"""Compressed files: all of them, damaged ones, and bombs."""

import bz2
import gzip
import lzma
import tracemalloc
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.zstd import compress
from vademecum.files.inflate import read_inflated
from vademecum.files.read import Unreadable
from vademecum.sources.man.roff import LIMIT_BYTES

PACKERS = {
    ".gz": gzip.compress,
    ".bz2": partial(bz2.compress, compresslevel=1),
    ".xz": partial(lzma.compress, preset=1),
    ".zst": compress,
}
CONTENT = b"".join(b"line %d of a page\n" % number for number in range(5000))


@pytest.fixture(params=sorted(PACKERS))
def suffix(request):
    return request.param


def test_content_comes_back(suffix, tmp_path):
    file = tmp_path / f"page{suffix}"
    for content in (CONTENT, b""):
        file.write_bytes(PACKERS[suffix](content))
        assert read_inflated(file, LIMIT_BYTES) == content


def test_several_members_are_one_content(suffix, tmp_path):
    file = tmp_path / f"page{suffix}"
    file.write_bytes(PACKERS[suffix](b"first ") + PACKERS[suffix](b"second"))
    assert read_inflated(file, LIMIT_BYTES) == b"first second"


def test_refuses_a_file_of_very_many_empty_members_at_once(suffix, tmp_path):
    """Each member was copied once for every one before it: 16 MB took hours."""
    empty = PACKERS[suffix](b"")
    file = tmp_path / f"page{suffix}"
    file.write_bytes(empty * (2 * 1024 * 1024 // len(empty)))
    with pytest.raises(Unreadable, match="16") as caught:
        read_inflated(file, LIMIT_BYTES)
    assert caught.value.fault == "damaged-archive"


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])
def test_reports_a_file_that_was_cut_short(suffix, share, tmp_path):
    file = tmp_path / f"page{suffix}"
    packed = PACKERS[suffix](CONTENT)
    file.write_bytes(packed[: int(len(packed) * share)])
    with pytest.raises(Unreadable) as caught:
        read_inflated(file, LIMIT_BYTES)
    assert caught.value.fault == "damaged-archive"


@given(noise=st.binary(min_size=1, max_size=200))
def test_noise_is_damage_never_a_crash(noise, tmp_path_factory):
    file = tmp_path_factory.mktemp("noise")
    for suffix in PACKERS:
        path = file / f"page{suffix}"
        path.write_bytes(noise)
        try:
            read_inflated(path, LIMIT_BYTES)
        except Unreadable as bad:
            assert bad.fault == "damaged-archive"  # noqa: PT017 - noise may be a valid archive, too


def test_a_bomb_is_stopped_before_it_grows(suffix, tmp_path):
    file = tmp_path / f"page{suffix}"
    file.write_bytes(PACKERS[suffix](bytes(32_000_000)))
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable) as caught:
            read_inflated(file, limit_bytes=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000  # xz asks for 8 MB of its own
    finally:
        tracemalloc.stop()
    assert caught.value.fault == "too-large"


def test_the_limit_is_inclusive(tmp_path):
    for suffix, pack in (*PACKERS.items(), ("", bytes)):
        file = tmp_path / f"page{suffix}"
        file.write_bytes(pack(bytes(1000)))
        assert len(read_inflated(file, limit_bytes=1000)) == 1000
        with pytest.raises(Unreadable):
            read_inflated(file, limit_bytes=999)
