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
from vademecum.stores.edge import EdgeReader, EdgeWriter

DOCUMENTS, DIMENSIONS = 600, 8
MEANING = [1.0] * DIMENSIONS


def dense(chance):
    return [chance.choice([-1, 0, 0.5, 1]) for _ in range(DIMENSIONS)]


@pytest.fixture(scope="module")
def content():
    chance = random.Random(4)
    return {document: dense(chance) for document in range(DOCUMENTS)}


@pytest.fixture(scope="module")
def folder(content, tmp_path_factory):
    place = tmp_path_factory.mktemp("edge")
    writer = EdgeWriter(place, {"name": DIMENSIONS, "other": DIMENSIONS}, DIMENSIONS, DIMENSIONS)
    for document, meaning in content.items():
        writer.add_page(document, {"name": meaning, "other": [0.0] * DIMENSIONS})
        writer.add_passage(document, meaning)
        writer.add_need(document, meaning)
    writer.commit()
    return place


@pytest.fixture
def reader(folder):
    return EdgeReader(folder)


def test_nearest_is_the_inner_product(reader, content):
    chance = random.Random(9)
    asked = dense(chance)
    scores = {
        n: sum(a * b for a, b in zip(asked, one, strict=True)) for n, one in content.items() if any(one)
    }
    assert len(scores) > DOCUMENTS / 2
    for found in (
        reader.nearest("name", asked, DOCUMENTS),
        reader.nearest_passages(asked, DOCUMENTS),
        reader.nearest_needs(asked, DOCUMENTS),
    ):
        assert dict(found) == pytest.approx(scores, abs=1e-3)
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    assert reader.nearness("name", asked, [1, 2, 3]) == pytest.approx(
        {n: scores[n] for n in (1, 2, 3) if n in scores}, abs=1e-3
    )
    assert reader.nearness("other", asked, [1, 2, 3]) == {}


def test_nothing_is_found_for_nothing(reader, tmp_path):
    nothing, some = [0.0] * DIMENSIONS, [1.0] * DIMENSIONS
    assert reader.nearest_passages(nothing, 5) == reader.nearest_needs(nothing, 5) == []
    assert reader.nearest("name", some, 0) == reader.nearest("name", some, 5, []) == []
    assert reader.nearness("name", some, []) == {}
    writer = EdgeWriter(tmp_path, {"name": DIMENSIONS}, DIMENSIONS)
    writer.add_page(0, {"name": nothing})
    writer.commit()
    without = EdgeReader(tmp_path)
    assert without.nearest("name", some, 5) == without.nearest_passages(some, 5) == []
    assert without.nearest_needs(some, 5) == without.similar_words(some, 5) == []
    assert without.need_nearness(some, [0]) == without.passage_nearness(some, [0]) == {}


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_reading_changes_nothing_and_leaves_no_private_folder(folder):
    before = contents(folder)
    opened = EdgeReader(folder)
    assert opened.nearest("name", MEANING, 5)
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
    assert opened.nearest_passages(MEANING, 5)
    assert forgotten(folder) == []
    del opened


SEARCH = """
import sys
from pathlib import Path
from vademecum.stores.edge import EdgeReader
reader = EdgeReader(Path(sys.argv[1]))
print(len(reader.nearest("name", [1.0] * 8, 9)), flush=True)
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
    assert EdgeReader(folder).nearest("name", MEANING, 5)


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
