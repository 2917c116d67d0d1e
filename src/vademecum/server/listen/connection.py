"""Connections: a time limit for request headers, and an error response for data that is not HTTP."""

import asyncio
import json
import socket
import struct
from http import HTTPStatus
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

UNIX = "unix"
"""The host of a client on a Unix socket. The port is the client's user id."""

MOST_HEAD = 1 << 15
"""The maximum size of the head of a request in bytes, for `h11_max_incomplete_event_size`."""

_HEAD_S = 10.0
"""The timeout for the head of a request, in seconds. For the first request, it starts with the connection."""


class Connection(H11Protocol):
    """A uvicorn connection with a timeout for request heads, which uvicorn itself does not have."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timeout for the first head."""
        super().connection_made(transport)
        found = transport.get_extra_info("socket")
        if found is not None and found.family == socket.AF_UNIX:
            self.client = (UNIX, peer_user(found))
        self._timer = self.loop.call_later(_HEAD_S, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process received data, and start or cancel the timeout."""
        before = cast("RequestResponseCycle | None", self.cycle)  # None before the first head
        between = before is None or before.response_complete
        super().data_received(data)
        if self.cycle is not before:
            self._stop_waiting()
        elif self._timer is None and between:  # the next head has begun
            self._timer = self.loop.call_later(_HEAD_S, self._give_up)

    def send_400_response(self, msg: str) -> None:
        """Reject a request that is not HTTP, or whose head is too large."""
        status, code, reason = HTTPStatus.BAD_REQUEST, "REQUEST_MALFORMED", msg
        if len(self.conn.trailing_data[0]) > MOST_HEAD:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            code, reason = "HEAD_TOO_LARGE", "The request headers are too large."
        body = _problem(status, code, reason)
        head = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            for event in (
                h11.Response(status_code=status, headers=head, reason=status.phrase.encode()),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event))
        self.transport.close()

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
                body = _problem(408, "TOO_SLOW", "The request was not received in time.")
                head = (
                    f"HTTP/1.1 408 Request Timeout\r\nContent-Type: application/problem+json\r\n"
                    f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                )
                self.transport.write(head.encode() + body)
            self.transport.close()


def peer_user(connection: Any) -> int:
    """Return the user id of the process at the other end of a Unix socket."""
    _, user, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    return int(user)


def _problem(status: int, code: str, detail: str) -> bytes:
    data = {
        "type": f"urn:vademecum:error:{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": status,
        "code": code,
        "detail": detail,
        "hint": "",
        "request_id": "",
    }
    return json.dumps(data).encode()
