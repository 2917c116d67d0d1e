"""The routes of the service: validate the request, call the service, return the response."""

import json
import socket
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict
from typing import Any, NamedTuple

from vademecum.answering.render import render_json, render_markdown, render_plain
from vademecum.core.answers import Answer
from vademecum.core.limits import CONTEXT_TOKENS
from vademecum.core.settings import Settings
from vademecum.library.service.client import ANSWER
from vademecum.library.service.unix_http import EDITION_HEADER, edition
from vademecum.library.service.wire import answer_to_wire
from vademecum.server.exchange import Refusal, Reply, Request, send
from vademecum.server.service import Service

_JSON = "application/json"
_MARKDOWN = "text/markdown"
_PLAIN = "text/plain"
_PRESENTERS = {"markdown": _MARKDOWN, "plain": _PLAIN, "json": _JSON}
_MOST_TOKENS = 999_999_999
_MOST_HITS = 1000
_MOST_NAMED = 100
_FOLDERS = ("data", "config")

_Types = type | tuple[type, ...]


class _Field(NamedTuple):
    """A key of a request's body: of which types it may be, and what stands for it when it is absent."""

    types: _Types
    default: Any = None
    required: bool = False


_NOTHING = type(None)
_ASK = {
    "question": _Field(str, required=True),
    "strict": _Field(bool, False),
    "context_tokens": _Field(int, CONTEXT_TOKENS),
    "explain": _Field(bool, False),
    "sources": _Field((list, _NOTHING)),
    "sections": _Field((list, _NOTHING)),
    "conversation": _Field((str, _NOTHING)),
    "no_model": _Field(bool, False),
}
_SEARCH = {
    "question": _Field(str, required=True),
    "limit": _Field(int, 10),
    "sources": _Field((list, _NOTHING)),
    "sections": _Field((list, _NOTHING)),
}
_REINDEX = {"full": _Field(bool, False), "sources": _Field((list, _NOTHING))}


class Routes:
    """Answers requests.

    Args:
        service: What they are about.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._edition = edition()
        self._routes: dict[tuple[str, str], Callable[[Request, socket.socket], Reply | None]] = {
            ("GET", "/healthz"): self._healthz,
            ("GET", "/sources"): self._sources,
            ("POST", "/ask"): self._ask,
            ("POST", "/search"): self._search,
            ("POST", "/reindex"): self._reindex,
        }

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """Of every reply."""
        return ((EDITION_HEADER, self._edition),)

    def handle(self, request: Request, connection: socket.socket) -> Reply | None:
        """Answer a request; `None` when the reply has been written.

        Raises:
            Refusal: It cannot be carried out as put.
            VademecumError: What the library raised.
        """
        route = self._routes.get((request.method, request.path))
        if route is None:
            allowed = [method for method, path in self._routes if path == request.path]
            if not allowed:
                known = ", ".join(sorted({path for _, path in self._routes}))
                raise Refusal(
                    404, "NO_SUCH_PATH", f"There is no {request.path[:100]}.", f"There are {known}."
                )
            allow = ", ".join(allowed)
            message = f"{request.path} takes {allow}, not {request.method}."
            raise Refusal(405, "METHOD_NOT_ALLOWED", message, headers=(("Allow", allow),))
        theirs = request.headers.get(EDITION_HEADER.lower(), self._edition)
        if theirs != self._edition:
            raise Refusal(
                409, "OTHER_EDITION", "The service runs another version of the program.", "Restart it."
            )
        return route(request, connection)

    def _healthz(self, _request: Request, _connection: socket.socket) -> Reply:
        return _json(self._service.health())

    def _sources(self, _request: Request, _connection: socket.socket) -> Reply:
        entries = [entry._asdict() for entry in self._service.sources()]
        for entry in entries:
            entry.pop("seen", None)  # what the folders looked like is the library's own business
        return _json({"sources": entries})

    def _ask(self, request: Request, _connection: socket.socket) -> Reply:
        asked = self._read(request, _ASK)
        tokens = _within(asked, "context_tokens", _MOST_TOKENS)
        media = _accepted(request)
        answer, settings = self._service.ask(
            asked["question"],
            strict=asked["strict"],
            context_tokens=tokens,
            sources=_texts(asked, "sources"),
            sections=_texts(asked, "sections"),
            conversation=asked["conversation"] or "",
            no_model=asked["no_model"],
        )
        media, text = _rendered(answer, media, settings, explain=asked["explain"])
        return Reply(200, media, text.encode("utf-8", "surrogatepass"))

    def _search(self, request: Request, _connection: socket.socket) -> Reply:
        asked = self._read(request, _SEARCH)
        hits = self._service.search(
            asked["question"],
            _within(asked, "limit", _MOST_HITS),
            sources=_texts(asked, "sources"),
            sections=_texts(asked, "sections"),
        )
        return _json({"hits": [asdict(hit) for hit in hits]})

    def _reindex(self, request: Request, connection: socket.socket) -> None:
        asked = self._read(request, _REINDEX)
        sources = asked["sources"]
        if sources is not None and not all(isinstance(alias, str) for alias in sources):
            raise _unfit("sources must be a list of aliases")
        with closing(self._service.reindex(full=asked["full"], sources=sources)) as job:
            head = Reply(200, "application/x-ndjson", b"", self.headers)
            send(connection, head, length=False)
            for snapshot in job.snapshots(connection):
                connection.sendall(json.dumps(snapshot).encode() + b"\n")

    def _read(self, request: Request, fields: Mapping[str, _Field]) -> dict[str, Any]:
        """The body's values, checked.

        Raises:
            Refusal: It is not what is asked for, or is meant for the service of other folders.
        """
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media != _JSON:
            raise Refusal(415, "NOT_JSON", f"The body must be {_JSON}.", f"Send Content-Type: {_JSON}")
        try:
            data = json.loads(request.body)
        except (ValueError, RecursionError):
            raise _unfit("the body is not JSON") from None
        if not isinstance(data, dict):
            raise _unfit("the body is not a JSON object")
        unknown = sorted(set(data) - {*fields, *_FOLDERS})
        if unknown:
            known = ", ".join(fields)
            raise _unfit(f"{unknown[0][:100]!r} is not known (known: {known})")
        for name in _FOLDERS:
            if data.get(name, theirs := str(getattr(self._service.places, name))) != theirs:
                message = f"The service serves another {name} folder: {theirs}."
                raise Refusal(409, "OTHER_FOLDERS", message, "Start one with the same XDG folders.")
        return {name: _checked(name, data, field) for name, field in fields.items()}


def _checked(name: str, data: Mapping[str, Any], field: _Field) -> Any:
    if name not in data:
        if field.required:
            raise _unfit(f"{name} is missing")
        return field.default
    value = data[name]
    if not isinstance(value, field.types) or (isinstance(value, bool) and field.types is int):
        raise _unfit(f"{name} is of the wrong type")
    return value


def _within(asked: Mapping[str, Any], name: str, most: int) -> int:
    value: int = asked[name]
    if not 0 < value <= most:
        raise _unfit(f"{name} must be between 1 and {most}")
    return value


def _texts(asked: Mapping[str, Any], name: str) -> list[str]:
    """A list of words; none when there is none."""
    values: list[str] = asked[name] or []
    if len(values) > _MOST_NAMED or not all(isinstance(value, str) for value in values):
        raise _unfit(f"{name} must be a list of at most {_MOST_NAMED} words")
    return values


def _accepted(request: Request) -> str:
    """The form in which an answer is wanted: the first of those named that there is; "" for what the settings say."""
    wanted = [
        one.partition(";")[0].strip().lower() for one in request.headers.get("accept", "*/*").split(",")
    ]
    for media in wanted:
        if media in {_JSON, _MARKDOWN, _PLAIN, ANSWER}:
            return media
    if "*/*" in wanted:
        return ""
    raise Refusal(406, "NO_SUCH_FORM", f"An answer comes as {_JSON}, {_MARKDOWN} or {_PLAIN}.")


def _rendered(answer: Answer, media: str, settings: Settings, *, explain: bool) -> tuple[str, str]:
    media = media or _PRESENTERS[settings.presenter_default]
    if media == ANSWER:
        return media, json.dumps(answer_to_wire(answer))
    if media == _JSON:
        return media, render_json(answer, explain=explain)
    return media, render_markdown(answer) if media == _MARKDOWN else render_plain(answer)


def _json(data: Any) -> Reply:
    return Reply(200, _JSON, json.dumps(data).encode() + b"\n")


def _unfit(what: str) -> Refusal:
    return Refusal(400, "BODY_INVALID", f"The request cannot be carried out: {what}.")
