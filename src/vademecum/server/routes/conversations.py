"""`/api/conversations`: the caller's stored conversations."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from vademecum.server.guard.caller import CallerOf
from vademecum.server.guard.redaction import published
from vademecum.server.routes.chat_bodies import SESSION
from vademecum.server.state import State
from vademecum.state.sessions import LONGEST_TITLE

_MOST = 100
_MOST_SKIPPED = 10_000
ConversationId = Annotated[str, Path(pattern=SESSION, description="The id of a conversation.")]


class ConversationInfo(BaseModel):
    """A conversation."""

    id: str
    title: str
    created: str
    changed: str
    turns: int


class ConversationList(BaseModel):
    """Conversations, the most recently changed first."""

    conversations: list[ConversationInfo]


class TurnInfo(BaseModel):
    """A question and its answer."""

    number: int
    message: str
    read_as: str
    response: str
    told: dict[str, Any] = Field(description="The `reply` to a question to `/ask`.")
    at: str


class ConversationTurns(ConversationInfo):
    """A conversation with all its turns, oldest first."""

    messages: list[TurnInfo]


class NewTitle(BaseModel):
    """A new title."""

    model_config = ConfigDict(extra="forbid", strict=True)

    title: str = Field(min_length=1, max_length=LONGEST_TITLE, pattern=r"\S")


def router(state: State) -> APIRouter:
    """Return the routes. Conversations are private: not even admins can list those of others."""
    routes = APIRouter(tags=["conversations"], prefix="/api/conversations")

    @routes.get("", response_model=ConversationList, summary="List the caller's conversations, page by page")
    async def conversations(
        caller: CallerOf,
        q: Annotated[str, Query(max_length=200, description="Words in the title or in a question.")] = "",
        skip: Annotated[int, Query(ge=0, le=_MOST_SKIPPED)] = 0,
        limit: Annotated[int, Query(ge=1, le=_MOST)] = 50,
    ) -> Response:
        found = await state.slots.run(
            lambda: state.sessions.of(caller.owner, words=q.strip(), skipped=skip, limit=limit)
        )
        return JSONResponse({"conversations": [one._asdict() for one in found]})

    @routes.get(
        "/{conversation}", response_model=ConversationTurns, summary="Get a conversation with all its turns"
    )
    async def show(conversation: ConversationId, caller: CallerOf) -> Response:
        def work() -> dict[str, Any]:
            found = state.sessions.get(conversation, caller.owner)
            turns = state.sessions.turns(conversation, caller.owner)
            return {**found._asdict(), "messages": [turn._asdict() for turn in turns]}

        return JSONResponse(published(await state.slots.run(work), is_admin=caller.is_admin))

    @routes.patch("/{conversation}", response_model=ConversationInfo, summary="Rename a conversation")
    async def rename(conversation: ConversationId, asked: NewTitle, caller: CallerOf) -> Response:
        found = await state.slots.run(lambda: state.sessions.rename(conversation, caller.owner, asked.title))
        return JSONResponse(found._asdict())

    @routes.delete("/{conversation}", status_code=204, summary="Delete a conversation")
    async def forget(conversation: ConversationId, caller: CallerOf) -> Response:
        await state.slots.run(lambda: state.sessions.delete(conversation, caller.owner))
        return Response(status_code=204)

    return routes
