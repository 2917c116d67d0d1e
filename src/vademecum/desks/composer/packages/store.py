"""Stored package indexes: one SQLite file per repository, and a summary of all of them.

    packages/repositories.json    every repository: what names it, when it was last read, what went wrong since
    packages/<id>.sqlite          its packages; made beside and renamed, so that it is always whole

A reader never waits, and a process that is killed while it writes leaves the old state and a file that the next one removes.
"""

import json
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.core.errors import DiskFull, IndexLocked, StoreError
from vademecum.files.locks import locked
from vademecum.files.write import replace_file

if TYPE_CHECKING:
    from vademecum.desks.composer.packages.reading import Package
    from vademecum.desks.composer.packages.repositories import Repository, Role

FORMAT = 1
_LIST = "repositories.json"
_BATCH = 2000
_HEAD_BYTES = 100
"""Of an SQLite file: its page size is at 16, the number of its pages at 28."""


class Known(NamedTuple):
    """What is known of a repository.

    Attributes:
        tried_s: When it was last asked, in seconds of the epoch; 0 for never.
        fault: What went wrong then, as a short fixed name; "" for nothing.
        read_s: When the packages that are kept were read; 0 if none are.
        doubles: How often the index named a package of the same version again.
        fingerprint: Of what the repository said its indexes are; "" if it said nothing.
    """

    repository: "Repository"
    tried_s: float = 0.0
    fault: str = ""
    message: str = ""
    read_s: float = 0.0
    packages: int = 0
    doubles: int = 0
    fingerprint: str = ""

    @property
    def state(self) -> str:
        """`synced`, `empty`, `stale` (kept, and the last try failed), `failed` (nothing is kept), or `never`."""
        if self.read_s:
            return "stale" if self.fault else "synced" if self.packages else "empty"
        return "failed" if self.fault else "never"


class PackageStore:
    """The indexes in one folder, which is made when something is first kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def known(self) -> dict[str, Known]:
        """Every repository that was ever named, by its id; none if the list is missing or cannot be understood."""
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            data = json.loads((self.folder / _LIST).read_text(encoding="utf-8"))
            if data["format"] == FORMAT:
                return {one.repository.id: one for one in map(_known, data["repositories"])}
        return {}

    def file(self, repository_id: str) -> Path:
        """Where a repository's packages are kept."""
        return self.folder / f"{repository_id}.sqlite"

    def is_whole(self, known: Known) -> bool:
        """Return whether a repository's packages are there, as large as the file itself says it is."""
        try:
            with self.file(known.repository.id).open("rb") as file:
                head = file.read(_HEAD_BYTES)
                size_bytes = os.fstat(file.fileno()).st_size
        except OSError:
            return False
        page_bytes, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
        is_base = head.startswith(b"SQLite format 3\0") and size_bytes == page_bytes * pages
        return is_base and bool(size_bytes and known.read_s)

    def is_sound(self, known: Known) -> bool:
        """Return whether they are, and SQLite finds no fault in them."""
        import sqlite3  # noqa: PLC0415 - a request without kept indexes needs none of it

        if not self.is_whole(known):
            return False
        try:
            with closing(
                sqlite3.connect(f"{self.file(known.repository.id).absolute().as_uri()}?mode=ro", uri=True)
            ) as base:
                return bool(base.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
        except sqlite3.Error:
            return False

    @contextmanager
    def writing(self) -> Iterator["Writer"]:
        """The right to write, which one process has at a time."""
        with _said_as_ours(self.folder):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with ExitStack() as stack:
                try:
                    stack.enter_context(locked(self.folder / ".lock", patience_s=0))
                except BlockingIOError:
                    message = "Another process is reading package indexes."
                    raise IndexLocked(
                        message, hint="Wait for it to end; what is kept can be used meanwhile."
                    ) from None
                for leftover in (*self.folder.glob("*.new"), *self.folder.glob("*.new-journal")):
                    leftover.unlink(missing_ok=True)
                yield Writer(self)


class Writer:
    """Writes into a store."""

    def __init__(self, store: PackageStore) -> None:
        self._store = store
        self._known = store.known()

    @property
    def known(self) -> Mapping[str, Known]:
        """What is known, by id."""
        return self._known

    def scratch(self, name: str) -> Path:
        """A file that is gone when the next process writes, at the latest."""
        return self._store.folder / f"{name}.new"

    def keep(self, repository: "Repository", packages: "Iterable[Package]", fingerprint: str) -> Known:
        """Put packages in the place of those that were kept, in one step.

        Returns:
            What is known now. Of an index without any package nothing is replaced if something was kept: its `fault` is `empty`.
        """
        old = self._known.get(repository.id, Known(repository))
        beside = self.scratch(repository.id)
        try:
            names, doubles = _write(beside, repository, packages)
            now_s = time.time()
            if not names and old.packages and self._store.is_whole(old):
                message = f"It lists no packages any more; the {old.packages:,} that it had are kept."
                return self.note(repository, "empty", message)
            beside.replace(self._store.file(repository.id))
        finally:
            beside.unlink(missing_ok=True)
        found = Known(
            repository, tried_s=now_s, read_s=now_s, packages=names, doubles=doubles, fingerprint=fingerprint
        )
        return self._noted(found)

    def note(self, repository: "Repository", fault: str = "", message: str = "") -> Known:
        """Write down that a repository was asked, and what went wrong; what is kept of it stays."""
        old = self._known.get(repository.id, Known(repository))
        if not self._store.is_whole(old):
            old = old._replace(read_s=0.0, packages=0, doubles=0, fingerprint="")
        return self._noted(
            old._replace(repository=repository, tried_s=time.time(), fault=fault, message=message)
        )

    def forget_all_but(
        self, repositories: "Iterable[Repository]", versions: Collection[str], roles: "Collection[Role]"
    ) -> None:
        """Drop what is not named any more, of some versions and roles."""
        named = {repository.id for repository in repositories}
        for key, known in list(self._known.items()):
            one = known.repository
            if key not in named and one.version in versions and one.role in roles:
                del self._known[key]
                self._save()
                self._store.file(key).unlink(missing_ok=True)

    def _noted(self, known: Known) -> Known:
        self._known[known.repository.id] = known
        self._save()
        return known

    def _save(self) -> None:
        data = {"format": FORMAT, "repositories": [_plain(one) for one in self._known.values()]}
        replace_file(self._store.folder / _LIST, json.dumps(data, indent=1) + "\n")


def _write(path: Path, repository: "Repository", packages: "Iterable[Package]") -> tuple[int, int]:
    """Make the file; the number of different names, and of doubles."""
    import sqlite3  # noqa: PLC0415 - see `is_sound`

    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        made.execute("PRAGMA journal_mode = OFF")  # until it is renamed it is nobody's
        made.execute("PRAGMA synchronous = OFF")
        made.execute("PRAGMA user_version = 1")
        made.execute("BEGIN")
        made.execute("CREATE TABLE about (repository TEXT)")
        made.execute("INSERT INTO about VALUES (?)", (json.dumps(repository),))
        made.execute(
            "CREATE TABLE package (name TEXT, version TEXT, PRIMARY KEY (name, version)) WITHOUT ROWID"
        )
        made.execute(
            "CREATE TABLE provided (name TEXT, package TEXT, PRIMARY KEY (name, package)) WITHOUT ROWID"
        )
        listed = 0
        for batch in _batches(packages):
            listed += len(batch)
            made.executemany(
                "INSERT OR IGNORE INTO package VALUES (?, ?)", ((one.name, one.version) for one in batch)
            )
            pairs = ((other, one.name) for one in batch for other in one.provides)
            made.executemany("INSERT OR IGNORE INTO provided VALUES (?, ?)", pairs)
        ((kept, names),) = made.execute("SELECT count(*), count(DISTINCT name) FROM package")
        made.execute("COMMIT")
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return names, listed - kept


def _batches(packages: "Iterable[Package]") -> "Iterator[list[Package]]":
    batch: list[Package] = []
    for package in packages:
        batch.append(package)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch


def _plain(known: Known) -> dict[str, Any]:
    return known._asdict() | {"repository": known.repository._asdict()}


def _known(data: dict[str, Any]) -> Known:
    from vademecum.desks.composer.packages.repositories import Repository  # noqa: PLC0415 - see `is_sound`

    own = dict(data.pop("repository"))
    repository = Repository(**(own | {"components": tuple(own["components"])}))
    known = Known(repository, **data)
    texts = (
        known.fault,
        known.message,
        known.fingerprint,
        *(one for one in repository if not isinstance(one, tuple)),
    )
    numbers = (known.tried_s, known.read_s, known.packages, known.doubles)
    if not all(isinstance(text, str) for text in texts) or not all(
        isinstance(number, int | float) for number in numbers
    ):
        raise TypeError("no repository")
    return known


@contextmanager
def _said_as_ours(folder: Path) -> Iterator[None]:
    """Faults of the disk as errors of ours."""
    import sqlite3  # noqa: PLC0415 - see `is_sound`

    try:
        yield
    except sqlite3.OperationalError as error:
        raise _of_disk(folder, str(error), full="full" in str(error)) from error
    except OSError as error:
        raise _of_disk(
            folder, error.strerror or str(error), full=error.errno in {28, 122}
        ) from error  # ENOSPC, EDQUOT


def _of_disk(folder: Path, why: str, *, full: bool) -> StoreError:
    if full:
        return DiskFull(
            f"There is no room left in {folder}.",
            hint="Make room, and run it again; what was kept is as it was.",
        )
    return StoreError(f"{folder} cannot be written: {why}.", hint="Check the folder's owner and permissions.")
