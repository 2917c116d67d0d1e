"""A scripted web server, whose responses can be wrong, late or missing."""

import json
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Self

_HEAD_BYTES = 1 << 16


class Request(NamedTuple):
    """What the server was asked.

    Attributes:
        method: `GET`, `POST`, ...
        path: With what follows `?`.
        headers: Their names in lower case.
        body: As it came.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Visit:
    """A connection, as an answer's author sees it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._connection.sendall(data)

    def wait_for_end(self) -> None:
        """Say nothing until the other side closes, or the server ends."""
        while self._connection.recv(_HEAD_BYTES):
            pass

    def hang_up(self) -> None:
        """Close in the middle."""
        self._connection.shutdown(socket.SHUT_RDWR)


Answer = bytes | Callable[[Visit, Request], None]


def answer(
    body: object,
    status: int = 200,
    *,
    kind: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """A whole answer, with its length; what is not text or bytes is written as JSON."""
    if isinstance(body, str):
        body = body.encode()
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Scripted\r\n{head}\r\n".encode() + data


def stream(
    pieces: Iterable[bytes],
    *,
    kind: str = "text/event-stream",
    then: Callable[[Visit, Request], None] | None = None,
) -> Callable[[Visit, Request], None]:
    """An answer in chunks.

    Args:
        pieces: The chunks; taken while the answer is given.
        kind: Its content type.
        then: What is done in the place of its good end.
    """

    def give(visit: Visit, request: Request) -> None:
        visit.send(
            f"HTTP/1.1 200 Scripted\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        for piece in pieces:
            visit.send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        if then is None:
            visit.send(b"0\r\n\r\n")
        else:
            then(visit, request)

    return give


class ScriptedServer:
    """Listens on 127.0.0.1, answers each request with the next answer of its script, and the last one ever after.

    Args:
        script: The answers.
    """

    def __init__(self, *script: Answer) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._listen, daemon=True)

    @property
    def open_connections(self) -> int:
        """How many connections are open at this moment."""
        with self._lock:
            return len(self._open)

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._open.add(connection)
                self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as reader:
                while request := _request(reader):
                    with self._lock:
                        self.requests.append(request)
                        given = self.script.pop(0) if len(self.script) > 1 else self.script[0]
                    if isinstance(given, bytes):
                        connection.sendall(given)
                    else:
                        given(Visit(connection), request)
        except (OSError, ValueError):
            return  # the caller has gone
        finally:
            with self._lock:
                self._open.discard(connection)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        for used in (self._listener, *self._open):
            try:
                used.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self._listener.close()
        self._thread.join()


def _request(reader: Any) -> Request | None:
    """The next request of a connection; None at its end."""
    first = reader.readline(_HEAD_BYTES).decode("latin-1").split()
    if len(first) != 3:
        return None
    headers: dict[str, str] = {}
    while line := reader.readline(_HEAD_BYTES).decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers.get("content-length", "0")))
    return Request(first[0], first[1], headers, body)
