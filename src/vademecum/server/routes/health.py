"""Liveness, readiness, the health of every component, and metrics."""

import asyncio
import time
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from vademecum.files.places import default_places
from vademecum.library.health.health import check
from vademecum.library.health.probing import Patience
from vademecum.server.guard.authorization import demand_admin
from vademecum.server.guard.caller import CallerOf
from vademecum.server.metrics import MEDIA
from vademecum.server.state import State

_FRESH_S = 5.0
_SEVERITIES = ("pass", "warn", "fail")
_PATIENCE = Patience(pauses_s=(0.5,))
"""Someone waits for the answer."""


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


class Component(BaseModel):
    """The state of a component."""

    component: str
    severity: Literal["pass", "warn", "fail"]
    message: str
    remedy: str = Field(description="What to do, in one line; an empty string if there is no problem.")
    error_code: str | None = Field(default=None, description="The code of the error that it causes.")


class Health(BaseModel):
    """The state of every component."""

    severity: Literal["pass", "warn", "fail"] = Field(description="The worst of all.")
    components: list[Component]


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
        "/api/health",
        summary="Check every component, with what to do about each problem; for admins",
        response_model=Health,
    )
    async def health(caller: CallerOf) -> Response:
        demand_admin(caller)

        def work() -> dict[str, Any]:
            found = [
                result.to_dict()
                for result in check(state.settings.places or default_places(), patience=_PATIENCE)
            ]
            found += [
                {"component": fault.part, "severity": "fail", "message": fault.message, "remedy": fault.hint}
                for fault in state.faults()
            ]
            worst = max((_SEVERITIES.index(result["severity"]) for result in found), default=0)
            return {"severity": _SEVERITIES[worst], "components": found}

        # in its own thread: mounts and other servers may be slow
        return JSONResponse(await state.slots.run_apart(work))

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
