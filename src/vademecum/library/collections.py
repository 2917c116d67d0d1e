"""Collections: named sets of documents that are queried together, each in its own folder.

    collections/<name>/
      collection.json            what it is: kind, description, owner, metadata
      catalog.json, index/       a library's, as everywhere

A collection is created and deleted by renaming a complete folder, so it is never seen incomplete.
"""

import json
import re
import shutil
import uuid
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, cast, get_args

from vademecum.ask.sites import Site
from vademecum.core.errors import CollectionExists, CollectionMissing, ConfigError, IndexMissing, StoreError
from vademecum.core.settings import Method
from vademecum.files.folders import desk_folder
from vademecum.files.places import Places
from vademecum.files.write import replace_file
from vademecum.index.catalog.catalog import Catalog
from vademecum.library.internal import InternalLibrary
from vademecum.stores import open_engine, part_of
from vademecum.text.printable import printable

FORMAT = 1
Kind = Literal["collection", "book", "manual"]

METHODS: dict[Kind, Method] = {"collection": "documents", "book": "documents", "manual": "manual-pages"}
"""The retrieval method of each kind of collection: its fields, what is embedded, its fitted weights."""

RESERVED = frozenset({"books", "chat", "everything"})
"""Names that cannot be used, because they are models of the API: all books, and the chat rules."""

LONGEST_NAME = 63
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?")
_NAME_HINT = (
    f"A name is of small letters, digits, - and _, at most {LONGEST_NAME} of them, and begins with no mark."
)
FOLLOWS = "follows"
"""The metadata of a collection that a server indexes again when its folder changes."""

_FILE = "collection.json"
_GONE = ".gone"
_NEW = ".new"
_LONGEST_TEXT = 20_000
_MOST_BYTES = 1 << 20


class _State(NamedTuple):
    """The file metadata that shows whether a file was replaced."""

    number: int
    size_bytes: int
    changed_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A collection, as it was when it was read.

    Attributes:
        name: Its name, a slug.
        folder: Its folder.
        kind: `collection`, `book`, or `manual` for manual pages.
        description: A description for people, also used to select collections.
        owner: Its owner; "" if all users share it.
        created: The time of creation, ISO 8601 in UTC.
        metadata: Data of the desks: a prompt, thresholds, a book's site.
        library: Its open library, shared within this process.

    Example:
        >>> team = Collections("collections").create("team", metadata={"prompt": "Answer briefly."})
        >>> team.name, team.metadata["prompt"]
        ('team', 'Answer briefly.')
    """

    name: str
    folder: Path
    kind: Kind
    description: str
    owner: str
    created: str
    metadata: dict[str, Any]
    library: InternalLibrary

    def describe(
        self,
        *,
        description: str | None = None,
        owner: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> "Collection":
        """Change its description atomically.

        Args:
            description: The new description.
            owner: The new owner.
            metadata: Added to the existing metadata. A value of `None` removes a name.

        Returns:
            The changed collection.

        Raises:
            CollectionMissing: It no longer exists.
            ConfigError: The values cannot be stored as JSON.
            StoreError: It cannot be written.

        Example:
            >>> team = Collections("collections").create("team")
            >>> team.describe(description="How we work.").description
            'How we work.'
        """
        from vademecum.files.locks import locked  # noqa: PLC0415 - asking describes nothing

        with locked(_existing(self.folder, self.name)):
            now = _read(self.folder, self.name)
            kept = {**now["metadata"], **(metadata or {})}
            data = {
                **now,
                "description": now["description"] if description is None else description,
                "owner": now["owner"] if owner is None else owner,
                "metadata": {name: value for name, value in kept.items() if value is not None},
            }
            _write(self.folder, data)
        return replace(
            self, description=data["description"], owner=data["owner"], metadata=dict(data["metadata"])
        )


class Collections:
    """The collections in a folder. It is thread-safe.

    Args:
        folder: The folder; by default `${XDG_DATA_HOME}/vademecum/collections`. It is created with the first collection.
        books_in: The address of a store for the indexes of books, each in its own part; "" for files.

    Example:
        >>> collections = Collections("collections")
        >>> team = collections.create("team", description="How we work.")
        >>> print(team.library.add("notes"))
        2 documents, 2 passages, 0 problems
        >>> print(collections.get("team").library.ask("When is the office open?").summary[0].text)
        The office is open from nine to five on working days.
    """

    def __init__(self, folder: str | Path | None = None, books_in: str = "") -> None:
        self.folder = Path(folder or desk_folder("collections"))
        self._books_in = books_in
        self._lock = Lock()
        self._open: dict[str, tuple[_State, Collection]] = {}
        self._indexes: dict[str, _State | None] = {}

    def create(
        self,
        name: str,
        *,
        kind: Kind = "collection",
        description: str = "",
        owner: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> Collection:
        """Create a collection without documents.

        Raises:
            ConfigError: The name or the kind is invalid, or a value cannot be stored.
            CollectionExists: The name is taken or reserved.
            StoreError: It cannot be written.

        Example:
            >>> Collections("collections").create("team").kind
            'collection'
        """
        if checked_name(name) in RESERVED:
            message = f"The name {name} is taken: it stands for a model of the server."
            raise CollectionExists(message, hint="Take another name.")
        if kind not in get_args(Kind):
            message = f"{printable(str(kind), 40)!r} is not a kind of collection."
            raise ConfigError(message, hint=f"There are {', '.join(get_args(Kind))}.")
        new = self.folder / f"{_NEW}-{uuid.uuid4().hex}"
        data = {
            "format": FORMAT,
            "name": name,
            "kind": kind,
            "description": description,
            "owner": owner,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "metadata": dict(metadata or {}),
        }
        try:
            new.mkdir(mode=0o700, parents=True)
            try:
                _write(new, data)
                with Catalog(new / "catalog.json").changing() as entries:
                    entries.clear()
                new.rename(
                    self.folder / name
                )  # an empty folder of that name would be replaced; ours are never empty
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise
        except OSError as error:
            if (self.folder / name).is_dir():
                message = f"There is a collection named {name} already."
                raise CollectionExists(message, hint="Take another name.") from error
            raise _unwritable(self.folder, error) from error
        return self.get(name)

    def get(self, name: str) -> Collection:
        """Return a collection.

        Raises:
            ConfigError: The name is invalid.
            CollectionMissing: No collection has this name.
            StoreError: It cannot be read.

        Example:
            >>> Collections("collections").get("nobody")
            Traceback (most recent call last):
            vademecum.core.errors.CollectionMissing: There is no collection nobody.
        """
        checked_name(name)
        folder = self.folder / name
        state = _state(folder / _FILE)
        if state is None:
            with self._lock:
                self._open.pop(name, None)
            raise _missing(name)
        with self._lock:
            known = self._open.get(name)
            if known is None or known[0] != state:
                data = _read(folder, name)
                same = known is not None and known[1].created == data["created"]
                library = known[1].library if known and same else self._library(folder, name, data["kind"])
                library.about = {"description": data["description"], "metadata": data["metadata"]}
                library.site = Site.from_data(site) if (site := data["metadata"].get("site")) else None
                if not same:
                    self._indexes[name] = None
                found = Collection(
                    name=name,
                    folder=folder,
                    kind=data["kind"],
                    description=data["description"],
                    owner=data["owner"],
                    created=data["created"],
                    metadata=data["metadata"],
                    library=library,
                )
                known = self._open[name] = (state, found)
            current = _state(folder / "index" / "CURRENT")
            changed, self._indexes[name] = current != self._indexes.get(name), current
        if changed:  # by whatever process
            known[1].library.refresh()
        return known[1]

    def attach(self, name: str) -> Collection:
        """Attach a book that another machine has published in the store for books. It is read-only.

        Raises:
            ConfigError: The name is invalid, or books are in files.
            CollectionExists: The name is taken.
            IndexMissing: The store does not contain the book.
            StoreError: The store cannot be reached.

        Example:
            >>> Collections("collections").attach("robots")
            Traceback (most recent call last):
            vademecum.core.errors.ConfigError: Books are in files here: there is no store to find one in.
        """
        if not self._books_in:
            message = "Books are in files here: there is no store to find one in."
            raise ConfigError(message, hint="Name the store with QDRANT_URL or BOOKS_STORE.")
        from vademecum.index.shared import contents  # noqa: PLC0415 - most books are in files

        with closing(open_engine(part_of(self._books_in, checked_name(name)))) as engine:
            try:
                about = contents.about(engine)
            except IndexMissing as error:
                message = f"There is no book {name} in {engine.name}."
                hint = (
                    "Add it on the machine that has its folder, with the same store: vademecum book add PATH"
                )
                raise IndexMissing(message, hint=hint) from error
        description, metadata = about.get("description"), about.get("metadata")
        return self.create(
            name,
            kind="book",
            description=description if isinstance(description, str) else "",
            metadata=metadata if isinstance(metadata, Mapping) else {},
        )

    def _library(self, folder: Path, name: str, kind: Kind) -> InternalLibrary:
        store = part_of(self._books_in, name) if self._books_in and kind == "book" else ""
        return InternalLibrary(Places(folder, folder), method=METHODS[kind], store=store)

    def list(self, *, owner: str | None = None, kind: Kind | None = None) -> list[Collection]:
        """Return the collections sorted by name, optionally filtered. Damaged ones are skipped.

        Args:
            owner: Only collections of this owner, and those without an owner.
            kind: Only collections of this kind.

        Example:
            >>> collections = Collections("collections")
            >>> team = collections.create("team")
            >>> [collection.name for collection in collections.list()]
            ['team']
        """
        try:
            names = sorted(one.name for one in self.folder.iterdir() if _NAME.fullmatch(one.name))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(
                f"{self.folder} cannot be listed: {error.strerror}.", hint="Check its permissions."
            ) from error
        found = []
        for name in names:
            with suppress(StoreError):
                found.append(self.get(name))
        return [
            one
            for one in found
            if (owner is None or one.owner in {"", owner}) and (kind is None or one.kind == kind)
        ]

    def delete(self, name: str, *, here_only: bool = False) -> None:
        """Delete a collection and its index. The folders that its documents came from are not changed.

        It is renamed first, so that running questions are still answered, and later ones fail cleanly.

        Args:
            name: Its name.
            here_only: Whether to keep its index in the store for books.

        Raises:
            ConfigError: The name is invalid.
            CollectionMissing: No collection has this name.
            StoreError: It cannot be deleted, here or in the store.

        Example:
            >>> collections = Collections("collections")
            >>> team = collections.create("team")
            >>> collections.delete("team")
        """
        folder = self.folder / checked_name(name)
        if self._books_in and not here_only:
            self.get(name).library.withdraw()
        aside = self.folder / f"{_GONE}-{uuid.uuid4().hex}"
        try:
            folder.rename(aside)
        except FileNotFoundError:
            raise _missing(name) from None
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        with self._lock:
            self._open.pop(name, None)
            self._indexes.pop(name, None)
        shutil.rmtree(aside, ignore_errors=True)

    def sweep(self) -> int:
        """Remove the leftovers of processes that were killed in `create` or `delete`, unless such a call is running.

        Returns:
            The number of removed folders.

        Example:
            >>> Collections("collections").sweep()
            0
        """
        left = [*self.folder.glob(f"{_GONE}-*"), *self.folder.glob(f"{_NEW}-*")]
        for folder in left:
            shutil.rmtree(folder, ignore_errors=True)
        return len(left)


def checked_name(name: str) -> str:
    """Check the name of a collection.

    Raises:
        ConfigError: The name is invalid.

    >>> checked_name("robot-book_2")
    'robot-book_2'
    """
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        message = f"{printable(name, 60)!r} is not a valid name for a collection."
        raise ConfigError(message, hint=_NAME_HINT)
    return name


def _missing(name: str) -> CollectionMissing:
    return CollectionMissing(f"Collection {name} not found.", hint="List them with: vademecum book list")


def _unwritable(folder: Path, error: OSError) -> StoreError:
    message = f"{folder} cannot be written: {error.strerror}."
    return StoreError(
        message, hint="Check the folder's owner and permissions, and the free space on the disk."
    )


def _state(path: Path) -> _State | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return _State(status.st_ino, status.st_size, status.st_mtime_ns)


def _existing(folder: Path, name: str) -> Path:
    if not folder.is_dir():
        raise _missing(name)
    return folder


def _read(folder: Path, name: str) -> dict[str, Any]:
    """Read the file of a collection."""
    path = folder / _FILE
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            raise _damaged(path, "it is too large")
        data = json.loads(raw)
        form = data["format"]
        if form != FORMAT:
            raise _damaged(path, f"format {printable(str(form), 40)} is not known")
        texts = [data[key] for key in ("name", "kind", "description", "owner", "created")]
        if not all(isinstance(text, str) for text in texts) or not isinstance(data["metadata"], dict):
            raise _damaged(path, "a field is of the wrong type")
        if data["kind"] not in get_args(Kind):
            raise _damaged(path, f"its kind {printable(data['kind'], 40)} is not known")
    except FileNotFoundError:
        raise _missing(name) from None
    except OSError as error:
        raise _damaged(path, str(error.strerror)) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path, str(error) or type(error).__name__) from error
    return cast("dict[str, Any]", data)


def _damaged(path: Path, why: str) -> StoreError:
    return StoreError(
        f"{path} cannot be read: {why}.", hint="Put it right, or delete the collection and make it again."
    )


def _write(folder: Path, data: Mapping[str, Any]) -> None:
    """Write the file of a collection."""
    for name in ("description", "owner"):
        value = data[name]
        if not isinstance(value, str) or len(value) > _LONGEST_TEXT:
            message = f"The {name} of a collection is a text of at most {_LONGEST_TEXT:,} characters."
            raise ConfigError(message, hint="Shorten it.")
    try:
        text = json.dumps(data, indent=1, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"The metadata of a collection cannot be stored: {printable(str(error), 200)}"
        raise ConfigError(message, hint="Keep texts, finite numbers, lists and mappings only.") from error
    if len(text) >= _MOST_BYTES:
        raise ConfigError("The metadata of a collection is too large.", hint="Keep less than a megabyte.")
    try:
        replace_file(folder / _FILE, text + "\n")
    except OSError as error:
        raise _unwritable(folder, error) from error
