"""Liveness, readiness and metrics."""

import asyncio
import time
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from vademecum.server.guard.authorization import demand_admin
from vademecum.server.guard.caller import CallerOf
from vademecum.server.metrics import MEDIA
from vademecum.server.state import State

_FRESH_S = 5.0


class Alive(BaseModel):
    """The status of a running server."""

    status: Literal["ok"]
    version: str


class Missing(BaseModel):
    """A problem that prevents the server from answering."""

    part: str = Field(description="`books`, `book NAME`, `model PROVIDER:MODEL`.")
    message: str
    hint: str


class Readiness(BaseModel):
    """The readiness to answer questions."""

    status: Literal["ready", "not_ready"]
    faults: int = Field(description="The number of missing parts.")
    missing: list[Missing] | None = Field(default=None, description="The missing parts; for admins.")


class _Readiness:
    """The last result of the checks, valid for a few seconds, because the checks also call models on other machines."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._lock = asyncio.Lock()
        self._seen_s = -_FRESH_S
        self._missing: list[Missing] = []

    async def look(self) -> list[Missing]:
        """Return what is missing. Only one thread checks, however many clients ask, because anyone may ask."""
        async with self._lock:
            if time.monotonic() - self._seen_s >= _FRESH_S:
                self._missing = await asyncio.to_thread(self._found)  # may wait for other machines
                self._seen_s = time.monotonic()
            return self._missing

    def _found(self) -> list[Missing]:
        return [
            Missing(part=fault.part, message=fault.message, hint=fault.hint) for fault in self._state.faults()
        ]


def router(state: State) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["health"])
    readiness = _Readiness(state)

    @routes.head("/healthz", include_in_schema=False)
    @routes.get("/healthz", tags=["open"], summary="Check whether the server is alive")
    async def healthz(request: Request) -> Alive:
        return Alive(status="ok", version=request.app.version)

    @routes.head("/readyz", include_in_schema=False)
    @routes.get(
        "/readyz",
        tags=["open"],
        summary="Check whether questions can be answered, i.e. whether collections and models are available",
        response_model=Readiness,
        responses={503: {"model": Readiness, "description": "They cannot."}},
    )
    async def readyz(request: Request) -> Response:
        missing = await readiness.look()
        caller = request.scope.get("vademecum.caller")
        said = Readiness(
            status="not_ready" if missing else "ready",
            faults=len(missing),
            missing=missing if caller and caller.is_admin else None,
        )
        headers = {"Retry-After": "5"} if missing else {}
        return JSONResponse(said.model_dump(), 503 if missing else 200, headers)

    @routes.get(
        "/metrics",
        summary="Metrics for Prometheus; if there are API keys, for admins",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def metrics(caller: CallerOf) -> Response:
        demand_admin(caller)
        return Response(state.metrics.render(), media_type=MEDIA)

    return routes
