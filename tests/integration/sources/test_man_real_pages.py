"""The machine's own pages, against what `man` prints."""

import os
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shared import check_blocks
from vademecum.core.documents import Document, DocumentRef
from vademecum.sources.man import ManSource

ROOT = Path("/usr/share/man")
RULES = re.compile("[\u2500-\u257f]")  # of tables: `man` draws them, we leave them out
PAGES = """
    chmod(1) ls(1) cp(1) find(1) tar(1) grep(1) sed(1) ssh(1) git-log(1) bash(1) man(1) dpkg(1) gcc(1) perlrun(1)
    open(2) stat(2) execve(2) socket(2) printf(3) malloc(3) pthread_create(3) null(4) passwd(5) fstab(5) crontab(5)
    systemd.unit(5) regex(7) signal(7) ip(7) mount(8) useradd(8) ldconfig(8)
""".split()  # noqa: SIM905 - a table of forty names reads better as words


@pytest.fixture(scope="module")
def refs():
    if not ROOT.is_dir():
        pytest.skip("no manual pages on this machine")
    source = ManSource(ROOT, "man")
    found = [ref for ref in source.scan() if isinstance(ref, DocumentRef)]
    if len(found) < 100:
        pytest.skip("hardly any manual pages on this machine")
    return found


@pytest.fixture(scope="module")
def sample(refs):
    """Well-known pages, and others from everywhere, always the same ones."""
    known = [ref for ref in refs if not set(PAGES).isdisjoint(ref.names)]
    return known + random.Random(5).sample(refs, 30)  # noqa: S311 - to be the same each time


def fold(text):
    return " ".join(RULES.sub("", text).split())


def shown_by_man(ref):
    command = ["man", "--nh", "--nj", "-l", str(ROOT / ref.key)]
    environment = {**os.environ, "MANWIDTH": "1000", "LC_ALL": "C.UTF-8"}
    return subprocess.run(command, env=environment, capture_output=True, check=True).stdout.decode()


@pytest.mark.needs("mandoc", "man")
def test_what_we_cite_is_what_man_prints(sample):
    if "usage" in subprocess.run(["man", "--version"], capture_output=True, text=True, check=False).stderr:
        pytest.skip("this man is not man-db")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        printed = list(pool.map(shown_by_man, sample))
    blocks, missing = 0, []
    for document, output in zip(ManSource(ROOT, "man").read(sample), printed, strict=True):
        assert isinstance(document, Document)
        page = fold(output)
        for block in document.blocks:
            quote = document.text[block.start : block.end]
            blocks += 1
            if fold(quote) not in page:
                missing.append((document.reference, quote))
    assert blocks > 1000
    assert len(missing) / blocks < 0.01, missing


@pytest.mark.needs("mandoc", "groff")
def test_both_renderers_give_the_same_text(sample, only):
    source = ManSource(ROOT, "man")
    only("mandoc")
    with_mandoc = list(source.read(sample))
    only("groff")
    assert "groff" in source.parser
    with_groff = list(source.read(sample))
    different = [
        one.reference
        for one, other in zip(with_mandoc, with_groff, strict=True)
        if fold(one.text) != fold(other.text)
    ]
    assert len(sample) >= 30
    assert len(different) <= len(sample) * 0.06, different


@pytest.mark.needs("mandoc")
def test_every_block_is_well_formed(refs):
    pages = random.Random(6).sample(refs, min(600, len(refs)))  # noqa: S311 - to be the same each time
    count = 0
    for document in ManSource(ROOT, "man").read(pages):
        assert isinstance(document, Document), document
        check_blocks(document)
        options = [block for block in document.blocks if document.text[block.start] == "-"]
        assert all(block.anchor for block in options if block.kind == "item")
        count += len(document.blocks)
    assert count > 10_000


@pytest.mark.needs("mandoc")
def test_options_are_addressed_as_people_do(refs):
    chosen = [ref for ref in refs if "chmod(1)" in ref.names]
    if not chosen:
        pytest.skip("no chmod(1) on this machine")
    (document,) = ManSource(ROOT, "man").read(chosen)
    anchors = {block.anchor: block for block in document.blocks if block.kind == "item"}
    block = anchors["R"]
    assert document.text[block.start : block.tag_end] == "-R, --recursive"
    assert "SETUID_AND_SETGID_BITS" in {one.anchor for one in document.blocks}
    assert document.summary == "change file mode bits"
