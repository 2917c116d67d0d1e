"""Errors of the web server as problem details (RFC 9457)."""

import json
from collections.abc import Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from vademecum.core.errors import CollectionMissing, VademecumError
from vademecum.server.errors import PROBLEM, HttpError, problem
from vademecum.server.guard.redaction import published, without_places
from vademecum.server.log import cleaned
from vademecum.text.printable import printable

_MOST_FAULTS = 20
_OPENAI_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class Fault(BaseModel):
    """An error in one part of a request."""

    place: str = Field(description="The place: `body.query`, `path.id`.")
    message: str


class Problem(BaseModel):
    """The reason why a request failed."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="`urn:vademecum:error:` and the code.")
    title: str
    status: int
    code: str = Field(description="A fixed name, such as `REQUEST_INVALID`.")
    detail: str = Field(description="What happened, and to what.")
    hint: str = Field(description="What to do next; may be empty.")
    request_id: str = Field(description="The id in the server's log.")
    faults: list[Fault] | None = Field(default=None, description="The errors of an invalid body.")


PATTERNS = {
    r"\S": "it is blank",
    r"^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$": "a name consists of lowercase letters, digits, - and _, with a letter or digit at both ends",
    r"^[a-z0-9][a-z0-9-]{0,62}:[0-9a-f]{64}$": "the id of a document is an alias, a colon, and 64 hexadecimal digits",
    r"^[0-9a-f]{32}$": "an id consists of 32 hexadecimal digits",
    r"^[0-9a-f]{32}$|^new$": "it must be the id of a session (32 hexadecimal digits) or the word new",
}
"""The messages for texts that do not match a pattern. A test fails if a pattern is missing here."""

_SEE = "See /docs for the format."
_NO_JSON = f"Send a JSON object with the header Content-Type: application/json. {_SEE}"


def error_response(
    error: Exception, *, path: str, request_id: str, named_by_path: bool = False, for_admin: bool = False
) -> Response:
    """Return an error as a response. The details of an unexpected error are only logged."""
    faults: list[dict[str, str]] = []
    if isinstance(error, RequestValidationError):
        faults = [_fault(one) for one in error.errors()[:_MOST_FAULTS]]
        error = _unfit(error.errors(), faults)
    elif isinstance(
        error, HTTPException
    ):  # a body that was rejected while the framework read it: use that error
        error = error.__cause__ if isinstance(error.__cause__, HttpError) else _refusal_of(error)
    elif isinstance(error, CollectionMissing) and named_by_path:
        error = HttpError(404, error.code, error.message, error.hint)
    elif not isinstance(error, (HttpError, VademecumError)):
        error = HttpError(500, "FAULT", "The server failed.", "Report the request id to the administrator.")
    return _reply(error, path, request_id, faults, for_admin=for_admin)


def error_event(error: Exception, request_id: str, *, for_admin: bool = False) -> dict[str, Any]:
    """Return an error as the data of an `error` event."""
    reply = error_response(error, path="", request_id=request_id, for_admin=for_admin)
    data: dict[str, Any] = json.loads(bytes(reply.body))
    return data


def _reply(
    error: VademecumError | HttpError,
    path: str,
    request_id: str,
    faults: Sequence[dict[str, str]],
    *,
    for_admin: bool,
) -> Response:
    # an HttpError names only what was sent, such as an origin, and no other server
    data = published(problem(error), is_admin=for_admin or isinstance(error, HttpError))
    status = data["status"]
    data["detail"] = cleaned(without_places(data["detail"]))
    data["hint"] = cleaned(data["hint"])
    data["request_id"] = request_id
    if faults:
        data["faults"] = faults
    if path.startswith("/v1/"):  # clients of the OpenAI protocol read this member
        kind = _OPENAI_TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
        data["error"] = {"message": data["detail"], "type": kind, "code": data["code"], "param": None}
    headers = dict(error.headers) if isinstance(error, HttpError) else {}
    if status == 503:
        headers.setdefault("Retry-After", "5")
    body = json.dumps(data, ensure_ascii=True).encode()
    return Response(body, status, headers, PROBLEM)


def _refusal_of(error: HTTPException) -> HttpError:
    headers = tuple((error.headers or {}).items())
    match error.status_code:
        case 404:
            return HttpError(404, "NO_SUCH_PATH", "Path not found.", "See /docs.", headers)
        case 405:
            return HttpError(
                405, "METHOD_NOT_ALLOWED", "The path does not accept this method.", "See /docs.", headers
            )
        case 400:
            message = "body: it cannot be read"
            return HttpError(400, "REQUEST_INVALID", message, _SEE, headers)
        case status:
            return HttpError(status, "REFUSED", printable(str(error.detail), 200), "See /docs.", headers)


def _unfit(errors: Sequence[Any], faults: Sequence[dict[str, str]]) -> HttpError:
    """Return the error for an invalid request, described by its first fault."""
    first = faults[0] if faults else {"place": "body", "message": "it cannot be read"}
    kind = errors[0].get("type") if errors else ""
    detail = first["message"] if kind == "json_invalid" else f"{first['place']}: {first['message']}"
    hint = _NO_JSON if first["place"] == "body" and kind != "value_error" else _SEE
    return HttpError(400, "REQUEST_INVALID", detail, hint)


def _fault(error: Any) -> dict[str, str]:
    """Return the place and the message of a validation error, without the data that was sent."""
    place, message = error.get("loc", ()), str(error.get("msg", "it is not valid"))
    about = error.get("ctx", {})
    match error.get("type"):
        case "json_invalid":
            place, at = place[:1], place[-1]
            message = f"The body is not JSON: {about.get('error')}, at character {int(at) + 1}."
        case "string_pattern_mismatch":
            message = PATTERNS.get(about.get("pattern"), message)
        case "value_error":
            message = message.removeprefix("Value error, ")
    return {
        "place": cleaned(printable(".".join(str(part) for part in place) or "body", 100)),
        "message": cleaned(printable(message, 200)),
    }
