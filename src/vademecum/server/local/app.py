"""The application of the background service: routes for `ragman` and `ragadmin` on a Unix socket."""

import asyncio
import json
import os
import time
from collections.abc import Coroutine, Iterable
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from vademecum.core.answers import Answer, render_json, render_markdown, render_plain
from vademecum.core.errors import VademecumError
from vademecum.core.settings import Presenter
from vademecum.library.service.client import ANSWER
from vademecum.library.service.unix_http import EDITION_HEADER, edition
from vademecum.library.service.wire import answer_to_wire
from vademecum.server.errors import PROBLEM, HttpError, problem
from vademecum.server.guard.bodies import check_head, disconnecting
from vademecum.server.listen.connection import UNIX
from vademecum.server.local.bodies import JSON, read_ask, read_reindex, read_search
from vademecum.server.local.library import LocalLibrary
from vademecum.server.local.reindex import Reindex

_T = TypeVar("_T")
_MARKDOWN = "text/markdown"
_PLAIN = "text/plain"
_PRESENTERS = {"markdown": _MARKDOWN, "plain": _PLAIN, "json": JSON}


class LocalApp:
    """An ASGI application that checks who connects, and answers from a library."""

    def __init__(self, library: LocalLibrary) -> None:
        self._edition = edition()
        self._active = 0
        self._last_s = time.monotonic()
        routes = {
            ("GET", "/healthz"): _healthz,
            ("GET", "/sources"): _sources,
            ("POST", "/ask"): _ask,
            ("POST", "/search"): _search,
            ("POST", "/reindex"): _reindex,
        }
        self._app = Starlette(
            routes=[
                Route(path, partial(handler, library), methods=[method])
                for (method, path), handler in routes.items()
            ],
            exception_handlers={
                VademecumError: _rejected,
                HttpError: _rejected,
                HTTPException: partial(_unrouted, sorted({path for _, path in routes})),
                Exception: _failed,
            },
        )
        self._app.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_edition(message: Message) -> None:
            if message["type"] == "http.response.start":
                header = (EDITION_HEADER.lower().encode(), self._edition.encode())
                message["headers"] = [*message["headers"], header, (b"cache-control", b"no-store")]
            await send(message)

        self._active += 1
        try:
            self._check(scope)
        except HttpError as error:
            await _problem(error)(scope, receive, send_with_edition)
        else:
            await self._app(scope, receive, send_with_edition)
        finally:
            self._active -= 1
            self._last_s = time.monotonic()

    def idle_rest_s(self, timeout_s: float | None) -> float | None:
        """Return the time, in seconds, until the service has been idle for `timeout_s`."""
        if timeout_s is None:
            return None
        return timeout_s if self._active else self._last_s + timeout_s - time.monotonic()

    def _check(self, scope: Scope) -> None:
        """Check the user, the size of the head, and the version of the client."""
        if scope["client"] not in {(UNIX, os.geteuid()), (UNIX, 0)}:
            raise HttpError(
                403, "OTHER_USER", "This service accepts requests only from the user who runs it."
            )
        check_head(scope)
        client = Request(scope).headers.get(EDITION_HEADER, self._edition)
        if client != self._edition:
            message = "The service runs another version of the program."
            raise HttpError(409, "OTHER_EDITION", message, "Restart it.")


class _SnapshotStream(Response):
    """A response with one line of JSON for each snapshot of a reindex. If the client disconnects, the reindex is cancelled."""

    media_type = "application/x-ndjson"

    def __init__(self, reindex: Reindex) -> None:
        super().__init__()
        self._reindex = reindex
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the interface of ASGI
        """Send the snapshots."""
        async with aclosing(self._reindex.snapshots()) as snapshots:
            first = await anext(snapshots)  # an error is raised here, before the response has begun
            async with disconnecting(receive) as gone:
                gone.add_done_callback(lambda task: None if task.cancelled() else self._reindex.cancel())
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                await send(_line(first))
                async for snapshot in snapshots:
                    await send(_line(snapshot))
                await send({"type": "http.response.body", "body": b""})


def _line(snapshot: dict[str, Any]) -> Message:
    return {"type": "http.response.body", "body": json.dumps(snapshot).encode() + b"\n", "more_body": True}


async def _while_connected(request: Request, answering: Coroutine[Any, Any, _T]) -> _T:
    """Wait for an answer. If the client disconnects first, a question that still waits for its turn is dropped."""
    answer = asyncio.create_task(answering)
    async with disconnecting(request.receive) as gone:
        both: set[asyncio.Future[Any]] = {answer, gone}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise HttpError(400, "CLIENT_GONE", "The client has disconnected.")
            return answer.result()
        finally:
            answer.cancel()


async def _healthz(library: LocalLibrary, _request: Request) -> Response:
    return JSONResponse(library.health())


async def _sources(library: LocalLibrary, _request: Request) -> Response:
    entries = [entry._asdict() for entry in await library.sources()]
    for entry in entries:
        entry.pop("seen", None)  # the state of the folders is internal
    return JSONResponse({"sources": entries})


async def _ask(library: LocalLibrary, request: Request) -> Response:
    asked = await read_ask(request, library.places)
    media = _accepted(request)
    how = {name: asked[name] for name in ("strict", "context_tokens", "sources", "sections", "no_model")}
    question = library.ask(asked["question"], conversation=asked["conversation"] or "", **how)
    answer, presenter = await _while_connected(request, question)
    media, text = _rendered(answer, media, presenter, explain=asked["explain"])
    # set as a header, because Starlette adds a charset to `media_type`
    return Response(text.encode("utf-8", "surrogatepass"), headers={"Content-Type": media})


async def _search(library: LocalLibrary, request: Request) -> Response:
    asked = await read_search(request, library.places)
    question = library.search(
        asked["question"], asked["limit"], sources=asked["sources"], sections=asked["sections"]
    )
    hits = await _while_connected(request, question)
    found = [{**{name: getattr(hit, name) for name in _OF_HIT}, "quote": hit.text} for hit in hits]
    return JSONResponse({"hits": found})


_OF_HIT = "rank alias document reference names title summary passage location start end score".split()  # noqa: SIM905 - as in a manual


async def _reindex(library: LocalLibrary, request: Request) -> Response:
    asked = await read_reindex(request, library.places)
    return _SnapshotStream(library.reindex(full=asked["full"], sources=asked["sources"]))


def _accepted(request: Request) -> str:
    """Return the first supported media type of the `Accept` header; "" for the configured format."""
    accept = request.headers.get("accept", "*/*")
    wanted = [media.partition(";")[0].strip().lower() for media in accept.split(",")]
    for media in wanted:
        if media in {JSON, _MARKDOWN, _PLAIN, ANSWER}:
            return media
    if "*/*" in wanted:
        return ""
    raise HttpError(406, "NO_SUCH_FORM", f"The formats are {JSON}, {_MARKDOWN} and {_PLAIN}.")


def _rendered(answer: Answer, media: str, presenter: Presenter, *, explain: bool) -> tuple[str, str]:
    media = media or _PRESENTERS[presenter]
    if media == ANSWER:
        return media, json.dumps(answer_to_wire(answer))
    if media == JSON:
        return media, render_json(answer, explain=explain)
    return media, render_markdown(answer) if media == _MARKDOWN else render_plain(answer)


def _problem(error: VademecumError | HttpError) -> Response:
    headers = dict(error.headers) if isinstance(error, HttpError) else {}
    body = json.dumps(problem(error)).encode() + b"\n"
    return Response(body, error.status, {**headers, "Content-Type": PROBLEM})


async def _rejected(_request: Request, error: Exception) -> Response:
    assert isinstance(error, (VademecumError, HttpError))  # noqa: S101 - it is registered for these
    return _problem(error)


async def _unrouted(paths: Iterable[str], request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
    path = request.url.path[:100]
    if error.status_code == 405:
        headers = tuple((error.headers or {}).items())
        message = f"{path} does not accept {request.method}."
        return _problem(HttpError(405, "METHOD_NOT_ALLOWED", message, headers=headers))
    return _problem(
        HttpError(404, "NO_SUCH_PATH", f"{path} not found.", f"The paths are {', '.join(paths)}.")
    )


async def _failed(_request: Request, _error: Exception) -> Response:
    """Report an unexpected error. The server logs it."""
    return _problem(HttpError(500, "FAULT", "The service failed. Its log has the details."))
