"""Limits on the heads and bodies of requests."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.types import Message, Receive, Scope

from vademecum.server.errors import HttpError
from vademecum.server.listen.connection import MOST_HEAD

_SLOWEST_BYTES_S = 16_000
_DRAINED_BYTES = 4 << 20
_DRAINED_S = 5.0
_CLOSE = (("Connection", "close"),)


class Body:
    """A request body, limited by the bytes that are actually received, and by time.

    Args:
        most: The maximum number of bytes.
        patience_s: The timeout for the whole body, in seconds. A body that is read in pieces may take longer if it
            keeps a minimum rate.
    """

    def __init__(self, receive: Receive, most: int, patience_s: float) -> None:
        self._receive = receive
        self._most = most
        self._patience_s = patience_s
        self._began_s = time.monotonic()
        self._bytes = 0

    async def receive(self) -> Message:
        """Return the next piece."""
        fair_s = self._patience_s + self._bytes / _SLOWEST_BYTES_S
        try:
            async with asyncio.timeout(max(0.0, self._began_s + fair_s - time.monotonic())):
                message = await self._receive()
        except TimeoutError:
            raise HttpError(
                408, "TOO_SLOW", "The request was not received in time.", "Send it faster.", _CLOSE
            ) from None
        self._bytes += len(message.get("body", b""))
        if self._bytes > self._most:
            if message.get("more_body"):
                await self.drain()
            raise too_large(self._most)
        return message

    async def whole(self) -> bytes | None:
        """Return the whole body, or None if the client has disconnected."""
        pieces = []
        try:
            async with asyncio.timeout(self._patience_s):
                while True:
                    message = await self.receive()
                    if message["type"] == "http.disconnect":
                        return None
                    pieces.append(message.get("body", b""))
                    if not message.get("more_body"):
                        return b"".join(pieces)
        except TimeoutError:
            raise HttpError(
                408, "TOO_SLOW", "The request was not received in time.", "Send it faster.", _CLOSE
            ) from None

    async def drain(self) -> None:
        """Discard the rest of the body, within limits. A client that is still sending does not read the response."""
        drained, most = 0, max(_DRAINED_BYTES, 2 * self._most)
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAINED_S):
                while drained < most:
                    message = await self._receive()
                    drained += len(message.get("body", b""))
                    if not message.get("more_body"):
                        return


@asynccontextmanager
async def disconnecting(receive: Receive) -> AsyncIterator["asyncio.Future[None]"]:
    """Provide a future that is done when the client has disconnected. The body has been read before."""

    async def wait() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    gone = asyncio.ensure_future(wait())
    try:
        yield gone
    finally:
        gone.cancel()
        with suppress(asyncio.CancelledError):
            await gone


def replayed(body: bytes | None, receive: Receive) -> Callable[[], Awaitable[MutableMapping[str, Any]]]:
    """Return a function that receives a body that was already read. After it, only a disconnect can follow."""
    first: list[Message] = (
        [] if body is None else [{"type": "http.request", "body": body, "more_body": False}]
    )

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again


def too_large(most: int) -> HttpError:
    """Return the error for a body of more than `most` bytes."""
    return HttpError(413, "BODY_TOO_LARGE", f"The body is larger than {most:,} bytes.", "Send less.", _CLOSE)


def check_head(scope: Scope) -> None:
    """Check the size of a head, and that headers that a proxy might interpret differently occur only once."""
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEAD:
        raise HttpError(431, "HEAD_TOO_LARGE", f"The head of the request is larger than {MOST_HEAD:,} bytes.")
    for name in (b"host", b"origin", b"authorization", b"x-api-key", b"content-type"):
        if sum(one == name for one, _ in scope["headers"]) > 1:
            raise HttpError(400, "REQUEST_MALFORMED", f"Duplicate header: {name.decode()}.")
