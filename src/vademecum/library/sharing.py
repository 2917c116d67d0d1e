"""Share a library's index in a store: check who may write it, copy it, and remove it."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from vademecum.core.trace import Json
from vademecum.index.generations import Generations
from vademecum.index.progress import Progress
from vademecum.index.stored import copy as store_copy
from vademecum.index.stored import partition
from vademecum.index.stored.reader import StoredGenerations
from vademecum.index.stored.shares import Share


def check_store(stored: StoredGenerations, owner_file: Path, *, take_over: bool, share: Share | None) -> None:
    """Check that a store can be reached, and that its index is this library's.

    Args:
        stored: The generations in the store.
        owner_file: The file with the identifier of this library.
        take_over: Whether an index of another library may be replaced.
        share: The share of the documents to copy; None for all of them.

    Raises:
        StoreError: The store cannot be reached, or its index is another library's.
    """
    if take_over:
        stored.store.check()
    elif share:
        partition.check_free(stored.store)
    else:
        store_copy.check_owner(stored.store, store_copy.owner_of(owner_file))


def withdraw(stored: StoredGenerations, owner_file: Path) -> None:
    """Remove a library's index from a store, if it is there.

    Raises:
        StoreError: The store cannot be written.
    """
    if owner_file.exists():
        store_copy.withdraw(stored.store, store_copy.owner_of(owner_file))


def copy_index(
    generations: Generations,
    stored: StoredGenerations,
    owner_file: Path,
    about: Mapping[str, Json],
    *,
    on_progress: Callable[[Progress], None],
    share: Share | None = None,
) -> str:
    """Copy an index into a store.

    Args:
        generations: The index.
        stored: The generations in the store.
        owner_file: The file with the identifier of this library.
        about: A description for users of the store.
        on_progress: Called with progress reports.
        share: The share of the documents in the index; None for all of them.

    Returns:
        A description of its location.

    Raises:
        StoreError: The store cannot be written. The index in files is up to date, and the next reindex copies it.
    """

    def copied(done: int, whole: int) -> None:
        on_progress(Progress("copy", "", done, whole, 0))

    original = store_copy.from_files(generations, store_copy.owner_of(owner_file), about)
    if share:
        spreads = partial(generations.text_spreads, original.manifest)
        partition.copy_share(original, stored.store, share, spreads, copied)
        return f"{stored.place}, share {share}, not published"
    published = store_copy.copy(original, stored.store, copied)
    return f"{stored.place}, generation {published.number}"
