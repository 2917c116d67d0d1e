"""Generations on disk: which one is current, how the next one is published, and which files can be removed.

    index/
      CURRENT                    the current generation's folder name and its manifest's CRC-32, replaced
                                 atomically
      lock                       held by the process that writes
      opening                    held (shared) while a generation is being opened, which prevents sweeping
      generations/000007/        manifest.json, terms.bin, links.bin, common.bin, checksums.json
      segments/<name>/           flat/, vectors/, checksums.json; immutable once a generation refers to it

A generation is built next to the current one, synced to disk, and then named in `CURRENT`. If a process is killed at any
time, either the old or the new name is there, and possibly some unreferenced folders, which the next writer removes.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from zlib import crc32

from vademecum.core.errors import IndexCorrupt, IndexLocked, IndexMissing, StoreError
from vademecum.files.locks import acquire
from vademecum.index.manifest import Manifest, SegmentInfo

if TYPE_CHECKING:
    from vademecum.index.segments import Segment, Statistics

_HINT = "Rebuild it with: ragadmin reindex --full"
_PATIENCE_S = 2.0
"""How long sweeping waits for readers that are opening a generation, and readers for sweeping, in seconds."""

_CURRENT = re.compile(rb"(\d{6,}) ([0-9a-f]{8})\n")


class Generations:
    """The generations under one index folder."""

    __slots__ = ("folder", "place")

    index_type: ClassVar[Any] = None
    """The class of an open generation, if it is not `index.reader.index.Index`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = str(folder)

    def segment(self, name: str) -> Path:
        """Return the folder of a segment."""
        return self.folder / "segments" / name

    def generation(self, number: int) -> Path:
        """Return the folder of a generation."""
        return self.folder / "generations" / f"{number:06d}"

    def open_segment(self, info: SegmentInfo) -> "Segment":
        """Open a segment for search: see `segments.open_segment`."""
        from vademecum.index.segments import open_segment  # noqa: PLC0415 - a missing index is said without it

        return open_segment(self.segment(info.name), info)

    def statistics(self, manifest: Manifest) -> "Statistics":
        """Open the statistics of a generation: see `segments.open_statistics`."""
        from vademecum.index.segments import open_statistics  # noqa: PLC0415 - likewise

        return open_statistics(self.generation(manifest.number), manifest)

    def current(self) -> Manifest:
        """Return the manifest of the current generation."""
        named = self._named()
        while (data := self._manifest_bytes(named[0])) is None:
            last, named = named, self._named()
            if named == last:  # so it was not swept away because a newer one was published meanwhile
                raise IndexCorrupt(f"The index's manifest in {self.folder} is missing.", hint=_HINT)
        place = self._manifest(named[0])
        if crc32(data) != named[1]:
            raise IndexCorrupt(f"The index's manifest at {place} is damaged.", hint=_HINT)
        return Manifest.from_json(data.decode("utf-8", "replace"), place, sound=True)

    def is_current(self, manifest: Manifest) -> bool:
        """Return whether no newer generation has been published, so that no file of this one has been removed."""
        try:
            return self._named()[0] == self.generation(manifest.number).name
        except StoreError:
            return False

    def _manifest(self, name: str) -> Path:
        return self.folder / "generations" / name / "manifest.json"

    def _manifest_bytes(self, name: str) -> bytes | None:
        """Return the contents of a manifest file; `None` if it does not exist."""
        place = self._manifest(name)
        try:
            return place.read_bytes()
        except FileNotFoundError:
            return None
        except PermissionError as error:
            raise self._not_allowed() from error
        except OSError as error:
            raise IndexCorrupt(
                f"The index's manifest at {place} cannot be read: {error}", hint=_HINT
            ) from error

    def _named(self) -> tuple[str, int]:
        """Return the current generation's folder name, and its manifest's checksum."""
        place = self.folder / "CURRENT"
        try:
            said = place.read_bytes()
        except FileNotFoundError:
            message = f"There is no index in {self.folder} yet."
            raise IndexMissing(message, hint="Build it with: ragadmin reindex") from None
        except PermissionError as error:
            raise self._not_allowed() from error
        except OSError as error:
            raise IndexCorrupt(f"{place} cannot be read: {error}", hint=_HINT) from error
        found = _CURRENT.fullmatch(said)
        if not found:
            raise IndexCorrupt(f"{place} is damaged: it names no generation.", hint=_HINT)
        return found[1].decode(), int(found[2], 16)

    def _not_allowed(self) -> StoreError:
        """Return an exception which says that the index may be intact, but permissions are missing."""
        from vademecum.files.rights import readable_again  # noqa: PLC0415 - seldom wanted

        message = f"The index in {self.folder} may not be read by this user."
        return StoreError(message, hint=readable_again(self.folder))

    def publish(self, manifest: Manifest) -> None:
        """Make a generation current. Its folder and segments must be complete.

        Everything is synced before the name is replaced, and the replacement is synced too.
        """
        folder = self.generation(manifest.number)
        data = manifest.to_json().encode()
        (folder / "manifest.json").write_bytes(data)
        sync_tree(folder)
        sync_folder(folder.parent)
        sync_folder(self.folder / "segments")
        beside = self.folder / "CURRENT.new"
        with beside.open("w", encoding="ascii") as file:
            file.write(f"{folder.name} {crc32(data):08x}\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.folder / "CURRENT")
        sync_folder(self.folder)

    def sweep(self, keep: Manifest | None) -> int:
        """Delete every segment and generation that `keep` does not refer to. The caller holds the lock.

        Nothing is deleted while a reader is opening a generation; the next sweep does it.

        Returns:
            The number of deleted folders.
        """
        kept = {self.segment(segment.name) for segment in keep.segments} if keep else set()
        if keep:
            kept.add(self.generation(keep.number))
        with (self.folder / "opening").open("a") as opening:
            try:
                acquire(opening.fileno(), patience_s=_PATIENCE_S)
            except OSError:
                return 0
            found = [
                folder
                for parent in ("segments", "generations")
                for folder in (self.folder / parent).iterdir()
            ]
            swept = [
                folder.replace(folder.with_name(f"swept-{os.urandom(8).hex()}"))
                for folder in found
                if folder not in kept
            ]
        from shutil import rmtree  # noqa: PLC0415 - 3 ms that questions do without

        for folder in swept:
            rmtree(folder, ignore_errors=True)
        return len(swept)

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Prevent the current generation from being deleted while it is opened. Open files stay readable.

        If the lock is not available, for example because a sweep hangs, opening continues and may fail.
        """
        try:
            descriptor = os.open(self.folder / "opening", os.O_RDONLY)
        except OSError:
            descriptor = os.open(os.devnull, os.O_RDONLY)
        try:
            with suppress(OSError):
                acquire(descriptor, shared=True, patience_s=_PATIENCE_S)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock. It is released if the process is killed."""
        # one by one: `mkdir` gives the mode to the last folder only
        within = (self.folder / "segments", self.folder / "generations")
        for folder in (self.folder.parent, self.folder, *within):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / "lock").open("a") as lock:
            try:
                acquire(lock.fileno(), patience_s=0)
            except BlockingIOError:
                message = f"Another process is writing the index in {self.folder}."
                raise IndexLocked(message, hint="Wait until it is done, then try again.") from None
            yield


def sync_tree(folder: Path) -> None:
    """Sync a folder and everything in it to disk."""
    for parent, _, files in os.walk(folder):
        for name in files:
            _sync(Path(parent, name), os.O_RDONLY)
        sync_folder(Path(parent))


def sync_folder(folder: Path) -> None:
    """Sync the entries of a folder to disk."""
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
