"""The book desk: its books, settings, models and cache."""

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.errors import IndexMissing, ProviderError, VademecumError
from vademecum.desks.book.cache import Cache
from vademecum.desks.book.reply import Ask
from vademecum.desks.book.settings import BookSettings
from vademecum.library.collections import Collection, Collections

if TYPE_CHECKING:
    from vademecum.core.models import ModelSettings
    from vademecum.core.protocols import ChatModel
    from vademecum.desks.book.ask import Kept

NO_BOOKS = "There is no book yet."
NO_BOOK = "books"
"""The part that is at fault where there is no book at all."""

ADD_ONE = "Add one with: vademecum book add PATH"


class Fault(NamedTuple):
    """Something that keeps the desk from answering: of which part, and what is wrong with it."""

    part: str
    message: str
    hint: str


class Desk:
    """The book desk. One serves any number of threads.

    Args:
        collections: Where the books are.
        settings: How they are answered from.
    """

    def __init__(self, collections: Collections, settings: BookSettings | None = None) -> None:
        self.collections = collections
        self.settings = settings or BookSettings()
        self.cache: Cache[Kept] = Cache(self.settings.cached)
        self._models: dict[ModelSettings, ChatModel] = {}
        self._lock = Lock()

    def books(self, name: str = "", owner: str | None = None) -> list[Collection]:
        """The collections that a question is put to.

        Args:
            name: Of one, whatever its kind; "" for all books.
            owner: Whose books "all" means; None for everybody's.

        Raises:
            ConfigError: That is not a name.
            CollectionMissing: There is none of that name.
            IndexMissing: There is no book at all.
        """
        if name:
            return [self.collections.get(name)]
        found = self.collections.list(kind="book", owner=owner)
        if not found:
            raise IndexMissing(NO_BOOKS, hint=ADD_ONE)
        return found

    def asked(self, request: Ask) -> list[Collection]:
        """The collections that a question is put to.

        Raises:
            As `books`.
        """
        if request.books:
            return [self.collections.get(name) for name in request.books]
        return self.books(request.book, request.owner)

    def models(self) -> "list[ChatModel]":
        """Who may write, in the order in which they are asked.

        Raises:
            ConfigError: Something a model needs is not installed.
            ProviderError: A model in this process cannot be loaded.
        """
        return [self._model(model) for model in self.settings.models]

    def _model(self, settings: "ModelSettings") -> "ChatModel":
        with self._lock:
            if settings not in self._models:
                from vademecum.providers.registry import open_model  # noqa: PLC0415 - with a model only

                self._models[settings] = open_model(settings)
            return self._models[settings]

    def check(self) -> list[Fault]:
        """What keeps the desk from answering; nothing, when it is ready. Models are asked whether they are there."""
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
        """Let go of the models. Streams that are open end."""
        with self._lock:
            models, self._models = list(self._models.values()), {}
        for model in models:
            model.close()
