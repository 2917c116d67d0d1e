"""The layout of the word table, and the hash buckets of a word."""

from struct import Struct
from zlib import crc32

DIMENSIONS = 256
BUCKETS = 8192

MAGIC = b"VADEWT01"
HEADER = Struct("<8sIII")
"""Magic, dimensions, words, buckets. There follow, little-endian: the words' numbers ascending (u32), the
words' scales and the buckets' scales (f32), the words' rows and the buckets' rows (int8)."""


def buckets_of(term: str) -> list[int]:
    """The buckets of a term's character 3- to 5-grams, its ends marked."""
    marked = f"<{term}>"
    return [
        crc32(marked[start : start + size].encode()) % BUCKETS
        for size in (3, 4, 5)
        for start in range(len(marked) - size + 1)
    ]
