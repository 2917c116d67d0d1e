"""The frequencies of words, as objects of an engine: a table of tokens, divided into parts."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby

from vademecum.core.engines import Item
from vademecum.core.errors import IndexCorrupt
from vademecum.text.words import number

MARK = "="
"""The first character of a token that marks a passage as a definition: `=quartz+pump`."""

_OF_BUCKET = 256
"""The number of terms in an object."""


def mark_token(thing: Iterable[str]) -> str:
    """Return the token of passages that define a thing."""
    return MARK + "+".join(thing)


@lru_cache(maxsize=1 << 17)
def number_of(token: str) -> int:
    """Return the number of a term or mark, as `text.words.number` and `definitions.mark_of` have it."""
    return number(f"{MARK} {token[1:].replace('+', ' ')}" if token[0] == MARK else token)


def buckets_for(terms: int) -> int:
    """Return the number of objects for a table with this many terms."""
    return max(1, -(-terms // _OF_BUCKET))


def key_of(owner: str, generation: int, bucket: int) -> str:
    """Return the key of a part of the table of a library."""
    return f"{owner}:words:{generation}:{bucket}"


def items_of(owner: str, generation: int, counts: Mapping[str, int]) -> Iterator[Item]:
    """Yield the objects of a table of the frequencies of terms."""
    buckets = buckets_for(len(counts))
    ordered = sorted((number_of(token) % buckets, token) for token in counts)
    found = {bucket: list(pairs) for bucket, pairs in groupby(ordered, lambda pair: pair[0])}
    for bucket in range(buckets):
        lines = "\n".join(f"{token} {counts[token]}" for _, token in found.get(bucket, ()))
        fields: dict[str, str | int] = {"source_alias": "", "bucket": bucket, "counts": lines}
        yield Item("words", key_of(owner, generation, bucket), fields)


def counts_in(item: Item) -> dict[str, int]:
    """Return the frequencies in an object.

    Raises:
        IndexCorrupt: It is damaged.
    """
    try:
        lines = item.text("counts").splitlines()
        return {token: int(count) for token, _, count in (line.rpartition(" ") for line in lines)}
    except ValueError as error:
        raise missing(item.key) from error


def missing(key: str) -> IndexCorrupt:
    """Return the error for a part of a table that is missing or damaged."""
    message = f"The object {key} of the shared index is missing or damaged."
    return IndexCorrupt(message, hint="Write it again, on the machine that indexes: ragadmin reindex --full")
