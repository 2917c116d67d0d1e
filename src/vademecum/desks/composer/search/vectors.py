"""The `.ai-cache`: vectors of templates, keyed by the hash of their input.

    .ai-cache/embeddings/index.json      the model, its dimensions, and what is kept
    .ai-cache/embeddings/vectors/*.bin   each vector, 32-bit floats, little-endian

A vector's key is the first 16 hexadecimal digits of a SHA-256 over the text as it was embedded, the model's stamp (with its
prefixes) and the version of what builds the text. So a renamed file, another model or a new rule for texts can never find an
old vector. Everything is written beside and renamed; nothing that is read is trusted.
"""

import json
import os
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from math import hypot, isfinite
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.desks.composer.image_template.text import BUILDER
from vademecum.files.write import replace_file
from vademecum.text.patterns import Pattern

Vectors = list[Sequence[float]]

_KEY = Pattern(r"[0-9a-f]{16}", flags=0)
_MOST_INDEX_BYTES = 16 << 20
_FLOAT_BYTES = 4
_LENGTH_OFF = 0.01
"""How far a vector's length may be from 1: what is farther off is not a vector of ours."""


class CacheStats(NamedTuple):
    """What a cache holds.

    Attributes:
        model_id: The model that made the vectors, or "".
        problems: What is wrong with it, in sentences; such vectors are made again when they are needed.
    """

    folder: str
    exists: bool
    model_id: str
    dimensions: int
    entries: int
    size_bytes: int
    problems: tuple[str, ...]


class Looked(NamedTuple):
    """Vectors that were asked for."""

    vectors: Vectors
    hits: int
    misses: int
    notes: tuple[str, ...]


class VectorCache:
    """A folder of vectors of one model.

    Args:
        stamp: Whatever else the vectors depend on: model, dimensions, prefixes.
        ttl: How long a vector is good; `None` for as long as its text.
        most_bytes: The vectors together may have; `None` for no limit. The oldest go first.
    """

    def __init__(
        self,
        folder: Path,
        *,
        model_id: str,
        stamp: str,
        dimensions: int,
        ttl: timedelta | None = None,
        most_bytes: int | None = None,
    ) -> None:
        self._index_file = folder / "embeddings" / "index.json"
        self._vectors = folder / "embeddings" / "vectors"
        self._model_id, self._stamp, self._dimensions = model_id, stamp, dimensions
        self._ttl, self._most_bytes = ttl, most_bytes

    def key_of(self, text: str) -> str:
        """SHA-256 of what a text's vector depends on, in hexadecimal. Its first 16 digits name the vector."""
        return sha256(f"{BUILDER}\0{self._stamp}\0{text}".encode(errors="surrogatepass")).hexdigest()

    def look_up(self, texts: Sequence[tuple[str, str]], make: Callable[[list[str]], Vectors]) -> Looked:
        """The vectors of texts, those that are not kept made and kept."""
        index, notes = self._read_index()
        entries: dict[str, Any] = index["entries"]
        digests = [self.key_of(text) for _, text in texts]
        found: dict[str, Sequence[float]] = {}
        for digest in dict.fromkeys(digests):
            key = digest[:16]
            if key in entries and entries[key]["content_hash"] == digest and not self._is_old(entries[key]):
                vector = _read_vector(self._vectors / f"{key}.bin", self._dimensions)
                if vector is not None:
                    found[digest] = vector
                else:
                    notes.append(
                        f"The vector {key} of {entries[key]['template']} is damaged or missing; it was made again."
                    )
        missing = {
            digest: text for digest, (_, text) in zip(digests, texts, strict=True) if digest not in found
        }
        fresh = as_kept(make(list(missing.values()))) if missing else []
        made = dict(zip(missing, fresh, strict=True))
        now = _now()
        names = dict(zip(digests, (name for name, _ in texts), strict=True))
        kept = {
            digest[:16]: entries[digest[:16]] | {"template": names[digest]}
            if digest in found
            else {"template": names[digest], "content_hash": digest, "updated_at": now}
            for digest in names
        }
        if made or kept.keys() != entries.keys():
            try:
                for digest, new in made.items():
                    _write_vector(self._vectors / f"{digest[:16]}.bin", new)
                self._within_limit(kept)
                replace_file(self._index_file, json.dumps(index | {"entries": kept}, indent=1) + "\n")
                self._prune(kept)
            except OSError as error:
                notes.append(f"The cache cannot be written: {error.strerror}. It is done without.")
        vectors: Vectors = [found.get(digest) or made[digest] for digest in digests]
        hits = sum(digest in found for digest in digests)
        return Looked(vectors, hits, len(digests) - hits, tuple(notes))

    def _read_index(self) -> tuple[dict[str, Any], list[str]]:
        """The index, if it is sound and of this model; else a new one, and why."""
        new = {
            "model_id": self._model_id,
            "dimensions": self._dimensions,
            "created_at": _now(),
            "entries": {},
        }
        index = _load_index(self._index_file)
        if index is None:
            return new, []
        if isinstance(index, str):
            return new, [f"{index} All vectors were made again."]
        if (index["model_id"], index["dimensions"]) != (self._model_id, self._dimensions):
            was = f"{index['model_id']} with {index['dimensions']} dimensions"
            return new, [f"The cache was made by another model, {was}. All vectors were made again."]
        return index, []

    def _is_old(self, entry: Mapping[str, str]) -> bool:
        if self._ttl is None:
            return False
        try:
            return datetime.now(UTC) - datetime.fromisoformat(entry["updated_at"]) > self._ttl
        except (ValueError, TypeError):
            return True

    def _within_limit(self, kept: dict[str, Any]) -> None:
        """Take the oldest out until the rest is within the limit."""
        if self._most_bytes is not None:
            most = max(0, self._most_bytes // (_FLOAT_BYTES * self._dimensions))
            for key in sorted(kept, key=lambda one: kept[one]["updated_at"])[: max(0, len(kept) - most)]:
                del kept[key]

    def _prune(self, kept: Mapping[str, object]) -> None:
        for file in self._vectors.iterdir():
            if file.suffix == ".bin" and file.stem not in kept and _KEY.fullmatch(file.stem):
                file.unlink(missing_ok=True)


def as_kept(vectors: Vectors) -> Vectors:
    """Vectors with the exactness that a kept one has, so that the first search gives what every later one gives."""
    return [array("f", vector) for vector in vectors]


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors of length 1."""
    return float(sum(map(mul, one, other)))


def cache_stats(folder: Path) -> CacheStats:
    """What a cache holds, every vector looked at."""
    index_file, vectors = folder / "embeddings" / "index.json", folder / "embeddings" / "vectors"
    files = _own_files(folder)
    size_bytes = 0
    for file in files:
        with suppress(OSError):
            size_bytes += file.stat().st_size
    index = _load_index(index_file)
    if index is None or isinstance(index, str):
        return CacheStats(str(folder), bool(files), "", 0, 0, size_bytes, (index,) if index else ())
    dimensions = index["dimensions"]
    bad = [key for key in index["entries"] if _read_vector(vectors / f"{key}.bin", dimensions) is None]
    strays = [one for one in files if one.suffix == ".bin" and one.stem not in index["entries"]]
    problems = tuple(
        text
        for count, text in (
            (len(bad), f"{len(bad)} vectors are damaged or missing."),
            (len(strays), f"{len(strays)} files belong to no template."),
        )
        if count
    )
    entries = len(index["entries"]) - len(bad)
    return CacheStats(str(folder), True, index["model_id"], dimensions, entries, size_bytes, problems)


def clear_cache(folder: Path) -> int:
    """Remove the cache's own files, and return how many vectors there were. Nothing else in the folder is touched."""
    files = _own_files(folder)
    removed = 0
    for file in files:
        with suppress(OSError):
            file.unlink()
            removed += file.suffix == ".bin"
    for inner in (folder / "embeddings" / "vectors", folder / "embeddings", folder):
        with suppress(OSError):  # something else lies in it, or it is not there
            inner.rmdir()
    return removed


def _own_files(folder: Path) -> list[Path]:
    found = [folder / "embeddings" / "index.json"]
    with suppress(OSError):
        found += [
            one
            for one in sorted((folder / "embeddings" / "vectors").iterdir())
            if one.suffix == ".bin" and _KEY.fullmatch(one.stem)
        ]
    return [one for one in found if one.is_file()]


def _load_index(file: Path) -> dict[str, Any] | str | None:
    """The index; a sentence if it is unsound; `None` if there is none."""
    try:
        with file.open("rb") as opened:
            raw = opened.read(_MOST_INDEX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"The cache's index cannot be read: {error.strerror}."
    try:
        index = json.loads(raw)
        entries = index["entries"]
        sound = (
            isinstance(index["model_id"], str)
            and type(index["dimensions"]) is int
            and 0 < index["dimensions"] <= 1 << 16
            and all(
                _KEY.fullmatch(key) and all(isinstance(one[name], str) for name in _ENTRY)
                for key, one in entries.items()
            )
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        sound = False
        index = {}
    return index if sound else "The cache's index is damaged."


_ENTRY = ("template", "content_hash", "updated_at")


def _read_vector(file: Path, dimensions: int) -> "array[float] | None":
    """A vector; `None` if its file is missing, of another size, or holds what is not a vector of length 1 or 0."""
    try:
        with file.open("rb", buffering=0) as opened:
            raw = opened.read(_FLOAT_BYTES * dimensions + 1)
    except OSError:
        return None
    values = array("f")
    if len(raw) != _FLOAT_BYTES * dimensions:
        return None
    values.frombytes(raw)
    if sys.byteorder == "big":
        values.byteswap()
    length = hypot(*values)
    return values if isfinite(length) and (abs(length - 1) < _LENGTH_OFF or length == 0) else None


def _write_vector(file: Path, vector: Sequence[float]) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    values = array("f", vector)
    if sys.byteorder == "big":
        values.byteswap()
    beside = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        beside.write_bytes(values.tobytes())
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
