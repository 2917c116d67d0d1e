"""The embedded search engine: qdrant-edge. A segment has up to four shards, written once and then only read.

It holds dense vectors; words are in flat files. `pages` holds a point a document, `needs` (where documents have any) a
point a need, and where passages are embedded, `passages` holds a point a passage text and `vocabulary` a point a word.
What its settings and detours are for was measured; `docs/decisions/0002-embedded-engine.md` says how.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Semaphore, Thread

import qdrant_edge as engine

from vademecum.core.errors import DiskFull, IndexCorrupt, StoreError
from vademecum.stores._private import private_folder

_BATCH = 1000
_AT_ONCE = Semaphore(1 + (os.cpu_count() or 1))
"""Shards that are opened together: one for each processor, one that waits for the disk. More would only take the
processors from the thread that is to ask them."""

_COLD = engine.Memory.Cold
_MEANING = "meaning"
_REBUILD = "Build the index anew with: ragadmin reindex --full"
_Vector = list[float]


class EdgeWriter:
    """Builds the shards of one segment.

    Args:
        folder: An empty folder.
        meanings: The documents' dense vectors by name, with their dimensions.
        need_dimensions: Of the needs' dense vector.
        passage_dimensions: Of the passages'; 0 where they have none.
    """

    def __init__(
        self, folder: Path, meanings: Mapping[str, int], need_dimensions: int, passage_dimensions: int = 0
    ) -> None:
        self._pages = _ShardWriter(folder / "pages", meanings)
        self._folder, self._need_dimensions = folder, need_dimensions
        self._needs: _ShardWriter | None = None
        self._passages = self._vocabulary = None
        if passage_dimensions:
            self._passages = _ShardWriter(folder / "passages", {_MEANING: passage_dimensions})
            self._vocabulary = _ShardWriter(folder / "vocabulary", {_MEANING: passage_dimensions})

    def add_page(self, document: int, meanings: Mapping[str, list[float]]) -> None:
        """Add a document. A dense vector of zeros is left out."""
        if dense := {name: vector for name, vector in meanings.items() if any(vector)}:
            self._pages.add(document, dense)

    def add_passage(self, text: int, meaning: list[float]) -> None:
        """Add a passage text, where passages are embedded; one without a meaning is left out."""
        if self._passages and any(meaning):
            self._passages.add(text, {_MEANING: meaning})

    def add_need(self, need: int, meaning: list[float]) -> None:
        """Add a need; one without a meaning is left out."""
        if any(meaning):
            if self._needs is None:
                self._needs = _ShardWriter(self._folder / "needs", {_MEANING: self._need_dimensions})
            self._needs.add(need, {_MEANING: meaning})

    def add_word(self, term: int, meaning: list[float]) -> None:
        """Add a word of the documents, where passages are embedded; one without a meaning is left out."""
        if self._vocabulary and any(meaning):
            self._vocabulary.add(term, {_MEANING: meaning})

    def commit(self) -> None:
        """Index everything and flush it to the files. The caller makes them durable."""
        for shard in (self._vocabulary, self._pages, self._passages, self._needs):
            if shard:
                shard.commit()


class _ShardWriter:
    def __init__(self, folder: Path, meanings: Mapping[str, int]) -> None:
        config = engine.EdgeConfig(
            vectors={name: _dense(dimensions) for name, dimensions in meanings.items()},
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

    def add(self, number: int, vectors: Mapping[str, _Vector]) -> None:
        self._waiting.append(engine.Point(number, dict(vectors)))
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
        from shutil import disk_usage  # noqa: PLC0415 - for errors only

        full = "No space left" in said or "Not enough space" in said or "quota exceeded" in said
        if full or disk_usage(self._folder).free < 1 << 20:
            message = f"The disk holding {self._folder} is full; the index is as it was."
            return DiskFull(message, hint="Free some space, then run: ragadmin reindex")
        hint = "Check the folder's rights and the limits on files (ulimit -a), then run: ragadmin reindex"
        return StoreError(f"The search engine could not write {self._folder}: {said}", hint=hint)


class Opening:
    """The shards of one segment while they are opened, each by a thread of its own.

    Args:
        folder: As `EdgeWriter` left it.
        held: A descriptor of what keeps its files where they are; until all are open, copies of it are.
    """

    def __init__(self, folder: Path, held: int | None = None) -> None:
        self.pages = _Opening(folder / "pages", held)
        others = (folder / "passages", folder / "needs", folder / "vocabulary")
        self.passages, self.needs, self.vocabulary = (
            _Opening(other, held) if other.is_dir() else None for other in others
        )

    def wait(self) -> None:
        """Wait until all are open, or can not be; then nothing is left of what they were opened through."""
        for one in (self.pages, self.passages, self.needs, self.vocabulary):
            if one:
                one.wait()


class EdgeReader:
    """Searches the dense vectors of one committed segment by inner product: best first, ties by number.

    With `among` only these are looked at.

    Args:
        folder: As `EdgeWriter` left it; or its shards, which are being opened.

    Raises:
        FileNotFoundError: The files are gone.
        IndexCorrupt: The engine can not read them; also by every method.
        StoreError: There is no folder where the engine may write the little it must.
    """

    def __init__(self, folder: Path | Opening) -> None:
        opening = folder if isinstance(folder, Opening) else Opening(folder)
        self._pages = opening.pages.done()
        self._passages = opening.passages.done() if opening.passages else None
        self._needs = opening.needs.done() if opening.needs else None
        self._vocabulary = opening.vocabulary.done() if opening.vocabulary else None

    def similar_words(self, vector: list[float], limit: int) -> list[tuple[int, float]]:
        """The words nearest to a vector; none where passages are not embedded."""
        return self._vocabulary.search(vector, _MEANING, limit) if self._vocabulary and any(vector) else []

    def nearest_passages(
        self, vector: list[float], limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """The nearest passage texts; none where they are not embedded."""
        return self._passages.search(vector, _MEANING, limit, among) if self._passages and any(vector) else []

    def passage_nearness(self, vector: list[float], texts: Sequence[int]) -> dict[int, float]:
        """The inner product for each of these passage texts that has a dense vector."""
        return self._passages.weights(vector, _MEANING, texts) if self._passages and any(vector) else {}

    def nearest(
        self, meaning: str, vector: list[float], limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """The nearest documents by their dense vector of that name."""
        return self._pages.search(vector, meaning, limit, among)

    def nearness(self, meaning: str, vector: list[float], documents: Sequence[int]) -> dict[int, float]:
        """The inner product for each of these documents that has a dense vector of that name."""
        return self._pages.weights(vector, meaning, documents)

    def nearest_needs(
        self, vector: list[float], limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """The nearest needs."""
        return self._needs.search(vector, _MEANING, limit, among) if self._needs and any(vector) else []

    def need_nearness(self, vector: list[float], needs: Sequence[int]) -> dict[int, float]:
        """The inner product for each of these needs."""
        return self._needs.weights(vector, _MEANING, needs) if self._needs and any(vector) else {}


class _Opening:
    """A shard that is opened by a thread of its own."""

    def __init__(self, folder: Path, held: int | None) -> None:
        self._shard: _ShardReader | None = None
        self._fault: BaseException | None = None
        copied = None if held is None else os.dup(held)
        self._thread = Thread(target=self._open, args=(folder, copied), daemon=True)
        self._thread.start()

    def _open(self, folder: Path, held: int | None) -> None:
        try:
            with _AT_ONCE:
                self._shard = _ShardReader(folder)
        except BaseException as fault:  # noqa: BLE001 - raised again below, in the thread that asks
            self._fault = fault
        finally:
            if held is not None:
                os.close(held)

    def wait(self) -> None:
        """Wait until it is open, or can not be."""
        self._thread.join()

    def done(self) -> "_ShardReader":
        """The shard, once it is open.

        Raises:
            FileNotFoundError: Its files are gone.
            IndexCorrupt: It can not be read.
            StoreError: There is no folder to open it through.
        """
        self.wait()
        if self._shard is None:
            raise self._fault or RuntimeError
        return self._shard


class _ShardReader:
    """One shard, open for search."""

    def __init__(self, folder: Path) -> None:
        with (
            private_folder(str(folder)) as private,
            _naming(lambda error: _unreadable(f"The search engine can not read {folder}", error)),
        ):
            self._shard = engine.EdgeShard.load(private)

    def search(
        self, vector: _Vector, using: str, limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        if limit < 1 or (among is not None and not among):
            return []
        request = engine.QueryRequest(
            limit=limit,
            query=engine.Query.Nearest(vector, using=using),
            filter=None if among is None else engine.Filter(must=[engine.HasIdCondition(set(among))]),
        )
        with _naming(_failed):
            found = self._shard.query(request)
        return sorted(((int(point.id), point.score) for point in found), key=lambda pair: (-pair[1], pair[0]))

    def weights(self, vector: _Vector, using: str, points: Sequence[int]) -> dict[int, float]:
        """The scores of these points; a point without a score is left out."""
        return dict(self.search(vector, using, len(points), points))


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


def _dense(dimensions: int) -> engine.EdgeVectorParams:
    return engine.EdgeVectorParams(
        size=dimensions,
        distance=engine.Distance.Dot,
        datatype=engine.VectorStorageDatatype.Float16,
        hnsw_config=engine.HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=0),
        memory=engine.Memory.Cached,  # cold ones are advised upon one by one when first compared: 6 ms, not 1
    )
