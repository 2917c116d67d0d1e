"""`/mcp`: the MCP tools over HTTP, if the extra is installed."""

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vademecum.desks.book.reply import Reply
from vademecum.server.guard.authorization import Caller
from vademecum.server.routes.ask import note
from vademecum.server.state import State

PATH = "/mcp"


def add(app: FastAPI, state: State) -> None:
    """Serve MCP at `/mcp`. Requests are independent of each other, so any worker can handle them."""
    if find_spec("mcp") is None:
        return
    from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager  # noqa: PLC0415 - only with the extra
    from starlette.routing import Route  # noqa: PLC0415 - the same

    from vademecum.server.mcp import GONE, Tools, Work, make_server  # noqa: PLC0415 - the same

    def on_reply(caller: Caller, reply: Reply) -> None:
        note(state, caller, reply, reply.latency_ms / 1000)

    async def run(work: Work, close: Callable[[], object] | None) -> dict[str, Any]:
        calls_model = close is not None and bool(state.book.settings.models)
        return await (state.slots.run_apart(work, close) if close and calls_model else state.slots.run(work))

    tools = Tools(state.sources, state.book, state.reasoning, on_reply)
    manager = StreamableHTTPSessionManager(
        make_server(tools, run),
        json_response=True,
        stateless=True,
        max_request_body_size=state.settings.body_bytes,
    )
    watched = _Watched(StreamableHTTPASGIApp(manager), GONE)
    # no GET for server notifications, and no DELETE for sessions: this server has neither
    app.router.routes.append(Route(PATH, endpoint=watched, methods=["POST"]))
    state.serving.append(manager.run)


class _Watched:
    """Notifies the tools when their client has disconnected, which MCP's own app does not check."""

    def __init__(self, app: ASGIApp, gone: str) -> None:
        self._app = app
        self._gone = gone

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request whose body the guard has read in one piece."""
        first = [await receive()]
        gone = scope[self._gone] = asyncio.Event()

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()

        async def again() -> Message:
            if not first:
                await gone.wait()
                return {"type": "http.disconnect"}
            return first.pop()

        watching = asyncio.ensure_future(watch())
        try:
            await self._app(scope, again, send)
        finally:
            watching.cancel()
