"""The book desk: its books, settings, models and cache."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from vademecum.core.errors import IndexMissing, ProviderError, VademecumError
from vademecum.desks.book.reply import Ask
from vademecum.desks.book.settings import BookSettings
from vademecum.library.collections import Collection, Collections

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """A cache of the most recently used values. It is thread-safe.

    A key contains everything that its value depends on (generation, configuration, question), so entries never expire.

    Args:
        size: The maximum number of values; 0 disables the cache.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Value | None:
        """Return the value of a key, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            return None

    def put(self, key: Hashable, value: Value) -> None:
        """Store a value. If the cache is full, the least recently used value is removed."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def __len__(self) -> int:
        with self._lock:
            return len(self._kept)


if TYPE_CHECKING:
    from vademecum.core.models import ModelSettings
    from vademecum.core.protocols import ChatModel
    from vademecum.desks.book.reply import Kept

NO_BOOKS = "There is no book yet."
NO_BOOK = "books"
"""The part of a fault if there are no books."""

ADD_ONE = "Add one with: vademecum book add PATH"


class Fault(NamedTuple):
    """A problem that prevents the desk from answering, and the part that has it."""

    part: str
    message: str
    hint: str


class Desk:
    """The book desk. It is thread-safe."""

    def __init__(self, collections: Collections, settings: BookSettings | None = None) -> None:
        self.collections = collections
        self.settings = settings or BookSettings()
        self.cache: Cache[Kept] = Cache(self.settings.cached)
        self._models: dict[ModelSettings, ChatModel] = {}
        self._lock = Lock()

    def books(self, name: str = "", owner: str | None = None) -> list[Collection]:
        """Return the collection with a name, or all books of an owner.

        Args:
            name: The name of a collection of any kind; "" for all books.
            owner: The owner of the books if `name` is ""; None for the books of all owners.
        """
        if name:
            return [self.collections.get(name)]
        found = self.collections.list(kind="book", owner=owner)
        if not found:
            raise IndexMissing(NO_BOOKS, hint=ADD_ONE)
        return found

    def asked(self, request: Ask) -> list[Collection]:
        """Return the collections that a question is asked of."""
        if request.books:
            return [self.collections.get(name) for name in request.books]
        return self.books(request.book, request.owner)

    def models(self) -> "list[ChatModel]":
        """Return the models that may write answers, in order of preference."""
        return [self._model(model) for model in self.settings.models]

    def _model(self, settings: "ModelSettings") -> "ChatModel":
        with self._lock:
            if settings not in self._models:
                from vademecum.providers.registry import open_model  # noqa: PLC0415 - needed only with a model

                self._models[settings] = open_model(settings)
            return self._models[settings]

    def check(self) -> list[Fault]:
        """Return the problems that prevent the desk from answering; empty if it is ready. Models are queried."""
        faults = []
        try:
            for book in self.books():
                try:
                    book.library.passages("ready", limit=1)
                except VademecumError as error:
                    faults.append(Fault(f"book {book.name}", error.message, error.hint))
        except VademecumError as error:
            faults.append(Fault(NO_BOOK, error.message, error.hint))
        for model in self.settings.models:
            try:
                self._model(model).check()
            except (ProviderError, VademecumError) as error:
                faults.append(Fault(f"model {model.provider}:{model.model}", error.message, error.hint))
        return faults

    def close(self) -> None:
        """Close the models. Open streams end."""
        with self._lock:
            models, self._models = list(self._models.values()), {}
        for model in models:
            model.close()
