"""Back up everything that Vademecum keeps for a user into one file, and restore it.

The file is a zip archive: `backup.json` says what made it and lists every file with its checksum, and `files/ROOT/...` has
the files. Documents outside of these folders, such as manual pages and folders of notes, are not copied, and neither are
Kiwix archives, which can be downloaded again.
"""

import errno
import hashlib
import json
import os
import shutil
import sqlite3
import stat
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from vademecum.core.errors import DiskFull, IndexLocked, StoreError
from vademecum.files.folders import config_folder, data_folder, desk_config_folder, desk_folder
from vademecum.files.locks import locked
from vademecum.text.printable import printable

FORMAT = 1
_MANIFEST = "backup.json"
_PIECE = 1 << 20
_PATIENCE_S = 60.0
_SQLITE = b"SQLite format 3\0"
_MOST_MANIFEST = 256 << 20
_ARCHIVES = "kiwix"
_LEFT_OUT = {"run", "lock"}
_TEMPORARY = (".new-", ".gone-", ".restore-")
_HINT = "Free up disk space, or choose a file on another disk."


class Backup(NamedTuple):
    """A backup.

    Attributes:
        created: When it was made, ISO 8601 in UTC.
        version: The version of Vademecum that made it.
        left_out: Links, which were not followed, and files whose names are not UTF-8.
        kept: For a restore, the folders that the previous data was moved to.
    """

    file: Path
    created: str
    version: str
    files: int
    size_bytes: int
    left_out: tuple[str, ...] = ()
    kept: tuple[Path, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Convert the backup to plain data."""
        return self._asdict() | {"file": str(self.file), "kept": [str(folder) for folder in self.kept]}


def roots() -> dict[str, Path]:
    """Return the folders that are backed up, by their name in a backup."""
    return {
        "config-ragcli": Path(config_folder()),
        "config-vademecum": Path(desk_config_folder()),
        "data-ragcli": Path(data_folder()),
        "data-vademecum": Path(desk_folder("")),
    }


def back_up(to: Path, folders: Mapping[str, Path], *, indexes: bool = True) -> Backup:
    """Write a backup. The file appears only when it is complete. Indexes are locked while they are copied.

    Args:
        to: The file, which must not exist.
        folders: The folders, by name; see `roots`.
        indexes: Whether to copy indexes, which `reindex` can build again.
    """
    if to.exists():
        raise StoreError(f"{to} already exists.", hint="Choose another name.")
    if inside := [folder for folder in folders.values() if to.resolve().is_relative_to(folder.resolve())]:
        message = f"{to} is in {inside[0]}, which is one of the folders being backed up."
        raise StoreError(message, hint="Choose another folder.")
    entries: dict[str, dict[str, object]] = {}
    left_out: list[str] = []
    created = datetime.now(UTC).isoformat(timespec="seconds")
    with _reported(to, "written"), _unfinished(to) as part:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for root, folder in folders.items():
                with _held(folder):
                    for path in _files(folder, left_out, indexes=indexes):
                        name = f"{root}/{path.relative_to(folder).as_posix()}"
                        entries[name] = _add(archive, name, path)
            made_by = {"format": FORMAT, "version": version("vademecum"), "created": created}
            archive.writestr(_MANIFEST, json.dumps({**made_by, "files": entries}))
        size = sum(int(str(entry["size"])) for entry in entries.values())
    return Backup(to, created, version("vademecum"), len(entries), size, tuple(left_out))


def check(file: Path) -> Backup:
    """Read a backup completely, and compare every file with its checksum."""
    with _opened(file) as (archive, manifest):
        for name, entry in manifest["files"].items():
            _copy(archive, name, entry, None)
        return _backup(file, manifest)


def restore(file: Path, folders: Mapping[str, Path], *, replace: bool = False) -> Backup:
    """Restore a backup. Nothing is changed before all of it has been unpacked and compared with its checksums.

    Args:
        folders: The folders to restore into, by name.
        replace: Whether to restore over existing data, which is moved to `FOLDER.before-TIME`.
    """
    taken = [folder for folder in folders.values() if folder.is_dir() and any(folder.iterdir())]
    if taken and not replace:
        message = f"{taken[0]} already contains data."
        raise StoreError(
            message, hint="Restore over it with --replace; the existing data is then kept next to it."
        )
    with _opened(file) as (archive, manifest), ExitStack() as stack, _reported(file, "restored"):
        unpacked: dict[Path, Path] = {}
        for root in sorted({PurePosixPath(name).parts[0] for name in manifest["files"]}):
            folder = folders[root]
            folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place = Path(tempfile.mkdtemp(prefix=f".restore-{folder.name}-", dir=folder.parent))
            stack.callback(shutil.rmtree, place, ignore_errors=True)
            unpacked[folder] = place
            for name, entry in manifest["files"].items():
                if name.startswith(f"{root}/"):
                    _copy(archive, name, entry, place / PurePosixPath(name).relative_to(root))
        return _backup(file, manifest)._replace(kept=_exchange(unpacked))


def _exchange(unpacked: Mapping[Path, Path]) -> tuple[Path, ...]:
    """Put unpacked folders in their places. If one cannot be, the previous ones are put back."""
    ending = f".before-{time.strftime('%Y%m%dT%H%M%S')}"
    done: list[tuple[Path, Path | None]] = []
    try:
        for folder, place in unpacked.items():
            aside = None
            if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
                folder.rmdir()
            elif folder.exists():
                aside = folder.with_name(folder.name + ending)
                folder.rename(aside)
            done.append((folder, aside))
            place.rename(folder)
    except OSError:
        for folder, aside in reversed(done):
            if folder.exists():
                shutil.rmtree(folder, ignore_errors=True)
            if aside:
                aside.rename(folder)
        raise
    return tuple(aside for _, aside in done if aside)


# --- writing ----------------------------------------------------------------------------------------------------------


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold the locks of all indexes in a folder, so that none changes."""
    with ExitStack() as stack:
        for current in sorted(folder.rglob("index/CURRENT")):
            try:
                stack.enter_context(locked(current.with_name("lock"), patience_s=_PATIENCE_S))
            except BlockingIOError as error:
                message = f"The index in {current.parent} is being written."
                raise IndexLocked(message, hint="Try again when the reindex has finished.") from error
        yield


def _files(folder: Path, left_out: list[str], *, indexes: bool) -> Iterator[Path]:
    """Yield the regular files of a folder. Links and names that are not UTF-8 are noted, not followed."""
    for place, names, files in os.walk(folder):
        here = Path(place)
        names[:] = sorted(name for name in names if _is_wanted(here / name, folder, indexes=indexes))
        for name in [*names, *sorted(files)]:
            path = here / name
            if path.is_symlink() or not _is_text(name):
                left_out.append(printable(str(path)))
            elif name in files and _is_wanted(path, folder, indexes=indexes) and path.is_file():
                yield path


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # a name that is not UTF-8, which a zip file cannot hold
        return False
    return True


def _is_wanted(path: Path, folder: Path, *, indexes: bool) -> bool:
    name = path.name
    if name in _LEFT_OUT or name.endswith(".lock") or name.startswith(_TEMPORARY):
        return False
    if name == _ARCHIVES and path.parent == folder:
        return False
    return indexes or not (name == "index" and (path / "CURRENT").exists())


def _add(archive: zipfile.ZipFile, name: str, path: Path) -> dict[str, object]:
    """Add a file, and return its size, checksum and mode. A database is copied as SQLite sees it."""
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(path.open("rb"))
        if file.read(len(_SQLITE)) == _SQLITE:
            snapshot = stack.enter_context(tempfile.NamedTemporaryFile())
            with (
                closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as live,
                closing(sqlite3.connect(snapshot.name)) as still,
            ):
                live.backup(still)
            file = stack.enter_context(Path(snapshot.name).open("rb"))
        file.seek(0)
        digest, size = hashlib.sha256(), 0
        with archive.open(f"files/{name}", "w", force_zip64=True) as out:
            while piece := file.read(_PIECE):
                digest.update(piece)
                size += len(piece)
                out.write(piece)
    return {"size": size, "sha256": digest.hexdigest(), "mode": stat.S_IMODE(path.stat().st_mode)}


@contextmanager
def _unfinished(to: Path) -> Iterator[IO[bytes]]:
    """Open a file next to another, which becomes that other when it is complete."""
    part = to.with_name(f".{to.name}.part")
    try:
        with open(part, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.link(part, to)  # unlike a rename, it fails if the file has come into being meanwhile
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


@contextmanager
def _reported(file: Path, done: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(f"The disk is full; the backup {file} was not {done}.", hint=_HINT) from error
        why = error.strerror or str(error)
        at = f" ({error.filename})" if error.filename else ""
        raise StoreError(
            f"The backup {file} was not {done}: {why}{at}.", hint="Check the path and its permissions."
        ) from error
    except sqlite3.Error as error:
        raise StoreError(
            f"The backup {file} was not {done}: {error}.", hint="Stop the server, and try again."
        ) from error


# --- reading ----------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(file: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """Open a backup, and check what it says of itself."""
    hint = "Use another backup. Nothing was changed."
    try:
        with zipfile.ZipFile(file) as archive:
            with archive.open(_MANIFEST) as part:
                manifest = json.loads(part.read(_MOST_MANIFEST))
            if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
                raise StoreError(f"{file} is not a backup of Vademecum.", hint=hint)
            if manifest["format"] > FORMAT:
                message = f"{file} was made by a newer version ({manifest.get('version')})."
                raise StoreError(message, hint="Install that version or a newer one, and restore it then.")
            known = roots().keys()
            for name in manifest["files"]:
                parts = PurePosixPath(name).parts
                if name.startswith("/") or ".." in parts or len(parts) < 2 or parts[0] not in known:
                    raise StoreError(
                        f"{file} contains a file outside Vademecum's folders: {name!r:.80}", hint=hint
                    )
            yield archive, manifest
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, EOFError) as error:
        raise StoreError(f"{file} is not a backup of Vademecum, or is damaged: {error}", hint=hint) from error
    except FileNotFoundError as error:
        if error.filename and Path(error.filename) != file:
            raise
        raise StoreError(f"There is no file {file}.", hint="Name a backup.") from error
    except IsADirectoryError as error:
        raise StoreError(f"{file} is a folder.", hint="Name a backup.") from error


def _copy(archive: zipfile.ZipFile, name: str, entry: Mapping[str, Any], to: Path | None) -> None:
    """Unpack a file, or only read it, and compare it with its checksum."""
    digest, size = hashlib.sha256(), 0
    with ExitStack() as stack:
        part = stack.enter_context(archive.open(f"files/{name}"))
        out = None
        if to is not None:
            to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            mode = int(entry["mode"]) & 0o700
            out = stack.enter_context(open(to, "xb", opener=lambda path, flags: os.open(path, flags, mode)))
        while piece := part.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            if size > entry["size"]:
                break
            if out is not None:
                out.write(piece)
    if (size, digest.hexdigest()) != (entry["size"], entry["sha256"]):
        raise StoreError(
            f"The backup is damaged: {name} does not match its checksum.",
            hint="Use another backup. Nothing was changed.",
        )


def _backup(file: Path, manifest: Mapping[str, Any]) -> Backup:
    size = sum(int(entry["size"]) for entry in manifest["files"].values())
    return Backup(file, str(manifest["created"]), str(manifest["version"]), len(manifest["files"]), size)
