"""The checks before every route: allowed hosts, limits on requests, and logging."""

import asyncio
import os
import re
import socket
from collections.abc import Set as AbstractSet
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vademecum.core.errors import StoreError, VademecumError
from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import Caller, authorise, is_admin
from vademecum.server.guard.bodies import Body, check_head, replayed, too_large
from vademecum.server.guard.proxies import unwrap
from vademecum.server.guard.sign_in import token_in
from vademecum.server.metrics import Stopwatch
from vademecum.server.responses import error_response
from vademecum.server.settings import is_address
from vademecum.server.state import State
from vademecum.server.streams import STOPPING
from vademecum.text.printable import printable

OPEN = frozenset({"/healthz", "/readyz", "/docs", "/docs/docs.css", "/docs/docs.js", "/openapi.json"})
"""The paths that everyone may read. They contain nothing private."""

WIDGET = (("POST", re.compile(r"/ask")), ("GET", re.compile(r"/api/sources/[^/]+/documents/[^/]+")))
"""What a widget on another site needs: to ask, and to read the documents of the answer."""

UPLOADS = re.compile(r"/api/collections/[^/]+/documents")
"""The paths that accept large bodies, which are read in pieces."""

_LONGEST_ORIGIN = 300
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
)
_METHODS = b"GET, POST, PUT, PATCH, DELETE"
_ALLOWED_HEADERS = b"Authorization, X-API-Key, Content-Type, Prefer, X-Request-Id"

Headers = dict[str, str]


class Guard:
    """Passes requests to the app, or rejects them. No request reaches the app before its caller has been checked.

    Args:
        sign_in: The path that accepts a key in its body.
    """

    def __init__(
        self, app: ASGIApp, state: State, open_paths: AbstractSet[str] = OPEN, sign_in: str = ""
    ) -> None:
        self.app = app
        self.state = state
        self.open_paths, self.sign_in = open_paths, sign_in
        self.names = _names(state)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await _Visit(self, scope, receive, send).run()
        else:  # a WebSocket, which is not supported
            await send({"type": "websocket.close", "code": 1008})


class _Visit:
    """The handling of one request."""

    def __init__(self, guard: Guard, scope: Scope, receive: Receive, send: Send) -> None:
        self._guard = guard
        self._app, self._state, self._names = guard.app, guard.state, guard.names
        self._scope, self._receive, self._raw_send = scope, receive, send
        self._watch = Stopwatch()
        self._headers: Headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        settings = self._state.settings
        unwrap(scope, self._headers, settings.trusted_proxies)
        if settings.root_path and f"{scope['path']}/".startswith(f"{settings.root_path}/"):
            scope["path"] = (
                scope["path"].removeprefix(settings.root_path) or "/"
            )  # of a proxy that leaves it there
        given = self._headers.get("x-request-id", "")
        self._id = given if _REQUEST_ID.fullmatch(given) else os.urandom(8).hex()
        scope["vademecum.request_id"] = self._id
        self._origin = ""
        self._needs_widget = False
        self._status = 0

    async def run(self) -> None:
        """Reject the request, or pass it on, and log it."""
        try:
            await self._guarded()
        except asyncio.CancelledError:  # the server stops, and the answer took too long
            if not self._status:
                await self._refuse(STOPPING)
        except Exception as error:
            if not isinstance(error, (VademecumError, HttpError)):
                self._state.log.exception("request failed", request_id=self._id)
            if not self._status:
                await self._refuse(error)
        finally:
            self._note()

    async def _refuse(self, error: Exception) -> None:
        response = error_response(
            error, path=self._scope["path"], request_id=self._id, for_admin=is_admin(self._scope)
        )
        await response(self._scope, self._receive, self._send)

    async def _guarded(self) -> None:
        check_head(self._scope)
        self._check_host()
        self._check_origin()
        self._check_own()
        if self._origin and self._scope["method"] == "OPTIONS":
            await self._preflight()
            return
        is_open = self._scope["path"] in self._guard.open_paths and self._scope["method"] in {"GET", "HEAD"}
        is_open = is_open or self._scope["path"] == self._guard.sign_in
        try:
            await self._admit()
        except (HttpError, StoreError) as error:
            if not is_open or error.code not in {"KEY_MISSING", StoreError.code}:
                raise
        body = await self._bounded()
        await self._app(self._scope, body, self._send)

    def _check_host(self) -> None:
        """Reject unknown host names, because another site's host name may resolve to this machine (DNS rebinding)."""
        host = self._headers.get("host", "")
        name = _name_of(host)
        if name not in self._names and not is_address(name):  # an address cannot be redirected
            message = f"Unknown host name: {printable(name, 80)}."
            hint = "Use the address of the server, or allow the name: vademecum serve --allow-host NAME"
            raise HttpError(421, "HOST_UNKNOWN", message, hint)

    def _check_origin(self) -> None:
        """Reject requests from web pages of another site, unless its origin is allowed."""
        origin = self._headers.get("origin")
        if origin is None:
            if self._headers.get("sec-fetch-site") == "cross-site" and self._scope["method"] not in {
                "GET",
                "HEAD",
            }:
                raise _foreign("web pages of another site")
            return
        own = _place_of(origin) == self._headers.get("host", "").lower()
        if origin in self._state.settings.allowed_origins:
            self._origin = origin
        elif not own:
            if not self._is_of_widget(origin):
                raise _foreign(printable(origin, 80))
            self._origin, self._needs_widget = origin, True

    def _is_of_widget(self, origin: str) -> bool:
        try:
            return origin in self._state.keys.origins
        except StoreError:
            return False

    def _check_own(self) -> None:
        """Reject a change that only a cookie authorizes, unless it comes from a page of this server."""
        is_keyed = "authorization" in self._headers or "x-api-key" in self._headers
        if (
            self._scope["method"] in {"GET", "HEAD"}
            or is_keyed
            or not token_in(self._headers.get("cookie", ""))
        ):
            return
        if "origin" not in self._headers and self._headers.get("sec-fetch-site") != "same-origin":
            raise _foreign("clients that only send a cookie")

    async def _admit(self) -> None:
        """Authenticate the caller, and count the request."""
        settings, limits = self._state.settings, self._state.limits
        try:
            caller = authorise(
                self._state.keys, self._state.sign_ins, self._headers, is_local=settings.is_local
            )
        except HttpError as refusal:
            if refusal.code == "KEY_UNKNOWN":  # guesses are counted by the peer of the connection
                peer = (self._scope.get("client") or ("?",))[0]
                await asyncio.to_thread(limits.count, f"wrong keys of {peer}", settings.wrong_keys)
            raise
        self._check_widget(caller)
        self._scope["vademecum.caller"] = caller
        if caller.per_minute is not None:
            await asyncio.to_thread(limits.count, caller.owner, caller.per_minute)
        if caller.is_widget and self._scope["method"] == "POST":
            await asyncio.to_thread(limits.spend, caller.owner, caller.per_day)

    def _check_widget(self, caller: Caller) -> None:
        """Reject what the key of a widget is not for, and other keys on the pages of a widget."""
        origin = self._headers.get("origin", "")
        is_own = not origin and self._headers.get("sec-fetch-site") == "same-origin"
        if caller.is_widget and not is_own and origin not in caller.origins:
            raise _foreign(printable(origin, 80) or "clients other than web pages")
        if self._needs_widget and not caller.is_widget:
            raise _foreign(printable(origin, 80))
        method, path = self._scope["method"], self._scope["path"]
        if caller.is_widget and not any(
            method == allowed and pattern.fullmatch(path) for allowed, pattern in WIDGET
        ):
            message = "A widget key can only ask questions, and read the documents cited in the answers."
            raise HttpError(403, "WIDGET_ONLY", message, "Use a user key instead of a widget key.")

    async def _bounded(self) -> Receive:
        """Return a function that receives the body, within its limits: in one piece, or in several for uploads."""
        settings = self._state.settings
        upload = UPLOADS.fullmatch(self._scope["path"]) is not None and self._scope["method"] in {
            "POST",
            "PUT",
        }
        most = settings.upload_bytes if upload else settings.body_bytes
        reader = Body(self._receive, most, settings.body_s)
        said = self._headers.get("content-length", "")
        if said.isdigit() and int(said[:20]) > most:
            await reader.drain()
            raise too_large(most)
        return reader.receive if upload else replayed(await reader.whole(), self._receive)

    async def _preflight(self) -> None:
        headers = [
            (b"access-control-allow-methods", _METHODS),
            (b"access-control-allow-headers", _ALLOWED_HEADERS),
            (b"access-control-max-age", b"600"),
        ]
        await self._send({"type": "http.response.start", "status": 204, "headers": headers})
        await self._send({"type": "http.response.body", "body": b""})

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            there = {name.lower() for name, _ in message.get("headers", ())}
            added = [(name, value) for name, value in _HEADERS if name not in there]
            added.append((b"x-request-id", self._id.encode()))
            if b"cache-control" not in there:
                added.append((b"cache-control", b"no-store"))
            if self._origin:
                added += [
                    (b"access-control-allow-origin", self._origin.encode("latin-1")),
                    (b"access-control-expose-headers", b"X-Request-Id, Retry-After"),
                    (b"vary", b"Origin"),
                ]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await self._raw_send(message)

    def _note(self) -> None:
        """Count and log the request: its route, never its content."""
        route = getattr(self._scope.get("route"), "path", "") or "none"
        method = self._scope["method"] if self._scope["method"] in _KNOWN_METHODS else "other"
        seconds = self._watch.seconds
        self._state.metrics.requested(method, route, self._status, seconds)
        caller = self._scope.get("vademecum.caller")
        self._state.log.info(
            "request",
            request_id=self._id,
            method=method,
            route=route,
            status=self._status,
            duration_ms=round(seconds * 1000, 1),
            key=caller.owner if caller else "",
        )


_KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def _foreign(whose: str) -> HttpError:
    hint = "Allow it: vademecum serve --allow-origin https://..."
    return HttpError(403, "ORIGIN_UNKNOWN", f"Requests from {whose} are not allowed.", hint)


def _place_of(origin: str) -> str:
    """Return the host and port of an origin, or "" if it is not a web site."""
    try:
        parts = urlsplit(origin) if len(origin) < _LONGEST_ORIGIN else urlsplit("")
    except ValueError:  # `http://[`
        return ""
    return parts.netloc.lower() if parts.scheme in {"http", "https"} else ""


def _names(state: State) -> frozenset[str]:
    """Return the host names of this server."""
    settings = state.settings
    own = {"localhost", settings.host.lower(), *(name.lower() for name in settings.allowed_hosts)}
    return frozenset(own if settings.is_loopback else own | {socket.gethostname().lower()})


def _name_of(host: str) -> str:
    """Return a Host header without its port."""
    name = host.strip().lower()
    if name.startswith("["):
        inner, closed, _ = name[1:].partition("]")
        return inner if closed else ""
    return name.partition(":")[0].rstrip(".")
