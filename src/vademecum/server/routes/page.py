"""The web page: static files that are built from `web/` and are part of the package."""

import gzip
import hashlib
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from vademecum.server.state import State

_FOLDER = Path(__file__).parents[1] / "page"
_MEDIA = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
WIDGET = "/page/widget.js"
_FILES = {"/": ("index.html", "text/html; charset=utf-8")} | {
    f"/page/{file.name}": (f"page/{file.name}", _MEDIA[file.suffix])
    for file in sorted((_FOLDER / "page").iterdir())
    if file.suffix in _MEDIA
}
PATHS = frozenset(_FILES)
"""The paths of the page, which are open to everyone."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'"
)


class _File(NamedTuple):
    media: str
    content: bytes
    packed: bytes
    tag: str


def router(state: State) -> APIRouter:
    """Return the routes."""
    del state
    routes = APIRouter(include_in_schema=False)
    files = {path: _read(*described) for path, described in _FILES.items()}

    async def page(request: Request) -> Response:
        file = files[request.scope["path"]]
        is_packed = "gzip" in request.headers.get("accept-encoding", "")
        tag = f'"{file.tag}{"-gz" if is_packed else ""}"'
        headers = {
            "Cache-Control": "no-cache",
            "Content-Security-Policy": POLICY,
            "ETag": tag,
            "Vary": "Accept-Encoding",
        }
        if request.scope["path"] == WIDGET:  # other sites show it
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if is_packed:
            headers["Content-Encoding"] = "gzip"
        return Response(file.packed if is_packed else file.content, media_type=file.media, headers=headers)

    for path in files:
        routes.add_api_route(path, page, methods=["GET"])
    return routes


def _read(name: str, media: str) -> _File:
    content = (_FOLDER / name).read_bytes()
    packed = gzip.compress(content, mtime=0)
    return _File(media, content, packed, hashlib.sha256(content).hexdigest()[:16])
