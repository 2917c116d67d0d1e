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
        stored: What is in the store.
        owner_file: What names this library.
        take_over: Whether an index of another library may be replaced.
        share: The share of the documents that is to be copied, if it is not all of them.

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
    """Take a library's index out of a store, if it is there.

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
        stored: What is in the store.
        owner_file: What names this library.
        about: What the store says of it.
        on_progress: Called often.
        share: The share of the documents that the index has, if it is not all of them.

    Returns:
        Where it is, in words.

    Raises:
        StoreError: The store cannot be written. The index in files is up to date, and is copied at the next reindex.
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
