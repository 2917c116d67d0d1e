"""One HTTP exchange: read a request within limits of size and time, and write the response.

Each connection carries one request. Whatever comes behind it is not read.
"""

import re
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple

from vademecum.library.service.unix_http import MOST_BYTES

REQUEST_S = 5.0
"""How long a client may take to send its request."""

_REPLY_S = 30.0
_MOST_HEAD = 1 << 14
_PIECE = 1 << 16
_REQUEST_LINE = re.compile(r"([A-Z]{1,16}) (/[!-~]{0,2000}) HTTP/1\.[01]")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([\t -~\x80-\xff]*?)[ \t]*")


class Request(NamedTuple):
    """A request.

    Attributes:
        method: In upper case.
        path: Without its query.
        headers: By name in lower case.
        body: As it came.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Reply(NamedTuple):
    """A reply.

    Attributes:
        status: The HTTP status.
        media: The body's type.
        body: All of it.
        headers: Further ones.
    """

    status: int
    media: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


class Refusal(Exception):
    """A request that is not carried out.

    Args:
        status: The HTTP status.
        code: A fixed word for it.
        message: What is wrong.
        hint: One sentence: what to do next.
        headers: Of the reply.
    """

    def __init__(
        self, status: int, code: str, message: str, hint: str = "", headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.hint, self.headers = status, code, message, hint, headers


def read_request(connection: socket.socket) -> Request | None:
    """Read a request; `None` when the other side went away without a word.

    Raises:
        Refusal: It is none, too large, or did not come in time.
        OSError: The connection broke.
    """
    deadline_s = time.monotonic() + REQUEST_S
    received = b""
    while b"\r\n\r\n" not in received:
        if len(received) > _MOST_HEAD:
            break
        piece = _piece(connection, deadline_s)
        if not piece:
            if not received:
                return None
            raise _malformed("it ends within its head")
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    if len(head) > _MOST_HEAD:
        raise Refusal(431, "HEAD_TOO_LARGE", f"The head of the request is larger than {_MOST_HEAD} bytes.")
    method, path, headers = _parsed(head.decode("latin-1"))
    return Request(method, path, headers, _body(connection, headers, body, deadline_s))


def send(connection: socket.socket, reply: Reply, *, length: bool = True) -> None:
    """Send a reply, or with `length` false only its head; the body then ends with the connection.

    Raises:
        OSError: The other side does not take it.
    """
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}", f"Content-Type: {reply.media}"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    if length:
        lines.append(f"Content-Length: {len(reply.body)}")
    lines += ["Cache-Control: no-store", "Connection: close", "", ""]
    connection.settimeout(_REPLY_S)
    connection.sendall("\r\n".join(lines).encode("latin-1", "replace") + reply.body)


def _parsed(head: str) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.split("\r\n")
    request = _REQUEST_LINE.fullmatch(first)
    if request is None:
        raise _malformed("its first line is none of HTTP/1.1")
    headers: dict[str, str] = {}
    for line in lines:
        field = _FIELD.fullmatch(line)
        if field is None:
            raise _malformed("it has a line that is not a header")
        name = field[1].lower()
        if name in headers and name in {"content-length", "content-type", "transfer-encoding"}:
            raise _malformed(f"it has two headers {name}")
        headers[name] = field[2]
    return request[1], request[2].partition("?")[0], headers


def _body(connection: socket.socket, headers: Mapping[str, str], begun: bytes, deadline_s: float) -> bytes:
    """The body, by counted bytes."""
    if "transfer-encoding" in headers:
        raise Refusal(
            501, "LENGTH_UNKNOWN", "A body in pieces is not taken.", "Send it whole, with its Content-Length."
        )
    said = headers.get("content-length", "0")
    if not (said.isascii() and said.isdigit()):
        raise _malformed("its Content-Length is not a number")
    length = int(said[:20])
    if length > MOST_BYTES:
        raise Refusal(413, "BODY_TOO_LARGE", f"The body is larger than {MOST_BYTES} bytes.")
    if headers.get("expect", "").lower() == "100-continue" and len(begun) < length:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    pieces, missing = [begun], length - len(begun)
    while missing > 0:
        piece = _piece(connection, deadline_s)
        if not piece:
            raise _malformed("it ends within its body")
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)[:length]


def _piece(connection: socket.socket, deadline_s: float) -> bytes:
    """What comes next; empty when the other side has nothing more to say."""
    rest_s = deadline_s - time.monotonic()
    with suppress(TimeoutError):
        if rest_s > 0:
            connection.settimeout(rest_s)
            return connection.recv(_PIECE)
    raise Refusal(408, "TOO_SLOW", f"The request did not come within {REQUEST_S:.0f} seconds.")


def _malformed(why: str) -> Refusal:
    return Refusal(400, "REQUEST_MALFORMED", f"The request cannot be read: {why}.")
