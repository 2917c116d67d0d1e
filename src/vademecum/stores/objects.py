"""Objects as servers keep them, and the frequencies of words, which are objects that are read when a question needs them."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import hypot
from operator import mul
from typing import Any

from vademecum.core.engines import FIELDS, Item, Kind, Published
from vademecum.core.errors import IndexCorrupt, IndexLocked, StoreError
from vademecum.core.word_counts import counts_in, key_of, missing, number_of

_TOGETHER = 200
_MOST = 2000
"""How many objects are read together, and how many are cached, of about 20 kB each."""

_BATCH_BYTES = 8_000_000
SEE_LOG = "Check the server's log."
UNREACHED = "Check that the server runs, and the address and the key or password in ragadmin.store."
_HEAVY_FIELDS = ("text", "chunk_text", "counts", "terms")


def batches(items: Iterable[Item], count: int) -> Iterator[list[Item]]:
    """Yield batches of objects, limited in number and to a few megabytes."""
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += sum(len(item.text(field)) for field in _HEAVY_FIELDS) + 8 * len(item.vector) + 500
        if len(batch) >= count or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def printable_fields(item: Item, generation: int) -> dict[str, str | int]:
    """Return all fields of an object that a generation adds, without NUL and lone surrogates, which servers refuse."""
    known = {**item.fields, "key": item.key, "added": generation, "removed": 0}
    return {
        name: int(known.get(name, 0))
        if of == "number"
        else str(known.get(name, "")).replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
        for name, of in FIELDS[item.kind].items()
    }


def cosine_of(vector: object, asked: Sequence[float]) -> float | None:
    """Return the cosine of a stored vector and that of a question; None if they cannot be compared."""
    if not isinstance(vector, Sequence) or isinstance(vector, str) or not len(vector) == len(asked) > 0:
        return None
    length = hypot(*vector) * hypot(*asked)
    return sum(map(mul, vector, asked)) / length if length else None


def short_fields(kind: Kind) -> list[str]:
    """Return the fields that are listed: names and numbers."""
    return [name for name, of in FIELDS[kind].items() if of in {"name", "number"}]


def item_of(kind: Kind, found: Mapping[str, Any], place: str) -> Item:
    """Return an object from its fields as a server returns them."""
    try:
        fields = {name: value for name, value in found.items() if name in FIELDS[kind] and value is not None}
        added, removed, key = int(fields.pop("added")), int(fields.pop("removed")), str(fields.pop("key"))
        cosine = found.get("cosine")
    except (KeyError, TypeError, ValueError) as error:
        raise _foreign(place, error) from error
    for name, value in fields.items():
        if not isinstance(value, int if FIELDS[kind][name] == "number" else str):
            raise _foreign(place, name)
    cosine = None if cosine is None else float(cosine)
    return Item(kind, key, fields, added=added, removed=removed, cosine=cosine)


def _foreign(place: str, what: object) -> IndexCorrupt:
    message = f"An object in {place} is not one that Vademecum has written: {what}."
    return IndexCorrupt(message, hint="Write it again, on the machine that indexes: ragadmin reindex --full")


class Frequencies:
    """The frequencies of terms, read from an engine and cached."""

    def __init__(self, read: Callable[[Kind, Collection[str]], dict[str, Item]]) -> None:
        self._read = read
        self._known: dict[str, dict[int, tuple[str, int]]] = {}
        self._parsed: tuple[str, Mapping[str, tuple[int, int]]] = ("", {})

    def of(self, published: Published, terms: Collection[int] | None = None) -> dict[int, tuple[str, int]]:
        """See `core.engines.Engine.frequencies`."""
        wanted: dict[str, list[int]] = {}
        for owner, (generation, buckets) in self._tables_of(published).items():
            if terms is None:
                wanted |= {key_of(owner, generation, bucket): [] for bucket in range(buckets)}
            for term in terms or ():
                wanted.setdefault(key_of(owner, generation, term % buckets), []).append(term)
        found: dict[int, tuple[str, int]] = {}
        for key, table in self._tables(published, list(wanted), keep=terms is not None):
            for term in table if terms is None else wanted[key]:
                if pair := table.get(term):
                    found[term] = pair[0], pair[1] + found.get(term, ("", 0))[1]
        return found

    def _tables(
        self, published: Published, keys: Sequence[str], *, keep: bool
    ) -> Iterator[tuple[str, Mapping[int, tuple[str, int]]]]:
        known = self._known
        for start in range(0, len(keys), _TOGETHER):
            some = keys[start : start + _TOGETHER]
            unknown = [key for key in some if key not in known]
            read = self._read("words", unknown) if unknown else {}
            for key in some:
                table = known.get(key)
                if table is None:
                    if key not in read or not read[key].is_seen(published.number):
                        raise missing(key)
                    pairs = counts_in(read[key]).items()
                    table = {number_of(token): (token, count) for token, count in pairs}
                    if keep:
                        known[key] = table
                yield key, table
        if len(known) > _MOST:
            self._known = {}

    def _tables_of(self, published: Published) -> Mapping[str, tuple[int, int]]:
        text, tables = self._parsed
        if text != published.manifest:
            tables = {
                owner: tuple(of["words"]) for owner, of in json.loads(published.manifest)["owners"].items()
            }
            self._parsed = published.manifest, tables
        return tables


def failed(name: str, reason: object, hint: str = SEE_LOG) -> StoreError:
    """Return the error for a request that a server refuses, with its reason."""
    lines = str(reason).splitlines() or [type(reason).__name__]
    return StoreError(f"{name}: {lines[0][:300]}", hint=hint)


def no_server(name: str, product: str) -> StoreError:
    """Return the error for a response that the client of a product does not understand."""
    return StoreError(f"{name} answers what a server of {product} does not.", hint=UNREACHED)


def foreign(name: str, what: str) -> StoreError:
    """Return the error for a collection or class that has one of our names and is not ours."""
    message = f"{what} in {name} was made by another program, or another version of this one."
    hint = f"Use another name, or replace an older index: vademecum store migrate --to {name} --replace"
    return StoreError(message, hint=hint)


def kept_once(name: str, nodes: int, option: str) -> str:
    """Return the warning about objects of a cluster that only one node keeps."""
    message = (
        f"{name} has {nodes} nodes, and objects that only one of them has. Add ?{option} to ragadmin.store"
    )
    return f"{message}, and write it again with: vademecum store migrate --replace"


def overtaken(name: str) -> IndexLocked:
    """Return the error for a writer whose generation another process has published first."""
    message = f"Another process has published an index in {name} meanwhile."
    return IndexLocked(message, hint="Run it again: it starts from the newer index.")


def check_version(name: str, product: str, version: str, oldest: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers of the version of a server."""
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdecimal())
    if numbers < oldest:
        message = f"{name} is {product} {version[:20]}; {'.'.join(map(str, oldest))} or newer is needed."
        raise StoreError(message, hint="Update the server.")
    return numbers
