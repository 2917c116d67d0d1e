"""The pool of connections, as the transport of an httpx client.

httpx's own transport takes no network backend; the pool below it does, and through it a call's deadline and its end
reach every read and write.
"""

from collections.abc import Iterator

import httpcore2
import httpx2


class Pool(httpx2.BaseTransport):
    """Sends requests by a pool of httpcore connections.

    Args:
        pool: The pool; its network backend understands what the requests carry as their timeouts.
    """

    def __init__(self, pool: httpcore2.ConnectionPool) -> None:
        self._pool = pool

    @property
    def connections(self) -> int:
        """How many there are, those kept for later included."""
        return len(self._pool.connections)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and wait for the head of its answer."""
        answer = self._pool.handle_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.read(),
                extensions=request.extensions,
            )
        )
        return httpx2.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    """The body of an answer, as it comes."""

    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()
