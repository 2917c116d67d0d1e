"""Turn an answer that is produced in a thread into an event stream or a single response.

The client may disconnect at any time. The answer is then closed, which ends its call to the model and frees its thread.
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
from vademecum.server.guard.bodies import disconnecting
from vademecum.server.guard.redaction import published
from vademecum.server.responses import error_event

if TYPE_CHECKING:
    from vademecum.server.state import Event, Events, State

_AHEAD = 16
"""The maximum number of events that the thread may be ahead of the client."""

_SILENCE_S = 15.0
"""The time without events, in seconds, after which a comment is sent, so that proxies keep the connection."""

_STALLED_S = 30.0
"""The timeout, in seconds, for a client that reads nothing."""

_END = None
STOPPING = HttpError(503, "STOPPING", "The server is stopping.", "Ask again in a moment.")
_GONE = HttpError(499, "CLIENT_GONE", "The client disconnected.")


def sse(event: "Event") -> bytes:
    """Return an event in its wire format. ASCII JSON contains no line breaks."""
    name, data = event
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=True, allow_nan=False)}\n\n".encode()


class EventStream(Response):
    """A response of server-sent events.

    Args:
        encode: Encodes an event as bytes; empty bytes omit the event.
        on_event: Called with each event, in the thread.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        state: "State",
        events: "Events",
        *,
        encode: Callable[["Event"], bytes] = sse,
        last: bytes = b"",
        on_event: Callable[["Event"], object] | None = None,
    ) -> None:
        self.status_code = 200
        self.background = None
        self._state, self._events = state, events
        self._encode, self._last = encode, last
        self._on_event = on_event
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until they end or the client disconnects."""
        about = (scope.get("vademecum.request_id", ""), is_admin(scope))
        reading = _reading(self._state, self._events, self._on_event)
        async with reading as pump, disconnecting(receive) as gone:
            with self._state.metrics.streaming():
                await self._send_all(send, pump, gone, *about)

    async def _send_all(
        self, send: Send, pump: "_Pump", gone: "asyncio.Future[None]", request_id: str, for_admin: bool
    ) -> None:
        # send the head with the first event, so that earlier errors have their own status
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
                    event = ("error", error_event(error_of(dict(event[1])), request_id, for_admin=for_admin))
                if body := self._encode((event[0], published(event[1], is_admin=for_admin))):
                    await put(body)
            else:
                return
            if pump.error is not None:
                self._note(pump.error, request_id)
                data = error_event(pump.error, request_id, for_admin=for_admin)
                await put(self._encode(("error", data)), more=False)
            else:
                await put(self._last, more=False)
        except asyncio.CancelledError:
            with suppress(Exception):
                await put(self._encode(("error", error_event(STOPPING, request_id))), more=False)
            raise
        except TimeoutError:
            return  # the client reads nothing: the server closes the connection

    def _note(self, error: Exception, request_id: str) -> None:
        """Log an unexpected error. The response has begun, so nothing else would log it."""
        if not isinstance(error, (VademecumError, HttpError)):
            self._state.log.error("answer failed", request_id=request_id, exc_info=error)


async def gathered(
    request: Request, state: "State", events: "Events", *, on_event: Callable[["Event"], object] | None = None
) -> dict[str, Any]:
    """Return the data of the `final` event, for a single response. If the client disconnects, the answer is closed."""
    final: Mapping[str, Any] | None = None
    async with _reading(state, events, on_event) as pump, disconnecting(request.receive) as gone:
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
    if pump.error is not None:
        raise pump.error
    if final is None:
        raise RuntimeError("an answer ended without its final event")
    whole: dict[str, Any] = published(final, is_admin=is_admin(request.scope))
    return whole


class WithFinal:
    """The events of a stream, of which a function returns the data of the last one."""

    def __init__(self, events: "Events", final: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        self._events, self._final = events, final

    def __iter__(self) -> "Iterator[Event]":
        """Yield the events."""
        for name, data in self._events:
            yield name, self._final(data) if name == "final" else data

    def close(self) -> None:
        """Close the stream."""
        self._events.close()


class Lazily:
    """The events of a stream whose creation blocks. It is created when it is first read, in a thread."""

    def __init__(self, make: "Callable[[], Events]") -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: Events | None = None
        self._closed = False

    def __iter__(self) -> "Iterator[Event]":
        """Yield the events, or none if the stream is closed."""
        made = self._make()
        with self._lock:
            self._made, closed = made, self._closed
        if closed:
            made.close()
            return
        yield from made

    def close(self) -> None:
        """Close the stream now, or as soon as it is created."""
        with self._lock:
            self._closed, made = True, self._made
        if made is not None:
            made.close()


class _Pump:
    """Reads events in a thread and passes them to the event loop, at most `_AHEAD` events ahead."""

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
        """Read to the end. This runs in a thread."""
        try:
            for event in self._events:
                self._room.acquire()
                if self._closed:
                    break
                if self._on_event:
                    self._on_event(event)
                self._loop.call_soon_threadsafe(self._queue.put_nowait, event)
        except Exception as error:  # noqa: BLE001 - the reader of the events raises or reports it
            self.error = error
        with suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(self._queue.put_nowait, _END)

    async def begun(self, gone: "asyncio.Future[None]") -> bool:
        """Wait for the first event. Return whether it arrived before the client disconnected."""
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
        """Return the next event, or None at the end."""
        event = self._first.pop() if self._first else await self._queue.get()
        self._room.release()
        return event

    def close(self) -> None:
        """Stop reading at once."""
        self._closed = True
        self._events.close()
        self._room.release()


@asynccontextmanager
async def _reading(
    state: "State", events: "Events", on_event: Callable[["Event"], object] | None
) -> AsyncIterator[_Pump]:
    """Run a pump in a thread. Its answer is always closed at the end."""
    pump = _Pump(events, on_event)
    try:
        async with state.slots.stream(pump.run):
            try:
                yield pump
            finally:
                pump.close()
    finally:
        events.close()
