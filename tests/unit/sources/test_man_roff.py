"""Page sources: encodings, and requests to include."""

import pytest

from vademecum.files.read import Unreadable
from vademecum.sources.man.roff import included, read_source


@pytest.mark.parametrize(
    ("coding", "declared"),
    [
        ("utf-8", ""),
        ("latin-1", ""),
        ("koi8-r", '.\\" -*- coding: koi8-r -*-\n'),
        ("iso8859-2", "'\\\" t -*- mode: nroff; coding: ISO-8859-2-unix -*-\n"),
        ("latin-1", '.\\" -*- coding: no-such-coding -*-\n'),
    ],
)
def test_every_encoding_becomes_utf8(coding, declared, tmp_path):
    words = {"koi8-r": "руководство", "iso8859-2": "příručka"}.get(coding, "Müßiggänger")
    page = tmp_path / "x.1"
    page.write_bytes(declared.encode() + words.encode(coding))
    assert read_source(page, tmp_path) == (declared + words).encode()


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (b".so man1/x.1", "man1/x.1"),
        (b'.\\" comment\n\'\\" t\n\n.so man1/x.1\n', "man1/x.1"),
        (b'. so man1/x.1 \n.\\" comment', "man1/x.1"),
        (b".so man1/x.1\nand text", None),
        (b".sound x", None),
        (b"", None),
    ],
)
def test_a_page_that_is_one_request(source, target):
    assert included(source) == target


def test_includes_stop_growing(tmp_path):
    (tmp_path / "man1").mkdir()
    page = tmp_path / "man1/x.1"
    page.write_bytes(b"word " * 1000 + b"\n.so man1/x.1" * 20 + b"\n")
    with pytest.raises(Unreadable) as caught:
        read_source(page, tmp_path)
    assert caught.value.fault == "too-large"
