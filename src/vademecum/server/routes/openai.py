"""`/v1/models` and `/v1/chat/completions`: sources and rule sets as models of the OpenAI protocol."""

import json
import re
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from vademecum.core.deadline import Deadline
from vademecum.core.errors import AnswerError, SourceError
from vademecum.core.models import Message
from vademecum.desks.book.reply import Ask
from vademecum.desks.book.request import count_tokens, first_tokens
from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import Caller
from vademecum.server.guard.caller import CallerOf
from vademecum.server.routes.ask import Asking
from vademecum.server.state import Event, Events, State
from vademecum.server.streams import EventStream, gathered
from vademecum.text.patterns import Pattern
from vademecum.text.printable import inert, printable
from vademecum.text.words import STOP_WORDS, WORD

ALL_BOOKS = "books"
"""The model that queries all books at once. It takes precedence over a collection with this name, even an older one."""

EVERYTHING = "everything"
"""The model that queries all sources at once. It also takes precedence over a collection."""

_REFUSED = (
    "tools",
    "functions",
    "function_call",
    "audio",
    "logit_bias",
    "top_logprobs",
    "prediction",
    "web_search_options",
    "store",
)
"""The parameters that clients may send, but that no source supports."""

_TOLD = (
    "read_as",
    "status",
    "reasons",
    "sources",
    "citations",
    "confidence",
    "answerability",
    "warnings",
    "trace_id",
)
_MOST_MESSAGES = 1000
_MOST_STOPS = 4


class Part(BaseModel):
    """A part of a message."""

    model_config = ConfigDict(extra="allow", strict=True)

    type: str
    text: str | None = None


class Turn(BaseModel):
    """A message."""

    model_config = ConfigDict(extra="allow", strict=True)

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    def text(self) -> str:
        """Return the text of the message."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        if other := next((part for part in self.content if part.type != "text"), None):
            message = f"Message parts of type {printable(other.type, 40)} are not supported; only text is."
            raise AnswerError(message, hint="Send only text parts.")
        return "\n".join(part.text or "" for part in self.content)


class StreamOptions(BaseModel):
    """The options of a stream."""

    model_config = ConfigDict(extra="allow", strict=True)

    include_usage: bool | None = None


class Form(BaseModel):
    """The requested format of a reply."""

    model_config = ConfigDict(extra="allow", strict=True)

    type: str


class ChatRequest(BaseModel):
    """A conversation to continue.

    Unsupported parameters that would change the kind of reply, such as tools, are rejected. Parameters that only affect
    how a model writes, such as `temperature`, are accepted and have no effect.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    model: str = Field(min_length=1, max_length=200, description="A name from `GET /v1/models`.")
    messages: list[Turn] = Field(min_length=1, max_length=_MOST_MESSAGES)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = Field(default=None, ge=1, le=1)
    max_tokens: int | None = Field(default=None, ge=1, description="The old name of `max_completion_tokens`.")
    max_completion_tokens: int | None = Field(
        default=None, ge=1, description="A longer reply is truncated, with the `finish_reason` `length`."
    )
    stop: str | list[str] | None = Field(
        default=None, description="Up to four strings; the reply ends before the first of them."
    )
    response_format: Form | None = None
    logprobs: bool | None = None

    @property
    def stops(self) -> list[str]:
        """The strings before which a reply ends."""
        stops = [self.stop] if isinstance(self.stop, str) else self.stop or []
        return [stop for stop in stops if stop]

    @property
    def longest(self) -> int:
        """The maximum number of tokens in a reply; 0 for no limit."""
        return self.max_completion_tokens or self.max_tokens or 0


class Model(BaseModel):
    """A source, or a set of rules, as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str
    description: str = ""


class Models(BaseModel):
    """All models."""

    object: Literal["list"] = "list"
    data: list[Model]


class Completion(BaseModel):
    """A reply."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, int]
    vademecum: dict[str, Any] = Field(
        description="The basis of the answer: `sources`, `citations`, `status`."
    )


def router(state: State) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["openai"], prefix="/v1")

    @routes.get("/models", summary="List the sources and sets of rules", response_model=Models)
    async def models(caller: CallerOf) -> Response:
        found = await state.slots.run(lambda: _models(state, caller))
        return JSONResponse(Models(data=found).model_dump())

    @routes.get("/models/{model}", summary="One of them", response_model=Model)
    async def model(model: str, caller: CallerOf) -> Response:
        found = await state.slots.run(lambda: _models(state, caller))
        one = next((one for one in found if one.id == model), None)
        if one is None:
            raise _no_model(model)
        return JSONResponse(one.model_dump())

    @routes.post(
        "/chat/completions",
        summary="Ask a source or a set of rules",
        response_model=Completion,
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    )
    async def completions(asked: ChatRequest, request: Request, caller: CallerOf) -> Response:
        messages = _messages(asked)
        asking = await state.slots.run(lambda: _asking(state, caller, asked.model, messages))
        if (said := own_request(messages)) is not None:
            asking = _Talking(events_of(said))
        writing = _Completion(asked, messages)
        if asked.stream:
            return EventStream(
                state, asking.events, encode=writing.chunk, last=writing.last(), on_event=asking.on_event
            )
        final = await gathered(request, state, asking.events, on_event=asking.on_event)
        return JSONResponse(writing.whole(final))

    return routes


class _Talking:
    """An answer from a set of rules, which records the answer itself."""

    def __init__(self, events: Events) -> None:
        self.events = events

    def on_event(self, event: Event) -> None:
        """Do nothing."""


class _Limits:
    """Truncates a reply before a stop string, and at the maximum number of tokens (0 for no limit). `reason` is the `finish_reason`."""

    def __init__(self, longest: int, stops: Sequence[str]) -> None:
        self._left = longest or None
        self._stops = stops
        self._held = ""
        self._ended = False
        self.reason = "stop"

    def add(self, text: str, *, last: bool = False) -> str:
        """Return what can be sent after a text has arrived. A possible stop is held back until the last text."""
        if self._ended:
            return ""
        text, self._held = self._held + text, ""
        places = [place for place in map(text.find, self._stops) if place >= 0]
        if places:
            text, self._ended = text[: min(places)], True
        elif not last:
            held = max((_begun(text, stop) for stop in self._stops), default=0)
            text, self._held = text[: len(text) - held], text[len(text) - held :]
        return self._within(text)

    def _within(self, text: str) -> str:
        """Return as much of a text as the remaining tokens allow."""
        if self._left is None:
            return text
        count = count_tokens(text)
        if count > self._left:
            text, self._ended, self.reason = first_tokens(text, self._left), True, "length"
        self._left = max(0, self._left - count)
        return text


def _begun(text: str, stop: str) -> int:
    """Return the length of the longest beginning of a stop that a text ends with."""
    return next((size for size in range(min(len(stop), len(text)), 0, -1) if text.endswith(stop[:size])), 0)


class _Completion:
    """A reply in the protocol's format, whole or in chunks."""

    def __init__(self, asked: ChatRequest, messages: Sequence[Message]) -> None:
        self._asked = asked
        self._prompt = "\n".join(message.text for message in messages)
        self._id = f"chatcmpl-{uuid4().hex}"
        self._created = int(time.time())
        self._said: list[str] = []
        self._limits = _Limits(asked.longest, asked.stops)

    def whole(self, final: Mapping[str, Any]) -> dict[str, Any]:
        """Return the single response."""
        content = self._limits.add(f"{inert(final['answer'])}{_references(final)}", last=True)
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": content, "refusal": None},
            "logprobs": None,
            "finish_reason": self._limits.reason,
        }
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": self._usage(content),
            "vademecum": _extension(final),
        }

    def chunk(self, event: Event) -> bytes:
        """Return an event of an answer as chunks of a stream."""
        name, data = event
        if name == "error":
            fault = {"message": data["detail"], "type": "server_error", "code": data["code"], "param": None}
            return _data({"error": data.get("error", fault)})
        if name == "token":
            return self._content(self._limits.add(inert(data["text"])))
        if name != "final":
            return b""
        behind = self._content(self._limits.add(_references(data), last=True))
        finish = self._delta({}, finish=self._limits.reason, vademecum=_extension(data))
        return behind + finish + self._usage_chunk()

    def _content(self, text: str) -> bytes:
        """Return a chunk that adds text to the reply; empty if there is no text."""
        if not text:
            return b""
        opening: dict[str, Any] = {} if self._said else {"role": "assistant"}
        self._said.append(text)
        return self._delta({**opening, "content": text})

    def last(self) -> bytes:
        """Return the end marker of a stream."""
        return b"data: [DONE]\n\n"

    def _delta(self, delta: Mapping[str, Any], *, finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _data({**self._head("chat.completion.chunk"), "choices": [choice], **more})

    def _usage_chunk(self) -> bytes:
        options = self._asked.stream_options
        if not (options and options.include_usage):
            return b""
        usage = self._usage("".join(self._said))
        return _data({**self._head("chat.completion.chunk"), "choices": [], "usage": usage})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._asked.model}

    def _usage(self, content: str) -> dict[str, int]:
        prompt, reply = count_tokens(self._prompt), count_tokens(content)
        return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}


def _models(state: State, caller: Caller) -> list[Model]:
    collections = {collection.name: collection for collection in state.collections_of(caller)}
    has_books = any(collection.kind == "book" for collection in collections.values())
    taken = {ALL_BOOKS, EVERYTHING, *state.talkers}
    found = [
        Model(
            id=source.name,
            created=_seconds(collection.created if collection else source.updated),
            owned_by=_owner(collection.owner, caller) if collection else "everybody",
            description=collection.description if collection else source.title,
        )
        for source in state.sources.of(caller)
        for collection in [collections.get(source.name)]
        if source.name not in taken and (collection or not source.problem)
    ]
    if found:
        found.append(
            Model(id=EVERYTHING, created=0, owned_by="everybody", description="All sources at once.")
        )
    if has_books:
        found.append(Model(id=ALL_BOOKS, created=0, owned_by="everybody", description="All books at once."))
    found += [
        Model(id=name, created=0, owned_by="everybody", description="Answers by rules.")
        for name in state.talkers
    ]
    return found


def _owner(owner: str, caller: Caller) -> str:
    return "everybody" if not owner else "you" if owner == caller.owner else owner


def _seconds(when: str) -> int:
    return int(datetime.fromisoformat(when).timestamp()) if when else 0


def _asking(state: State, caller: Caller, model: str, messages: Sequence[Message]) -> "Asking | _Talking":
    """Return the pending answer of a model."""
    if talker := state.talkers.get(model):
        return _Talking(talker.talk(messages, caller, state.settings.answer_s))
    *before, question = (message.text for message in messages if message.role == "user")
    ask = Ask(query=question, before=tuple(before), owner=None if caller.is_admin else caller.owner)
    deadline = Deadline(state.book.settings.timeout_s)
    if model == ALL_BOOKS:
        books = tuple(one.name for one in state.collections_of(caller) if one.kind == "book")
        return Asking(state, caller, replace(ask, books=books), deadline)
    try:
        chosen = state.sources.choose(caller, () if model == EVERYTHING else [model])
    except SourceError:
        raise _no_model(model) from None
    return Asking(state, caller, ask, deadline, lambda: chosen)


def _messages(asked: ChatRequest) -> list[Message]:
    """Return the conversation. The last message is the question."""
    for name in _REFUSED:
        if (asked.model_extra or {}).get(name):
            raise AnswerError(f"{name} is not supported: replies are text.", hint=f"Omit {name}.")
    if set((asked.model_extra or {}).get("modalities") or ["text"]) != {"text"}:
        raise AnswerError("Replies are text only.", hint='Omit modalities, or send ["text"].')
    if len(asked.stops) > _MOST_STOPS:
        raise AnswerError(f"stop has more than {_MOST_STOPS} strings.", hint="Send fewer.")
    if asked.logprobs or (asked.response_format and asked.response_format.type != "text"):
        raise AnswerError("Replies are text only.", hint="Omit response_format and logprobs.")
    turns = asked.messages
    if turns[-1].role != "user" or not turns[-1].text().strip():
        raise AnswerError("The last message must come from the user.", hint="Set its role to user.")
    found = []
    for turn in turns:
        match turn.role:
            case "user":
                found.append(Message("user", turn.text()))
            case "assistant":
                found.append(Message("assistant", turn.text()))
            case "system" | "developer":
                found.append(Message("system", turn.text()))
            case _:
                message = f"A message of the role {turn.role} is not supported: there are no tools."
                raise AnswerError(message, hint="Omit such messages.")
    return found


def _references(final: Mapping[str, Any]) -> str:
    """Return the documents for the markers of an answer, one per line."""
    lines = [
        f"[{one['number']}] {one['label']}" + (f" {one['url']}" if one["url"] else "")
        for one in final.get("references", ())
        if one["number"]
    ]
    return "\n\n" + "\n".join(lines) if lines else ""


def _extension(final: Mapping[str, Any]) -> dict[str, Any]:
    return {name: final[name] for name in _TOLD if name in final}


def _data(data: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=True, allow_nan=False)}\n\n".encode()


def _no_model(name: str) -> HttpError:
    message = f"Model {printable(name, 60)} not found."
    return HttpError(404, "model_not_found", message, "List the models with GET /v1/models.")


# --- requests that front ends make on their own -----------------------------------------------------------------------

_FIELD = Pattern(r'\{\s*"(title|tags|follow_ups|queries|text)"\s*:')
"""The field of the JSON object that a prompt asks for."""

_TITLE = Pattern(
    r"^\W*(?:(?:please|task|you are|you will|your task|an? \w+(?: \w+)? (?:that|who))\b[^.\n]{0,60}?\b)?"
    r"(?:generates?|provides?|creates?|writes?|suggests?|gives?|analy[sz]e|summari[sz]es?)\b[^.]{0,120}?\btitles?\b"
)
_OF_CHAT = Pattern(r"\b(?:conversation|chat|message|dialog(?:ue)?|(?:user )?query)s?\b")
_HISTORY = Pattern(
    r"<chat_history>(?P<marked>.*?)</chat_history>|^\W*(?:(?:chat|message) history|conversation|user(?:'s)? (?:message|query)|message|query)\s*:(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_SPEAKER = Pattern(r"^\s*(?:user|human)\s*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_HEAD = 400
"""How many characters of a prompt say what it asks for."""

_TITLE_LENGTH, _MOST_TAGS = 40, 3


def own_request(messages: Sequence[Message]) -> str | None:
    """Return the reply to a request that a front end makes on its own; None if the last message is a question."""
    *before, last = messages
    system = next((message.text for message in before if message.role == "system"), "")
    history = _HISTORY.search(last.text)
    field = _FIELD.search(last.text)
    if field and history:
        asked = _asked(history["marked"] or history["rest"] or "")
    elif _wants_title(last.text):
        users = [message.text for message in before if message.role == "user"]
        asked = users[0] if users else _asked((history["marked"] or history["rest"]) if history else "")
    elif _wants_title(system) and not any(message.role == "assistant" for message in before):
        asked = last.text
    else:
        return None
    name = field[1].lower() if field else ""
    if not name:
        return _title(asked)
    made = {"title": _title(asked), "tags": _tags(asked), "queries": [asked] if asked else []}
    return json.dumps({name: made.get(name, "" if name == "text" else [])}, ensure_ascii=False)


def events_of(said: str) -> Generator[Event]:
    """Yield the events of such a reply."""
    yield "token", {"text": said}
    yield "final", {"answer": said, "status": "success", "sources": [], "citations": []}


def _wants_title(prompt: str) -> bool:
    head = prompt[:_HEAD]
    return bool(_TITLE.search(head) and _OF_CHAT.search(head))


def _asked(history: str) -> str:
    """Return the first thing that a user said in a conversation that is part of a prompt."""
    said = _SPEAKER.search(history)
    lines = [line.strip() for line in history.splitlines() if line.strip()]
    return said[1].strip() if said else lines[0] if lines else ""


def _title(asked: str) -> str:
    """Return the beginning of a question, without its mark."""
    first = re.split(r"(?<=[.!?])\s|\n", asked.strip(), maxsplit=1)[0].rstrip(" ?!.")
    if len(first) > _TITLE_LENGTH:
        first = f"{first[:_TITLE_LENGTH].rsplit(' ', 1)[0].rstrip(' ,;:')} …"
    return first[:1].upper() + first[1:] or "New conversation"


def _tags(asked: str) -> list[str]:
    words = (word.lower() for word in WORD.findall(asked))
    return list(dict.fromkeys(word for word in words if word not in STOP_WORDS and len(word) > 2))[
        :_MOST_TAGS
    ]
