"""One request and its response: retries with backoff until data arrives, streaming, cancellation from any thread."""

import contextlib
import json
import random
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any, Self
from weakref import ref

import httpcore2
import httpx2

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError, ProviderError, ProviderUnreachable, ReplyInvalid, StreamClosed
from vademecum.net.address import Place
from vademecum.net.secret import Secret, redacted
from vademecum.net.sockets import Allowance, Call, Limits
from vademecum.net.statuses import error_of, words

AGAIN = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses that may be temporary, so that the request is retried, as the clients of the vendors do."""

_SPREAD = 0.25
_LONGEST_NUMBER = 9


def pause_s(limits: Limits, tries: int, retry_after: str | None) -> float:
    """Return the delay before the next attempt, in seconds."""
    own: float = limits.first_pause_s * 2 ** (tries - 1) * random.uniform(1 - _SPREAD, 1 + _SPREAD)  # noqa: S311 - no secret
    return max(own, asked_s(retry_after))


def asked_s(retry_after: str | None) -> float:
    """Parse a `Retry-After` header to seconds; 0 if it is missing, in the past, or invalid (RFC 9110, 10.2.3).

    >>> asked_s("7"), asked_s("Wed, 21 Oct 2015 07:28:00 GMT"), asked_s("soon")
    (7.0, 0.0, 0.0)
    """
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:_LONGEST_NUMBER])
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, TypeError):
        return 0.0
    return max(0.0, moment - time.time())


_ERROR_BYTES = 1 << 16
_REST_S = 0.5
_REST_PIECES = 16
_NO_WAY = "Check that the server is running and that base_url points to it."
_BROKEN = (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, httpcore2.ProxyError)


class Exchange:
    """A request, and its response as an iterator of chunks. `Client.exchange` creates it.

    The request is sent when the first chunk is read. One thread reads, and any thread may call `close`.

    Attributes:
        secrets: The keys in its headers, which are removed from messages.
    """

    def __init__(
        self,
        http: httpx2.Client,
        register: "dict[int, ref[Exchange]]",
        place: Place,
        path: str,
        *,
        method: str,
        body: object,
        headers: Mapping[str, Secret | str],
        deadline: Deadline,
        limits: Limits,
    ) -> None:
        self.secrets = tuple(value for value in headers.values() if isinstance(value, Secret))
        self.limits = limits
        self.whom = str(place)
        self._http = http
        self._register = register
        self._call = Call(self.whom, deadline, limits)
        self._lock = Lock()
        self._reading = False
        self._done = False
        self._whole = False
        self._response: httpx2.Response | None = None
        self._pieces: Iterator[bytes] | None = None
        self._read_bytes = 0
        content = _as_json(body) if body is not None else None
        sent = {
            "Accept-Encoding": "identity",
            "User-Agent": "vademecum",
            **({"Content-Type": "application/json"} if content is not None else {}),
            **{
                name: value.header() if isinstance(value, Secret) else value
                for name, value in headers.items()
            },
        }
        self._parts = (method, place.url(path), content, sent)

    def __repr__(self) -> str:
        return f"<Exchange {self._parts[0]} {self._parts[1]}>"

    # --- reading ---

    @property
    def content_type(self) -> str:
        """The content type of the response, in lowercase and without parameters; "" before it has started."""
        return _kind(self._response) if self._response is not None else ""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        """Return the next chunk of the body, never empty."""
        with self._lock:
            if self._whole:
                raise StopIteration
            if self._done or self._call.is_ended():
                raise self._was_closed()
            self._reading = True
        came = False
        try:
            piece = next(filter(None, self._begun()), b"")
            if self._call.is_ended():  # a socket that was shut down looks like the end of an answer
                raise self._was_closed()
            if not piece:
                self._whole = True
                raise StopIteration
            self._count(piece)
            came = True
        except ProviderError as error:
            raise self._clean(error) from None
        except (*_BROKEN, httpx2.HTTPError) as error:
            if self._call.is_ended():
                raise self._was_closed() from None
            message = f"The answer of {self.whom} broke off: {_why(error)}."
            raise self._clean(
                ReplyInvalid(message, hint="Try again; if it stays so, look into its log.")
            ) from None
        finally:
            with self._lock:
                self._reading = False
                ended = self._call.is_ended()
            if ended or not came:
                self._release()
        return piece

    def read(self) -> bytes:
        """Read the whole body."""
        pieces: list[bytes] = []
        size = 0
        for piece in self:
            size += len(piece)
            if size > self.limits.answer_bytes:
                self.close()
                raise self._too_large(self.limits.answer_bytes)
            pieces.append(piece)
        return b"".join(pieces)

    def read_json(self) -> Any:
        """Read the whole body as JSON."""
        return self.parsed(self.read())

    def parsed(self, data: bytes) -> Any:
        """Parse part of a response as standard JSON, which excludes NaN and infinity."""
        try:
            return json.loads(data.decode("utf-8"), parse_constant=_no_number)
        except (ValueError, RecursionError):
            what = self.content_type or "bytes"
            said = "" if "json" in what or "event-stream" in what else words(what, data, self.secrets)
            message = f"{self.whom} answered with {what} that is not JSON{f': {said}' if said else '.'}"
            raise ReplyInvalid(message, hint="Check that base_url names a server of this protocol.") from None

    # --- ending ---

    def finish(self) -> None:
        """Finish the exchange. The rest of the body is read if it is available immediately, so that the connection can be reused."""
        self._call.hurry(_REST_S)
        with contextlib.suppress(ProviderError):
            for count, _ in enumerate(self, 1):
                if count == _REST_PIECES:
                    break
        self.close()

    def close(self) -> None:
        """Cancel the exchange in any state, from any thread, and release its resources. Repeated calls are allowed."""
        with self._lock:
            if self._done:
                return
            reading = self._reading
            self._call.end()
        if not reading:
            self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_done", True):
            self.close()

    # --- how ---

    def _begun(self) -> Iterator[bytes]:
        if self._pieces is None:
            self._response = self._answered()
            self._pieces = self._response.iter_bytes()
        return self._pieces

    def _answered(self) -> httpx2.Response:
        """Send the request, with retries, until a successful response starts."""
        self._register[id(self)] = ref(self)
        tries = 0
        while True:
            tries += 1
            retry_after = None
            try:
                response = self._sent()
            except (*_BROKEN, httpx2.TransportError) as error:
                self._call.let_go()
                self._call.check()
                if self._call.reusing:  # the server closed it while it was idle: that is not a try
                    tries -= 1
                    continue
                fault: ProviderError = ProviderUnreachable(f"{self.whom}: {_why(error)}.", hint=_NO_WAY)
                if "certificate" in str(error):  # no second look makes it better
                    hint = "If the server is yours, name its certificate with ca_file."
                    raise ProviderUnreachable(fault.message, hint=hint) from None
            else:
                if response.is_success:
                    return response
                retry_after = response.headers.get("retry-after")
                fault = self._refusal(response, tries)
                if response.status_code not in AGAIN:
                    raise fault
            if tries > self.limits.retries:
                if asked := asked_s(retry_after):
                    raise type(fault)(
                        fault.message, hint=f"The server asks to wait {asked:.0f} s. {fault.hint}"
                    )
                raise fault
            pause = pause_s(self.limits, tries, retry_after)
            if pause >= self._call.deadline.remaining_s:
                left = f"The next attempt would be in {pause:.0f} s, after the time limit. {fault.hint}"
                raise type(fault)(fault.message, hint=left)
            self._call.pause(pause)

    def _sent(self) -> httpx2.Response:
        method, url, content, headers = self._parts
        self._call.check()
        self._call.answering = self._call.reusing = False
        allowance = Allowance(self._call)
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), allowance)
        request = httpx2.Request(
            method, url, headers=headers, content=content, extensions={"timeout": timeouts}
        )
        response = self._http.send(request, stream=True)
        self._call.answering = True
        return response

    def _refusal(self, response: httpx2.Response, tries: int) -> ProviderError:
        """Return the exception for a status. The body is read for an explanation, and closed."""
        body = b""
        with contextlib.suppress(*_BROKEN, httpx2.HTTPError, ProviderError):
            for piece in response.iter_bytes():
                body += piece
                if len(body) > _ERROR_BYTES:
                    break
        self._call.let_go()
        response.close()
        self._call.check()
        return error_of(
            response.status_code,
            words(_kind(response), body[:_ERROR_BYTES], self.secrets),
            self.whom,
            tries=tries,
        )

    def _count(self, piece: bytes) -> None:
        self._read_bytes += len(piece)
        if self._read_bytes > self.limits.stream_bytes:
            raise self._too_large(self.limits.stream_bytes)

    def _too_large(self, most: int) -> ReplyInvalid:
        message = f"The answer of {self.whom} has more than {most:,} bytes; the rest was not read."
        return ReplyInvalid(message, hint="Ask for less at once.")

    def _release(self) -> None:
        """Release the resources once: in the reading thread, or in the closing thread if none is reading."""
        with self._lock:
            if self._done:
                return
            self._done = True
        self._call.let_go()
        self._register.pop(id(self), None)
        if self._response is not None:
            with contextlib.suppress(*_BROKEN, httpx2.HTTPError, ProviderError):
                self._response.close()

    def _was_closed(self) -> StreamClosed:
        return StreamClosed(f"The call to {self.whom} was ended before it was answered.")

    def _clean(self, error: ProviderError) -> ProviderError:
        error.message = redacted(error.message, self.secrets)
        error.args = (error.message,)
        return error


def _kind(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _why(error: Exception) -> str:
    text = str(error).rstrip(".") or "no connection"
    return text[:1].lower() + text[1:]


def _no_number(name: str) -> float:
    raise ValueError(name)


def _as_json(body: object) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
    except (ValueError, TypeError, RecursionError):
        raise ConfigError(
            "What is to be sent cannot be written as JSON in UTF-8.",
            hint="Look for broken characters, numbers without value, and loops.",
        ) from None
