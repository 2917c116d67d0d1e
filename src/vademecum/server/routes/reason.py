"""`POST /api/reason/select`: choose the reasoning template for a problem."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from vademecum.desks.reasoning.library import TOP_K
from vademecum.server.guard.caller import CallerOf
from vademecum.server.metrics import Stopwatch
from vademecum.server.state import State

MOST = 10


class Problem(BaseModel):
    """A problem to solve."""

    model_config = ConfigDict(extra="forbid", strict=True, title="ProblemToSolve")

    problem: str = Field(
        min_length=1, max_length=20_000, pattern=r"\S", description="The problem, in your own words."
    )
    top_k: int = Field(default=TOP_K, ge=1, le=MOST, description="The maximum number of templates.")
    explain: bool = Field(default=False, description="Whether to include the reasons for the choice.")


class Fit(BaseModel):
    """A template."""

    id: str
    name: str
    score: float = Field(ge=0, le=1, description="Decreases with the rank; always 0.5 for the fallback.")
    description: str
    content: str
    is_fallback: bool
    why: str


class Choice(BaseModel):
    """The chosen templates."""

    problem: str
    matches: list[Fit] = Field(description="The templates, best first; only the fallback if none fits.")
    fits: float = Field(description="The probability that any template fits.")
    reason: str = Field(description="Why the fallback was used; may be empty.")
    explain: dict[str, Any] | None = None


def router(state: State) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["reasoning"])

    @routes.post(
        "/api/reason/select",
        summary="Select the reasoning template that fits a problem",
        response_model=Choice,
    )
    async def select(asked: Problem, caller: CallerOf) -> Response:
        del caller  # templates are public
        watch = Stopwatch()
        chosen = await state.slots.run(lambda: state.reasoning.select(asked.problem, asked.top_k))
        outcome = "fallback" if chosen.is_fallback else "match"
        state.metrics.answered("reasoning", outcome=outcome, seconds=watch.seconds)
        return JSONResponse(chosen.to_dict(explain=asked.explain))

    return routes
