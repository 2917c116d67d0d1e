"""`/api/chat` and `/api/route`: the chat desk over HTTP, with its sessions, models and collections."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi import Path as InPath
from fastapi.responses import JSONResponse
from starlette.requests import Request
from starlette.responses import Response

from vademecum.core.deadline import Deadline
from vademecum.core.errors import AnswerError, StoreError, VademecumError
from vademecum.core.models import Message
from vademecum.desks.book.desk import Fault
from vademecum.desks.chat.chat import ChatStream, route
from vademecum.desks.chat.config.model import EXTRACTIVE
from vademecum.desks.chat.load import default_file
from vademecum.desks.chat.reply import ChatReply, ChatRequest
from vademecum.desks.chat.resources import Resources
from vademecum.desks.chat.retrieve import Reference, everything
from vademecum.desks.chat.services import Query
from vademecum.desks.chat.watch import ConfigurationWatch
from vademecum.server.guard.authorization import Caller, may_ask
from vademecum.server.guard.caller import CallerOf
from vademecum.server.guard.redaction import published, without_places
from vademecum.server.metrics import SHARED, Stopwatch
from vademecum.server.routes import rules
from vademecum.server.routes.ask import wait_s
from vademecum.server.routes.chat_bodies import (
    NEW,
    SESSION,
    ChatBody,
    ChatResponse,
    RouteRequest,
    RouteResponse,
    as_ask,
)
from vademecum.server.state import Event, Events, State
from vademecum.server.streams import EventStream, Lazily, WithFinal, gathered
from vademecum.server.traces import recorded
from vademecum.state.sessions import Session, Turn

TALKER = "chat"
"""The name of the chat rules in `/v1/models`."""

_LISTED_S = 30.0
SessionOf = Annotated[str, InPath(pattern=SESSION, description="The id of a session.")]


class Chatting:
    """A message that is being answered: its stream, and the records that are stored at its end."""

    def __init__(self, door: "Door", caller: Caller, body: ChatBody, deadline: Deadline) -> None:
        self._door, self._caller, self._body = door, caller, body
        self._deadline = deadline
        self._watch = Stopwatch()
        self._session: Session | None = None
        self._fault = ""
        self._stream: ChatStream | None = None
        self.events = Lazily(self._opened)

    def final(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Store the reply in its session, and return it as it is sent. If it cannot be stored, it has a warning."""
        shown = {"reply": self._shown()} if self._body.as_ask else {}
        session = self._session.id if self._session else None
        try:
            self._keep(shown)
        except VademecumError as error:
            self._fault = f"The answer was not stored: {without_places(error.message)}"
        if self._fault:
            data = {**data, "warnings": [*data["warnings"], self._fault]}
        return {**data, "session": session, **shown}

    def _keep(self, shown: dict[str, Any]) -> None:
        if self._session is None or self._stream is None:
            return
        reply, routed = self._stream.reply, self._stream.routed
        if reply is None or routed is None:
            return
        self._door.sessions.add(
            self._session.id,
            self._owner,
            message=self._body.message,
            read_as=routed.query.text,
            response=reply.response,
            told={
                "routing": reply.routing.to_dict(),
                "citations": [citation.to_dict() for citation in reply.citations],
                **shown,
            },
        )

    def _shown(self) -> dict[str, Any]:
        """Return the reply in the format of `/ask`. Citations of other services have no source on this server."""
        assert self._stream is not None  # noqa: S101 - the stream has ended
        assert self._stream.reply is not None  # noqa: S101 - the same
        configuration = self._door.resources().loaded.configuration
        return as_ask(self._stream.reply, configuration, latency_ms=1000 * self._watch.seconds)

    def on_event(self, event: Event) -> None:
        """Record the answer, or its failure, before the last event is sent."""
        if event[0] == "error":
            self._door.state.metrics.answered("chat", outcome="error", seconds=self._watch.seconds)
        if event[0] == "final" and self._stream is not None and self._stream.reply is not None:
            self._door.note(self._stream.reply, self._caller, self._watch.seconds)

    @property
    def _owner(self) -> str | None:
        return None if self._caller.is_admin else self._caller.owner

    def _opened(self) -> Events:
        try:
            history = self._door.history(self._body, self._caller)
            if self._body.session:
                self._session = (
                    self._door.sessions.begin(self._caller.owner)
                    if self._body.session == NEW
                    else self._door.sessions.get(self._body.session, self._owner)
                )
        except StoreError as error:
            history = []
            self._fault = f"The session cannot be used, so the message is interpreted on its own: {without_places(error.message)}"
        request = self._body.asked(
            self._caller,
            history,
            model=self._body.model or "",
            require_model=self._body.require_model,
            without_model=self._body.without_model,
        )
        self._stream = ChatStream(request, self._door.resources(), deadline=self._deadline)
        return WithFinal(self._stream, self.final)


class Door:
    """The chat desk of the server."""

    def __init__(self, state: State) -> None:
        self.state = state
        path = state.settings.chat_file or default_file()
        shared = os.environ.get(SHARED)
        self.reloading = ConfigurationWatch(
            path,
            state.collections,
            lambda error: state.log.error("chat rules", error=error.message),
            kept=Path(shared, "chat-rules") if shared else None,
        )
        self.sessions = state.sessions
        state.talkers[TALKER] = _Talker(self)
        self.is_configured = path is not None
        state.checks.append(self.check)
        state.at_stop.append(self.close)

    def resources(self) -> Resources:
        """Return the resources of the current configuration."""
        return self.reloading.current()

    @property
    def model(self) -> str:
        """The name for counting model calls, since the matching rule is not yet known; "" if no rule has a model."""
        llms = {
            rule.llm
            for rule in self.resources().loaded.configuration.responses
            if rule.static_response is None
            and self.resources().loaded.configuration.llm(rule.llm).type != EXTRACTIVE
        }
        return "" if not llms else f"chat {llms.pop()}" if len(llms) == 1 else "chat"

    def history(self, body: RouteRequest, caller: Caller) -> list[Message]:
        """Return the earlier messages, from a session or from the request."""
        if body.session and body.history:
            raise AnswerError("history and session cannot be used together.", hint="Omit one of them.")
        if body.session and body.session != NEW:
            turns = self.sessions.turns(body.session, None if caller.is_admin else caller.owner)
            return [
                message
                for turn in turns
                for message in (Message("user", turn.message), Message("assistant", turn.response))
            ]
        return [Message(one.role, one.content) for one in body.history or ()]

    def note(self, reply: ChatReply, caller: Caller, seconds: float) -> None:
        """Store the trace, and count the answer."""
        trace = reply.trace
        self.state.traces.keep(trace.id, caller.owner, recorded(trace, "chat"))
        looked_up_ms = sum(step.duration_ms for step in trace.steps if step.name in {"retrieve", "evaluate"})
        self.state.metrics.retrieved("chat", looked_up_ms / 1000)
        rule = self.resources().loaded.configuration.responses
        llm = rule[reply.routing.rule].llm if reply.routing.rule < len(rule) else ""
        self.state.metrics.answered(
            "chat",
            rule=str(reply.routing.rule),
            outcome=reply.status,
            seconds=seconds,
            provider=llm if reply.model else "",
        )

    def check(self) -> list[Fault]:
        """Return the configured resources that do not respond."""
        with self.resources() as resources:
            return [Fault(f"chat {one.part}", one.message, one.hint) for one in resources.check()]

    def close(self) -> None:
        """Close the configuration and its resources."""
        self.reloading.close()


class _Talker:
    """The rules as a model of `/v1/chat/completions`."""

    def __init__(self, door: Door) -> None:
        self._door = door

    @property
    def model(self) -> str:
        """See `Talker`."""
        return self._door.model

    @property
    def is_configured(self) -> bool:
        """See `Talker`."""
        return self._door.is_configured

    def talk(self, messages: Sequence[Message], caller: Caller, timeout_s: float) -> Events:
        """See `Talker`."""
        request = ChatRequest(
            message=messages[-1].text,
            history=[message for message in messages[:-1] if message.role != "system"],
            may_see=lambda collection: may_ask(caller, collection),
        )
        stream = ChatStream(request, self._door.resources(), deadline=Deadline(timeout_s))
        watch = Stopwatch()

        def final(data: Mapping[str, Any]) -> dict[str, Any]:
            assert stream.reply is not None  # noqa: S101 - this is the last event
            self._door.note(stream.reply, caller, watch.seconds)
            cited = {citation["number"] for citation in data["citations"]}
            sources = [reference for reference in data["references"] if reference["number"] in cited]
            return {**data, "answer": data["response"], "sources": sources}

        return WithFinal(stream, final)


def router(state: State) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["chat"], prefix="/api")
    door = Door(state)

    @routes.post(
        "/chat",
        summary="Answer a message using the chat rules",
        response_model=ChatResponse,
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    )
    async def chat(body: ChatBody, request: Request, caller: CallerOf) -> Response:
        chatting = Chatting(door, caller, body, _deadline(state, request))
        if body.stream:
            return EventStream(state, chatting.events, on_event=chatting.on_event)
        return JSONResponse(await gathered(request, state, chatting.events, on_event=chatting.on_event))

    @routes.post("/route", summary="Get the rule that would answer a message", response_model=RouteResponse)
    async def routed(body: RouteRequest, request: Request, caller: CallerOf) -> Response:
        deadline = _deadline(state, request)

        def work() -> dict[str, Any]:
            with door.resources() as resources:
                asked = body.asked(caller, door.history(body, caller))
                found = route(asked, resources, deadline=deadline)
            trace = {"id": found.trace.id, "desk": "chat", **found.trace.to_dict()}
            state.traces.keep(found.trace.id, caller.owner, trace)
            return found.to_dict(explain=body.explain)

        # in its own thread: other services, or the model that interprets the message, may be slow
        data = await state.slots.run_apart(work)
        return JSONResponse(published(data, is_admin=caller.is_admin))

    @routes.get(
        "/chat/models", summary="List the models that users can choose, and the rules that offer them"
    )
    async def models(caller: CallerOf) -> dict[str, Any]:  # noqa: ARG001 - the guard has checked the caller
        responses = door.resources().loaded.configuration.responses
        found = [
            {"model": name, "rules": [place for place, rule in enumerate(responses) if name in rule.models]}
            for name in door.resources().models_offered
        ]
        return {"models": found}

    @routes.get("/chat/collections", summary="List the services and their collections")
    async def collections(caller: CallerOf) -> Response:
        def work() -> list[dict[str, Any]]:
            def described(one: Reference) -> str:
                service = services[one.service]
                own = state.collection(caller, one.collection).description if service.type == "local" else ""
                return own or service.description

            with door.resources() as resources:
                services = resources.loaded.configuration.rag_services
                query = Query("", Deadline(_LISTED_S), may_see=lambda collection: may_ask(caller, collection))
                references = everything(services, resources.services(), query)
            return [
                {
                    "reference": str(reference),
                    "service": reference.service,
                    "collection": reference.collection,
                    "type": services[reference.service].type,
                    "description": described(reference),
                }
                for reference in references
            ]

        # in its own thread: other services may be slow
        return JSONResponse({"collections": await state.slots.run_apart(work)})

    rules.add(routes, state, door.reloading)

    @routes.get("/chat/sessions", summary="List the caller's conversations, newest first")
    async def sessions(caller: CallerOf) -> Response:
        found = await state.slots.run(lambda: door.sessions.of(_owner(caller)))
        return JSONResponse({"sessions": [one._asdict() for one in found]})

    @routes.post("/chat/sessions", summary="Start a conversation", status_code=201)
    async def begin(caller: CallerOf) -> Response:
        made = await state.slots.run(lambda: door.sessions.begin(caller.owner))
        return JSONResponse(made._asdict(), 201)

    @routes.get("/chat/sessions/{session}", summary="Get a conversation with all its turns")
    async def show(session: SessionOf, caller: CallerOf) -> Response:
        def work() -> tuple[Session, list[Turn]]:
            return door.sessions.get(session, _owner(caller)), door.sessions.turns(session, _owner(caller))

        found, turns = await state.slots.run(work)
        data = {**found._asdict(), "turns": [turn._asdict() for turn in turns]}
        return JSONResponse(published(data, is_admin=caller.is_admin))

    @routes.delete("/chat/sessions/{session}", summary="Delete a conversation", status_code=204)
    async def forget(session: SessionOf, caller: CallerOf) -> Response:
        await state.slots.run(lambda: door.sessions.delete(session, _owner(caller)))
        return Response(status_code=204)

    return routes


def _deadline(state: State, request: Request) -> Deadline:
    return Deadline(min(wait_s(request) or state.settings.answer_s, state.settings.answer_s))


def _owner(caller: Caller) -> str | None:
    """Return the owner whose sessions a caller may see, or None for all owners."""
    return None if caller.is_admin else caller.owner
