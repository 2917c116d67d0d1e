"""Read and check the bodies of requests to the background service."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.requests import Request

from vademecum.core.limits import CONTEXT_TOKENS
from vademecum.files.places import Places
from vademecum.library.service.unix_http import MOST_BYTES
from vademecum.server.errors import HttpError
from vademecum.server.guard.bodies import Body

JSON = "application/json"
_BODY_S = 5.0
_MOST_TOKENS = 999_999_999
_MOST_HITS = 1000
_MOST_NAMED = 100
_FOLDERS = ("data", "config")

_Types = type | tuple[type, ...]
_NOTHING = type(None)


class _Field(NamedTuple):
    """A field of a body: its types, its default, and its maximum if it is a number."""

    types: _Types
    default: Any = None
    required: bool = False
    most: int = 0


_QUESTION = _Field(str, required=True)
_NAMES = _Field((list, _NOTHING))
_ASK = {
    "question": _QUESTION,
    "strict": _Field(bool, False),
    "context_tokens": _Field(int, CONTEXT_TOKENS, most=_MOST_TOKENS),
    "explain": _Field(bool, False),
    "sources": _NAMES,
    "sections": _NAMES,
    "conversation": _Field((str, _NOTHING)),
    "no_model": _Field(bool, False),
}
_SEARCH = {
    "question": _QUESTION,
    "limit": _Field(int, 10, most=_MOST_HITS),
    "sources": _NAMES,
    "sections": _NAMES,
}
_REINDEX = {"full": _Field(bool, False), "sources": _NAMES}


async def read_ask(request: Request, places: Places) -> dict[str, Any]:
    """Return the fields of a question."""
    return _with_lists(await _read(request, _ASK, places))


async def read_search(request: Request, places: Places) -> dict[str, Any]:
    """Return the fields of a search."""
    return _with_lists(await _read(request, _SEARCH, places))


async def read_reindex(request: Request, places: Places) -> dict[str, Any]:
    """Return the fields of a reindex. `sources` is None for all sources."""
    return await _read(request, _REINDEX, places)


async def _read(request: Request, fields: Mapping[str, _Field], places: Places) -> dict[str, Any]:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != JSON:
        raise HttpError(415, "NOT_JSON", f"The body must be {JSON}.", f"Send Content-Type: {JSON}")
    body = await Body(request.receive, MOST_BYTES, _BODY_S).whole()
    try:
        data = json.loads(body or b"")
    except (ValueError, RecursionError):
        raise _invalid("the body is not JSON") from None
    if not isinstance(data, dict):
        raise _invalid("the body is not a JSON object")
    unknown = sorted(set(data) - {*fields, *_FOLDERS})
    if unknown:
        raise _invalid(f"{unknown[0][:100]!r} is unknown (known: {', '.join(fields)})")
    for name in _FOLDERS:
        if data.get(name, served := str(getattr(places, name))) != served:
            message = f"The service serves another {name} folder: {served}."
            raise HttpError(409, "OTHER_FOLDERS", message, "Start one with the same XDG folders.")
    return {name: _checked(name, data, field) for name, field in fields.items()}


def _checked(name: str, data: Mapping[str, Any], field: _Field) -> Any:
    if name not in data:
        if field.required:
            raise _invalid(f"{name} is missing")
        return field.default
    value = data[name]
    if not isinstance(value, field.types) or (isinstance(value, bool) and field.types is int):
        raise _invalid(f"{name} has the wrong type")
    if isinstance(value, int) and field.most and not 0 < value <= field.most:
        raise _invalid(f"{name} must be between 1 and {field.most}")
    if isinstance(value, list) and (
        len(value) > _MOST_NAMED or not all(isinstance(word, str) for word in value)
    ):
        raise _invalid(f"{name} must be a list of at most {_MOST_NAMED} words")
    return value


def _with_lists(asked: dict[str, Any]) -> dict[str, Any]:
    return {**asked, "sources": asked["sources"] or [], "sections": asked["sections"] or []}


def _invalid(what: str) -> HttpError:
    return HttpError(400, "BODY_INVALID", f"The request is invalid: {what}.")
