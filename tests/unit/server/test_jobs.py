"""Jobs: those of processes that are gone have failed, whoever has their ids now; and everybody sees their own."""

import fcntl
import os
import time
from contextlib import ExitStack, closing

import pytest

from vademecum.library.collections import Collections
from vademecum.server.jobs import Jobs


@pytest.fixture
def opened(opened_tables):
    """Begins jobs in the shared file, as another worker does."""
    with ExitStack() as made:

        def again():
            tables = opened_tables()
            return made.enter_context(closing(Jobs(tables))), tables

        yield again


@pytest.fixture
def shelf(tmp_path):
    return Collections(tmp_path / "collections").create("shelf", owner="anna")


def write_down(tables, **values):
    job = {
        "id": "a" * 32, "collection": "shelf", "owner": "anna", "state": "queued", "percent": 0.0, "documents": 0,
        "message": "", "process": str(os.getpid()), "cancelled": 0, "created": time.time(), "changed": time.time(),
    } | values  # fmt: skip
    with tables.use() as connection:
        connection.execute("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", tuple(job.values()))


def ended(jobs, id_):
    while (job := jobs.get(id_)).state in {"queued", "running"}:
        time.sleep(0.01)
    return job


@pytest.mark.parametrize("state", ["queued", "running"])
@pytest.mark.parametrize(
    "process", ["{}", "{} 1 00000000-0000-0000-0000-000000000000", "999999999", "999999999 1 x"]
)
def test_a_job_of_a_server_that_is_gone_holds_nothing_up(opened, shelf, state, process):
    jobs, tables = opened()
    write_down(tables, state=state, process=process.format(os.getpid()))
    job = jobs.begin(shelf, "anna")
    left = jobs.get("a" * 32)
    assert (left.state, left.message.partition(" before")[0]) == ("failed", "The server stopped")
    assert job.id != left.id
    assert ended(jobs, job.id).state == "succeeded"


def test_a_job_of_a_version_that_kept_a_number_alone_has_failed(opened, shelf):
    jobs, tables = opened()
    with tables.use() as connection:
        connection.execute("DROP TABLE jobs")
        connection.execute(
            "CREATE TABLE jobs (id TEXT PRIMARY KEY, collection TEXT, owner TEXT, state TEXT, percent REAL,"
            " documents INTEGER, message TEXT, process INTEGER, cancelled INTEGER, created REAL, changed REAL)"
        )
    write_down(tables, process=os.getpid())
    jobs.clear()
    assert jobs.get("a" * 32).state == "failed"
    assert ended(jobs, jobs.begin(shelf, "anna").id).state == "succeeded"


def test_a_job_of_a_server_that_runs_does_for_all_that_came_meanwhile(opened, shelf):
    (jobs, _), (others, _) = opened(), opened()
    with (shelf.folder / "jobs.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        job = jobs.begin(shelf, "anna")
        others.clear()
        assert others.begin(shelf, "anna").id == job.id
    assert ended(others, job.id).state == "succeeded"


def test_ones_own_jobs_are_listed_however_many_others_have(opened):
    jobs, tables = opened()
    write_down(tables, id="b" * 32, owner="bob", state="succeeded", created=time.time() - 60)
    for at in range(5):
        write_down(tables, id=f"{at:032x}", state="succeeded")
    assert [job.id for job in jobs.all(3, owner="bob")] == ["b" * 32]
    assert [job.owner for job in jobs.all(3, owner="anna")] == ["anna"] * 3
    assert jobs.all(owner="carol") == []
    assert len(jobs.all()) == 6
