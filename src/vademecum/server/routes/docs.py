"""The API description and a page that displays it, without external resources."""

import json
from functools import partial
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from vademecum.server.openapi import described
from vademecum.server.state import State

_PAGES = Path(__file__).parents[1] / "pages"
_FILES = {
    "/docs": ("docs.html", "text/html"),
    "/docs/docs.css": ("docs.css", "text/css"),
    "/docs/docs.js": ("docs.js", "text/javascript"),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'"
)


def router(state: State) -> APIRouter:
    """Return the routes."""
    del state
    routes = APIRouter(include_in_schema=False)

    @routes.get("/openapi.json")
    async def openapi(request: Request) -> Response:
        return Response(json.dumps(described(request.app), ensure_ascii=True), media_type="application/json")

    async def page(name: str, media: str) -> Response:
        headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}
        return FileResponse(_PAGES / name, media_type=media, headers=headers)

    for path, (name, media) in _FILES.items():
        routes.add_api_route(path, partial(page, name, media), methods=["GET"])
    return routes
