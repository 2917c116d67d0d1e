"""`/api/sources`: what can be asked, and the documents behind the answers."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.responses import Response

from vademecum.core.errors import StoreError
from vademecum.library.originals import Original
from vademecum.server.exchange import Refusal
from vademecum.server.web.calling import CallerOf
from vademecum.server.web.publishing import published, without_places
from vademecum.server.web.state import State

_DOCUMENT = r"^[a-z0-9][a-z0-9-]{0,62}:[0-9a-f]{64}$"
_MOST_CHARACTERS = 1 << 31
_MOST_WINDOW = 400_000
"""How many characters of a document are sent at once; a window of a larger one begins where it was asked for."""

SourceName = Annotated[str, Path(max_length=63, description="Of `GET /api/sources`.")]
DocumentId = Annotated[str, Path(pattern=_DOCUMENT, description="`document` of a citation.")]
Offset = Annotated[int | None, Query(ge=0, le=_MOST_CHARACTERS)]


class SourceInfo(BaseModel):
    """A source that can be asked."""

    name: str
    kind: str = Field(
        description="`man`, `info`, `kiwix`, `tldr` or `docs` of this machine; `book`, `manual`, `collection`."
    )
    title: str
    documents: int
    size_bytes: int
    updated: str = Field(description="When the index last took it in, ISO 8601, or empty.")
    problem: str = Field(description="Why it cannot be asked, or empty.")


class SourceList(BaseModel):
    """All sources for a caller."""

    sources: list[SourceInfo]


class SectionInfo(BaseModel):
    """A line of a table of contents."""

    title: str
    level: int
    start: int
    anchor: str


class DocumentText(BaseModel):
    """A document, or whole lines of it. Offsets are code points of the document's text."""

    id: str
    source: str
    source_title: str
    kind: str
    alias: str
    key: str
    reference: str
    title: str
    summary: str
    length: int = Field(description="Of all of its text.")
    start: int = Field(description="Of the text that is here.")
    end: int
    text: str
    blocks: list[tuple[str, int, int]] = Field(
        description="What the text is made of: `heading`, `term`, `meaning`, `code` or `paragraph`, start, end."
    )
    sections: list[SectionInfo]
    generation: int
    has_original: bool = Field(description="Whether the file it was read from can be had.")
    read_on: str = Field(description="The command that shows it by itself, or empty.")


def router(state: State) -> APIRouter:
    """The routes."""
    routes = APIRouter(tags=["sources"], prefix="/api")

    @routes.get("/sources", response_model=SourceList, summary="List what can be asked")
    async def sources(caller: CallerOf) -> Response:
        found = await state.slots.run(lambda: [one._asdict() for one in state.sources.of(caller)])
        return JSONResponse(published({"sources": found}))

    @routes.get(
        "/sources/{source}/documents/{document}",
        response_model=DocumentText,
        summary="Read a document, or the lines of it around a stretch",
    )
    async def document(
        source: SourceName, document: DocumentId, caller: CallerOf, start: Offset = None, end: Offset = None
    ) -> Response:
        first = start or 0
        last = first + _MOST_WINDOW if end is None else min(end, first + _MOST_WINDOW)

        def work() -> dict[str, Any]:
            try:
                return state.sources.document(caller, source, document, first, last)
            except StoreError as error:
                raise Refusal(404, "DOCUMENT_MISSING", error.message, error.hint) from error

        return JSONResponse(published(await state.slots.run(work)))

    @routes.get(
        "/sources/{source}/documents/{document}/original",
        summary="Download the file that a document was read from, as it is now",
        responses={
            200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
        },
        response_class=Response,
    )
    async def original(source: SourceName, document: DocumentId, caller: CallerOf) -> Response:
        def work() -> Original:
            try:
                return state.sources.original(caller, source, document)
            except StoreError as error:
                raise Refusal(404, "DOCUMENT_MISSING", without_places(error.message), error.hint) from error

        found = await state.slots.run(work)
        headers = {
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(found.name, safe='')}",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        }
        return Response(found.content, media_type="application/octet-stream", headers=headers)

    return routes
