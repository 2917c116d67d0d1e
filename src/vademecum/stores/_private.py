"""The private folder through which the engine opens a shard.

The engine writes a few files into the folder it opens, so that it could not open one on a full disk. So it is given
the configuration copied and the data linked. It opens most data files for writing, too, though it changes none: files
that may only be read have to be copied.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from mmap import MAP_POPULATE, MAP_SHARED, PROT_READ, mmap

from vademecum.core.errors import StoreError

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - only new folders with names that nobody knows are made there
_CONFIG, _DATA = "edge_config.json", "segments"
_EVICTED = (
    "version.info",
    "payload_storage/config.json",
    "vector_index-words/inverted_index_config.json",
    "vector_index-words/version.info",
    "vector_storage-words/deleted/flags_a.dat",
    "vector_storage-words/store/config.json",
)
"""What the engine reads of a part of a shard and then tells the kernel to forget."""

_EVICTED_OF_DENSE = (
    "vector_index-{}/graph.bin",
    "vector_index-{}/hnsw_config.json",
    "vector_storage-{}/vectors/config.json",
    "vector_storage-{}/deleted/flags_a.dat",
)
"""The same, of each dense vector."""


@contextmanager
def private_folder(shard: str) -> Iterator[str]:
    """A folder from which a shard can be opened; it is gone afterwards, and the shard stays open.

    Raises:
        FileNotFoundError: The shard is gone.
        StoreError: There is no folder where the engine may write the little it must.
    """
    with open(f"{shard}/{_CONFIG}", "rb") as file:  # noqa: PTH123 - no pathlib where every millisecond counts
        config = file.read()
    data = os.path.abspath(f"{shard}/{_DATA}")  # noqa: PTH100 - the same
    with os.scandir(data) as found:
        parts = [entry.path for entry in found if os.path.exists(f"{entry.path}/segment.json")]  # noqa: PTH110 - the same
    private = _made(config)
    try:
        if all(os.access(f"{part}/segment.json", os.W_OK) for part in parts):
            os.symlink(data, f"{private}/{_DATA}")  # noqa: PTH211 - the same
        else:
            from shutil import copytree  # noqa: PLC0415 - seldom needed

            copytree(data, f"{private}/{_DATA}", copy_function=_copy_data)
        pins = [pin for part in parts for pin in _pinned(part)]
        yield private
        del pins
    finally:
        _removed(private)


def _pinned(part: str) -> Iterator[mmap]:
    """The files of a part that would be evicted from the page cache, mapped: what is mapped stays.

    Else every opening would read them from the disk, one after another: more than a hundred in a whole index.
    """
    named = [
        name.rpartition("/")[2].partition("-")[2]
        for name in os.listdir(part)  # noqa: PTH208 - no pathlib where every millisecond counts
        if name.startswith("vector_storage-")
    ]
    dense = [name for name in named if name != "words"]
    for name in (*_EVICTED, *(one.format(of) for of in dense for one in _EVICTED_OF_DENSE)):
        with suppress(OSError, ValueError):  # some are in some parts only
            descriptor = os.open(f"{part}/{name}", os.O_RDONLY)
            try:
                yield mmap(descriptor, 0, flags=MAP_SHARED | MAP_POPULATE, prot=PROT_READ)
            finally:
                os.close(descriptor)


def _made(config: bytes) -> str:
    """A new folder with the engine's configuration; in memory where possible, so that a full disk does not matter."""
    reasons = []
    for parent in _parents():
        private = f"{parent}/vademecum-{os.urandom(8).hex()}"
        try:
            os.mkdir(private, 0o700)  # noqa: PTH102 - no pathlib where every millisecond counts
        except OSError as error:
            reasons.append(str(error))
            continue
        try:
            with open(f"{private}/{_CONFIG}", "wb") as file:  # noqa: PTH123 - the same
                file.write(config)
        except OSError as error:
            reasons.append(str(error))
            _removed(private)
        else:
            return private
    message = f"The search engine needs a folder it may write to: {'; '.join(reasons)}"
    raise StoreError(message, hint="Let XDG_RUNTIME_DIR name a folder of yours that has some room.")


def _parents() -> Iterator[str]:
    """Where the folder may be made, the best first."""
    if parent := os.environ.get("XDG_RUNTIME_DIR"):
        yield parent
    yield SHARED_MEMORY
    import tempfile  # noqa: PLC0415 - seldom needed

    yield tempfile.gettempdir()


def _removed(private: str) -> None:
    """Delete the folder; what the engine has open stays open."""
    try:
        for name in (_CONFIG, _DATA):
            os.unlink(f"{private}/{name}")  # noqa: PTH108 - no pathlib where every millisecond counts
        os.rmdir(private)  # noqa: PTH106 - the same
    except OSError:
        from shutil import rmtree  # noqa: PLC0415 - where there is more in it

        rmtree(private, ignore_errors=True)


def _copy_data(source: str, target: str) -> None:
    """Copy a file without its holes; most of a shard's bytes are holes."""
    with open(source, "rb") as old, open(target, "wb") as new:  # noqa: PTH123 - as above
        size, end = os.fstat(old.fileno()).st_size, 0
        new.truncate(size)
        while end < size:
            try:
                start = os.lseek(old.fileno(), end, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:  # there is no more data
                    raise
                return
            end = os.lseek(old.fileno(), start, os.SEEK_HOLE)
            os.lseek(new.fileno(), start, os.SEEK_SET)
            while start < end:
                start += os.sendfile(new.fileno(), old.fileno(), start, end - start)
