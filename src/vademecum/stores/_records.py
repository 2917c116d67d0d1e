"""Shared code of stores on servers without transactions: rows as JSON, in batches, with deterministic ids."""

import json
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any
from uuid import UUID

from vademecum.core.errors import IndexCorrupt
from vademecum.core.stores import Kind, Row

LAYOUT = 1
"""The version of the format that these stores write."""

_BATCH_BYTES = 8_000_000


def batches(rows: Iterable[Row], count: int) -> Iterator[list[Row]]:
    """Yield batches of rows, limited in number and to a few megabytes."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row.data) + 8 * len(row.vector) + 200
        if len(batch) >= count or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def id_of(segment: str, kind: Kind, key: int) -> str:
    """Return the id of a row, a UUID. Within a segment and kind, ids sort like the keys."""
    return str(UUID(bytes=sha256(f"{kind} {segment}".encode()).digest()[:12] + key.to_bytes(4, "big")))


def key_of(identity: str) -> int:
    """Return the key in an id made by `id_of`."""
    return UUID(identity).int & 0xFFFFFFFF


def record_of(row: Row) -> dict[str, str]:
    """Encode a row's fields and data as strings."""
    return {"fields": json.dumps(dict(row.fields)), "data": b64encode(row.data).decode()}


def row_of(key: int, record: Mapping[str, Any] | None, place: str) -> Row:
    """Decode a record.

    Raises:
        IndexCorrupt: The record is invalid.
    """
    try:
        fields = json.loads(record["fields"])  # type: ignore[index] # anything but a mapping is rejected below
        return Row(key, dict(fields), b64decode(record["data"], validate=True))  # type: ignore[index]
    except (KeyError, TypeError, ValueError, NotBase64) as error:
        message = f"A row in {place} is not one that Vademecum has written."
        hint = "Build it again, on the machine that indexes, with: ragadmin reindex --full"
        raise IndexCorrupt(message, hint=hint) from error
