"""Build one index on several machines: each reads its share of the documents, and one publishes all shares.

The key of a document determines its share, so that no two machines read the same document. The store keeps the segments of a share under
the name of the share, with the data for merging shares: term statistics, and the number of documents with each
text.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from vademecum.core.errors import IndexMissing, IndexStale, StoreError
from vademecum.core.stores import Published, Row, Store
from vademecum.index.manifest import Failure, Manifest
from vademecum.index.statistics import common_among
from vademecum.index.stored import copy as store_copy
from vademecum.index.stored import rows as store_rows
from vademecum.index.stored.reader import statistics_name
from vademecum.index.stored.shares import Share, without_share

if TYPE_CHECKING:
    from vademecum.core.settings import Method
    from vademecum.core.trace import Json
    from vademecum.index.catalog.catalog import CatalogEntry
    from vademecum.index.stored.copy import OnCopied, Original

OWNER = "shares"
"""The owner of an index that was merged from shares."""

_SPREAD, _WRITING, _MANIFEST = 251 << 24, 252 << 24, 253 << 24


def check_free(store: Store) -> None:
    """Check that a store is empty, or that its index was merged from shares.

    Raises:
        StoreError: The index was copied as a whole.
    """
    store_copy.check_owner(store, OWNER)


def copy_share(
    original: "Original",
    store: Store,
    share: Share,
    spreads: Callable[[], Iterable[tuple[Iterable[int], bytes]]],
    on_copied: "OnCopied" = lambda _done, _whole: None,
) -> None:
    """Copy the share of a machine. It takes effect after publishing.

    Args:
        original: The generation that was built.
        store: The store.
        share: The share.
        spreads: For each segment, the keys of its texts and their document counts; see `statistics`.
        on_copied: Called after each segment.

    Raises:
        StoreError: The store cannot be written.
    """
    manifest = original.manifest
    names = [info.name for info in manifest.segments]
    before = store.rows(share.name, "table", [_WRITING, _MANIFEST])
    left = {name for row in before.values() for name in _names(row)} - set(names)
    current = store.current()
    published = store_copy.manifest_of(current) if current else None
    in_use = {info.name for info in published.segments} if published else set()
    store.write(share.name, "table", [Row(_WRITING, {"segments": [*names, *left]})])
    documents = sum(info.documents for info in manifest.segments)
    copied = 0
    for info in manifest.segments:
        store_copy.copy_segment(original, store, info)
        copied += info.documents
        on_copied(copied, documents)
    tables = list(original.tables())
    for position, (keys, spread) in enumerate(spreads()):
        tables.append(Row(_SPREAD | position, {}, bytes(spread) + store_rows.packed("Q", keys)))
    older = [row.key for row in store.scan(share.name, "table") if row.key < _WRITING]
    store.write(
        share.name, "table", [*tables, *(Row(key) for key in set(older) - {row.key for row in tables})]
    )
    fields: dict[str, Json] = {"segments": names, "share": str(share)}
    store.write(share.name, "table", [Row(_MANIFEST, fields, manifest.to_json().encode())])
    for name in left - in_use:
        store.drop(name)
    store.write(share.name, "table", [Row(_WRITING, {"segments": [*names, *(left & in_use)]})])


def publish(store: Store, of_all: int) -> Published:
    """Merge all shares, and publish them as one index.

    Raises:
        IndexMissing: A share has not been copied.
        IndexStale: Shares were built by different rules, or with different embedders.
        IndexLocked: Another process has published at the same time.
        StoreError: The store cannot be read or written, or contains an index that was copied as a whole.
    """
    check_free(store)
    shares = [Share(number, of_all) for number in range(1, of_all + 1)]
    manifests = [_manifest_of(store, share) for share in shares]
    whole = _added_up(manifests)
    before = store.current()
    old = store_copy.manifest_of(before) if before else None
    if before and old and old._replace(number=0, built="") == whole._replace(number=0, built=""):
        return before
    for info in whole.segments:
        store_copy.seal_of(store, info.name)
    number = before.number + 1 if before else 1
    tables = statistics_name(number)
    store.drop(tables)
    tally = store_rows.Tally()
    store.write(tables, "table", tally.of(_tables(store, shares, whole)))
    store_copy.write_owner(store, tables, OWNER, {}, tally)
    published = Published(number, whole._replace(number=number).to_json())
    store.publish(published, replaces=before.number if before else 0)
    for name in store.segments():
        if name.startswith(statistics_name(0)[:-6]) and name not in {tables, statistics_name(number - 1)}:
            store.drop(name)
    return published


def _manifest_of(store: Store, share: Share) -> Manifest:
    found = store.rows(share.name, "table", [_MANIFEST]).get(_MANIFEST)
    if found is None:
        message = f"Share {share} is not in {store.name} yet."
        raise IndexMissing(
            message, hint=f"Run on the machine that has it: ragadmin reindex --partition {share}"
        )
    return Manifest.from_json(found.data.decode(), f"{store.name}, share {share}")


def _added_up(manifests: Sequence[Manifest]) -> Manifest:
    """Merge the manifests of all shares."""
    segments = tuple(info for manifest in manifests for info in manifest.segments)
    recipes: dict[str, set[str]] = {}
    for info in segments:
        recipes.setdefault(info.alias, set()).add(without_share(info.recipe))
    if mixed := sorted(alias for alias, found in recipes.items() if len(found) > 1):
        message = f"The shares of {mixed[0]} were built by different rules, or with different embedders."
        hint = "Use the same version and configuration on all machines, and reindex there."
        raise IndexStale(message, hint=hint)
    totals: Counter[Method] = Counter()
    sources: dict[str, CatalogEntry] = {}
    failures: list[Failure] = []
    for manifest in manifests:
        totals.update(manifest.totals)
        failures += manifest.failures
        for entry in manifest.sources:
            known = sources.get(entry.alias)
            sources[entry.alias] = _together(known, entry) if known else entry
    built = datetime.now(UTC).isoformat(timespec="seconds")
    return Manifest(0, built, dict(totals), {}, segments, tuple(sorted(failures)), tuple(sources.values()))


def _together(first: "CatalogEntry", second: "CatalogEntry") -> "CatalogEntry":
    """Merge the entries of a source from two shares."""
    return first._replace(
        documents=first.documents + second.documents,
        checksum=first.checksum if first.checksum == second.checksum else "",
        last_updated=max(first.last_updated, second.last_updated),
        status=first.status if first.status != "active" else second.status,
        recipe=without_share(first.recipe),
        seen=None,
    )


def _tables(store: Store, shares: Sequence[Share], whole: Manifest) -> Iterator[Row]:
    """Merge the tables of all shares: counts are added, and texts that too many documents share are found across shares."""
    counts: dict[int, Counter[int]] = {
        table: Counter() for table in (*store_rows.TERMS.values(), store_rows.LINKS)
    }
    keys: list[array[int]] = []
    spreads: list[bytes] = []
    for share in shares:
        for row in store.scan(share.name, "table"):
            table, part = row.key >> 24, row.key & 0xFFFFFF
            if table in counts and part and row.data:
                numbers = store_rows.numbers_of(row.data)
                half = len(numbers) // 2
                for key, number in zip(numbers[:half], numbers[half:], strict=True):
                    counts[table][key] += number
            elif row.key & (255 << 24) == _SPREAD and row.data:
                count = len(row.data) // 9
                spreads.append(row.data[:count])
                keys.append(store_rows.unpacked("Q", row.data[count:]))
    if len(keys) != len(whole.segments):
        message = f"The shares in {store.name} are not those that were copied there."
        raise StoreError(message, hint="A machine is copying just now: publish again when it is done.")
    for table, found in counts.items():
        yield from store_rows.counts_rows(table, sorted(found.items()))
    for position, common in enumerate(common_among(keys, spreads)):
        yield Row(store_rows.part_of(store_rows.COMMON, position), {}, store_rows.packed("I", common))


def _names(row: Row) -> list[str]:
    found = row.fields.get("segments")
    return [str(name) for name in found] if isinstance(found, list) else []
