"""Faults: whatever ends, fills up, breaks or lies, the old generation answers and the next run puts it right."""

# ruff: noqa: S311 - chance is seeded, so that a failure comes again

import errno
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shared import alive, wait_until
from vademecum.core.errors import (
    DiskFull,
    IndexCorrupt,
    IndexMissing,
    SourceError,
    StoreError,
    VademecumError,
)
from vademecum.index import update
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.update import index_sources
from vademecum.testing import MemorySource, document

HERE = Path(__file__).parent
PROGRAM = HERE / "index_pages.py"
CALLS = "fsync,mkdir,rename,renameat2,ftruncate,unlink,unlinkat,rmdir"


@pytest.fixture
def odd_sources(monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    import odd_sources

    return odd_sources


@pytest.fixture
def two_states(make_page):
    """The same sources before and after a change that leaves old segments in use, and makes new ones."""
    before = [make_page(n) for n in range(40)]
    after = [make_page(n, int(n < 2)) for n in range(1, 45)]
    return [MemorySource("a", before), MemorySource("b", before[:5])], [
        MemorySource("a", after),
        MemorySource("b", before[:5]),
    ]


def tidy(generations):
    """Nothing on disk but what the current generation names."""
    manifest = generations.current()
    segments = {place.name for place in (generations.folder / "segments").iterdir()}
    assert segments == {segment.name for segment in manifest.segments}
    assert [place.name for place in (generations.folder / "generations").iterdir()] == [
        f"{manifest.number:06d}"
    ]


def copied(folder, target):
    subprocess.run(["cp", "-r", "--sparse=always", folder, target], check=True)
    return Generations(target)


@pytest.fixture
def pickled(two_states, tmp_path):
    place = tmp_path / "after.pickle"
    place.write_bytes(pickle.dumps(two_states[1]))
    return place


def traced(generations, pages, *flags, output="/dev/null"):
    command = ["strace", "-f", "-o", output, *flags, sys.executable, PROGRAM, generations.folder, pages]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return subprocess.run(command, env=clean, capture_output=True, text=True, check=False)


# --- killed -------------------------------------------------------------------------------------------------------


def calls_that_matter(trace, folder):
    """Which calls of its first process touch the index, as (name, how many of that name came up to it, what)."""
    counts, found, first = {}, [], None
    for line in trace.read_text().splitlines():
        match = re.match(r"(\d+) +(\w+)\((.*)", line)
        if not match:
            continue
        process, name, arguments = match.groups()
        first = first or process
        if process == first:
            counts[name] = counts.get(name, 0) + 1
            if str(folder) in arguments:
                found.append((name, counts[name], arguments))
    return found


@pytest.mark.needs("strace")
@pytest.mark.timeout(300)
def test_killed_at_any_step_the_old_generation_answers_and_the_next_run_finishes(
    folder, two_states, pickled, open_said, tmp_path
):
    base = Generations(folder / "base")
    index_sources(base, two_states[0])
    old = open_said(base)
    rehearsal = copied(base.folder, folder / "rehearsal")
    trace = tmp_path / "trace"
    assert (
        traced(rehearsal, pickled, "-y", f"-e trace={CALLS}".replace(" ", ""), output=trace).returncode == 0
    )
    new = open_said(rehearsal)
    assert new != old
    steps = calls_that_matter(trace, rehearsal.folder)
    swap = next(
        at for at, (_, _, what) in enumerate(steps) if "CURRENT.new" in what and "rename" in steps[at][0]
    )
    assert len(steps) > 30
    around_the_swap = range(swap - 3, swap + 3)
    chosen = sorted({*range(0, len(steps), len(steps) // 6), *around_the_swap, len(steps) - 1})
    outcomes = []
    for at in chosen:
        name, count, _ = steps[at]
        victim = copied(base.folder, folder / "victim")
        done = traced(victim, pickled, f"--inject={name}:signal=SIGKILL:when={count}", f"--trace={name}")
        assert done.returncode != 0, (name, count, done.stdout)
        found = open_said(victim)
        assert found in (old, new)
        outcomes.append(found == new)
        if at != swap:  # which may have been carried out by the time the signal takes effect
            assert outcomes[-1] == (at > swap), (at, swap, name)
        index_sources(victim, two_states[1])
        assert open_said(victim) == new
        tidy(victim)
        assert not (victim.folder / "CURRENT.new").exists()
        shutil.rmtree(victim.folder)
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor, one worker")
def test_a_killed_parent_takes_its_workers_along(generations, make_page, odd_sources, open_said, tmp_path):
    pages = [make_page(n) for n in range(40)]
    index_sources(generations, [MemorySource("a", pages)])
    before = open_said(generations)
    source = odd_sources.Slow("a", [*pages, *(make_page(n) for n in range(40, 900))], log=tmp_path / "log")
    (tmp_path / "pages").write_bytes(pickle.dumps([source]))
    parent = subprocess.Popen([sys.executable, PROGRAM, generations.folder, tmp_path / "pages"])
    try:
        wait_until(lambda: len(source.processes()) == 2)
    finally:
        parent.kill()
        parent.wait()
    workers = source.processes()
    assert str(parent.pid) not in workers
    assert open_said(generations) == before
    wait_until(lambda: not any(map(alive, workers)))
    index_sources(generations, [MemorySource("a", pages)])
    tidy(generations)
    assert open_said(generations) == before


@pytest.mark.parametrize("when", ["scan", "build", "publish", "swapped"])
def test_interrupted_nothing_is_lost(generations, two_states, open_said, monkeypatch, when):
    index_sources(generations, two_states[0])
    old = open_said(generations)

    def interrupt(progress):
        if progress.stage == when:
            raise KeyboardInterrupt

    if when == "swapped":
        sync = update.Generations.publish.__globals__["sync_folder"]

        def interrupted_sync(place):
            sync(place)
            if place == generations.folder:
                raise KeyboardInterrupt

        monkeypatch.setitem(update.Generations.publish.__globals__, "sync_folder", interrupted_sync)
    with pytest.raises(KeyboardInterrupt):
        index_sources(generations, two_states[1], on_progress=interrupt)
    monkeypatch.undo()
    tidy(generations)
    assert (open_said(generations) == old) == (when != "swapped")
    index_sources(generations, two_states[1])
    tidy(generations)
    assert open_said(generations) != old


# --- synced -------------------------------------------------------------------------------------------------------


@pytest.mark.needs("strace")
def test_everything_is_synced_before_the_swap_and_the_swap_after_it(
    generations, two_states, pickled, tmp_path
):
    index_sources(generations, two_states[0])
    kept = set(generations.folder.rglob("*"))
    trace = tmp_path / "trace"
    flags = "--trace=openat,open,creat,fsync,fdatasync,rename,renameat,renameat2,msync,ftruncate"
    assert traced(generations, pickled, "-y", flags, output=trace).returncode == 0
    new = [path for path in generations.folder.rglob("*") if path not in kept and path.name != "CURRENT"]
    synced, written, swapped = {}, {}, None
    for at, line in enumerate(trace.read_text().splitlines()):
        if match := re.search(r"f(?:data)?sync\(\d+<([^>]+)>", line):
            synced.setdefault(match[1], []).append(at)
        elif match := re.search(r'open(?:at)?\(.*"([^"]+)", [^)]*O_(?:WRONLY|RDWR)', line):
            written[match[1]] = at
        elif match := re.search(r'rename\w*\(.*"[^"]*/CURRENT.new", .*"[^"]*/CURRENT"', line):
            assert swapped is None
            swapped = at
    assert swapped
    assert len([path for path in new if path.is_file()]) > 15
    parents = [generations.folder / "segments", generations.folder / "generations"]
    for path in (*new, *parents, generations.folder / "CURRENT.new"):
        before = [at for at in synced.get(str(path), ()) if at < swapped]
        assert before, f"{path} is not synced before the swap"
        assert written.get(str(path), -1) < before[-1], f"{path} is written to after it is synced"
    assert max(synced[str(generations.folder)]) > swapped


# --- full ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leave", [0, 200_000, 3_000_000, 6_000_000])
@pytest.mark.sampled(2)
def test_on_a_full_disk_the_old_generation_answers(small_disk, fill, make_page, open_said, leave):
    generations = Generations(small_disk / "index")
    index_sources(generations, [MemorySource("a", [make_page(n) for n in range(30)])])
    before = open_said(generations)
    undo = fill(small_disk, leave)
    chance = random.Random(leave)
    big = [
        document(
            f"big{n}(1)", *((f"H{h}", [(f"w{chance.getrandbits(40):x} " * 40).strip()]) for h in range(300))
        )
        for n in range(60)
    ]
    with pytest.raises(DiskFull) as caught:
        index_sources(generations, [MemorySource("a", [*(make_page(n) for n in range(30)), *big])])
    assert "full" in caught.value.message
    assert "Free some space" in caught.value.hint
    tidy(generations)
    undo()
    undo = fill(small_disk)
    assert open_said(generations) == before
    undo()
    index_sources(generations, [MemorySource("a", [make_page(n, int(n == 0)) for n in range(30)])])
    tidy(generations)
    assert open_said(generations) != before


def test_a_folder_that_may_not_be_written_is_said(generations, make_page, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreError, match="Permission denied") as caught:
        index_sources(generations, [MemorySource("a", [make_page(1)])])
    assert "permissions" in caught.value.hint


# --- damaged ------------------------------------------------------------------------------------------------------


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def empty(path):
    path.write_bytes(b"")


def remove(path):
    path.unlink()


def scramble(path):
    path.write_bytes(b"\xff\x00{" * 40)


@pytest.fixture(scope="module")
def sound(tmp_path_factory, make_page):
    """A sound index of two segments, with dead documents, to be copied and damaged."""
    place = tmp_path_factory.mktemp("sound") / "index"
    pages = [make_page(n) for n in range(30)]
    index_sources(Generations(place), [MemorySource("a", pages)])
    pages[3] = make_page(3, 1)
    index_sources(Generations(place), [MemorySource("a", pages)])
    return place, [MemorySource("a", pages)]


def put_right(generations, sources, open_said, sound):
    assert index_sources(generations, sources, full=True).published
    assert open_said(generations) == open_said(Generations(sound))
    tidy(generations)


@pytest.mark.parametrize("harm", [cut, flip, empty, remove, scramble], ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("name", ["CURRENT", "manifest.json"])
def test_any_damage_to_what_names_the_index_is_noticed(sound, folder, open_said, name, harm):
    generations = copied(sound[0], folder / "index")
    (place,) = generations.folder.rglob(name)
    harm(place)
    with pytest.raises((IndexCorrupt, IndexMissing)) as caught:
        open_index(generations)
    assert "reindex" in caught.value.hint
    if not isinstance(caught.value, IndexMissing):
        with pytest.raises(IndexCorrupt):
            index_sources(generations, sound[1])
    put_right(generations, sound[1], open_said, sound[0])


@pytest.mark.parametrize("harm", [cut, remove], ids=lambda harm: harm.__name__)
def test_any_file_that_is_cut_or_gone_is_noticed(sound, folder, open_said, harm):
    generations = copied(sound[0], folder / "index")
    files = sorted(path for path in generations.folder.rglob("*") if path.is_file() and path.stat().st_size)
    files = [path for path in files if path.name not in {"CURRENT", "manifest.json", "lock"}]
    assert len(files) > 30
    for path in files:
        aside = folder / "aside"
        path.rename(aside)
        if harm is not remove:
            subprocess.run(["cp", "--sparse=always", aside, path], check=True)
            os.truncate(path, path.stat().st_size // 2)
        with pytest.raises(IndexCorrupt) as caught:
            open_index(generations)
        assert "--full" in caught.value.hint
        if path.parts[-2] in {"flat", "payload_storage"}:
            with pytest.raises(IndexCorrupt):
                index_sources(generations, [MemorySource("a", [])])
        aside.replace(path)
    open_index(generations)
    files[0].unlink()
    put_right(generations, sound[1], open_said, sound[0])


FLIPS = """
import os, random, sys
from pathlib import Path
from vademecum.core.errors import VademecumError
from vademecum.ask.path import ask
from vademecum.ask.kinds import Corpus
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index

folder, chance = Path(sys.argv[1]), random.Random(11)
noticed = tried = 0
files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size and path.name != "lock")
sizes = {path: path.stat().st_size for path in files}
for path in files:
    for _ in range(2 if "flat" in path.parts else 1):
        descriptor = os.open(path, os.O_RDWR)
        head = os.pread(descriptor, 1 << 16, 0).rstrip(b"\\0") or b"\\0"
        at = chance.randrange(len(head))
        os.pwrite(descriptor, bytes([head[at] ^ 1 << chance.randrange(8)]), at)
        print(path, at, file=sys.stderr, flush=True)
        tried += 1
        try:
            index = open_index(Generations(folder))
            ask("how to sort lines with -v", [Corpus(index, 0.0)])
        except VademecumError as error:
            assert error.hint
            noticed += 1
        index = None
        os.pwrite(descriptor, head, 0)
        os.close(descriptor)
        for grown, size in sizes.items():  # of a point with another number the engine makes its tables longer
            if grown.stat().st_size != size:
                os.truncate(grown, size)
open_index(Generations(folder))
print(tried, noticed)
"""


def test_a_flipped_bit_is_named_or_goes_unnoticed_but_never_brings_the_process_down(sound, folder):
    """Only names and sizes are checked; a bit in the middle of a text may well go unnoticed."""
    copy = copied(sound[0], folder / "index").folder
    done = subprocess.run([sys.executable, "-c", FLIPS, copy], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    tried, noticed = map(int, done.stdout.split())
    assert tried > 50
    assert noticed > 8


def test_damaged_words_are_not_carried_into_a_new_segment(sound, folder):
    generations = copied(sound[0], folder / "index")
    texts = max(generations.folder.rglob("texts.bin"), key=lambda path: path.stat().st_size)
    data = texts.read_bytes()
    texts.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    with pytest.raises(IndexCorrupt, match="is not what was written"):
        index_sources(generations, [MemorySource("a", sound[1][0].documents[:20])])


# --- sources and workers ------------------------------------------------------------------------------------------


def pages_with(make_page, count, saying):
    pages = [make_page(n) for n in range(count)]
    pages[count // 2] = document("odd(1)", ("", [saying]))
    return pages


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("Dying", StoreError, "SIGKILL"),
        ("Exiting", StoreError, "status 0"),
        ("Broken", SourceError, "the odd page"),
    ],
)
def test_a_worker_that_fails_is_named_and_none_is_left(  # noqa: PLR0917 - pytest passes them by name
    generations, make_page, odd_sources, open_said, name, error, said
):
    index_sources(generations, [MemorySource("a", [make_page(n) for n in range(30)])])
    before = open_said(generations)
    saying = {"Dying": "die here", "Broken": "break here"}.get(name, "")
    source = getattr(odd_sources, name)("b", pages_with(make_page, 700, saying))
    with pytest.raises(error, match=said) as caught:
        index_sources(generations, [source])
    assert caught.value.hint
    assert open_said(generations) == before
    tidy(generations)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    assert not [child for child in children if "workers" in Path(f"/proc/{child}/cmdline").read_text()]


@pytest.mark.parametrize(
    ("name", "said"), [("Broken", "the odd page"), ("Forgetful", "gave 9 documents for 10")]
)
def test_a_source_that_breaks_its_promises_is_named(generations, make_page, odd_sources, name, said):
    source = getattr(odd_sources, name)("b", pages_with(make_page, 10, "break here"))
    with pytest.raises(SourceError, match=said) as caught:
        index_sources(generations, [source])
    assert "report" in caught.value.hint
    with pytest.raises(IndexMissing):
        open_index(generations)


def test_a_source_that_can_not_be_sent_to_a_worker_is_named(generations, make_page):
    class Local(MemorySource):
        pass

    with pytest.raises(SourceError, match="another process") as caught:
        index_sources(generations, [Local("a", [make_page(n) for n in range(700)])])
    assert "module" in caught.value.hint


SCRIPT = """
from pathlib import Path
import sys
from vademecum.index.generations import Generations
from vademecum.index.update import index_sources
from vademecum.testing import MemorySource, document
pages = [document(f"p{n}(1)", ("", [f"number {n}"])) for n in range(700)]
print(index_sources(Generations(Path(sys.argv[1])), [MemorySource("a", pages)]).documents)
"""


def test_a_plain_script_may_index(generations, tmp_path):
    """One without `if __name__ == "__main__"`, which the workers must not run again."""
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, tmp_path / "script.py", generations.folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "700\n", done.stderr


def test_errors_survive_the_way_from_a_worker():
    for error in (DiskFull("full", hint="free"), SourceError("odd", hint="report")):
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - made a line above
        assert isinstance(copy, VademecumError)
        assert (type(copy), copy.message, copy.hint) == (type(error), error.message, error.hint)
