"""The state that all routes share, created once per app."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from vademecum.core.models import Message
from vademecum.desks.book.desk import NO_BOOK, Desk, Fault
from vademecum.desks.book.settings import books_store, settings_from
from vademecum.desks.reasoning import ReasoningLibrary
from vademecum.desks.reasoning.library import template_folders
from vademecum.desks.reasoning.settings import library_of
from vademecum.library.collections import Collection, Collections
from vademecum.library.library import Library
from vademecum.server.guard.authorization import HERE, Caller, all_theirs, theirs
from vademecum.server.guard.keys import Keys
from vademecum.server.guard.limits import Limits
from vademecum.server.guard.sign_in import SignIns
from vademecum.server.log import logger_of
from vademecum.server.metrics import Metrics
from vademecum.server.settings import ServerSettings
from vademecum.server.slots import Slots
from vademecum.server.sources import Sources
from vademecum.server.traces import Traces
from vademecum.state.database import SharedTables
from vademecum.state.sessions import Sessions

if TYPE_CHECKING:
    import structlog

Event = tuple[str, Mapping[str, Any]]
"""The name and the data of a server-sent event."""


class Events(Protocol):
    """An answer piece by piece. It is read in a thread of its own, and closed from any."""

    def __iter__(self) -> Iterator[Event]:
        """The events in order; the last is `final` or `error`."""
        ...

    def close(self) -> None:
        """End it at once: its reader gets no more."""
        ...


class Talker(Protocol):
    """A set of rules that `/v1/chat/completions` offers as a model."""

    @property
    def model(self) -> str:
        """By which name its calls of models are counted; "" when it calls none."""
        ...

    @property
    def is_configured(self) -> bool:
        """Whether somebody wrote these rules; else they are those that come with the package."""
        ...

    def talk(self, messages: Sequence[Message], caller: Caller, timeout_s: float) -> Events:
        """Answer the last message.

        Its events are `token` (`{"text"}`, whole verified sentences) and `final` (`answer, citations, sources,
        status, trace_id`, which say the same as the plain reply).
        """
        ...


@dataclass(kw_only=True)
class State:
    """The parts of a running server.

    Attributes:
        settings: As it was started.
        sources: What can be asked: this machine's library, and the collections.
        collections: All of them; routes take them by `collection` and `collections_of`, which know whose they are.
        keys: Who may call.
        sign_ins: Who is signed in with a key, by a cookie.
        sessions: Conversations, of the chat desk and of the page.
        tables: What all workers share, in SQLite.
        limits: How often.
        slots: How much is done at once; every piece of work that blocks goes through it.
        traces: What the steps of an answer saw, for a while.
        metrics: For Prometheus.
        log: Structured, without secrets.
        book: The book desk.
        reasoning: The templates.
        talkers: Sets of rules by their name in `/v1/models`; the chat desk puts itself here.
        checks: What `/readyz` asks: each tells what is missing.
        serving: What is entered before the first request and left after the last, in the event loop.
        at_start: Called before the first request.
        at_stop: Called in a thread after the last one, latest first.
        begun: Whether what is done at the start has been done.
    """

    settings: ServerSettings
    sources: Sources
    collections: Collections
    keys: Keys
    sign_ins: SignIns
    sessions: Sessions
    tables: SharedTables
    limits: Limits
    slots: Slots
    traces: Traces
    metrics: Metrics
    log: "structlog.stdlib.BoundLogger"
    book: Desk
    reasoning: ReasoningLibrary
    talkers: dict[str, Talker] = field(default_factory=dict)
    checks: list[Callable[[], Sequence[Fault]]] = field(default_factory=list)
    serving: list[Callable[[], AbstractAsyncContextManager[None]]] = field(default_factory=list)
    at_start: list[Callable[[], object]] = field(default_factory=list)
    at_stop: list[Callable[[], object]] = field(default_factory=list)
    begun: bool = False

    @classmethod
    def make(cls, settings: ServerSettings) -> "State":
        """The parts that settings ask for.

        Raises:
            ConfigError: A folder, or a variable of the environment, cannot be used.
        """
        collections = Collections(settings.collections_folder, books_store())
        tables = SharedTables(settings.folder / "state.sqlite")
        book = Desk(collections, settings_from())
        keys = Keys(settings.folder / "keys.json")
        return cls(
            settings=settings,
            sources=Sources(Library.open(settings.places), collections, settings.shared),
            collections=collections,
            keys=keys,
            sign_ins=SignIns(tables, keys),
            sessions=Sessions(settings.folder / "sessions.sqlite"),
            tables=tables,
            limits=Limits(tables),
            slots=Slots(settings),
            traces=Traces(tables, kept_s=settings.traces_s, most=settings.traces),
            metrics=Metrics(),
            log=logger_of(logging.getLogger("vademecum.server")),
            book=book,
            reasoning=library_of(
                template_folders() if settings.template_folders is None else settings.template_folders
            ),
            checks=[book.check],
        )

    def faults(self) -> list[Fault]:
        """What keeps the server from answering. Without a book it answers from what else there is, and by the rules of a chat configuration."""
        found = [fault for check in self.checks for fault in check()]
        if any(talker.is_configured for talker in self.talkers.values()) or any(
            source.documents for source in self.sources.of(HERE)
        ):
            found = [fault for fault in found if fault.part != NO_BOOK]
        return found

    def collection(self, caller: Caller, name: str, *, changing: bool = False) -> Collection:
        """A collection that a caller may ask, or change; see `authorising.theirs`.

        Raises:
            CollectionMissing: There is none of that name for them.
            StoreError: It cannot be read.
        """
        return theirs(self.collections, caller, name, changing=changing)

    def collections_of(self, caller: Caller) -> list[Collection]:
        """The collections that a caller may ask, by name."""
        return all_theirs(self.collections, caller)
