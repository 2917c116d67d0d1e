"""Turn an answer that is produced in a thread into an event stream or a single response.

A listener may go away at any time. Then the answer is closed, which ends its call of the model, and its thread
comes back.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from vademecum.core.errors import VademecumError
from vademecum.library.service.client import error_of
from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import is_admin
from vademecum.server.redaction import published
from vademecum.server.responses import told_in_stream

if TYPE_CHECKING:
    from vademecum.server.state import Event, Events, State

_AHEAD = 16
"""How many events the thread may be ahead of the client."""

_SILENCE_S = 15.0
"""After this a comment is sent, so that nobody between us and the client takes the connection for dead."""

_STALLED_S = 30.0
"""How long a client may take nothing."""

_END = None
STOPPING = HttpError(503, "STOPPING", "The server is stopping.", "Ask again in a moment.")
_GONE = HttpError(499, "CLIENT_GONE", "The client disconnected.")


def sse(event: "Event") -> bytes:
    """An event as it is sent. JSON in ASCII has no line ends of its own."""
    name, data = event
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=True, allow_nan=False)}\n\n".encode()


class EventStream(Response):
    """A reply of server-sent events.

    Args:
        state: The parts of the server.
        events: What is sent; closed at the end, whatever happens.
        model: The model that is called for it; "" for none.
        encode: An event in bytes; empty to leave it out.
        last: What is sent behind a good end.
        on_event: Told every event, in the thread.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        state: "State",
        events: "Events",
        *,
        model: str = "",
        encode: Callable[["Event"], bytes] = sse,
        last: bytes = b"",
        on_event: Callable[["Event"], object] | None = None,
    ) -> None:
        self.status_code = 200
        self.background = None
        self._state, self._events, self._model = state, events, model
        self._encode, self._last = encode, last
        self._on_event = on_event
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until they end, or nobody listens any more."""
        about = (scope.get("vademecum.request_id", ""), is_admin(scope))
        async with _reading(self._state, self._events, self._model, self._on_event) as pump:
            gone = asyncio.ensure_future(_gone(receive))
            try:
                with self._state.metrics.streaming():
                    await self._send_all(send, pump, gone, *about)
            finally:
                gone.cancel()
                with suppress(asyncio.CancelledError):
                    await gone

    async def _send_all(
        self, send: Send, pump: "_Pump", gone: "asyncio.Future[None]", request_id: str, for_admin: bool
    ) -> None:
        # the head goes out with the first event, so that what fails before it has its own status
        if await pump.begun(gone):
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )

        async def put(body: bytes, *, more: bool = True) -> None:
            async with asyncio.timeout(_STALLED_S):
                await send({"type": "http.response.body", "body": body, "more_body": more})

        try:
            while not gone.done():
                taken = asyncio.ensure_future(pump.next())
                both: list[asyncio.Future[Any]] = [taken, gone]
                await asyncio.wait(both, timeout=_SILENCE_S, return_when=asyncio.FIRST_COMPLETED)
                while not taken.done() and not gone.done():
                    await put(b": still there\n\n")
                    await asyncio.wait(both, timeout=_SILENCE_S, return_when=asyncio.FIRST_COMPLETED)
                if not taken.done():
                    taken.cancel()
                    return
                event = taken.result()
                if event is _END:
                    break
                if event[0] == "error":
                    event = (
                        "error",
                        told_in_stream(error_of(dict(event[1])), request_id, for_admin=for_admin),
                    )
                if body := self._encode((event[0], published(event[1], is_admin=for_admin))):
                    await put(body)
            else:
                return
            if pump.error is not None:
                self._note(pump.error, request_id)
                data = told_in_stream(pump.error, request_id, for_admin=for_admin)
                await put(self._encode(("error", data)), more=False)
            else:
                await put(self._last, more=False)
        except asyncio.CancelledError:
            with suppress(Exception):
                await put(self._encode(("error", told_in_stream(STOPPING, request_id))), more=False)
            raise
        except TimeoutError:
            return  # the client takes nothing: the connection is closed behind it

    def _note(self, error: Exception, request_id: str) -> None:
        """Log what has no name: the reply has begun, so that nobody else will."""
        if not isinstance(error, (VademecumError, HttpError)):
            self._state.log.error("answer failed", request_id=request_id, exc_info=error)


async def gathered(
    request: Request,
    state: "State",
    events: "Events",
    *,
    model: str = "",
    on_event: Callable[["Event"], object] | None = None,
) -> dict[str, Any]:
    """The data of the `final` event, for a plain reply. When the client goes away, the answer is closed.

    Raises:
        HttpError: Too much is under way, or the client went away.
        Exception: What reading the events raised.
    """
    async with _reading(state, events, model, on_event) as pump:
        gone = asyncio.ensure_future(_gone(request.receive))
        final: Mapping[str, Any] | None = None
        try:
            while True:
                taken = asyncio.ensure_future(pump.next())
                both: list[asyncio.Future[Any]] = [taken, gone]
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if not taken.done():
                    taken.cancel()
                    raise _GONE
                event = taken.result()
                if event is _END:
                    break
                if event[0] == "error":
                    raise error_of(dict(event[1]))
                if event[0] == "final":
                    final = event[1]
        finally:
            gone.cancel()
            with suppress(asyncio.CancelledError):
                await gone
    if pump.error is not None:
        raise pump.error
    if final is None:
        raise RuntimeError("an answer ended without its final event")
    whole: dict[str, Any] = published(final, is_admin=is_admin(request.scope))
    return whole


class Lazily:
    """Events of a stream whose making blocks: it is made where it is read, in a thread.

    Args:
        make: Makes the stream.
    """

    def __init__(self, make: "Callable[[], Events]") -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: Events | None = None
        self._closed = False

    def __iter__(self) -> "Iterator[Event]":
        """The events; none once it is closed."""
        made = self._make()
        with self._lock:
            self._made, closed = made, self._closed
        if closed:
            made.close()
            return
        yield from made

    def close(self) -> None:
        """Close the stream, or see that it is closed as soon as it is made."""
        with self._lock:
            self._closed, made = True, self._made
        if made is not None:
            made.close()


class _Pump:
    """Reads events in a thread, and hands them to the loop, no more than a few ahead."""

    def __init__(self, events: "Events", on_event: Callable[["Event"], object] | None) -> None:
        self._events = events
        self._on_event = on_event
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._room = threading.Semaphore(_AHEAD)
        self._first: list[Event | None] = []
        self._closed = False
        self.error: Exception | None = None

    def run(self) -> None:
        """Read to the end; in a thread."""
        try:
            for event in self._events:
                self._room.acquire()
                if self._closed:
                    break
                if self._on_event:
                    self._on_event(event)
                self._loop.call_soon_threadsafe(self._queue.put_nowait, event)
        except Exception as error:  # noqa: BLE001 - it is raised, or told, where the events are taken
            self.error = error
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._queue.put_nowait, _END)

    async def begun(self, gone: "asyncio.Future[None]") -> bool:
        """Wait for the first event; whether it came before the client was gone.

        Raises:
            Exception: What reading raised before any event.
        """
        first = asyncio.ensure_future(self._queue.get())
        both: list[asyncio.Future[Any]] = [first, gone]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not first.done():
            first.cancel()
            return False
        self._first.append(first.result())
        if self._first[0] is _END and self.error is not None:
            raise self.error
        return True

    async def next(self) -> "Event | None":
        """The next event; None at the end."""
        event = self._first.pop() if self._first else await self._queue.get()
        self._room.release()
        return event

    def close(self) -> None:
        """End the reading at once."""
        self._closed = True
        self._events.close()
        self._room.release()


@asynccontextmanager
async def _reading(
    state: "State", events: "Events", model: str, on_event: Callable[["Event"], object] | None
) -> AsyncIterator[_Pump]:
    """A pump at work in a thread; its answer is closed at the end, whatever happens."""
    pump = _Pump(events, on_event)
    try:
        async with state.slots.stream(pump.run, model):
            try:
                yield pump
            finally:
                pump.close()
    finally:
        events.close()


async def _gone(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
