"""Repositories over real HTTP: read, unchanged, down, empty, lying, cut; and killed in the middle."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from vademecum.core.errors import DiskFull, IndexLocked
from vademecum.desks.composer.packages.reading import Package
from vademecum.desks.composer.packages.repositories import Repository
from vademecum.desks.composer.packages.store import PackageStore

SMALL = [("nginx", "1.24-2"), ("curl", "8.5-1"), ("bash", "5.2-1")]
PLACE = Repository(
    "x", "deb", "http://a.example", "s", ("main",), "debian", "debian13", "x86_64", "system", "f.yml"
)


def states(done):
    return [one.state for one in done]


@pytest.mark.parametrize("release", [True, False], ids=["told", "guessed"])
@pytest.mark.parametrize("ending", ["", ".gz", ".xz"])
def test_a_debian_repository(site, defaults, synced, ending, release):
    defaults.debian(site.debian(SMALL, ending=ending, release=release))
    done, index = synced()
    assert states(done) == ["synced"]
    assert done[0].known.packages == 3
    assert index.names("debian13") == ("bash", "curl", "nginx")


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_an_rpm_repository(site, defaults, synced, ending):
    defaults.rpm(site.rpm(SMALL, ending=ending).replace("x86_64", "{arch}"))
    done, index = synced()
    assert states(done) == ["synced"]
    assert index.names("azure-linux") == ("bash", "curl", "nginx")


def test_components_and_suites(site, defaults, synced):
    url = site.debian(SMALL)
    site.debian([("steam", "1-1"), ("nginx", "1.24-2")], component="contrib")
    site.debian([("nginx", "1.24-3")], suite="trixie-updates")
    site.debian([], suite="trixie-updates", component="contrib")
    defaults.debian(url, suites=("trixie", "trixie-updates"), component="main contrib")
    done, index = synced()
    assert states(done) == ["synced", "synced"]
    assert done[0].known.doubles == 1
    assert index.names("debian13") == ("bash", "curl", "nginx", "steam")


def test_what_has_not_changed_is_not_read_again(site, defaults, synced):
    defaults.debian(site.debian(SMALL))
    synced()
    site.asked.clear()
    done, index = synced()
    assert states(done) == ["unchanged"]
    assert site.asked == ["/debian/dists/trixie/Release"]
    site.debian([*SMALL, ("vim", "9-1")])
    done, index = synced()
    assert states(done) == ["synced"]
    assert "vim" in index.names("debian")


def test_one_that_is_down_costs_nothing_but_its_news(site, defaults, synced):
    defaults.debian(site.debian(SMALL))
    defaults.rpm("http://127.0.0.1:9/nobody", name="x86_64_repo.yml")
    done, index = synced()
    assert sorted(states(done)) == ["failed", "synced"]
    assert "127.0.0.1:9" in next(one.known.message for one in done if one.state == "failed")
    site.down = True
    done, index = synced()
    assert sorted(states(done)) == ["failed", "stale"]
    stale = next(one.known for one in done if one.state == "stale")
    assert (stale.fault, stale.packages) == ("unreachable", 3)
    assert "503" in stale.message
    assert index.names("debian13") == ("bash", "curl", "nginx")
    site.down = False
    done, index = synced()
    assert sorted(states(done)) == ["failed", "unchanged"]
    assert next(one.known for one in done if one.state == "unchanged").fault == ""


def test_an_empty_one(site, defaults, synced):
    defaults.debian(site.debian([]))
    done, index = synced()
    assert states(done) == ["empty"]
    assert index.covers("debian13")
    site.debian(SMALL)
    assert states(synced()[0]) == ["synced"]
    site.debian([])
    done, index = synced()
    assert states(done) == ["stale"]
    assert "3 that it had are kept" in done[0].known.message
    assert index.names("debian13") == ("bash", "curl", "nginx")


def test_a_package_listed_twice(site, defaults, synced):
    defaults.debian(site.debian([*SMALL, SMALL[0], ("curl", "8.6-1")]))
    done, index = synced()
    assert (done[0].known.packages, done[0].known.doubles) == (3, 1)
    (check,) = index.check(["curl"], distribution="debian")
    assert check.state == "verified"
    assert "8.5-1, 8.6-1" in check.reason


def test_an_index_that_is_not_what_its_list_says(site, defaults, synced):
    defaults.rpm(site.rpm(SMALL, checksum="0" * 64))
    done, _ = synced()
    assert (states(done), done[0].known.fault) == (["failed"], "checksum")
    site.rpm(SMALL, checksum=" ")  # nothing is said: nothing is held against it
    assert states(synced()[0]) == ["synced"]


def test_a_cut_off_index(site, defaults, synced, made):
    whole = made.pack(made.debian([(f"package-{at}", "1-1") for at in range(200)]), ".gz")
    defaults.debian(site.debian(whole[: len(whole) // 2], ending=".gz"))
    done, index = synced()
    assert (states(done), done[0].known.fault) == (["failed"], "cut-off")
    assert index.check(["package-1"], distribution="debian13")[0].state == "unverified"


def test_no_list_for_this_architecture(site, defaults, synced):
    defaults.debian(site.debian(SMALL, arch="arm64"))
    done, _ = synced()
    assert (states(done), done[0].known.fault) == (["failed"], "missing")
    assert "main/binary-amd64" in done[0].known.message


def test_a_list_outside_of_the_repository(site, defaults, synced):
    defaults.rpm(site.rpm(SMALL))
    repomd = site.root / "rpm/x86_64/repodata/repomd.xml"
    for href in ("http://elsewhere.example/x.gz", "../../../etc/passwd", "//elsewhere.example/x"):
        repomd.write_text(repomd.read_text().replace("repodata/primary.xml.gz", href))
        done, _ = synced()
        assert (states(done), done[0].known.fault) == (["failed"], "not-an-index")
        site.rpm(SMALL)
    repomd.write_text('<!DOCTYPE a [<!ENTITY b "c">]><repomd>&b;</repomd>')
    assert synced()[0][0].known.fault == "entities"
    repomd.write_text("<repomd/>")
    assert synced()[0][0].known.fault == "missing"


def test_a_redirect_is_not_followed(site, defaults, synced):
    url = site.debian(SMALL)
    (site.root / "moved").mkdir()
    defaults.debian(f"{url}/../moved".replace("/debian/..", ""), suites=("trixie",))
    (site.root / "moved/dists/trixie/Release").mkdir(parents=True)  # a folder: the server sends elsewhere
    done, _ = synced()
    assert states(done) == ["failed"]
    assert "is not followed" in done[0].known.message


def test_what_is_not_named_any_more_is_dropped(site, defaults, synced, tmp_path):
    url = site.debian(SMALL)
    site.debian(SMALL, suite="old")
    file = defaults.debian(url, suites=("trixie", "old"))
    _, index = synced()
    assert len(index.known) == 2
    file.write_text(file.read_text().partition("  - name: old")[0])
    _, index = synced()
    assert len(index.known) == 1
    assert len(list(tmp_path.glob("kept/*.sqlite"))) == 1


def test_a_damaged_file_is_unread_and_is_read_again(site, defaults, synced, tmp_path):
    defaults.debian(site.debian([(f"package-{at}", "1-1") for at in range(3000)]))
    done, index = synced()
    (file,) = tmp_path.glob("kept/*.sqlite")
    whole = file.read_bytes()
    for broken in (whole[: len(whole) // 2], b"", b"x" * len(whole)):
        file.write_bytes(broken)
        index = type(index)(PackageStore(tmp_path / "kept"))
        (check,) = index.check(["package-7"], distribution="debian13")
        assert check.state == "unverified"
        assert "damaged" in check.reason
        done, index = synced()
        assert states(done) == ["synced"]
        assert index.check(["package-7"], distribution="debian13")[0].state == "verified"
    (tmp_path / "kept/repositories.json").write_text('{"format": 1, "repositories": [{"reposi')
    done, index = synced()
    assert states(done) == ["synced"]


WRITER = """
import sys, time
from pathlib import Path
from vademecum.desks.composer.packages.reading import Package
from vademecum.desks.composer.packages.repositories import Repository
from vademecum.desks.composer.packages.store import PackageStore
place = Repository("x", "deb", "http://a.example", "s", ("main",), "debian", "debian13", "x86_64", "system", "f.yml")
def endless():
    for at in range(10**9):
        if at == 50_000: print("writing", flush=True)
        yield Package(f"new-{at}", "2")
with PackageStore(Path(sys.argv[1])).writing() as writer:
    writer.keep(place, endless(), "")
"""


def test_killed_while_it_writes(tmp_path):
    store = PackageStore(tmp_path)
    with store.writing() as writer:
        writer.keep(PLACE, [Package(f"old-{at}", "1") for at in range(100)], "a")
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"writing\n"
    with pytest.raises(IndexLocked), store.writing():
        pass
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert list(tmp_path.glob("*.new"))
    (known,) = store.known().values()
    assert store.is_sound(known)
    with sqlite3.connect(store.file(PLACE.id)) as base:
        assert base.execute("SELECT count(*), min(name) FROM package").fetchone() == (100, "old-0")
    base.close()
    with store.writing():
        assert not list(tmp_path.glob("*.new"))


def test_who_reads_is_never_disturbed(site, defaults, synced, tmp_path):
    defaults.debian(site.debian(SMALL, release=False))
    _, index = synced()
    wrong, stop = [], threading.Event()

    def look():
        while not stop.is_set():
            found = type(index)(PackageStore(tmp_path / "kept")).check(["nginx"], distribution="debian13")[0]
            if found.state != "verified":
                wrong.append(found)

    thread = threading.Thread(target=look)
    thread.start()
    ends_s = time.monotonic() + 0.7
    rounds = 0
    while rounds < 3 or time.monotonic() < ends_s:
        rounds += 1
        site.debian([*SMALL, *((f"package-{at}", "1") for at in range(500 * (rounds % 3)))], release=False)
        assert states(synced()[0]) == ["synced"]
    stop.set()
    thread.join()
    assert wrong == []


def test_a_full_disk(tmp_path, monkeypatch):
    store = PackageStore(tmp_path)
    with store.writing() as writer:
        writer.keep(PLACE, [Package("old", "1")], "a")
    real = sqlite3.connect

    def small(*arguments, **more):
        connection = real(*arguments, **more)
        connection.execute("PRAGMA max_page_count = 40")
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(DiskFull, match="no room left"), store.writing() as writer:
        writer.keep(PLACE, (Package(f"package-{at}", "1") for at in range(100_000)), "b")
    monkeypatch.undo()
    (known,) = store.known().values()
    assert store.is_sound(known)
    assert known.fingerprint == "a"


def test_the_list_can_be_read_by_a_person(site, defaults, synced, tmp_path):
    defaults.debian(site.debian(SMALL))
    synced()
    data = json.loads(Path(tmp_path, "kept/repositories.json").read_text())
    assert data["repositories"][0]["repository"]["suite"] == "trixie"
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700
