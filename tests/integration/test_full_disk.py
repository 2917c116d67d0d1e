"""A full disk, whatever is being done: it is said with a way out, and what was there is there and answers.

What the rest of the index does on one is in `test_faults`, what the logs do in `tests/integration/library/test_audit`.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import run_command
from vademecum import Library, Places
from vademecum.core.errors import DiskFull
from vademecum.index.generations import Generations
from vademecum.library.audit import recent

MANUAL = Path(__file__).parents[1] / "data" / "manual"
QUESTION = "How do I change file permissions?"
FAILED, UNUSABLE = 1, 2
NO_ROOM = "No space left on device"

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture(scope="module")
def settled(tmp_path_factory):
    """A library that the others are copies of; pages were added since it was indexed."""
    folder = tmp_path_factory.mktemp("settled")
    shutil.copytree(MANUAL, folder / "manual")
    home = Home(folder / "home", folder / "manual")
    home.places.data.mkdir(parents=True)
    home.places.catalog_file.write_text('{"format": 2, "generation": 0, "sources": []}')
    for command in (["init"], ["sources", "add", home.manual], ["reindex"]):
        assert home.run("ragadmin", *command).returncode == 0
    for number in range(40):
        (home.manual / f"man1/well{number}.1").write_text(
            f".TH WELL{number} 1\n.SH NAME\nwell{number} \\- measure the depth of well {number}\n"
        )
    return home


@pytest.fixture
def home(settled, small_disk):
    return settled.copy(small_disk)


@pytest.fixture(scope="module")
def needed(settled, tmp_path_factory, mounted):
    """How many bytes the pages that were added need in the index."""
    with mounted(tmp_path_factory.mktemp("needed")) as disk:
        home = settled.copy(disk)
        segments = home.places.index_folder / "segments"
        before = {place.name for place in segments.iterdir()}
        assert home.run("ragadmin", "reindex").returncode == 0
        made = [file for place in segments.iterdir() if place.name not in before for file in place.rglob("*")]
        assert made
        return sum(file.stat().st_blocks * 512 for file in made)


class Home:
    """A library, and the pages that it is made of, which are elsewhere."""

    def __init__(self, folder, manual):
        self.folder, self.manual = folder, manual
        self.places = Places(folder / "data/ragcli", folder / "config/ragcli")

    def copy(self, folder):
        """Most bytes of an index are holes, which only `cp` knows to leave out."""
        for name in ("data", "config"):
            subprocess.run(["cp", "--archive", "--sparse=always", self.folder / name, folder], check=True)
        return Home(folder, self.manual)

    def run(self, program, *arguments, before=()):
        own = {f"XDG_{name.upper()}_HOME": f"{self.folder}/{name}" for name in ("data", "config")}
        if not before:
            return run_command(program, *map(str, arguments), env=os.environ | own)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        command = [*before, sys.executable, "-m", f"vademecum.cli.{program}", *map(str, arguments)]
        done = subprocess.run(
            command, env=kept | own, capture_output=True, text=True, check=False, timeout=60
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def answer(self):
        """What a person is told, but for the warning that pages changed."""
        done = self.run("ragman", QUESTION)
        assert done.returncode == 0, done.stderr
        assert "chmod(1)" in done.stdout
        return [line for line in done.stdout.splitlines() if not line.startswith("_Warning")]

    def state(self):
        """All that must outlast a full disk: catalog, configuration, what the index holds, what it answers."""
        current = Generations(self.places.index_folder).current()
        files = (self.places.catalog_file, self.places.settings_file)
        return [file.read_bytes() for file in files], current, self.answer()

    def recovers(self, room):
        """With room again, the next run does what was to be done."""
        room()
        done = self.run("ragadmin", "reindex")
        assert done.returncode == 0, done.stderr
        assert Library.open(self.places).source("manual").documents == 44
        current = Generations(self.places.index_folder).current()
        found = {place.name for place in (self.places.index_folder / "segments").iterdir()}
        assert found == {segment.name for segment in current.segments}
        assert not [*self.places.data.rglob("*.new")], "nothing is left lying about"
        self.answer()


# --- indexing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["scan", "build", "publish"])
def test_filled_at_any_stage_of_a_reindex_the_old_index_answers(fill, home, stage):
    before, undo = home.state(), []

    def fill_up(progress):
        if progress.stage == stage and not undo:
            undo.append(fill(home.folder))

    with pytest.raises(DiskFull) as caught:
        Library.open(home.places).reindex(on_progress=fill_up)
    assert "full" in caught.value.message
    assert "Free some space" in caught.value.hint
    assert undo, "it was full"
    assert home.state() == before
    home.recovers(*undo)


@pytest.mark.parametrize("share", [0, 0.05, 0.4])
def test_ragadmin_says_that_the_disk_is_full(fill, home, needed, share):
    """With room for so much of what would be written; the engine sets aside more than it comes to use."""
    before = home.state()
    undo = fill(home.folder, int(needed * share))
    done = home.run("ragadmin", "reindex", "--json")
    assert done.returncode == FAILED
    assert "is full; the index is as it was." in done.stderr
    assert "Free some space, then run: ragadmin reindex" in done.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["state"], last["error"]["code"]) == ("failed", "DISK_FULL")
    assert home.state() == before
    health = home.run("ragadmin", "health", "--json")
    (capacity,) = [
        one for one in json.loads(health.stdout)["components"] if one["component"] == "disk_capacity"
    ]
    assert (capacity["severity"], health.returncode) == ("fail", FAILED)
    home.recovers(undo)


def test_the_first_index_finds_no_room(fill, home):
    shutil.rmtree(home.places.index_folder)
    undo = fill(home.folder)
    done = home.run("ragadmin", "reindex")
    assert (done.returncode, "Free some space" in done.stderr) == (FAILED, True)
    done = home.run("ragman", QUESTION)
    assert done.returncode == 4
    assert "ragadmin reindex" in done.stderr
    home.recovers(undo)


def test_filled_when_only_the_catalog_is_still_to_be_written_it_is_set_right_later(fill, home, tmp_path):
    """The index is on a disk with room, so it is published; the catalog is not."""
    catalog = home.places.catalog_file.read_bytes()
    shutil.move(home.places.index_folder, tmp_path / "index")
    home.places.index_folder.symlink_to(tmp_path / "index")
    undo = fill(home.folder)
    done = home.run("ragadmin", "reindex")
    assert done.returncode == UNUSABLE
    assert f"cannot be written: {NO_ROOM}." in done.stderr
    assert "the free space on the disk" in done.stderr
    assert home.places.catalog_file.read_bytes() == catalog
    assert Generations(home.places.index_folder).current().documents == 44
    assert "depth of well 7" in home.run("ragman", "--json", "measure the depth of well 7 with well7").stdout
    home.recovers(undo)
    trace = recent(home.places)[-1]["trace_id"]
    lines = [line for line in recent(home.places) if line["trace_id"] == trace]
    assert [line["message"] for line in lines if line["action"] == "recovery"] == [
        "An earlier run was cut short before it had written the catalog, which was put right.",
        "manual was noted as active with 4 documents and is active with 44.",
    ]


# --- sources ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("add", "{}/notes"), ("update", "manual", "--notes", "mine")])
def test_the_catalog_outlasts_a_change_that_finds_no_room(fill, home, tmp_path, arguments):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/seal.md").write_text("# Sealing\n\nAn envelope is sealed with wax.\n")
    before = home.state()
    undo = fill(home.folder)
    command = ["sources", *(one.format(tmp_path) for one in arguments)]
    done = home.run("ragadmin", *command)
    assert (done.returncode, done.stdout) == (UNUSABLE, "")
    assert f"catalog.json, cannot be written: {NO_ROOM}." in done.stderr
    assert "the free space on the disk" in done.stderr
    assert home.state() == before
    undo()
    assert home.run("ragadmin", *command).returncode == 0


def test_a_source_is_not_half_removed(fill, home):
    before = home.state()
    undo = fill(home.folder)
    done = home.run("ragadmin", "sources", "remove", "manual")
    assert done.returncode == FAILED
    assert "Free some space" in done.stderr
    assert home.state() == before
    undo()
    assert home.run("ragadmin", "sources", "remove", "manual").returncode == 0
    assert Library.open(home.places).sources() == []


# --- init, and the audit log ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leave", [0, 4096])
def test_init_finds_no_room(fill, small_disk, leave):
    home = Home(small_disk, None)
    undo = fill(home.folder, leave)
    done = home.run("ragadmin", "init")
    assert done.returncode == UNUSABLE
    assert NO_ROOM in done.stderr
    assert "free space" in done.stderr.splitlines()[-1]
    assert not home.places.catalog_file.exists()
    undo()
    assert home.run("ragadmin", "init").returncode == 0
    assert "confidence_threshold: 0.35" in home.places.settings_file.read_text()
    assert [entry.alias for entry in Library.open(home.places).sources()] == ["man-pages", "info-pages"]


def test_what_finds_no_room_in_the_audit_log_is_done_all_the_same_and_said(fill, home):
    before = home.state()
    log = home.places.audit_log
    with log.open("a") as file:  # up to the end of a page of memory, which is what this file system gives out
        file.write(json.dumps({"action": "x" * ((-log.stat().st_size - 15) % 4096)}) + "\n")
    assert log.stat().st_size % 4096 == 0
    said = log.read_bytes()
    undo = fill(home.folder)
    done = home.run("ragadmin", "init")
    assert done.returncode == 0
    assert done.stdout.count("kept ") == 5
    assert f"The audit log {log} cannot be written: {NO_ROOM}." in done.stderr
    assert log.read_bytes() == said
    assert home.state() == before
    undo()
    assert home.run("ragadmin", "init").stderr == ""
    assert [line["action"] for line in recent(home.places)][-1] == "init"


# --- for whoever may not mount ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kilobytes", [1, 4])
def test_files_that_may_not_grow_are_as_a_full_disk(settled, tmp_path, kilobytes):
    """The system refuses to make any file longer than that; it says so with another word than of a full disk."""
    (tmp_path / "disk").mkdir()
    home = settled.copy(tmp_path / "disk")
    before = home.state()
    limited = ["sh", "-c", f'ulimit -f {kilobytes * 2}; exec "$@"', "sh"]
    done = home.run("ragadmin", "reindex", before=limited)
    assert done.returncode == FAILED
    assert "File too large" in done.stderr
    assert "Check " in done.stderr.splitlines()[-1]
    assert home.state() == before
    home.recovers(lambda: None)
