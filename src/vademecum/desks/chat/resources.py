"""The services and models of the active configuration, opened on first use."""

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Self

from vademecum.core.deadline import Deadline
from vademecum.core.errors import VademecumError
from vademecum.core.models import ModelSettings, Purpose, Vector
from vademecum.desks.chat.config.check import BUILTIN, llms_in_use
from vademecum.desks.chat.config.model import EXTRACTIVE, Embedding
from vademecum.desks.chat.load import Loaded
from vademecum.desks.chat.services import Closable, OpenService, Query, open_service
from vademecum.library.collections import Collections
from vademecum.providers.registry import open_embedder, open_model

if TYPE_CHECKING:
    from vademecum.core.protocols import ChatModel, Embedder
    from vademecum.net import Client

_CHECK_S = 10.0


class Missing(NamedTuple):
    """A part that the configuration names and that is not available."""

    part: str
    message: str
    hint: str


class Resources:
    """The open resources of a configuration. Can be used by any number of threads.

    Each part is opened once and kept. When another configuration becomes active, answers in progress continue with
    their resources; `close` waits for them.
    """

    def __init__(self, loaded: Loaded, collections: Collections) -> None:
        self.loaded = loaded
        self.collections = collections
        self._lock = Lock()
        self._models: dict[tuple[str, str], ChatModel] = {}
        self._embedders: dict[tuple[str, str], Embedder] = {}
        self._services: dict[str, OpenService] = {}
        self._client: Client | None = None
        self._users = 0
        self._is_over = False

    def __enter__(self) -> Self:
        with self._lock:
            self._users += 1
        return self

    def __exit__(self, *_exception: object) -> None:
        with self._lock:
            self._users -= 1
            last = self._is_over and not self._users
        if last:
            self._let_go()

    def services(self) -> Mapping[str, OpenService]:
        """Open all services."""
        with self._lock:
            for name, service in self.loaded.configuration.rag_services.items():
                if name not in self._services:
                    self._services[name] = open_service(
                        service,
                        collections=self.collections,
                        client_of=self._reaching,
                        embedder_of=self._embedder,
                    )
            return dict(self._services)

    def model(self, llm: str, model: str) -> "ChatModel | None":
        """Return a model of an llm, or None if the llm needs none."""
        settings = self._settings(llm, model)
        if settings is None or not model:
            return None
        with self._lock:
            if (llm, model) not in self._models:
                self._models[llm, model] = open_model(settings)
            return self._models[llm, model]

    @property
    def models_offered(self) -> list[str]:
        """The models that users can choose from, without duplicates."""
        rules = self.loaded.configuration.responses
        return list(dict.fromkeys(model for rule in rules for model in rule.models))

    def intent_model(self) -> "ChatModel | None":
        """Return the model that detects intents, or None if none is configured."""
        intent = self.loaded.configuration.intent
        if intent is None:
            return None
        llm = self.loaded.configuration.llm(intent.provider.llm)
        return self.model(intent.provider.llm, intent.provider.model or llm.default_model)

    def check(self) -> list[Missing]:
        """Return the resources that do not respond. Every model and every server is called once."""
        missing = []
        configuration = self.loaded.configuration
        for llm, model in llms_in_use(configuration):
            try:
                if opened := self.model(llm, model):
                    opened.check(Deadline(_CHECK_S))
            except VademecumError as error:
                missing.append(Missing(f"llm {llm}, model {model}", error.message, error.hint))
        query = Query("ready", Deadline(_CHECK_S))
        try:
            services = self.services()
        except VademecumError as error:
            return [*missing, Missing("rag_services", error.message, error.hint)]
        for name, service in configuration.rag_services.items():
            try:
                if service.collection:
                    services[name].ask(service.collection, query, 1)
                else:
                    services[name].names(query)
            except VademecumError as error:
                missing.append(Missing(f"service {name}", error.message, error.hint))
        return missing

    def close(self) -> None:
        """Close all resources, as soon as the last answer that uses them is finished."""
        with self._lock:
            self._is_over = True
            free = not self._users
        if free:
            self._let_go()

    def _let_go(self) -> None:
        with self._lock:
            kept: list[Closable] = [*self._models.values(), *self._embedders.values()]
            kept += [self._client] if self._client else []
            self._models, self._embedders, self._services, self._client = {}, {}, {}, None
        for one in kept:
            one.close()

    def _reaching(self) -> "Client":
        """Return the HTTP client of the services. The caller holds the lock."""
        if self._client is None:
            from vademecum.net import Client  # noqa: PLC0415 - takes 0.2 s, only for servers

            self._client = Client()
        return self._client

    def _embedder(self, embedding: Embedding | None) -> "Embedder":
        """Return the model that embeds questions. The caller holds the lock."""
        wanted = embedding or self.loaded.configuration.embedding or Embedding(model=BUILTIN)
        key = (wanted.llm, wanted.model)
        if key not in self._embedders:
            if not wanted.llm:
                self._embedders[key] = BuiltinEmbedder()
            else:
                settings = self._settings(wanted.llm, wanted.model)
                assert settings is not None  # noqa: S101 - the configuration was checked
                self._embedders[key] = open_embedder(settings)
        return self._embedders[key]

    def _settings(self, name: str, model: str) -> ModelSettings | None:
        llm = self.loaded.configuration.llm(name)
        if llm.type == EXTRACTIVE:
            return None
        own = {"type", "default_model", "models"}
        return ModelSettings(llm.type, model, **llm.model_dump(exclude=own))


class BuiltinEmbedder:
    """The built-in word table as an embedder of questions; see `Embedder`."""

    name = BUILTIN

    def __init__(self) -> None:
        from vademecum.providers.builtin import word_table  # noqa: PLC0415 - only if configured

        self._table = word_table()

    @property
    def dimensions(self) -> int:
        """The number of dimensions of a vector."""
        return self._table.dimensions

    @property
    def stamp(self) -> str:
        """An identifier of everything that vectors depend on."""
        return self._table.name

    def embed(
        self,
        texts: Sequence[str],
        purpose: Purpose = "document",  # noqa: ARG002 - required by the protocol
        deadline: Deadline | None = None,  # noqa: ARG002 - required by the protocol
    ) -> list[Vector]:
        """Return the vectors of texts, in the same order."""
        from vademecum.text.words import terms  # noqa: PLC0415 - only if configured

        return [self._table.embed(terms(text)) for text in texts]

    def check(self, deadline: Deadline | None = None) -> None:
        """Do nothing: the word table is always available."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
