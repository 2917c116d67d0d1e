"""The search engine finds what adding up by hand finds."""

# ruff: noqa: S311 - chance is seeded, so that a failure comes again

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum.core.errors import DiskFull, IndexCorrupt, StoreError
from vademecum.core.passages import SparseVector
from vademecum.stores.edge import EdgeReader, EdgeWriter

DOCUMENTS, VOCABULARY = 600, 200
DIMENSIONS = 8


def vector(chance, length):
    terms = sorted(chance.sample(range(VOCABULARY), length))
    return SparseVector(terms, [chance.randint(1, 1100) / 512 for _ in terms])


def dense(chance):
    return [chance.choice([-1, 0, 0.5, 1]) for _ in range(DIMENSIONS)]


@pytest.fixture(scope="module")
def content():
    chance = random.Random(4)
    pages = {document: vector(chance, chance.randint(1, 30)) for document in range(DOCUMENTS)}
    texts = {text: vector(chance, chance.randint(1, 12)) for text in range(2 * DOCUMENTS)}
    return pages, texts, {document: dense(chance) for document in range(DOCUMENTS)}


@pytest.fixture(scope="module")
def folder(content, tmp_path_factory):
    pages, texts, meanings = content
    place = tmp_path_factory.mktemp("edge")
    writer = EdgeWriter(place, {"name": DIMENSIONS, "other": DIMENSIONS}, DIMENSIONS)
    for document, words in pages.items():
        writer.add_page(document, words, {"name": meanings[document], "other": [0.0] * DIMENSIONS})
        for text in (2 * document, 2 * document + 1):
            writer.add_passage(text, texts[text])
    writer.commit()
    return place


@pytest.fixture
def reader(folder):
    return EdgeReader(folder)


def by_hand(vectors, query):
    asked = dict(zip(*query, strict=True))
    scores = {
        number: sum(asked[term] * weight for term, weight in zip(*one, strict=True) if term in asked)
        for number, one in vectors.items()
    }
    return sorted(((n, s) for n, s in scores.items() if s), key=lambda pair: (-pair[1], pair[0]))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("limit", [1, 20, 10_000])
def test_search_is_the_dot_product(reader, content, seed, limit):
    query = vector(random.Random(seed), 1 + 2 * seed)
    for found, vectors in (
        (reader.pages(query, limit), content[0]),
        (reader.passages(query, limit), content[1]),
    ):
        wanted = by_hand(vectors, query)
        assert len(found) == min(limit, len(wanted)) > 0
        assert [score for _, score in found] == pytest.approx(
            [score for _, score in wanted[:limit]], abs=1e-3
        )
        exact = dict(wanted)
        assert all(score == pytest.approx(exact[number], abs=1e-3) for number, score in found)
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))


def test_term_weights_are_as_written(reader, content):
    numbers, terms = [3, 5, *range(50), 599], [0, 7, 50, 199, 12_345]
    for found, vectors in (
        (reader.page_terms(numbers, terms), content[0]),
        (reader.passage_terms(numbers, terms), content[1]),
    ):
        wanted = [
            {n: w for n in set(numbers) for t, w in zip(*vectors[n], strict=True) if t == term}
            for term in terms
        ]
        assert any(wanted)
        assert found == wanted


def test_nearest_is_the_inner_product(reader, content):
    chance = random.Random(9)
    asked = dense(chance)
    scores = {
        n: sum(a * b for a, b in zip(asked, one, strict=True)) for n, one in content[2].items() if any(one)
    }
    found = reader.nearest("name", asked, DOCUMENTS)
    assert dict(found) == pytest.approx(scores, abs=1e-3)
    assert len(found) == len(scores) > DOCUMENTS / 2
    assert reader.nearness("name", asked, [1, 2, 3]) == pytest.approx(
        {n: scores[n] for n in (1, 2, 3) if n in scores}, abs=1e-3
    )
    assert reader.nearness("other", asked, [1, 2, 3]) == {}


def test_nothing_is_found_for_nothing(reader):
    nothing, unknown = SparseVector([], []), SparseVector([VOCABULARY + 5], [1.0])
    assert reader.pages(nothing, 10) == reader.passages(nothing, 10) == []
    assert reader.pages(unknown, 10) == reader.passages(unknown, 10) == []
    assert reader.pages(SparseVector([1], [1.0]), 0) == []
    assert reader.page_terms([], [1]) == [{}]
    assert reader.page_terms([1], []) == []


def test_empty_vectors_are_left_out(tmp_path):
    writer = EdgeWriter(tmp_path, {"name": DIMENSIONS}, DIMENSIONS)
    writer.add_page(0, SparseVector([], []), {"name": [1.0] * DIMENSIONS})
    writer.add_passage(0, SparseVector([], []))
    writer.commit()
    opened = EdgeReader(tmp_path)
    assert opened.pages(SparseVector([1], [1.0]), 5) == opened.passages(SparseVector([1], [1.0]), 5) == []
    assert opened.nearest("name", [1.0] * DIMENSIONS, 5) == []


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_reading_changes_nothing_and_leaves_no_private_folder(folder):
    before = contents(folder)
    opened = EdgeReader(folder)
    assert opened.pages(SparseVector([1], [1.0]), 5)
    del opened
    assert len(before) > 20
    assert contents(folder) == before
    assert list(Path(os.environ["XDG_RUNTIME_DIR"]).iterdir()) == []


def forgotten(folder):
    """The files of which the page cache no longer has the beginning."""
    found = []
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.stat().st_size:
            with file.open("rb") as opened:
                try:
                    os.preadv(opened.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
                except BlockingIOError:
                    found.append(str(file.relative_to(folder)))
    return found


def test_what_was_opened_is_not_read_from_the_disk_again(folder, on_disk):
    folder = shutil.copytree(folder, on_disk / "edge")
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())  # what has still to be written can not be forgotten
                opened.read()
    assert forgotten(folder) == []
    opened = EdgeReader(folder)
    assert opened.passages(SparseVector([1], [1.0]), 5)
    assert forgotten(folder) == []
    del opened


SEARCH = """
import sys
from pathlib import Path
from vademecum.core.passages import SparseVector
from vademecum.stores.edge import EdgeReader
reader = EdgeReader(Path(sys.argv[1]))
print(len(reader.pages(SparseVector([1, 2, 3], [1.0, 1.0, 1.0]), 9)), flush=True)
sys.stdin.read()
"""


def test_a_folder_that_may_not_be_written_is_read(folder):
    command = [sys.executable, "-c", SEARCH, folder]
    if os.geteuid() == 0:  # whom permissions do not stop
        mount = 'mount --bind -o ro "$1" "$1" && shift && exec "$@"'
        command = ["unshare", "--mount", "sh", "-c", mount, "sh", folder, *command]
    else:
        for place in (folder, *folder.rglob("*")):
            place.chmod(0o555 if place.is_dir() else 0o444)
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["9"], done.stderr


def test_processes_open_a_shard_at_once(folder):
    start = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen([sys.executable, "-c", SEARCH, folder], **start) for _ in range(3)]
    try:
        assert [process.stdout.readline() for process in processes] == ["9\n"] * 3
    finally:
        ended = [process.communicate()[0] for process in processes]
    assert ended == [""] * 3
    assert [process.returncode for process in processes] == [0] * 3


def test_a_runtime_folder_that_can_not_be_used_does_not_matter(folder, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/proc")
    assert EdgeReader(folder).pages(SparseVector([1], [1.0]), 5)


def test_no_folder_that_can_be_used_is_said(folder, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/proc")
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/proc")
    monkeypatch.setattr("vademecum.stores._private.SHARED_MEMORY", "/proc")
    with pytest.raises(StoreError, match="/proc") as caught:
        EdgeReader(folder)
    assert "XDG_RUNTIME_DIR" in caught.value.hint


def test_a_shard_that_is_gone_is_no_riddle(tmp_path):
    with pytest.raises(FileNotFoundError):
        EdgeReader(tmp_path)


def test_the_engines_own_refusals_are_errors_with_a_hint(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "segments").mkdir()
    (tmp_path / "pages" / "edge_config.json").write_text("{")
    with pytest.raises(IndexCorrupt) as caught:
        EdgeReader(tmp_path)
    assert "--full" in caught.value.hint


def test_an_engine_that_panics_is_an_error_with_a_hint(folder, tmp_path):
    """Its panics are no `Exception`."""
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", "--sparse=always", folder, copy], check=True)
    broken = 0
    for flags in copy.glob("p*/segments/*/vector_storage-*/deleted/status.dat"):
        flags.write_bytes(b"")
        broken += 1
    assert broken
    with pytest.raises(IndexCorrupt):
        EdgeReader(copy)


def test_a_full_disk_is_said(tmp_path):
    writer = EdgeWriter(tmp_path, {"name": DIMENSIONS}, DIMENSIONS)._pages
    for said in ("No space left on device (os error 28)", "Not enough space available for optimization"):
        assert isinstance(writer._refused(RuntimeError(said)), DiskFull)
    assert not isinstance(writer._refused(RuntimeError("odd")), DiskFull)
