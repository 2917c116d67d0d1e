"""Clusters: compressed blocks that contain many articles."""

from collections.abc import Iterator
from typing import NamedTuple

from vademecum.files.inflate import XZ, ZSTD, Damaged, inflate
from vademecum.files.read import Unreadable
from vademecum.sources.zim.parts import Header, Parts

CLUSTER_LIMIT_BYTES = 128 * 1024 * 1024
"""The maximum inflated size of a compressed cluster. Writers aim at 1 or 2 MiB."""

BLOB_LIMIT_BYTES = 16 * 1024 * 1024
"""The maximum size of an article."""

_KEPT_BYTES = 48 * 1024 * 1024
_KEPT = 4
_PIECE_BYTES = 256 * 1024
_PLAIN, _XZ, _ZSTD = (0, 1), 4, 5
_NAMES = {2: "zip", 3: "bzip2"}
_EXTENDED = 0x10


class _Cluster(NamedTuple):
    """The data of a cluster, inflated, or its location in the archive."""

    data: bytes | None
    start: int
    size: int
    width: int
    """The size of an offset in bytes: 4, or 8 in an extended cluster."""


class Clusters:
    """The clusters of an archive. The last few remain inflated."""

    def __init__(self, parts: Parts, header: Header) -> None:
        self._parts = parts
        self._header = header
        self._kept: dict[int, _Cluster] = {}

    def blob(self, number: int, blob: int, limit: int = BLOB_LIMIT_BYTES) -> bytes:
        """Return one content of a cluster."""
        cluster = self._cluster(number)
        start, end = self._span(cluster, number, blob)
        if end - start > limit:
            raise Unreadable(
                "too-large", f"It holds {end - start:,} bytes; more than {limit:,} are not read."
            )
        if cluster.data is not None:
            return cluster.data[start:end]
        return self._parts.read(cluster.start + start, end - start)

    def check(self, number: int) -> None:
        """Check the location of a cluster and, unless it is compressed, its offsets.

        Compressed clusters are checked when they are read. The checksum covers their bytes.
        """
        compression, cluster = self._open(number)
        if compression not in _PLAIN:
            return
        before = first = self._offset(cluster, number, 0)
        if first % cluster.width or not cluster.width <= first <= cluster.size:
            raise Unreadable("bad-cluster", f"Cluster {number} has {first} bytes of offsets.")
        for start in range(0, first, _PIECE_BYTES):
            raw = self._parts.read(cluster.start + start, min(_PIECE_BYTES, first - start))
            for offset in memoryview(raw).cast("I" if cluster.width == 4 else "Q"):
                if not before <= offset <= cluster.size:
                    raise Unreadable("bad-cluster", f"Cluster {number} has offsets that are out of order.")
                before = offset

    def _span(self, cluster: _Cluster, number: int, blob: int) -> tuple[int, int]:
        first = self._offset(cluster, number, 0)
        if first % cluster.width or not cluster.width <= first <= cluster.size:
            raise Unreadable("bad-cluster", f"Cluster {number} has {first} bytes of offsets.")
        if not 0 <= blob < first // cluster.width - 1:
            message = (
                f"Cluster {number} has {first // cluster.width - 1} contents; one of them cannot be {blob}."
            )
            raise Unreadable("bad-cluster", message)
        start, end = self._offset(cluster, number, blob), self._offset(cluster, number, blob + 1)
        if not first <= start <= end <= cluster.size:
            raise Unreadable("bad-cluster", f"Content {blob} of cluster {number} is outside of the cluster.")
        return start, end

    def _offset(self, cluster: _Cluster, number: int, place: int) -> int:
        start = place * cluster.width
        if cluster.data is not None:
            raw = cluster.data[start : start + cluster.width]
        else:
            raw = self._parts.read(cluster.start + start, cluster.width)
        if len(raw) < cluster.width:
            raise Unreadable("bad-cluster", f"Cluster {number} ends within its offsets.")
        return int.from_bytes(raw, "little")

    def _cluster(self, number: int) -> _Cluster:
        found = self._kept.pop(number, None)
        if found is None:
            compression, found = self._open(number)
            if compression not in _PLAIN:
                found = self._inflate(number, compression, found)
        self._kept[number] = found
        while len(self._kept) > _KEPT or (len(self._kept) > 1 and self._kept_bytes() > _KEPT_BYTES):
            del self._kept[next(iter(self._kept))]
        return found

    def _kept_bytes(self) -> int:
        return sum(cluster.size for cluster in self._kept.values() if cluster.data is not None)

    def _open(self, number: int) -> tuple[int, _Cluster]:
        """Return the compression of a cluster and the location of its data, which is bounded only by the archive."""
        if not 0 <= number < self._header.clusters:
            raise Unreadable("bad-cluster", f"There is no cluster {number}.")
        start = int.from_bytes(self._parts.read(self._header.pointers + 8 * number, 8), "little")
        if not 80 <= start < self._header.checksum:
            raise Unreadable(
                "bad-cluster", f"Cluster {number} is said to be at {start}, outside of the archive."
            )
        info = self._parts.read(start, 1)[0]
        compression = info & 0x0F
        if compression not in {*_PLAIN, _XZ, _ZSTD}:
            name = _NAMES.get(compression, f"number {compression}")
            raise Unreadable("unknown-compression", f"Cluster {number} is compressed by {name}.")
        width = 8 if info & _EXTENDED else 4
        return compression, _Cluster(None, start + 1, self._header.checksum - start - 1, width)

    def _inflate(self, number: int, compression: int, cluster: _Cluster) -> _Cluster:
        pieces: list[bytes] = []
        size = 0
        try:
            kind = XZ if compression == _XZ else ZSTD
            for piece in inflate(self._pieces(cluster), kind, only_first=True):
                pieces.append(piece)
                size += len(piece)
                if size > CLUSTER_LIMIT_BYTES:
                    message = f"Cluster {number} inflates to more than {CLUSTER_LIMIT_BYTES:,} bytes."
                    raise Unreadable("too-large", message)
        except (Damaged, EOFError) as error:
            raise Unreadable("bad-cluster", f"Cluster {number} cannot be inflated: {error}.") from error
        return cluster._replace(data=b"".join(pieces), size=size)

    def _pieces(self, cluster: _Cluster) -> Iterator[bytes]:
        limit = min(cluster.size, CLUSTER_LIMIT_BYTES)
        for start in range(0, limit, _PIECE_BYTES):
            yield self._parts.read(cluster.start + start, min(_PIECE_BYTES, limit - start))
        message = "its data has no end"
        raise EOFError(message)
