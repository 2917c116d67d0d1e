"""The API description: FastAPI's, with our error responses, and with examples that tests run."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from vademecum.server.errors import PROBLEM
from vademecum.server.responses import Problem

EXAMPLES = Path(__file__).with_name("examples")

_STATUSES = {
    400: "The request is invalid.", 401: "The API key is missing or unknown.", 403: "The key, or the origin of the request, does not have permission.",
    404: "The object does not exist for this key.", 408: "The request, or the answer, was not received within the client's time limit.",
    409: "An object of that name, or a running operation, conflicts with the request.", 413: "The body is too large.", 421: "The host name is unknown.",
    422: "The collection or source does not exist for this key.", 429: "Too many requests; `Retry-After` says when to retry.", 500: "The server failed.",
    502: "A model, or a store on another server, failed.", 503: "Nothing has been indexed yet, or the server is busy; `Retry-After` says when to retry.",
    504: "The answer exceeded its time limit.", 507: "The disk is full.",
}  # fmt: skip
_DESCRIPTION = """Answers from your own documents, with citations.

Every route takes an API key as `Authorization: Bearer KEY` or `X-API-Key: KEY`, unless the server serves its own machine
alone and has no keys. Errors are problem details (RFC 9457)."""


class Example(NamedTuple):
    """A request and its response.

    Attributes:
        name: The file name without its suffix.
        path: The path of the route, with parameters in braces.
        body: The request body, or None.
        reply: The response, or the relevant part of it; `...` in a text stands for any words.
    """

    name: str
    summary: str
    method: str
    path: str
    body: Any
    status: int
    reply: Any


@lru_cache(maxsize=1)
def examples() -> tuple[Example, ...]:
    """Return all examples, sorted by name."""
    found = []
    for path in sorted(EXAMPLES.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        found.append(Example(name=path.stem, **data))
    return tuple(found)


def described(app: FastAPI) -> dict[str, Any]:
    """Return the complete description, which is created once."""
    if app.openapi_schema is None:
        root = app.state.vademecum.settings.root_path
        schema = get_openapi(
            title="Vademecum",
            version=app.version,
            description=_DESCRIPTION,
            routes=app.routes,
            servers=[{"url": root}] if root else None,
        )
        schemas = schema.setdefault("components", {}).setdefault("schemas", {})
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
        schema["components"]["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
        for path, methods in schema["paths"].items():
            for method, operation in methods.items():
                _complete(path, method.upper(), operation)
        app.openapi_schema = schema
    return app.openapi_schema


_ANSWERING = frozenset({"/ask", "/v1/chat/completions", "/api/chat", "/api/route", "/api/reason/select"})
"""The routes that query documents, and possibly a model or a store on another server."""

_READING = frozenset({"sources", "openai", "health", "collections", "chat"})
"""The tags of routes that read an index, which may be missing."""


def statuses_of(path: str, method: str, operation: Mapping[str, Any]) -> frozenset[int]:
    """Return the error statuses that a route can respond with."""
    tags = frozenset(operation.get("tags", ()))
    found = {421, 429, 500, 503}
    if "open" not in tags or method == "POST":  # signing in also requires a key
        found |= {401, 403}
    if "requestBody" in operation:
        found |= {400, 403, 404, 408, 413}
    if operation.get("parameters"):
        found |= {400, 404}
    if method != "GET":
        found |= {400, 403, 409, 507}
    if path in _ANSWERING:
        found |= {422, 502, 504}
    elif tags & _READING:
        found |= {502, 504}
        found |= {422} if operation.get("parameters") or "requestBody" in operation else set()
    return frozenset(found)


def _complete(path: str, method: str, operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    responses.pop("422", None)
    possible = statuses_of(path, method, operation)
    for status, meaning in _STATUSES.items():
        if status not in possible:
            continue
        responses.setdefault(
            str(status),
            {
                "description": meaning,
                "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}},
            },
        )
    if "open" in operation.get("tags", ()):
        operation["security"] = []
    else:
        operation["security"] = [{"bearer": []}, {"header": []}]
    for example in examples():
        if (example.path, example.method) != (path, method):
            continue
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is not None and example.body is not None:
            content.setdefault("examples", {})[example.name] = {
                "summary": example.summary,
                "value": example.body,
            }
        shown = responses.get(str(example.status), {}).get("content", {})
        for media in ("application/json", PROBLEM):
            if media in shown:
                shown[media].setdefault("examples", {})[example.name] = {
                    "summary": example.summary,
                    "value": example.reply,
                }
