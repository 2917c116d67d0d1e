"""The machine's own info manuals: each node is a document, and what we cite stands in the file."""

import gzip
import re
from pathlib import Path

import pytest

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.core.passages import OPTION
from vademecum.retrieval.passages.passages import passages_of
from vademecum.sources.info import InfoSource

ROOT = Path("/usr/share/info")
NODE = re.compile(rb"^\x1f\n(?:.*?,)?\s*Node: ([^,\n]+)", re.MULTILINE)
SEE = re.compile(r"\b[Ss]ee\b")


@pytest.fixture(scope="module")
def listed():
    if not ROOT.is_dir():
        pytest.skip("no info manuals on this machine")
    found = list(InfoSource(ROOT, "info").scan())
    if not any(isinstance(one, DocumentRef) for one in found):
        pytest.skip("no info manuals on this machine")
    return found


@pytest.fixture(scope="module")
def documents(listed):
    refs = [one for one in listed if isinstance(one, DocumentRef)]
    return list(InfoSource(ROOT, "info").read(refs))


def inflated(manual):
    files = sorted(ROOT.glob(f"{manual}.info*.gz"))
    if not files:
        pytest.skip(f"no manual of {manual} on this machine")
    return b"\n".join(gzip.decompress(file.read_bytes()) for file in files)


def of(documents, manual):
    return {one.reference: one for one in documents if one.reference.endswith(f"({manual})")}


def fold(text):
    """Text without what is taken away from it: line breaks, quotes of tags, rules, kinds of definitions."""
    return " ".join(
        re.sub(r"[‘’`'\x7f]|-{4,}|^ -- (?:[A-Z]\w+: (?=-))?", "", text, flags=re.MULTILINE).split()
    )


def test_all_are_sound(listed, documents):
    assert [one for one in (*listed, *documents) if isinstance(one, Problem)] == []


@pytest.mark.parametrize("manual", ["coreutils", "find", "grep", "sed", "gettext"])
def test_every_node_but_indexes_is_a_document(documents, manual):
    names = [name.decode() for name in NODE.findall(inflated(manual))]
    found = of(documents, manual)
    assert len(names) > 20
    missing = [name for name in names if f"{name}({manual})" not in found]
    assert [name for name in missing if "ndex" not in name] == []
    assert len(missing) <= 6


@pytest.mark.parametrize("manual", ["coreutils", "find", "grep", "sed", "gettext"])
def test_what_we_cite_stands_in_the_file(documents, manual):
    file = fold(inflated(manual).decode())
    blocks, missing = 0, []
    for document in of(documents, manual).values():
        for block in document.blocks:
            quote = document.text[block.start : block.end]
            if SEE.search(quote):
                continue  # cross references are shown as `info` shows them
            blocks += 1
            if fold(quote) not in file:
                missing.append((document.reference, quote))
    assert blocks > 300
    assert missing == []


def test_cross_references_are_read(documents):
    left = [one.reference for one in documents if re.search(r"\*[Nn]ote\s+[^:]+::", one.text)]
    assert left == []
    assert sum(len(one.links) for one in documents) > len(documents)


def test_options_of_ls(documents):
    found = of(documents, "coreutils")
    if not found:
        pytest.skip("no manual of coreutils on this machine")
    document = found["Which files are listed(coreutils)"]
    options = [document.text[one.start : one.tag_end] for one in passages_of(document) if one.kind == OPTION]
    assert {"-a\n--all", "-R\n--recursive", "--hide=PATTERN"} <= set(options)
    assert document.title == "coreutils: Directory listing > ls invocation > Which files are listed"


def test_tests_of_find_are_options(documents):
    found = of(documents, "find")
    if not found:
        pytest.skip("no manual of find on this machine")
    document = found["Base Name Patterns(find)"]
    options = [document.text[one.start : one.tag_end] for one in passages_of(document) if one.kind == OPTION]
    assert options == ["-name pattern\n-iname pattern"]


def test_what_a_node_is_called(documents):
    found = of(documents, "coreutils")
    if not found:
        pytest.skip("no manual of coreutils on this machine")
    chmod = found["chmod invocation(coreutils)"]
    assert isinstance(chmod, Document)
    assert {"(coreutils)chmod invocation", "chmod(coreutils)"} <= set(chmod.names)
    assert chmod.summary == "Change access permissions."
    assert "File permissions(coreutils)" in chmod.links
    assert found["Mode Structure(coreutils)"].title == "coreutils: File permissions > Mode Structure"
