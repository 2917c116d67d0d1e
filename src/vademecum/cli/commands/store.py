"""`vademecum store`: show, check and migrate the store of the index."""

import json
import sys

from vademecum.cli._command import Options
from vademecum.core.errors import ConfigError, StoreError, VademecumError
from vademecum.text.printable import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vademecum.core.stores import Store
    from vademecum.index.stored.copy import OnCopied, Original
    from vademecum.library.internal import InternalLibrary

_WARNED = 3
_FILES = "files"


def publish(asked: Options) -> int:
    """Publish the copies of all shares as one index."""
    from vademecum.index.stored import partition  # noqa: PLC0415 - as above
    from vademecum.index.stored.shares import MOST  # noqa: PLC0415 - as above
    from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - as above

    if not 1 <= asked.shares <= MOST:
        raise ConfigError(
            f"The number of shares must be between 1 and {MOST:,}.",
            hint="Use the same N as in: ragadmin reindex --partition I/N",
        )
    store = _opened(asked.store or InternalLibrary.open().settings.store)
    try:
        published = partition.publish(store, asked.shares)
    finally:
        store.close()
    from vademecum.index.manifest import Manifest  # noqa: PLC0415 - as above

    manifest = Manifest.from_json(published.manifest, store.name)
    print(
        f"Published to {store.name}: generation {published.number}, {manifest.documents:,} documents of {asked.shares} shares."
    )
    return 0


def list_stores(asked: Options) -> int:
    """Print the places of the index; return 3 if the index cannot be read."""
    from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - not needed to report an invalid command
    from vademecum.stores import STORES, open_store  # noqa: PLC0415 - as above

    library = InternalLibrary.open()
    url = library.settings.store
    places = [_state_of_files(library, is_used=url == _FILES)]
    if url != _FILES:
        store = open_store(url)
        try:
            places.append(_state_of(store))
        finally:
            store.close()
    kinds = {kind: _is_installed(kind) for kind in STORES}
    if asked.json:
        print(json.dumps({"places": places, "kinds": kinds}, indent=2))
    else:
        for place in places:
            print(
                f"{'*' if place['used'] else ' '} {printable(str(place['place']))}: {printable(str(place['state']), 400)}"
            )
        others = (f"{kind}{'' if there else ' (extra not installed)'}" for kind, there in kinds.items())
        print(f"Kinds of store: {_FILES}, {', '.join(others)}")
    return 0 if all(place["ok"] for place in places) else _WARNED


def check(asked: Options) -> int:
    """Read a whole index, and verify it; return 3 if it is intact, but there are warnings about the store."""
    from vademecum.index.stored import copy as store_copy  # noqa: PLC0415 - as above
    from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - as above

    library = InternalLibrary.open()
    if (asked.store or library.settings.store) == _FILES:
        found = [one for one in library.health() if one.component == "index_integrity"]
        for one in found:
            print(printable(one.message))
        return 1 if any(one.severity == "fail" for one in found) else 0
    store = _opened(asked.store or library.settings.store)
    try:
        warnings = store.check()
        manifest = store_copy.check(store, _progress("checked"))
    finally:
        store.close()
    print(f"{store.name} is complete: generation {manifest.number}, {manifest.documents:,} documents.")
    for warning in warnings:
        print(f"vademecum: {printable(warning, 400)}", file=sys.stderr)
    return _WARNED if warnings else 0


def migrate(asked: Options) -> int:
    """Copy the index into a store, and read the copy again before it becomes current."""
    from vademecum.index.stored import copy as store_copy  # noqa: PLC0415 - as above
    from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - as above

    library = InternalLibrary.open()
    origin = asked.origin or library.settings.store
    target = _opened(asked.to)
    source = _opened(origin) if origin != _FILES else None
    try:
        target.check()
        if source is not None and source.name == target.name:
            raise ConfigError(f"The index is already in {target.name}.", hint="Name another store with --to.")
        original = store_copy.from_store(source) if source is not None else _from_files(library)
        if not asked.replace:
            try:
                store_copy.check_owner(target, original.owner)
            except StoreError as error:
                hint = "Copy to another database or name, or replace it with --replace."
                raise type(error)(error.message, hint=hint) from None
        published = store_copy.copy(original, target, _progress("copied"), verify=True)
    finally:
        target.close()
        if source is not None:
            source.close()
    print(
        f"Copied the index to {target.name}: generation {published.number}, {original.manifest.documents:,} documents, verified."
    )
    print("To use it on a machine, set ragadmin.store in its configuration to this address.")
    return 0


def _from_files(library: "InternalLibrary") -> "Original":
    from vademecum.index.generations import Generations  # noqa: PLC0415 - as above
    from vademecum.index.stored import copy as store_copy  # noqa: PLC0415 - as above

    owner = store_copy.owner_of(library.places.owner_file)
    return store_copy.from_files(Generations(library.places.index_folder), owner)


def _opened(url: str) -> "Store":
    from vademecum.stores import open_store  # noqa: PLC0415 - as above

    if url == _FILES:
        raise ConfigError(
            "files is not a store that can be written to here: only ragadmin reindex writes the local index.",
            hint="Give the address of a store.",
        )
    return open_store(url)


def _state_of_files(library: "InternalLibrary", *, is_used: bool) -> dict[str, object]:
    from vademecum.index.generations import Generations  # noqa: PLC0415 - as above

    place = {"place": str(library.places.index_folder), "used": is_used}
    try:
        manifest = Generations(library.places.index_folder).current()
    except VademecumError as error:
        return {**place, "ok": not is_used, "state": error.message}
    state = f"generation {manifest.number}, {manifest.documents:,} documents, built {manifest.built}"
    return {**place, "ok": True, "state": state}


def _state_of(store: "Store") -> dict[str, object]:
    from vademecum.index.stored.reader import StoredGenerations  # noqa: PLC0415 - as above

    place = {"place": store.name, "used": True}
    try:
        manifest = StoredGenerations(store).current()
    except VademecumError as error:
        return {**place, "ok": False, "state": error.message}
    state = f"generation {manifest.number}, {manifest.documents:,} documents, built {manifest.built}"
    return {**place, "ok": True, "state": state}


def _is_installed(kind: str) -> bool:
    from importlib import import_module  # noqa: PLC0415 - as above

    from vademecum.stores import STORES  # noqa: PLC0415 - as above

    try:
        import_module(STORES[kind][0])
    except StoreError:
        return False
    return True


def _progress(done_to_it: str) -> "OnCopied":
    def show(done: int, whole: int) -> None:
        if sys.stderr.isatty():
            print(
                f"\r{done:,} of {whole:,} documents {done_to_it}",
                end="\n" if done == whole else "",
                file=sys.stderr,
            )

    return show
