"""Background jobs that index collections and the sources of this machine, one at a time for each index.

The state of each job is stored in tables that all workers share, so that any worker can report it and cancel the job.
"""

import os
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

from vademecum.core.errors import SourceError, VademecumError
from vademecum.files.locks import acquire, locked
from vademecum.index.progress import Progress
from vademecum.library.collections import FOLLOWS, Collection, Collections
from vademecum.library.internal import InternalLibrary
from vademecum.library.uploads.uploads import Uploads
from vademecum.server.errors import problem
from vademecum.state.database import SharedTables

_UNFINISHED = "state IN ('queued', 'running')"
_SCHEMA = """CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, collection TEXT, owner TEXT, state TEXT, percent REAL, documents INTEGER, message TEXT,
    process TEXT, cancelled INTEGER, created REAL, changed REAL) WITHOUT ROWID"""
_COLUMNS = "id, collection, owner, state, percent, documents, message, process, cancelled, created, changed"
_KEPT_S = 7 * 24 * 3600.0
_EVERY_S = 0.3
_PATIENCE_S = 5.0
_WAITING_S = 0.1
_LONGEST_FOLLOWED_S = 600.0
_STOPPED = (
    "The server stopped before the job was done. The documents are stored, and the next job indexes them."
)


class Job(NamedTuple):
    """The stored state of a job.

    Attributes:
        id: 32 hexadecimal digits.
        collection: The name of the collection, or `@NAME` for a source of this machine; `@` for all of them.
        state: `queued`, `running`, `succeeded`, `failed` or `cancelled`.
        process: The process that runs the job: its id, and what distinguishes it from another process with that id.
    """

    id: str
    collection: str
    owner: str
    state: str
    percent: float
    documents: int
    message: str
    process: str
    cancelled: int
    created: float
    changed: float

    @property
    def is_over(self) -> bool:
        """Return whether the job has ended, one way or another."""
        return self.state not in {"queued", "running"}

    def to_dict(self) -> dict[str, Any]:
        """Return the public fields."""
        return {
            "id": self.id,
            "collection": self.collection,
            "state": self.state,
            "percent_complete": round(self.percent, 1),
            "documents": self.documents,
            "message": self.message,
            "created": self.created,
            "changed": self.changed,
        }


class Following:
    """The states of a job as events, each when it differs from the one before, until the job ends."""

    def __init__(self, jobs: "Jobs", job: Job) -> None:
        self._jobs, self._job = jobs, job
        self._closed = Event()

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the events."""
        job: Job | None = self._job
        sent: dict[str, Any] = {}
        until_s = time.monotonic() + _LONGEST_FOLLOWED_S
        while job is not None and not self._closed.is_set() and time.monotonic() < until_s:
            if (data := job.to_dict()) != sent:
                sent = data
                yield "job", data
            if job.is_over:
                return
            self._closed.wait(_EVERY_S)
            job = self._jobs.get(job.id)

    def close(self) -> None:
        """End the events, from any thread."""
        self._closed.set()


class MachineSource(NamedTuple):
    """A source of this machine to index; the alias "" means all of them."""

    library: InternalLibrary
    alias: str = ""

    @property
    def name(self) -> str:
        """The name by which jobs refer to it, which no collection can have."""
        return f"@{self.alias}"

    @property
    def folder(self) -> Path:
        """The folder in which jobs take turns."""
        return self.library.places.index_folder


class _Cancelled(Exception):
    """The job has to end."""


class Jobs:
    """Starts jobs, and stores the state of all jobs."""

    def __init__(self, tables: SharedTables) -> None:
        self._tables = tables
        self._work = ThreadPoolExecutor(2, "job")
        self._stopping = False
        tables.declare(_SCHEMA)

    def begin(self, collection: Collection | MachineSource, owner: str) -> Job:
        """Queue a job that indexes a collection, or sources of this machine.

        If the owner already has a queued job, return it. It will index everything that has arrived in the meantime.
        """
        self.clear()
        now = time.time()
        with self._tables.use() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM jobs WHERE collection = ? AND owner = ? AND state = 'queued' AND cancelled = 0",  # noqa: S608 - no part of it is user input
                (collection.name, owner),
            ).fetchone()
            if row:
                return Job(*row)
            job = Job(
                uuid.uuid4().hex,
                collection.name,
                owner,
                "queued",
                0.0,
                0,
                "",
                _named(os.getpid()),
                0,
                now,
                now,
            )
            connection.execute(f"INSERT INTO jobs VALUES ({', '.join('?' * len(job))})", job)  # noqa: S608 - as above
            connection.execute("DELETE FROM jobs WHERE changed < ?", (now - _KEPT_S,))
        self._work.submit(self._run, job.id, collection)
        return job

    def get(self, id_: str) -> Job | None:
        """Return a job, or None if it does not exist."""
        with self._tables.use() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", (id_,)).fetchone()  # noqa: S608 - as above
        return Job(*row) if row else None

    def all(self, limit: int = 200, *, owner: str | None = None) -> list[Job]:
        """Return the newest jobs, newest first; those of all owners if `owner` is None."""
        with self._tables.use() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM jobs WHERE (? IS NULL OR owner = ?) ORDER BY created DESC, id LIMIT ?",  # noqa: S608 - as above
                (owner, owner, limit),
            ).fetchall()
        return [Job(*row) for row in rows]

    def cancel(self, id_: str) -> None:
        """Request that a job ends soon. The index stays as it was before the job."""
        with self._tables.use() as connection:
            connection.execute(f"UPDATE jobs SET cancelled = 1 WHERE id = ? AND {_UNFINISHED}", (id_,))  # noqa: S608 - as above

    def clear(self) -> None:
        """Mark the unfinished jobs of processes that have ended as failed."""
        with self._tables.use() as connection:
            rows = connection.execute(
                f"SELECT id, CAST(process AS TEXT) FROM jobs WHERE {_UNFINISHED}"  # noqa: S608 - as above
            ).fetchall()
            for id_, process in rows:
                if not _lives(process):
                    connection.execute(
                        "UPDATE jobs SET state = 'failed', message = ?, changed = ? WHERE id = ?",
                        (_STOPPED, time.time(), id_),
                    )

    def close(self) -> None:
        """Accept no more jobs, and stop the running ones."""
        self._stopping = True
        self._work.shutdown(wait=True, cancel_futures=True)
        with self._tables.use() as connection:
            connection.execute(
                f"UPDATE jobs SET state = 'failed', message = ?, changed = ? WHERE process = ? AND {_UNFINISHED}",  # noqa: S608 - as above
                (_STOPPED, time.time(), _named(os.getpid())),
            )

    def _run(self, id_: str, collection: Collection | MachineSource) -> None:
        try:
            if isinstance(collection, MachineSource):
                collection.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._turn(id_, collection.folder):
                self._change(id_, state="running")
                report = index(collection, _Watch(self, id_).see)
            said = f"{report.documents:,} document{'s' * (report.documents != 1)}"
            if report.problems:
                said += f"; {len(report.problems)} could not be read, the first: {report.problems[0].message}"
            said += "".join(f"; {left_out}" for left_out in report.left_out)
            self._change(id_, state="succeeded", percent=100.0, documents=report.documents, message=said)
        except _Cancelled:
            with suppress(VademecumError):
                state, message = ("failed", _STOPPED) if self._stopping else ("cancelled", "")
                self._change(id_, state=state, message=message)
        except VademecumError as error:
            said = f"{problem(error)['detail']} {error.hint}".strip()
            with suppress(VademecumError):
                self._change(id_, state="failed", message=said)
        except Exception as error:  # noqa: BLE001 - no caller waits for the thread
            with suppress(VademecumError):
                self._change(id_, state="failed", message=f"It failed unexpectedly: {type(error).__name__}.")

    @contextmanager
    def _turn(self, id_: str, folder: Path) -> Iterator[None]:
        """Wait until no other job for this collection is running, in any process."""
        try:
            lock = os.open(folder / "jobs.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            message = "The collection was deleted, or its folder cannot be written."
            raise SourceError(message, hint="Make it again.") from error
        try:
            while True:
                self.look(id_)
                try:
                    acquire(lock, patience_s=0)
                    break
                except BlockingIOError:
                    time.sleep(_WAITING_S)
            yield
        finally:
            os.close(lock)

    def look(self, id_: str) -> None:
        """Check whether a job may continue."""
        job = self.get(id_)
        if self._stopping or job is None or job.cancelled:
            raise _Cancelled

    def _change(self, id_: str, **values: Any) -> None:
        values["changed"] = time.time()
        names = ", ".join(f"{name} = ?" for name in values)
        with self._tables.use() as connection:
            connection.execute(f"UPDATE jobs SET {names} WHERE id = ?", (*values.values(), id_))  # noqa: S608 - our own column names

    def progress(self, id_: str, percent: float, documents: int) -> None:
        """Store the progress of a job."""
        self._change(id_, percent=percent, documents=documents)


class _Watch:
    """Stores the progress of a job and ends it if it was cancelled, at intervals rather than for every document."""

    def __init__(self, jobs: Jobs, id_: str) -> None:
        self._jobs, self._id, self._seen_s = jobs, id_, 0.0

    def see(self, progress: Progress) -> None:
        """Handle a progress report."""
        now_s = time.monotonic()
        if now_s - self._seen_s >= _EVERY_S:
            self._seen_s = now_s
            self._jobs.look(self._id)
            self._jobs.progress(self._id, progress.percent_complete or 0.0, progress.documents)


class FolderWatch:
    """Indexes the collections that follow their folders soon after a change, in one process of a server.

    The operating system reports changes. Once a minute, and where it reports none, the folders are listed.
    """

    def __init__(self, collections: Collections, jobs: Jobs, lock: Path) -> None:
        self._collections, self._jobs, self._lock = collections, jobs, lock
        self._stop = Event()
        self._thread = Thread(target=self._run, name="follow", daemon=True)
        self.start = self._thread.start

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        while not self._stop.is_set():
            with suppress(OSError), locked(self._lock, patience_s=0.0):  # another worker may have it
                while not self._stop.is_set():
                    self._look()
            self._stop.wait(LISTED_S)

    def _look(self) -> None:
        """Wait for a change, at most a minute, and index the collections whose folders have changed."""
        followed = {
            source.location: collection
            for collection in self._collections.list()
            if collection.metadata.get(FOLLOWS)
            for source in collection.library.sources()
            if Path(source.location).is_dir()
        }
        changed = self._changed([*followed])
        for folder, collection in followed.items() if not self._stop.is_set() else ():
            with suppress(VademecumError):
                if any(Path(path).is_relative_to(folder) for path in changed) or (
                    not changed and _differs(collection)
                ):
                    self._jobs.begin(collection, collection.owner)

    def _changed(self, folders: list[str]) -> set[str]:
        """Return the paths that change within a minute, as soon as there are some."""
        with suppress(ImportError, OSError, RuntimeError):
            from watchfiles import watch  # noqa: PLC0415 - only to follow folders

            if folders:
                wait_ms = round(LISTED_S * 1000)
                changes = watch(
                    *folders,
                    stop_event=self._stop,
                    rust_timeout=wait_ms,
                    yield_on_timeout=True,
                    raise_interrupt=False,
                )
                return {path for _, path in next(changes, set())}
        self._stop.wait(LISTED_S)
        return set()


def _differs(collection: Collection) -> bool:
    report = collection.library.reindex(dry_run=True)
    return bool(report.added or report.changed or report.removed)


LISTED_S = 60.0
"""The time after which folders are listed, in seconds."""


def index(collection: Collection | MachineSource, on_progress: Any) -> Any:
    """Index the uploads of a collection, and any other sources that it has; or the sources of this machine."""
    if isinstance(collection, MachineSource):
        sources = [collection.alias] if collection.alias else None
        return collection.library.reindex(sources=sources, on_progress=on_progress)
    if collection.kind == "book":
        return collection.library.reindex(on_progress=on_progress)
    files = Uploads(collection).files
    files.mkdir(mode=0o700, exist_ok=True)
    if all(Path(source.location) != files for source in collection.library.sources()):
        collection.library.add_source(files, type="docs")
    return collection.library.reindex(on_progress=on_progress)


def _lives(process: str) -> bool:
    id_ = int(process.partition(" ")[0])
    try:
        os.kill(id_, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return process == _named(id_)


def _named(id_: int) -> str:
    """Return the id of a process and, if the system provides it, the start time, because ids are reused."""
    try:
        start = Path(f"/proc/{id_}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return str(id_)
    return f"{id_} {start} {boot}"
