"""Compressed bytes to bytes, never more of them than asked for."""

from vademecum.files.inflate import KINDS, Damaged
from vademecum.files.inflate import inflate as inflate_pieces
from vademecum.sources._files import Refused, too_large

_BY_SUFFIX = {kind.suffix: kind for kind in KINDS}

SUFFIXES = tuple(_BY_SUFFIX)
"""How a file may be compressed."""


def inflate(raw: bytes, suffix: str, limit_bytes: int) -> bytes:
    """What compressed data holds.

    Args:
        raw: All of it.
        suffix: One of `SUFFIXES`; with any other the data is taken as it is.
        limit_bytes: The most the result may hold; hardly more than that is inflated.

    Raises:
        Refused: `damaged-archive` or `too-large`.
    """
    kind = _BY_SUFFIX.get(suffix)
    if kind is None:
        return raw
    found: list[bytes] = []
    size = 0
    try:
        for piece in inflate_pieces([raw], kind):
            found.append(piece)
            size += len(piece)
            if size > limit_bytes:
                raise too_large(limit_bytes)
    except Damaged as error:
        raise Refused("damaged-archive", error.message) from error
    return b"".join(found)
