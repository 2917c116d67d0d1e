"""Limits on the heads and bodies of requests."""

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from starlette.types import Message, Receive, Scope

from vademecum.server.errors import HttpError
from vademecum.server.listen.connection import MOST_HEAD

_SLOWEST_BYTES_S = 16_000
_DRAINED_BYTES = 4 << 20
_DRAINED_S = 5.0
_CLOSE = (("Connection", "close"),)


class Body:
    """A body, counted by what really came, and given only so much time.

    Args:
        receive: Where it comes from.
        most: How many bytes it may have.
        patience_s: How long all of it may take; taken piece by piece, longer, as long as it keeps a pace.
    """

    def __init__(self, receive: Receive, most: int, patience_s: float) -> None:
        self._receive = receive
        self._most = most
        self._patience_s = patience_s
        self._began_s = time.monotonic()
        self._bytes = 0

    async def receive(self) -> Message:
        """The next piece.

        Raises:
            HttpError: It is too much (413), or comes too slowly (408).
        """
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
        """All of it; None when the client went away.

        Raises:
            HttpError: As `receive`; but none may take longer than the patience.
        """
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
        """Take what nobody will read, within bounds: a client that still sends does not come to read the refusal."""
        drained, most = 0, max(_DRAINED_BYTES, 2 * self._most)
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAINED_S):
                while drained < most:
                    message = await self._receive()
                    drained += len(message.get("body", b""))
                    if not message.get("more_body"):
                        return


def replayed(body: bytes | None, receive: Receive) -> Callable[[], Awaitable[MutableMapping[str, Any]]]:
    """A body that has been read, as the app receives it; behind it only the client's going away can come."""
    first: list[Message] = (
        [] if body is None else [{"type": "http.request", "body": body, "more_body": False}]
    )

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again


def too_large(most: int) -> HttpError:
    """What refuses a body of more than so many bytes."""
    return HttpError(413, "BODY_TOO_LARGE", f"The body is larger than {most:,} bytes.", "Send less.", _CLOSE)


def check_head(scope: Scope) -> None:
    """Check the size of a head, and that it has no header twice that a proxy might interpret differently.

    Raises:
        HttpError: The head is rejected.
    """
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEAD:
        raise HttpError(431, "HEAD_TOO_LARGE", f"The head of the request is larger than {MOST_HEAD:,} bytes.")
    for name in (b"host", b"origin", b"authorization", b"x-api-key", b"content-type"):
        if sum(one == name for one, _ in scope["headers"]) > 1:
            raise HttpError(400, "REQUEST_MALFORMED", f"Duplicate header: {name.decode()}.")
