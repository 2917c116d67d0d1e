"""Event streams: JSON lines and server-sent events.

Lines are split as bytes and then decoded, so that characters that span two chunks are decoded correctly.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from vademecum.core.errors import ReplyInvalid
from vademecum.net.exchange import Exchange


class ServerEvent(NamedTuple):
    """A server-sent event.

    Attributes:
        name: The event type; "" for the default type.
    """

    name: str
    data: bytes


def json_lines(exchange: Exchange) -> Iterator[Any]:
    """Yield the values of a stream with one JSON value per line. Blank lines are skipped."""
    for line in lines(exchange):
        if line.strip():
            yield exchange.parsed(line)


def server_events(exchange: Exchange) -> Iterator[ServerEvent]:
    """Yield server-sent events (HTML standard, 9.2.6).

    If the stream ends within an event, the incomplete event is yielded, and the caller has to detect it.
    """
    first, name, size = True, "", 0
    data: list[bytes] = []
    for line in lines(exchange):
        if first:
            _check_kind(exchange)
            line, first = line.removeprefix(b"\xef\xbb\xbf"), False  # noqa: PLW2901 - a mark that may stand first
        if not line:
            if data:
                yield ServerEvent(name, b"\n".join(data))
            name, data, size = "", [], 0
            continue
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            size += len(value) + 1
            if size > exchange.limits.line_bytes:
                raise too_long(exchange)
            data.append(value)
        elif field == b"event":
            name = value.decode("utf-8", "replace")
    if data:
        yield ServerEvent(name, b"\n".join(data))


def lines(exchange: Exchange) -> Iterator[bytes]:
    r"""Yield the lines of a response, without their ends (`\n`, `\r\n` or `\r`). The last line may lack one."""
    rest = bytearray()
    cut = False
    most = exchange.limits.line_bytes
    for piece in exchange:
        if cut and piece[:1] == b"\n":
            piece = piece[1:]  # noqa: PLW2901 - the second half of a line's end
        cut = piece[-1:] == b"\r"
        rest += piece
        if b"\n" in piece or b"\r" in piece:
            whole = bytes(rest).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
            rest = bytearray(whole.pop())
            for line in whole:
                if len(line) > most:
                    raise too_long(exchange)
                yield line
        if len(rest) > most:
            raise too_long(exchange)
    if rest:
        yield bytes(rest)


def too_long(exchange: Exchange) -> ReplyInvalid:
    """Close the exchange, and return the exception for a line or event that exceeds the limit."""
    exchange.close()
    message = f"{exchange.whom} sent a line of more than {exchange.limits.line_bytes:,} bytes."
    return ReplyInvalid(message, hint="Check that base_url names a server of this protocol.")


def _check_kind(exchange: Exchange) -> None:
    kind = exchange.content_type
    if kind not in {"text/event-stream", ""}:
        exchange.close()
        message = f"{exchange.whom} answered with {kind}, not with a stream of events."
        raise ReplyInvalid(message, hint="Check that base_url names a server of this protocol.")
