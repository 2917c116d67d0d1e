"""Limit the concurrent calls to a model. Further calls wait for a while, and then fail, so that callers can do without the model."""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Condition, Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ProviderBusy, StreamClosed
from vademecum.core.models import Message, ModelSettings, Reply

if TYPE_CHECKING:
    from vademecum.core.protocols import ChatModel, ChatStream

IN_PROCESS, ON_THIS_MACHINE, ELSEWHERE = 1, 2, 32
"""The default number of concurrent calls to a model in this process, to one on this machine, and to any other."""

WAIT_S = 5.0
"""The default maximum time, in seconds, that a call waits."""


class CallDefaults(NamedTuple):
    """The limits of models without their own; None for the defaults above."""

    calls: int | None = None
    wait_s: float | None = None


class _Places:
    """The places of one model, shared by all its users in this process."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._condition = Condition()

    @contextmanager
    def place(self, name: str, wait_s: float, closed: "_Closed") -> Iterator[None]:
        """Hold a place while the context is open."""
        with self._condition:
            closed.condition = self._condition
            is_free = self._condition.wait_for(lambda: self._free > 0 or closed.is_closed, max(0.0, wait_s))
            if closed.is_closed:
                raise StreamClosed(f"The call of {name} was closed while it waited.")
            if not is_free:
                message = f"The model {name} is busy with other questions."
                raise ProviderBusy(
                    message, hint="Ask again in a moment, or increase calls in the model's settings."
                )
            self._free -= 1
        try:
            yield
        finally:
            with self._condition:
                self._free += 1
                self._condition.notify()


class _Closed:
    """Whether a call was closed, and the condition that it waits for."""

    def __init__(self) -> None:
        self.is_closed = False
        self.condition: Condition | None = None

    def close(self) -> None:
        """Close the call, and wake it if it waits."""
        self.is_closed = True
        if condition := self.condition:
            with condition:
                condition.notify_all()


_places: dict[tuple[str, str, str, int], _Places] = {}
_lock = Lock()
_defaults = [CallDefaults()]


def set_defaults(defaults: CallDefaults) -> None:
    """Set the limits of models without their own, for models that are opened from now on in this process."""
    _defaults[0] = defaults


def limited(model: "ChatModel", settings: ModelSettings, *, is_here: bool) -> "LimitedModel":
    """Return a model with a limit on concurrent calls, which all its users in this process share.

    Args:
        is_here: Whether its server is on this machine.
    """
    usual = IN_PROCESS if settings.provider == "llamacpp" else ON_THIS_MACHINE if is_here else ELSEWHERE
    calls = settings.calls or _defaults[0].calls or usual
    wait_s = next(wait for wait in (settings.wait_s, _defaults[0].wait_s, WAIT_S) if wait is not None)
    key = (settings.provider, settings.model, settings.base_url, calls)
    with _lock:
        places = _places.setdefault(key, _Places(calls))
    return LimitedModel(model, places, wait_s, is_here=is_here)


class LimitedModel:
    """A language model with a limit on concurrent calls; see `ChatModel`."""

    def __init__(self, model: "ChatModel", places: _Places, wait_s: float, *, is_here: bool = False) -> None:
        self.is_here = is_here
        self._model, self._places, self._wait_s = model, places, wait_s
        self.name = model.name

    @property
    def context_tokens(self) -> int | None:
        """See `ChatModel`."""
        return self._model.context_tokens

    def reply(self, messages: Sequence[Message], *, deadline: Deadline | None = None, **wish: Any) -> Reply:
        """See `ChatModel`."""
        with self._places.place(self.name, self._wait(deadline), _Closed()):
            return self._model.reply(messages, deadline=deadline, **wish)

    def stream(
        self, messages: Sequence[Message], *, deadline: Deadline | None = None, **wish: Any
    ) -> "LimitedStream":
        """See `ChatModel`."""
        stream = self._model.stream(messages, deadline=deadline, **wish)
        return LimitedStream(stream, self._places, self.name, self._wait(deadline))

    def check(self, deadline: Deadline | None = None) -> None:
        """See `ChatModel`."""
        self._model.check(deadline)

    def close(self) -> None:
        """See `ChatModel`."""
        self._model.close()

    def _wait(self, deadline: Deadline | None) -> float:
        return self._wait_s if deadline is None else min(self._wait_s, deadline.remaining_s)


class LimitedStream:
    """A streamed reply that waits for a place when the first part is requested; see `ChatStream`."""

    def __init__(self, stream: "ChatStream", places: _Places, name: str, wait_s: float) -> None:
        self._stream, self._places, self._name = stream, places, name
        self._until_s = time.monotonic() + wait_s
        self._closed = _Closed()
        self._pieces = self._run()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        """See `ChatStream`."""
        return next(self._stream if self._closed.is_closed else self._pieces)

    def _run(self) -> Generator[str]:
        with self._places.place(self._name, self._until_s - time.monotonic(), self._closed):
            yield from self._stream

    def reply(self) -> Reply:
        """See `ChatStream`."""
        for _ in self:
            pass
        return self._stream.reply()

    def close(self) -> None:
        """See `ChatStream`."""
        self._closed.close()
        self._stream.close()
        with suppress(ValueError):  # another thread is reading it, and stops now
            self._pieces.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
