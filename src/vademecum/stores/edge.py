"""The embedded search engine: qdrant-edge. A segment has two shards, written once and then only read.

`pages` holds a point a document: its terms, and its dense vectors by name. `passages` holds a point a passage
text. They are apart because the engine stores a dense vector's place for every point of a shard.
What its settings and detours are for was measured; `docs/decisions/0002-embedded-engine.md` says how.
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import qdrant_edge as engine

from vademecum.core.errors import DiskFull, IndexCorrupt, StoreError
from vademecum.core.passages import SparseVector

if TYPE_CHECKING:
    from uuid import UUID

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - only `mkdtemp` makes anything there
_BATCH = 1000
_COLD = engine.Memory.Cold
_WORDS = "words"
_REBUILD = "Build the index anew with: ragadmin reindex --full"
_Vector = engine.SparseVector | list[float]


class EdgeWriter:
    """Builds the shards of one segment.

    Args:
        folder: An empty folder.
        meanings: Names of the documents' dense vectors.
        dimensions: Of the dense vectors.
    """

    def __init__(self, folder: Path, meanings: Sequence[str], dimensions: int) -> None:
        self._pages = _ShardWriter(folder / "pages", meanings, dimensions)
        self._passages = _ShardWriter(folder / "passages", (), 0)

    def add_page(self, document: int, words: SparseVector, meanings: Mapping[str, list[float]]) -> None:
        """Add a document. A dense vector of zeros is left out, and so is a document without words."""
        if words.terms:
            dense = {name: vector for name, vector in meanings.items() if any(vector)}
            self._pages.add(document, {_WORDS: _sparse(words), **dense})

    def add_passage(self, text: int, words: SparseVector) -> None:
        """Add a passage text; one without words is left out."""
        if words.terms:
            self._passages.add(text, {_WORDS: _sparse(words)})

    def commit(self) -> None:
        """Index everything and flush it to the files. The caller makes them durable."""
        self._pages.commit()
        self._passages.commit()


class _ShardWriter:
    def __init__(self, folder: Path, meanings: Sequence[str], dimensions: int) -> None:
        dense = engine.EdgeVectorParams(
            size=dimensions or 1,
            distance=engine.Distance.Dot,
            datatype=engine.VectorStorageDatatype.Float16,
            hnsw_config=engine.HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=0),
            memory=engine.Memory.Cached,  # cold ones are advised upon one by one when first compared: 6 ms, not 1
        )
        config = engine.EdgeConfig(
            vectors=dict.fromkeys(meanings, dense),
            sparse_vectors={_WORDS: engine.EdgeSparseVectorParams(memory=_COLD)},
            optimizers=engine.EdgeOptimizersConfig(indexing_threshold=1, default_segment_number=1),
            max_search_threads=1,
            payload_memory=_COLD,
            id_tracker_memory=_COLD,
            wal_enabled=False,
        )
        folder.mkdir()
        self._folder = folder
        with _naming(self._refused):
            self._shard = engine.EdgeShard.create(str(folder), config)
        self._waiting: list[engine.Point] = []

    def add(self, number: int, vectors: dict[str, _Vector]) -> None:
        self._waiting.append(engine.Point(number, vectors))  # type: ignore[arg-type] # dict is invariant
        if len(self._waiting) >= _BATCH:
            self._send()

    def commit(self) -> None:
        self._send()
        with _naming(self._refused):
            self._shard.optimize()
            self._shard.flush()
            self._shard.close()
            # Its first opening folds journals into the data and deletes them: now, not in the hands of a reader.
            engine.EdgeShard.load(str(self._folder)).close()

    def _send(self) -> None:
        if self._waiting:
            with _naming(self._refused):
                self._shard.update(engine.UpdateOperation.upsert_points(self._waiting))
            self._waiting = []

    def _refused(self, error: BaseException) -> StoreError:
        said = str(error)
        full = "No space left" in said or "Not enough space" in said or "quota exceeded" in said
        if full or shutil.disk_usage(self._folder).free < 1 << 20:
            message = f"The disk holding {self._folder} is full; the index is as it was."
            return DiskFull(message, hint="Free some space, then run: ragadmin reindex")
        return StoreError(
            f"The search engine could not write {self._folder}: {said}", hint="Run: ragadmin reindex"
        )


class EdgeReader:
    """Searches one committed segment.

    Raises:
        FileNotFoundError: The files are gone.
        IndexCorrupt: The engine can not read them; also by every method.
        StoreError: There is no folder where the engine may write the little it must.
    """

    def __init__(self, folder: Path) -> None:
        self._pages = _ShardReader(folder / "pages")
        self._passages = _ShardReader(folder / "passages")

    def pages(self, query: SparseVector, limit: int) -> list[tuple[int, float]]:
        """The best documents by words, as (document number, score), best first, ties by number."""
        return self._pages.search(_sparse(query), _WORDS, limit) if query.terms else []

    def passages(self, query: SparseVector, limit: int) -> list[tuple[int, float]]:
        """The best passage texts by words, as (text number, score), best first, ties by number."""
        return self._passages.search(_sparse(query), _WORDS, limit) if query.terms else []

    def nearest(self, meaning: str, vector: list[float], limit: int) -> list[tuple[int, float]]:
        """The documents whose dense vector of that name has the largest inner product, likewise."""
        return self._pages.search(vector, meaning, limit)

    def nearness(self, meaning: str, vector: list[float], documents: Sequence[int]) -> dict[int, float]:
        """The inner product for each of these documents that has a dense vector of that name."""
        return self._pages.weights([(vector, meaning)], documents)[0]

    def page_terms(self, documents: Sequence[int], terms: Sequence[int]) -> list[dict[int, float]]:
        """For each term its weight in each of these documents that has it."""
        return self._pages.weights(
            [(engine.SparseVector([term], [1.0]), _WORDS) for term in terms], documents
        )

    def passage_terms(self, texts: Sequence[int], terms: Sequence[int]) -> list[dict[int, float]]:
        """For each term its weight in each of these passage texts that has it."""
        return self._passages.weights([(engine.SparseVector([term], [1.0]), _WORDS) for term in terms], texts)


class _ShardReader:
    """One shard, opened through a private folder.

    The engine writes a few files into the folder it opens, so that it could not open one on a full disk. So it
    is given the configuration copied and the data linked. It opens most data files for writing, too, though it
    changes none: files that may only be read have to be copied.
    """

    def __init__(self, folder: Path) -> None:
        config, segments = (
            (folder / "edge_config.json").read_bytes(),
            (folder / "segments").resolve(strict=True),
        )
        private = _private_folder(config)
        try:
            if all(os.access(file, os.W_OK) for file in segments.glob("*/segment.json")):
                (private / "segments").symlink_to(segments)
            else:
                shutil.copytree(segments, private / "segments", copy_function=_copy_data)
            with _naming(lambda error: _unreadable(f"The search engine can not read {folder}", error)):
                self._shard = engine.EdgeShard.load(str(private))
        finally:
            with suppress(OSError):
                shutil.rmtree(private)

    def search(self, vector: _Vector, using: str, limit: int) -> list[tuple[int, float]]:
        if limit < 1:
            return []
        request = engine.QueryRequest(limit=limit, query=engine.Query.Nearest(vector, using=using))
        with _naming(_failed):
            found = self._shard.query(request)
        return sorted(((int(point.id), point.score) for point in found), key=lambda pair: (-pair[1], pair[0]))

    def weights(self, asked: Sequence[tuple[_Vector, str]], points: Sequence[int]) -> list[dict[int, float]]:
        """For each (vector, name) the scores of these points; a point without a score is left out."""
        if not points or not asked:
            return [{} for _ in asked]
        ids: set[int | UUID | str] = set(points)
        wanted = engine.Filter(must=[engine.HasIdCondition(ids)])
        requests = [
            engine.QueryRequest(
                limit=len(ids), query=engine.Query.Nearest(vector, using=using), filter=wanted
            )
            for vector, using in asked
        ]
        with _naming(_failed):
            found = self._shard.query_batch(engine.QueryBatchRequest(requests))
        return [{int(point.id): point.score for point in one} for one in found]


@contextmanager
def _naming(name: Callable[[BaseException], StoreError]) -> Iterator[None]:
    """Turn whatever the engine raises into an error with a way out.

    Its panics are no `Exception`, and their class can not be imported.
    """
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise name(error) from error
        raise


def _unreadable(what: str, error: BaseException) -> IndexCorrupt:
    return IndexCorrupt(f"{what}: {error}", hint=_REBUILD)


def _failed(error: BaseException) -> IndexCorrupt:
    return _unreadable("The search engine failed on a query", error)


def _sparse(vector: SparseVector) -> engine.SparseVector:
    return engine.SparseVector(vector.terms, vector.weights)


def _copy_data(source: str, target: str) -> None:
    """Copy a file without its holes; most of a shard's bytes are holes."""
    with Path(source).open("rb") as old, Path(target).open("wb") as new:
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


def _private_folder(config: bytes) -> Path:
    """A new folder with the engine's configuration; in memory where possible, so that a full disk does not matter."""
    reasons = []
    for parent in (os.environ.get("XDG_RUNTIME_DIR"), SHARED_MEMORY, tempfile.gettempdir()):
        if not parent:
            continue
        private = None
        try:
            private = Path(tempfile.mkdtemp(prefix="vademecum-", dir=parent))
            (private / "edge_config.json").write_bytes(config)
        except OSError as error:
            reasons.append(str(error))
            if private:
                shutil.rmtree(private, ignore_errors=True)
        else:
            return private
    message = f"The search engine needs a folder it may write to: {'; '.join(reasons)}"
    raise StoreError(message, hint="Let XDG_RUNTIME_DIR name a folder of yours that has some room.")
