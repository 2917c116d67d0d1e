"""`CallerOf`: the dependency that gives a route its caller."""

from typing import Annotated

from fastapi import Depends, Request

from vademecum.server.guard.authorization import Caller


async def _caller(request: Request) -> Caller:
    """Return the caller that the guard has found. This is async so that FastAPI does not call it in a thread."""
    caller = request.scope["vademecum.caller"]
    assert isinstance(caller, Caller)  # noqa: S101 - the guard runs before every route
    return caller


CallerOf = Annotated[Caller, Depends(_caller)]
"""The type of a route parameter that receives the caller."""
