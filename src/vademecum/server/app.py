"""Build the web app: its parts, its routes, and the guard."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from vademecum import __version__
from vademecum.core.errors import ConfigError, VademecumError
from vademecum.files.places import default_places
from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import is_admin
from vademecum.server.listen.connection import UNIX
from vademecum.server.local.app import LocalApp
from vademecum.server.local.library import LocalLibrary
from vademecum.server.middleware import OPEN, Guard
from vademecum.server.openapi import described
from vademecum.server.responses import error_response
from vademecum.server.routes import (
    ask,
    chat,
    collections,
    conversations,
    docs,
    feedback,
    health,
    mcp,
    openai,
    page,
    reason,
    sessions,
    sources,
)
from vademecum.server.settings import ServerSettings
from vademecum.server.state import State

_ROUTERS: tuple[Callable[[State], APIRouter], ...] = (
    health.router, docs.router, page.router, ask.router, sources.router, sessions.router, conversations.router, feedback.router, reason.router, openai.router,
    chat.router, collections.router,
)  # fmt: skip
"""The functions that create the routes. Each receives the server's state."""


def create_app(settings: ServerSettings | None = None) -> FastAPI:
    """Create the ASGI app. Nothing is opened before it starts."""
    settings = settings or ServerSettings()
    state = State.make(settings)
    app = FastAPI(
        title="Vademecum",
        version=__version__,
        lifespan=lambda _app: _life(state),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.vademecum = state
    for make in _ROUTERS:
        app.include_router(make(state))
    mcp.add(app, state)
    _check_root(settings.root_path, app)
    app.openapi = lambda: described(app)  # type: ignore[method-assign]
    for kind in (VademecumError, HttpError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _on_error)
    app.add_middleware(Guard, state=state, open_paths=OPEN | page.PATHS, sign_in=sessions.PATH)
    return app


def _check_root(root: str, app: FastAPI) -> None:
    """Check that the path of a proxy is not the beginning of one of our own, since a request could then mean either."""
    if not root:
        return
    taken = [
        path
        for path in (*described(app)["paths"], *OPEN, "/page/app.js")
        if f"{path}/".startswith(f"{root}/")
    ]
    if taken:
        message = f"The root path {root} conflicts with {taken[0]}, a route of this server."
        raise ConfigError(message, hint="Have the proxy use another path, such as /vademecum.")


class Doors:
    """An ASGI application that passes requests on the Unix socket to one application, and all others to another."""

    def __init__(self, web: ASGIApp, local: ASGIApp) -> None:
        self._web, self._local = web, local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request."""
        is_local = scope["type"] == "http" and scope["client"] is not None and scope["client"][0] == UNIX
        await (self._local if is_local else self._web)(scope, receive, send)


def create_doors(app: FastAPI) -> Doors:
    """Add the background service of `ragman` to the web server, on the Unix socket."""
    state: State = app.state.vademecum
    library = LocalLibrary(state.settings.places or default_places())
    state.at_stop.append(library.close)
    return Doors(app, LocalApp(library))


def begin(app: FastAPI) -> None:
    """Do the startup work now, so that errors that prevent the start are raised here.

    Without this call, the app does the startup work when it starts.
    """
    state: State = app.state.vademecum
    if not state.begun:
        _begin(state)


async def _on_error(request: Request, error: Exception) -> Response:
    return error_response(
        error,
        path=request.url.path,
        request_id=request.scope.get("vademecum.request_id", ""),
        named_by_path="collection" in request.path_params,
        for_admin=is_admin(request.scope),
    )


@asynccontextmanager
async def _life(state: State) -> AsyncIterator[None]:
    """Do the startup work before the first request, and the shutdown work after the last."""
    async with AsyncExitStack() as stack:
        for serving in state.serving:
            await stack.enter_async_context(serving())
        if not state.begun:
            await asyncio.to_thread(_begin, state)
        try:
            yield
        finally:
            await asyncio.to_thread(_end, state)


def _begin(state: State) -> None:
    try:
        state.reasoning.index_templates()
    except VademecumError as error:  # requests then get the fallback, and the reason
        state.log.warning("templates cannot be used", error=error.message, hint=error.hint)
    for start in state.at_start:
        start()
    state.begun = True


def _end(state: State) -> None:
    state.begun = False
    for end in reversed(state.at_stop):
        end()
    state.book.close()
    state.sources.close()
    state.slots.close()
    state.sessions.close()
    state.tables.close()
