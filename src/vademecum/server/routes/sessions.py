"""`/api/session` and `/api/me`: sign in with a key, sign out, and get the current user."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vademecum.desks.chat.load import default_file
from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import HERE, demand_admin
from vademecum.server.guard.caller import CallerOf
from vademecum.server.guard.sign_in import header
from vademecum.server.state import State

PATH = "/api/session"


class SignIn(BaseModel):
    """An API key."""

    model_config = ConfigDict(extra="forbid", strict=True)

    key: str = Field(min_length=1, max_length=200, description="The key that `vademecum keys add` printed.")


class Me(BaseModel):
    """The caller and their permissions."""

    name: str
    role: str
    signed_in: bool = Field(description="Whether a key is required.")
    has_rules: bool = Field(description="Whether chat rules are available.")
    has_model: bool = Field(description="Whether a model helps to answer `/ask`.")


class KeyInfo(BaseModel):
    """An API key, without the key itself."""

    name: str
    role: str


class KeyNames(BaseModel):
    """The names of the keys."""

    keys: list[KeyInfo]


def router(state: State) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["session"])

    @routes.get("/api/me", response_model=Me, summary="Get the caller and their permissions")
    async def me(caller: CallerOf) -> dict[str, Any]:
        return _described(state, caller.owner if caller != HERE else None)

    @routes.get("/api/keys", response_model=KeyNames, summary="List the names of the keys; for admins")
    async def keys(caller: CallerOf) -> Response:
        demand_admin(caller)
        found = await state.slots.run(state.keys.list)
        return JSONResponse({"keys": [{"name": key.name, "role": key.role} for key in found]})

    @routes.post(PATH, response_model=Me, tags=["open"], summary="Sign in: a cookie replaces the key")
    async def sign_in(asked: SignIn, request: Request) -> Response:
        def work() -> tuple[str, dict[str, Any]]:
            key = state.keys.find(asked.key.strip())
            if key is None:
                peer = request.client.host if request.client else "?"
                state.limits.count(f"wrong keys of {peer}", state.settings.wrong_keys)
                message = "Unknown API key."
                raise HttpError(401, "KEY_UNKNOWN", message, "Create a key with: vademecum keys add NAME")
            return state.sign_ins.begin(key), _described(state, key.id)

        token, described = await state.slots.run(work)
        return JSONResponse(described, headers={"Set-Cookie": header(token, is_secure=_is_secure(request))})

    @routes.delete(PATH, status_code=204, tags=["open"], summary="Sign out")
    async def sign_out(request: Request) -> Response:
        await state.slots.run(lambda: state.sign_ins.end(request.headers.get("cookie", "")))
        return Response(status_code=204, headers={"Set-Cookie": header("", is_secure=_is_secure(request))})

    return routes


def _described(state: State, owner: str | None) -> dict[str, Any]:
    """Return the caller and their permissions. The owner is None for a caller who needs no key."""
    key = next((key for key in state.keys.list() if key.id == owner), None) if owner else None
    return {
        "name": key.name if key else "",
        "role": key.role if key else "admin" if owner is None else "user",
        "signed_in": owner is not None,
        "has_rules": (state.settings.chat_file or default_file()) is not None,
        "has_model": bool(state.book.settings.models),
    }


def _is_secure(request: Request) -> bool:
    """Return whether the browser uses TLS, to this server or to a proxy, according to the page's origin."""
    return request.headers.get("origin", "").startswith("https://")
