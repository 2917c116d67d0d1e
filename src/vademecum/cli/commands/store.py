"""`vademecum store`: show, check and migrate the store of the index."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from importlib import import_module
from pathlib import Path

from vademecum.cli._command import Options
from vademecum.cli._output import WARNED, print_result, show_progress, warn
from vademecum.core.engines import Described, Engine
from vademecum.core.errors import ConfigError, StoreError, VademecumError
from vademecum.files.write import replace_file
from vademecum.index.generations import Generations
from vademecum.index.manifest import Manifest
from vademecum.index.records import looked_at
from vademecum.index.shared import writer
from vademecum.index.shared.contents import manifest_in
from vademecum.library.collections import Collections
from vademecum.library.internal import InternalLibrary
from vademecum.sources.records import SUFFIX, RecordsSource, written
from vademecum.stores import STORES, open_engine
from vademecum.text.printable import printable

_FILES = "files"


def list_stores(asked: Options) -> int:
    """Print the places of the index; return 3 if the index cannot be read."""
    library = InternalLibrary.open()
    url = library.settings.store
    files = Generations(library.places.index_folder)
    places = [_state(files.place, files.current, is_used=url == _FILES)]
    if url != _FILES:
        with closing(open_engine(url)) as engine:
            places.append(_state(engine.name, lambda: manifest_in(engine), is_used=True))
    kinds = {kind: _is_installed(kind) for kind in STORES}
    lines = [
        f"{'*' if place['used'] else ' '} {printable(str(place['place']))}: {printable(str(place['state']), 400)}"
        for place in places
    ]
    others = (f"{kind}{'' if there else ' (extra not installed)'}" for kind, there in kinds.items())
    lines.append(f"Kinds of store: {_FILES}, {', '.join(others)}")
    print_result({"places": places, "kinds": kinds}, lines, as_json=asked.json, indent=2)
    return 0 if all(place["ok"] for place in places) else WARNED


def check(asked: Options) -> int:
    """Read a whole index, and verify it; return 3 if it is intact, but there are warnings about the store."""
    library = InternalLibrary.open()
    if (asked.store or library.settings.store) == _FILES:
        found = [result for result in library.health() if result.component == "index_integrity"]
        for result in found:
            print(printable(result.message))
        return 1 if any(result.severity == "fail" for result in found) else 0
    with closing(_opened(asked.store or library.settings.store)) as engine:
        warnings = engine.check()
        manifest = writer.check(engine, partial(show_progress, what="documents checked"))
    print(f"{engine.name} is complete: generation {manifest.number}, {manifest.documents:,} documents.")
    return warn(warnings)


def migrate(asked: Options) -> int:
    """Write the index of this machine into a store, and read it again."""
    library = InternalLibrary.open()
    owner, files = writer.owner_of(library.places.owner_file), Generations(library.places.index_folder)
    with closing(_opened(asked.to)) as engine:
        if asked.replace:
            engine.clear()
        engine.check()
        published = writer.write(
            engine, files, owner, on_written=partial(show_progress, what="documents written")
        )
        manifest = writer.check(engine, partial(show_progress, what="documents checked"))
    print(f"{engine.name} has generation {published.number}, {manifest.documents:,} documents, checked.")
    print("To use it on a machine, set ragadmin.store in its configuration to this address.")
    return 0


def use(asked: Options) -> int:
    """Add a collection that another program fills as a source."""
    given = Described(asked.address, asked.text, asked.title, asked.url, asked.vector, asked.embedder)
    described, record = looked_at(given)
    library = InternalLibrary.open()
    if asked.into:
        collections = Collections()
        names = [collection.name for collection in collections.list()]
        library = (collections.get if asked.into in names else collections.create)(asked.into).library
    file = _place_of(described, library.places.config / "collections")
    replace_file(file, written(described))
    library.add(file)
    print(written(described), end="")
    print(f"First record: {printable(' '.join(record.text(described.text).split()), 200)}")
    ask = f"vademecum ask --book {asked.into}" if asked.into else "ragman"
    print(f"The description is in {printable(str(file))}. Ask with: {ask} QUESTION")
    return 0


def _place_of(described: Described, folder: Path) -> Path:
    """Return the file of a description: that of the same address, or a new one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name, number = described.collection.replace("/", "-"), 1
    file = folder / f"{name}{SUFFIX}"
    while file.exists() and RecordsSource(file, name).described().address != described.address:
        number += 1
        file = folder / f"{name}-{number}{SUFFIX}"
    return file


def _opened(url: str) -> Engine:
    if url == _FILES:
        raise ConfigError(
            "files is not a store that can be written to here: only ragadmin reindex writes the local index.",
            hint="Give the address of a store.",
        )
    return open_engine(url)


def _state(place: str, current: Callable[[], Manifest], *, is_used: bool) -> dict[str, object]:
    try:
        manifest = current()
    except VademecumError as error:
        return {"place": place, "used": is_used, "ok": not is_used, "state": error.message}
    state = f"generation {manifest.number}, {manifest.documents:,} documents, built {manifest.built}"
    return {"place": place, "used": is_used, "ok": True, "state": state}


def _is_installed(kind: str) -> bool:
    try:
        import_module(STORES[kind][0])
    except StoreError:
        return False
    return True
