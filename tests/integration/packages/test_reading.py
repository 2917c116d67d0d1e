"""Indexes of both kinds, packed in every way: also cut, damaged, endless, and full of entities."""

import gzip
import io
import lzma
from hashlib import sha256

import pytest

from vademecum.core.zstd import compress
from vademecum.desks.composer.packages.inflating import IndexUnusable, inflated
from vademecum.desks.composer.packages.reading import Package, debian_packages, rpm_packages

ENDINGS = ["", ".gz", ".xz", ".zst"]
READERS = {"debian": debian_packages, "rpm": rpm_packages}
LISTED = [("nginx", "1.24-2", {"Provides": "httpd, httpd-cgi (= 1.0),\n nginx-abi"}), ("curl", "8.5-1")]
BOMB = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">]>
<metadata xmlns="http://linux.duke.edu/metadata/common"><package type="rpm"><name>&d;</name></package></metadata>"""


def read(kind, data, **more):
    return list(READERS[kind](inflated(io.BytesIO(data), **more)))


def fault(kind, data, **more):
    with pytest.raises(IndexUnusable) as caught:
        read(kind, data, **more)
    assert caught.value.message.endswith(".")
    return caught.value.fault


@pytest.mark.parametrize("ending", ENDINGS)
def test_debian(made, ending):
    assert read("debian", made.pack(made.debian(LISTED), ending)) == [
        Package("nginx", "1.24-2", ("httpd", "httpd-cgi", "nginx-abi")),
        Package("curl", "8.5-1"),
    ]


@pytest.mark.parametrize("ending", ENDINGS)
def test_rpm(made, ending):
    listed = [
        (
            "kernel",
            "6.6.57.1-6.azl3",
            ["kernel-uname-r", "libx.so.1()(64bit)", "/usr/bin/x", "kernel", "config(kernel)"],
        ),
        ("python3-pip", "24-1", ["pip"]),
    ]
    assert read("rpm", made.pack(made.rpm(listed), ending)) == [
        Package("kernel", "6.6.57.1-6.azl3", ("kernel-uname-r",)),
        Package("python3-pip", "24-1", ("pip",)),
    ]


def test_an_epoch_is_part_of_a_version(made):
    text = made.rpm([("vim", "9.1-2")]).replace(b'epoch="0"', b'epoch="2"')
    assert read("rpm", text) == [Package("vim", "2:9.1-2")]


def test_pieces_may_be_cut_anywhere(made):
    for kind, text in (
        ("debian", made.debian(LISTED)),
        ("rpm", made.rpm([("a", "1-1", ["b"]), ("c", "2-2")])),
    ):
        whole = list(READERS[kind]([text]))
        assert len(whole) == 2
        assert list(READERS[kind](text[at : at + 1] for at in range(len(text)))) == whole


def test_windows_lines_and_no_line_end(made):
    text = made.debian(LISTED).replace(b"\n", b"\r\n").rstrip()
    assert [one.name for one in read("debian", text)] == ["nginx", "curl"]


def test_several_streams_are_one_file(made):
    first, second = made.debian(LISTED[:1]) + b"\n", made.debian(LISTED[1:])
    for pack in (gzip.compress, lzma.compress, compress):
        assert [one.name for one in read("debian", pack(first) + pack(second))] == ["nginx", "curl"]
    assert [one.name for one in read("debian", gzip.compress(first) + bytes(512))] == ["nginx"]  # padded


@pytest.mark.parametrize("ending", ENDINGS[1:])
@pytest.mark.parametrize("kind", READERS)
def test_a_file_that_is_cut_off_is_never_taken_for_whole(made, kind, ending):
    packages = [(f"package-{sha256(bytes([at % 256, at // 256])).hexdigest()}", "1-1") for at in range(300)]
    data = made.pack(getattr(made, kind)(packages), ending)
    for size in (7, len(data) // 2, len(data) - 1):
        assert fault(kind, data[:size]) in {"cut-off", "damaged"}


def test_xml_that_is_cut_off(made):
    text = made.rpm([("a", "1-1"), ("b", "1-1")])
    assert fault("rpm", text[: len(text) // 2]) == "cut-off"
    assert fault("rpm", b"") == "cut-off"


def test_damage_in_the_middle(made):
    data = bytearray(gzip.compress(made.debian([(f"p{at}", "1") for at in range(500)])))
    data[len(data) // 2] ^= 0xFF
    assert fault("debian", bytes(data)) == "damaged"
    assert fault("debian", b"\xfd7zXZ\0" + bytes(100)) == "damaged"
    assert fault("debian", b"\x28\xb5\x2f\xfd" + b"\xff" * 100) == "damaged"


def test_entities_are_refused_before_they_grow():
    assert fault("rpm", BOMB.encode()) == "entities"
    assert fault("rpm", gzip.compress(BOMB.encode())) == "entities"
    outside = BOMB.replace('<!ENTITY a "aaaaaaaaaa">', '<!ENTITY a SYSTEM "file:///etc/passwd">')
    assert fault("rpm", outside.encode()) == "entities"


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_a_few_bytes_do_not_become_all_memory(made, ending):
    bomb = made.pack(bytes(6_000_000), ending)
    assert len(bomb) < 20_000
    assert fault("debian", bomb) == "not-an-index"  # a line as long as that
    assert fault("debian", made.pack(b"\n" * 6_000_000, ending), limit_bytes=1_000_000) == "too-large"
    assert fault("rpm", made.pack(b"<a " + b"x" * 6_000_000, ending)) == "not-an-index"


def test_a_million_empty_streams():
    assert fault("debian", gzip.compress(b"") * 20_000) == "damaged"


def test_what_is_no_index():
    assert fault("debian", b"<html><body>Not found</body></html>\n") == "not-an-index"
    assert fault("rpm", b"<html><body>Not found</body></html>") == "not-an-index"
    assert fault("rpm", b"Package: a\nVersion: 1\n") == "not-an-index"
    assert fault("rpm", b"<a>" * 100) == "not-an-index"


def test_odd_entries_are_passed_over():
    text = (
        b"Version: 1\n\nPackage: ../etc\nVersion: 1\n\nPackage: \xff\xfe\nVersion: 2\n\nPackage: fine\n\n\n\nPackage: "
        + b"x" * 300
    )
    assert read("debian", text) == [Package("fine", "")]
    text = b'<metadata xmlns="http://linux.duke.edu/metadata/common"><package><format><name>inner</name></format></package>'
    assert read("rpm", text + b"<name>outer</name><package><name> a  </name></package></metadata>") == [
        Package("a", "")
    ]


def test_an_empty_index_is_an_index(made):
    assert read("debian", b"") == []
    assert read("debian", gzip.compress(b"")) == []
    assert read("rpm", made.rpm([])) == []
