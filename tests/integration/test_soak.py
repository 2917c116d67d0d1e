"""Killed again and again while it reindexes sources that change: the index answers, and nothing is lost or doubled.

`make soak` does it 200 times. `KILLS` says how often, `SEED` which chance: a failure names both.
"""

# ruff: noqa: S311 - chance is seeded, so that a failure comes again

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from libzim.writer import Creator

from shared import alive, wait_until
from vademecum import Places
from vademecum.core.documents import Document, DocumentRef
from vademecum.index.catalog.catalog import Catalog
from vademecum.index.catalog.source_types import open_source
from vademecum.index.generations import Generations
from vademecum.index.segments import open_flat
from vademecum.library.audit import recent
from vademecum.library.health.index import index_integrity
from zim_pages import Page

KILLS = int(os.environ.get("KILLS", "4"))
SEED = int(os.environ.get("SEED", "20"))
DATA = Path(__file__).parents[1] / "data"
QUESTION = "How do I change file permissions?"
SHORT_PAGES = 620
"""So many are read by two processes, when all are."""
PATIENCE_S = 60

pytestmark = [pytest.mark.soak, pytest.mark.needs("mandoc"), pytest.mark.timeout(120 + 30 * KILLS)]


class Sources:
    """A place of each type, and changes to them."""

    def __init__(self, folder, chance):
        self.folder, self.chance, self.version = folder, chance, 0
        shutil.copytree(DATA / "manual", folder / "manual")
        for name in ("notes", "pages/common", "info"):
            (folder / name).mkdir(parents=True)
        for number in range(SHORT_PAGES):
            self.short_page(number)
        for number in range(30):
            self.note(number)
            self.page(number)
        self.info()
        self.archive()

    def all(self):
        return [self.folder / name for name in ("manual", "info", "handbook.zim", "pages", "notes")]

    def change(self):
        self.version += 1
        kinds = [self.page, self.note, self.short_page, self.info, self.archive]
        for change in self.chance.sample(kinds, self.chance.randint(1, 3)):
            for _ in range(self.chance.randint(1, 4) if change not in {self.info, self.archive} else 1):
                change()

    def written(self, path, text, number):
        """Written again; or deleted, when no number is given and chance will have it."""
        if number is None and self.chance.random() < 0.3:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text)

    def any(self, number, most):
        return self.chance.randrange(most) if number is None else number

    def page(self, number=None):
        n = self.any(number, 40)
        text = f".TH TOOL{n} 1\n.SH NAME\ntool{n} \\- turn wheel {n}\n.SH DESCRIPTION\nIt is of make {self.version}.\n"
        self.written(self.folder / f"manual/man1/tool{n}.1", text, number)

    def note(self, number=None):
        n = self.any(number, 40)
        self.written(self.folder / f"notes/n{n}.md", f"# Note {n}\n\nIt is of day {self.version}.\n", number)

    def short_page(self, number=None):
        n = self.any(number, SHORT_PAGES)
        text = f"# short{n}\n\n> Pull lever {n}, make {self.version}.\n\n- Pull it:\n\n`short{n}`\n"
        self.written(self.folder / f"pages/common/short{n}.md", text, number)

    def info(self):
        text = (
            (DATA / "info/sample.info").read_text().replace("about gardens", f"about {self.version} gardens")
        )
        (self.folder / "info/sample.info.gz").write_bytes(gzip.compress(text.encode()))

    def archive(self):
        beside = self.folder / "new.zim"
        with Creator(beside).config_indexing(False, "eng") as archive:
            for number in self.chance.sample(range(60), 50):
                archive.add_item(
                    Page(
                        f"Knot {number}",
                        f"Knot {number}",
                        f"<h1>Knot {number}</h1><p>It has {number} turns, by edition {self.version}.</p>",
                    )
                )
            archive.add_metadata("Language", "eng")
            archive.add_metadata("Title", "Knots")
        beside.rename(self.folder / "handbook.zim")


class Soak:
    """A library of these places, and what is seen of it."""

    def __init__(self, folder, chance):
        self.folder, self.chance = folder, chance
        self.sources = Sources(folder, chance)
        self.places = Places(folder / "data/ragcli", folder / "config/ragcli")
        self.catalog, self.generations = (
            Catalog(self.places.catalog_file),
            Generations(self.places.index_folder),
        )
        own = {f"XDG_{name.upper()}_HOME": f"{folder}/{name}" for name in ("data", "config")}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        self.environment = {**kept, **own, "XDG_RUNTIME_DIR": f"{folder}/run"}
        self.places.data.mkdir(parents=True)
        self.places.catalog_file.write_text('{"format": 2, "generation": 0, "sources": []}')
        for place in self.sources.all():
            self.run("ragadmin", "sources", "add", str(place))
        self.lasts_s = {}
        for full in (True, False):
            self.sources.change()
            self.finish(full=full)

    def run(self, program, *arguments):
        done = subprocess.run(
            [sys.executable, "-m", f"vademecum.cli.{program}", *arguments],
            env=self.environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout

    def begin(self, full, log):
        return subprocess.Popen(
            [sys.executable, "-m", "vademecum.cli.ragadmin", "reindex", "--json", *(["--full"] if full else [])],
            env=self.environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def kill(self, share, *, full):
        """Kill a reindex when that share of its time has passed; where it was, or `None` when it was done."""
        log = self.folder / "log"
        with log.open("wb") as file:
            process = self.begin(full, file)
            try:
                assert process.wait(self.lasts_s[full] * share) == 0, log.read_text()
            except subprocess.TimeoutExpired:
                family = descendants(process.pid)
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                wait_until(lambda: not any(map(alive, family)))
            else:
                return None
        said = [json.loads(line) for line in log.read_text().split("\n")[:-1]]
        return said[-1].get("stage", "after") if said else "start"

    def finish(self, *, full=False):
        """Reindex to the end, and see that all is as it should be."""
        owed = self.leftovers()
        began_s = time.monotonic()
        report = json.loads(
            self.run("ragadmin", "reindex", "--json", *(["--full"] if full else [])).splitlines()[-1]
        )
        self.lasts_s[full] = time.monotonic() - began_s
        assert report["state"] == "succeeded"
        current = self.current()
        assert self.held() == self.wanted()
        assert self.leftovers() == []
        assert self.catalog.generation() == current.number
        assert [seen_of(one) for one in self.catalog.entries()] == [seen_of(one) for one in current.sources]
        counts = Counter(alias for alias, *_ in self.held())
        assert {entry.alias: entry.documents for entry in current.sources} == counts
        trace = recent(self.places)[-1]["trace_id"]
        lines = [
            (line["action"], line["status"]) for line in recent(self.places) if line["trace_id"] == trace
        ]
        assert lines[0] == ("reindex", "started")
        assert lines[-1] == ("reindex", "succeeded")
        assert (("recovery", "succeeded") in lines) == bool(owed), (lines, owed)

    def leftovers(self):
        """What a run that was cut short left: folders that nothing names, and a catalog that is behind."""
        if not self.generations.folder.exists():
            return []
        current = self.current()
        named = {segment.name for segment in current.segments} | {f"{current.number:06d}"}
        there = [
            place.name
            for part in ("segments", "generations")
            for place in (self.generations.folder / part).iterdir()
        ]
        assert named <= {*there}
        behind = ["catalog"] if self.catalog.generation() != current.number else []
        return [name for name in there if name not in named] + behind

    def current(self):
        return self.generations.current()

    def held(self):
        found = []
        for segment in self.current().segments:
            flat = open_flat(self.generations.segment(segment.name), segment)
            for number in sorted({*range(len(flat))} - {*segment.dead}):
                record = flat.document(number)
                found.append((segment.alias, flat.strings(record).key, record.digest.hex()))
        assert len({one[:2] for one in found}) == len(found), "a document is there twice"
        return sorted(found)

    def wanted(self):
        found = []
        for entry in self.catalog.entries():
            source = open_source(entry)
            refs = list(source.scan())
            assert all(isinstance(ref, DocumentRef) for ref in refs)
            for document in source.read(refs):
                assert isinstance(document, Document)
                found.append((entry.alias, document.key, document.digest()))
        return sorted(found)

    def answers(self):
        """Whether a person is answered, from files that are what was written."""
        answer = json.loads(self.run("ragman", "--json", QUESTION))
        labels = [reference["label"] for reference in answer["references"] + answer["see_also"]]
        assert any("chmod" in label for label in labels), answer
        assert index_integrity(self.generations).severity == "pass"


def seen_of(entry):
    return entry.alias, entry.location, entry.status, entry.documents, entry.checksum, entry.recipe


def descendants(ancestor):
    found, waiting = [], [ancestor]
    while waiting:
        try:
            children = Path(f"/proc/{waiting[-1]}/task/{waiting.pop()}/children").read_text()
        except OSError:
            continue
        waiting += map(int, children.split())
        found += map(int, children.split())
    return found


def test_killed_at_any_moment_nothing_is_lost_or_doubled_and_the_next_run_puts_it_right(folder, capfd):
    chance = random.Random(SEED)
    soak = Soak(folder, chance)
    soak.answers()
    stages, published, tried = Counter(), 0, 0
    while (killed := stages.total()) < KILLS:
        before = soak.held()
        soak.sources.change()
        full = chance.random() < 0.2
        share = (tried * 7 % KILLS + chance.random()) / KILLS * 1.1  # of every part of a run alike
        tried += 1
        stage = soak.kill(share, full=full)
        held, wanted = soak.held(), soak.wanted()
        assert held in (before, wanted), f"kill {killed} of {KILLS}, seed {SEED}: {stage}"
        current = soak.current()
        assert soak.catalog.generation() <= current.number
        assert [one.alias for one in soak.catalog.entries()] == [one.alias for one in current.sources]
        soak.answers()
        if stage is None:
            assert held == wanted
            continue
        stages[stage] += 1
        published += held == wanted
        if chance.random() < 0.5:
            soak.finish()
        if "KILLS" in os.environ:
            with capfd.disabled():  # it takes minutes
                sys.stdout.write(f"\r{killed + 1} of {KILLS} kills, by the stage told last: {dict(stages)}")
                sys.stdout.flush()
    soak.finish()
    soak.answers()
    midway = sum(stages[stage] for stage in ("check", "scan", "build", "publish"))
    assert midway >= max(1, KILLS // 5), stages  # of four kills, chance may put three at the start
    assert published < KILLS // 2
    recoveries = [line for line in recent(soak.places) if line["action"] == "recovery"]
    assert recoveries
    assert all(line["status"] == "succeeded" and line["message"] for line in recoveries)
