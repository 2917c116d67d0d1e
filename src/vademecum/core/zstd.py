"""Zstandard from the standard library, or from a package before Python 3.14."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError, compress
else:
    from backports.zstd import ZstdDecompressor, ZstdError, compress

__all__ = ["ZstdDecompressor", "ZstdError", "compress"]
