"""A minimal HTTP/1.0 client over a Unix socket: one request and its response.

A question to the background service takes about ten milliseconds, so load time matters. This module therefore uses the
interpreter's `_socket` and `_json` (`socket`, `json` and `http.client` take 10, 8 and 60 ms to load).
"""

import os
import sys
import time
from _json import encode_basestring_ascii as _quoted
from _socket import AF_UNIX, SO_PEERCRED, SOCK_STREAM, SOL_SOCKET, socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 1 << 20
"""The maximum size of a request body."""

EDITION_HEADER = "Vademecum-Edition"
NONSENSE = "it spoke nonsense"

_CONNECT_S = 0.25
_ANSWER_S = 3.0
_SILENCE_S = 600.0
"""The maximum pause in a stream. Rendering a batch of unusual pages can take minutes."""

_MOST_HEAD = 1 << 16
_MOST_REPLY = 1 << 26
_PIECE = 1 << 16


class Useless(Exception):
    """The service cannot be used. The message gives the reason; "" if there is no service."""


def edition() -> str:
    """Return an identifier of the installed program. It changes with an upgrade, which rewrites the files."""
    status = os.stat(f"{__file__.rpartition('/')[0]}/../../__init__.py")  # noqa: PTH116 - see the module docstring
    return f"{status.st_mtime_ns:x}-{status.st_size:x}"


def connected(path: str) -> socket:
    """Connect to a service that runs as this user or as root, and may therefore receive the user's questions."""
    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.settimeout(_CONNECT_S)
        connection.connect(path)
        peer = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)  # pid, uid, gid
    except (OSError, ValueError):  # also for a path that is too long or contains NUL
        connection.close()
        raise Useless("") from None
    if int.from_bytes(peer[4:8], sys.byteorder) not in {os.geteuid(), 0}:
        connection.close()
        raise Useless(f"{path} is another user's")
    return connection


class Reply:
    """A response: its status, media type, headers, and the received part of the body."""

    __slots__ = ("body", "headers", "media", "status")

    def __init__(self, head: bytes, body: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = [line.partition(":") for line in lines]
        self.headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        version, _, rest = first.partition(" ")
        if not version.startswith("HTTP/1.") or not (rest[:3].isascii() and rest[:3].isdigit()):
            raise Useless(NONSENSE)
        if self.headers.get(EDITION_HEADER.lower()) != edition():
            raise Useless("it is of another version; restart it")
        self.status, self.body = int(rest[:3]), body
        self.media = self.headers.get("content-type", "").partition(";")[0].strip()


def send(connection: socket, method: str, path: str, media: str, asked: "dict[str, object] | None") -> None:
    """Send a request, with `asked` as the JSON body."""
    head = (
        f"{method} {path} HTTP/1.0\r\nHost: localhost\r\nAccept: {media}\r\n{EDITION_HEADER}: {edition()}\r\n"
    )
    body = b""
    if asked is not None:
        body = to_json(asked).encode()
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    if len(body) > MOST_BYTES:
        raise Useless("the request is too large for it")
    try:
        connection.settimeout(_ANSWER_S)
        connection.sendall(head.encode() + b"\r\n" + body)
    except OSError:
        pass  # it may have responded before it received everything


def receive_head(connection: socket) -> Reply:
    """Receive the head of a response. Its `body` is what was received together with the head."""
    deadline_s = time.monotonic() + _ANSWER_S
    received = b""
    while b"\r\n\r\n" not in received:
        if len(received) > _MOST_HEAD:
            raise Useless(NONSENSE)
        received += _piece(connection, deadline_s)
    return Reply(*received.split(b"\r\n\r\n", 1))


def receive(connection: socket) -> Reply:
    """Receive a complete response."""
    deadline_s = time.monotonic() + _ANSWER_S
    reply = receive_head(connection)
    length = reply.headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > _MOST_REPLY:
        raise Useless(NONSENSE)
    pieces, missing = [reply.body], int(length) - len(reply.body)
    while missing > 0:
        pieces.append(_piece(connection, deadline_s))
        missing -= len(pieces[-1])
    reply.body = b"".join(pieces)[: int(length)]
    return reply


def lines(connection: socket, begun: bytes) -> "Iterator[bytes]":
    """Yield the lines of a body that ends when the connection closes."""
    while True:
        *whole, begun = begun.split(b"\n")
        yield from whole
        if len(begun) > _MOST_REPLY:
            raise Useless(NONSENSE)
        begun += _piece(connection, time.monotonic() + _SILENCE_S)


def to_json(value: object) -> str:
    r"""Encode plain data as JSON in ASCII. Lone surrogates in strings are preserved as escapes.

    >>> to_json({"question": "ä", "limit": 3, "sources": None, "strict": True})
    '{"question":"\\u00e4","limit":3,"sources":null,"strict":true}'
    """
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_quoted(name)}:{to_json(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(to_json, value)) + "]"
    return "null" if value is None else str(value).lower()


def _piece(connection: socket, deadline_s: float) -> bytes:
    """Receive the next bytes."""
    rest_s = deadline_s - time.monotonic()
    received = b""
    try:
        if rest_s > 0:
            connection.settimeout(rest_s)
            received = connection.recv(_PIECE)
    except TimeoutError:
        rest_s = 0
    except OSError:
        received = b""
    if rest_s <= 0:
        raise Useless("it did not answer in time")
    if not received:
        raise Useless("it broke off")
    return received
