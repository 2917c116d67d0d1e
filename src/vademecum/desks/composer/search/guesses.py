"""Guess capabilities from word vectors, for words such as "orchard" that are not in the vocabulary.

A multinomial logistic regression on the built-in word vectors; `training/capabilities.py` fits it on the phrases. Its file holds the
names, and for each a row of numbers from -127 to 127 with their scale and bias.
"""

import json
from collections.abc import Sequence
from functools import cache
from math import exp
from operator import mul
from pathlib import Path
from struct import Struct
from struct import error as StructError  # noqa: N812 - a class, whatever its case
from typing import NamedTuple

from vademecum.core.errors import ProviderError

GUESSES = Path(__file__).with_name("guesses.bin")
SCALE = 8.0
"""What vectors are multiplied with before the regression."""

_MAGIC = b"VADEGS01"
_HEAD = Struct("<8sI")
_ROW = Struct("<ff")


class Guesses(NamedTuple):
    """The fitted rows: the capability, the weights in steps, the size of a step, and the bias; and what they were fitted on."""

    rows: tuple[tuple[str, memoryview, float, float], ...]
    stamp: str


def guess(vector: Sequence[float]) -> dict[str, float]:
    """The chance of each capability, by name; together 1. Nothing for a vector of zeros."""
    if not any(vector):
        return {}
    rows = guesses().rows
    scores = [SCALE * step * sum(map(mul, vector, weights)) + bias for _, weights, step, bias in rows]
    best = max(scores)
    powers = [exp(score - best) for score in scores]
    total = sum(powers)
    return {name: power / total for (name, *_), power in zip(rows, powers, strict=True)}


@cache
def guesses() -> Guesses:
    """The fitted rows."""
    try:
        return _unpacked(GUESSES.read_bytes())
    except (OSError, ValueError, KeyError, TypeError, StructError) as error:
        raise ProviderError(
            f"{GUESSES} cannot be read: {error}", hint="Install the package again."
        ) from error


def _unpacked(data: bytes) -> Guesses:
    magic, length = _HEAD.unpack_from(data)
    if magic != _MAGIC:
        raise ValueError("it begins otherwise")
    head = json.loads(data[_HEAD.size : _HEAD.size + length])
    names, size = head["names"], head["dimensions"]
    start = _HEAD.size + length
    if len(data) != start + len(names) * (_ROW.size + size):
        raise ValueError("its length is wrong")
    rows = []
    for name in names:
        step, bias = _ROW.unpack_from(data, start)
        start += _ROW.size
        rows.append((name, memoryview(data)[start : start + size].cast("b"), step, bias))
        start += size
    return Guesses(tuple(rows), head["stamp"])


def packed(names: Sequence[str], rows: Sequence[Sequence[float]], stamp: str) -> bytes:
    """The file of fitted rows, each with its bias last."""
    size = len(rows[0]) - 1
    head = json.dumps({"names": list(names), "dimensions": size, "stamp": stamp}).encode()
    parts = [_HEAD.pack(_MAGIC, len(head)), head]
    for row in rows:
        step = max(map(abs, row[:-1])) / 127 or 1.0
        parts += [_ROW.pack(step, row[-1]), bytes(round(value / step) & 0xFF for value in row[:-1])]
    return b"".join(parts)
