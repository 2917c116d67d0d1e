"""`CallerOf`: the dependency that gives a route its caller."""

from typing import Annotated

from fastapi import Depends, Request

from vademecum.server.guard.authorization import Caller


async def _caller(request: Request) -> Caller:
    """The caller, whom the guard has found before any route runs; async, or it would be called in a thread."""
    caller = request.scope["vademecum.caller"]
    assert isinstance(caller, Caller)  # noqa: S101 - the guard is in front of every route
    return caller


CallerOf = Annotated[Caller, Depends(_caller)]
"""A route's parameter of this type is its caller."""
