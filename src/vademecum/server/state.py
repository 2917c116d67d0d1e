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
from vademecum.library.internal import InternalLibrary
from vademecum.providers.call_limit import CallDefaults, set_defaults
from vademecum.server.guard.authorization import HERE, Caller, all_theirs, theirs
from vademecum.server.guard.keys import Keys
from vademecum.server.guard.limits import Limits
from vademecum.server.guard.sign_in import SignIns
from vademecum.server.jobs import Jobs
from vademecum.server.log import logger_of
from vademecum.server.metrics import Metrics
from vademecum.server.settings import ServerSettings
from vademecum.server.slots import Slots
from vademecum.server.sources import Sources
from vademecum.server.traces import Traces
from vademecum.state.database import SharedTables
from vademecum.state.history import History
from vademecum.state.sessions import Sessions

if TYPE_CHECKING:
    import structlog

Event = tuple[str, Mapping[str, Any]]
"""The name and the data of a server-sent event."""


class Events(Protocol):
    """An answer as a series of events. One thread reads it, and any thread can close it."""

    def __iter__(self) -> Iterator[Event]:
        """Yield the events in order. The last one is `final` or `error`."""
        ...

    def close(self) -> None:
        """Stop at once. The reader receives no more events."""
        ...


class Talker(Protocol):
    """A set of rules that `/v1/chat/completions` offers as a model."""

    @property
    def model(self) -> str:
        """The name under which its calls to models are counted; "" if it calls none."""
        ...

    @property
    def is_configured(self) -> bool:
        """Return whether the rules come from a configuration, not from the package's defaults."""
        ...

    def talk(self, messages: Sequence[Message], caller: Caller, timeout_s: float) -> Events:
        """Answer the last message.

        The events are `token` (`{"text"}`, complete verified sentences) and `final` (`answer, citations, sources,
        status, trace_id`, with the same values as in the single response).
        """
        ...


@dataclass(kw_only=True)
class State:
    """The parts of a running server.

    Attributes:
        sources: The sources that can be queried: this machine's library, and the collections.
        collections: All collections. Routes use `collection` and `collections_of`, which check the caller's rights.
        slots: The concurrency limits. All blocking work goes through them.
        talkers: Sets of rules by their name in `/v1/models`. The chat desk adds itself here.
        checks: The checks of `/readyz`. Each returns what is missing.
        serving: Context managers that are entered before the first request and left after the last, in the event loop.
        at_start: Called before the first request.
        at_stop: Called in a thread after the last request, in reverse order.
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
    history: History
    jobs: Jobs
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
        """Create the parts for the given settings."""
        collections = Collections(settings.collections_folder, books_store())
        tables = SharedTables(settings.folder / "state.sqlite")
        set_defaults(CallDefaults(settings.calls_a_model, settings.model_wait_s))
        history = History(tables)
        book = Desk(collections, settings_from())
        keys = Keys(settings.folder / "keys.json")
        return cls(
            settings=settings,
            sources=Sources(InternalLibrary.open(settings.places), collections, settings.shared),
            collections=collections,
            keys=keys,
            sign_ins=SignIns(tables, keys),
            sessions=Sessions(settings.folder / "sessions.sqlite"),
            tables=tables,
            limits=Limits(tables),
            slots=Slots(settings),
            traces=Traces(tables, kept_s=settings.traces_s, most=settings.traces),
            history=history,
            jobs=Jobs(tables),
            metrics=Metrics(history),
            log=logger_of(logging.getLogger("vademecum.server")),
            book=book,
            reasoning=library_of(
                template_folders() if settings.template_folders is None else settings.template_folders
            ),
            checks=[book.check],
        )

    def faults(self) -> list[Fault]:
        """Return what prevents answers, except a missing book if there are other documents or configured chat rules."""
        found = [fault for check in self.checks for fault in check()]
        if any(talker.is_configured for talker in self.talkers.values()) or any(
            source.documents for source in self.sources.of(HERE)
        ):
            found = [fault for fault in found if fault.part != NO_BOOK]
        return found

    def collection(self, caller: Caller, name: str, *, changing: bool = False) -> Collection:
        """Return a collection that a caller may query, or change; see `authorization.theirs`."""
        return theirs(self.collections, caller, name, changing=changing)

    def collections_of(self, caller: Caller) -> list[Collection]:
        """Return the collections that a caller may query, sorted by name."""
        return all_theirs(self.collections, caller)
