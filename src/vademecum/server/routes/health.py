"""Liveness, readiness, the health of every component, and metrics."""

import asyncio
import time
from functools import partial
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from vademecum.files.places import default_places
from vademecum.index.catalog.changes import REINDEX, Change, changed
from vademecum.library.health.health import check
from vademecum.library.health.probing import NoAnswerError, Patience, within
from vademecum.library.internal import InternalLibrary
from vademecum.server.guard.authorization import demand_admin
from vademecum.server.guard.caller import CallerOf
from vademecum.server.metrics import MEDIA
from vademecum.server.state import State

_FRESH_S = 5.0
_SEVERITIES = ("pass", "warn", "fail")
_PATIENCE = Patience(pauses_s=(0.5,))
"""Someone waits for the answer."""

_OF_THE_MACHINE = frozenset({"index_freshness", "index_integrity", "source_access"})


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


class SourceHealth(BaseModel):
    """The state of a source of this machine."""

    name: str
    kind: str
    location: str
    documents: int
    size_bytes: int
    updated: str = Field(description="When it was last indexed, ISO 8601; may be empty.")
    state: Literal["current", "changed", "new", "failed"]
    message: str = Field(description="What is wrong; an empty string if it is current.")
    remedy: str


class Hour(BaseModel):
    """The answers of an hour."""

    begins: int = Field(description="In seconds since the epoch.")
    answers: int
    median_ms: float | None


class History(BaseModel):
    """How questions ended, and how long answers took."""

    hours: list[Hour] = Field(description="The last 24 hours, oldest first.")
    median_ms: float | None = Field(description="Of the last 24 hours.")
    p95_ms: float | None = Field(description="95 of 100 answers of the last 24 hours took at most this long.")
    outcomes: dict[str, int] = Field(
        description="Of the last 7 days: `success`, `partial`, `no_results`, `error`."
    )


class Health(BaseModel):
    """The state of every component."""

    severity: Literal["pass", "warn", "fail"] = Field(description="The worst of all.")
    components: list[Component]
    sources: list[SourceHealth]


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
            if state.sources.only_collections():
                found = [_optional(result) for result in found]
            worst = max((_SEVERITIES.index(result["severity"]) for result in found), default=0)
            return {"severity": _SEVERITIES[worst], "components": found, "sources": _sources(state)}

        # in its own thread: mounts and other servers may be slow
        return JSONResponse(await state.slots.run_apart(work))

    @routes.get(
        "/api/health/history",
        summary="How questions ended and how long answers took; for admins",
        response_model=History,
    )
    async def history(caller: CallerOf) -> Response:
        demand_admin(caller)
        return JSONResponse(await state.slots.run(state.history.summary))

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


def _optional(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without a failure of the machine's own index, which a server of collections does not need."""
    if result["component"] in _OF_THE_MACHINE and result["severity"] == "fail":
        return {**result, "severity": "warn"}
    return result


def _sources(state: State) -> list[dict[str, Any]]:
    """Return the state of each source of this machine."""
    found = []
    for entry in InternalLibrary.open(state.settings.places).sources():
        try:
            change = within(_PATIENCE.timeout_s, partial(changed, [entry]))
        except NoAnswerError:
            change = [Change(f"{entry.location} does not answer.", "Check the mount.")]
        is_new = not entry.last_updated
        condition = (
            "failed" if entry.status == "error" else "new" if is_new else "changed" if change else "current"
        )
        found.append(
            {
                "name": entry.alias,
                "kind": entry.type,
                "location": entry.location,
                "documents": entry.documents,
                "size_bytes": entry.size_bytes,
                "updated": entry.last_updated,
                "state": condition,
                "message": entry.notes
                if entry.status == "error"
                else "".join(one.said for one in change[:1]),
                "remedy": change[0].remedy if change else REINDEX if is_new else "",
            }
        )
    return found
