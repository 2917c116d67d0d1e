"""What `ragadmin` and `ragman` do to a library stands in its audit log."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from commands import run_command
from shared import environment, places_in, process_of, wait_until
from vademecum.library.audit import recent

pytestmark = pytest.mark.needs("mandoc")

MANUAL = Path(__file__).parents[1] / "data" / "manual"


@pytest.fixture
def own(tmp_path):
    folder = tmp_path / "own"
    shutil.copytree(MANUAL, folder / "manual")
    return folder


def command(folder, program, *arguments, code=0):
    done = run_command(program, *arguments, env=environment(folder))
    assert done.returncode == code, done.stderr
    return done


def log(folder):
    return recent(places_in(folder))


def said(folder):
    return [(line["action"], line["target"], line["status"]) for line in log(folder)]


def test_all_that_is_done_is_in_it(own):
    command(own, "ragadmin", "init")
    for seeded in ("man-pages", "info-pages"):
        command(own, "ragadmin", "sources", "remove", seeded)
    command(own, "ragadmin", "sources", "add", str(own / "manual"))
    command(own, "ragadmin", "sources", "update", "manual", "--notes", "mine")
    command(own, "ragadmin", "reindex")
    command(own, "ragadmin", "reindex", "--dry-run")
    command(own, "ragadmin", "sources", "list")
    command(own, "ragman", "How do I change file permissions?")
    command(own, "ragadmin", "sources", "remove", "manual")
    assert said(own) == [
        ("init", str(own / "data/ragcli"), "succeeded"),
        ("remove", "man-pages", "succeeded"),
        ("remove", "info-pages", "succeeded"),
        ("add", "manual", "succeeded"),
        ("update", "manual", "succeeded"),
        ("reindex", "all", "started"),
        ("reindex", "all", "succeeded"),
        ("remove", "manual", "succeeded"),
    ]
    assert log(own)[6]["message"].startswith("4 documents, ")
    assert log(own)[3]["message"] == f"man {own / 'manual'}"


def test_what_fails_is_in_it_with_its_code(own):
    command(own, "ragadmin", "sources", "add", "/nowhere/at/all", code=1)
    command(own, "ragadmin", "sources", "remove", "nothing", code=1)
    command(own, "ragadmin", "sources", "update", "nothing", "--notes", "x", code=1)
    command(own, "ragadmin", "reindex", "--source", "nothing", code=1)
    assert said(own) == [
        ("add", "/nowhere/at/all", "failed"),
        ("remove", "nothing", "failed"),
        ("update", "nothing", "failed"),
        ("reindex", "nothing", "started"),
        ("reindex", "nothing", "failed"),
    ]
    failed = [line for line in log(own) if line["status"] == "failed"]
    assert {line["error_code"] for line in failed} == {"SOURCE_UNUSABLE"}
    assert all(line["message"] for line in failed)


def small_manual_only(own):
    command(own, "ragadmin", "init")
    for seeded in ("man-pages", "info-pages"):
        command(own, "ragadmin", "sources", "remove", seeded)
    command(own, "ragadmin", "sources", "add", str(own / "manual"))


def test_an_index_that_ragman_builds_is_in_it(own):
    small_manual_only(own)
    command(own, "ragman", "--yes", "How do I change file permissions?")
    assert said(own)[-2:] == [("reindex", "all", "started"), ("reindex", "all", "succeeded")]


def begun(own):
    for number in range(600):
        page = f".TH P{number} 1\n.SH NAME\np{number} \\- a page\n.SH DESCRIPTION\nPage {number}.\n"
        (own / f"manual/man1/p{number}.1").write_text(page)
    child = subprocess.Popen(
        [*process_of("ragadmin"), "reindex"],
        env=environment(own), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    segments = own / "data/ragcli/index/segments"
    wait_until(lambda: segments.is_dir() and list(segments.iterdir()))
    return child


def test_a_run_that_is_killed_is_recovered_and_the_recovery_is_in_it(own):
    small_manual_only(own)
    child = begun(own)
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate(timeout=60)
    with (own / "data/ragcli/audit.ndjson").open("a") as file:
        file.write('{"timestamp": "20')  # the power went, too
    health = json.loads(command(own, "ragadmin", "health", "--json", code=4).stdout)
    assert health["components"][0]["error_code"] == "INDEX_MISSING"
    command(own, "ragadmin", "reindex")
    assert said(own)[-4:] == [
        ("reindex", "all", "started"),
        ("reindex", "all", "started"),
        ("recovery", "all", "succeeded"),
        ("reindex", "all", "succeeded"),
    ]
    lines = log(own)[-3:]
    assert len({line["trace_id"] for line in lines}) == 1
    assert "an earlier run had left" in lines[1]["message"]
    assert command(own, "ragadmin", "health").returncode == 0


def test_a_run_that_is_interrupted_is_cancelled(own):
    small_manual_only(own)
    child = begun(own)
    os.killpg(child.pid, signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"Traceback" not in errors
    assert said(own)[-2:] == [("reindex", "all", "started"), ("reindex", "all", "cancelled")]


def test_a_log_that_can_not_be_written_stops_no_command(own):
    (own / "data/ragcli/audit.ndjson").mkdir(parents=True)
    done = command(own, "ragadmin", "init")
    assert "made " in done.stdout
    assert done.stderr.count("cannot be written: Is a directory.") == 1
