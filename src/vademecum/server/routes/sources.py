"""`/api/sources`: the sources that can be queried, and the documents behind the answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.responses import Response

from vademecum.core.errors import StoreError
from vademecum.server.errors import HttpError
from vademecum.server.guard.caller import CallerOf
from vademecum.server.guard.redaction import published, without_places
from vademecum.server.state import State

DOCUMENT = r"^[a-z0-9][a-z0-9-]{0,62}:[0-9a-f]{64}$"
MOST_CHARACTERS = 1 << 31
_LONGEST_SEARCH = 200
_MOST_DOCUMENTS = 1000
_MOST_PAGES = 10_000
_MOST_WIDTH = 2400
_MOST_WINDOW = 400_000
"""The maximum number of characters of a document in one response. A window begins at the requested start."""

SourceName = Annotated[str, Path(max_length=63, description="A name from `GET /api/sources`.")]
DocumentId = Annotated[str, Path(pattern=DOCUMENT, description="The `document` of a citation.")]
Needed = Annotated[int, Query(ge=0, le=MOST_CHARACTERS)]
Offset = Annotated[int | None, Query(ge=0, le=MOST_CHARACTERS)]


class SourceInfo(BaseModel):
    """A source that can be queried."""

    name: str
    kind: str = Field(
        description="`man`, `info`, `kiwix`, `tldr`, `help`, `records` or `docs` of this machine; `book`, `manual`, `collection`."
    )
    title: str
    documents: int
    size_bytes: int
    updated: str = Field(description="The time of the last index update, ISO 8601; may be empty.")
    problem: str = Field(description="Why it cannot be queried; may be empty.")


class SourceList(BaseModel):
    """All sources that the caller may query."""

    sources: list[SourceInfo]


class DocumentInfo(BaseModel):
    """A document of a source."""

    id: str
    reference: str = Field(description="The reference.")
    title: str
    summary: str = Field(description="A one-line description; may be empty.")


class DocumentList(BaseModel):
    """Documents of a source, sorted by reference. References that begin with the first search word lead."""

    source: SourceInfo
    documents: list[DocumentInfo]
    total: int = Field(description="The total number.")


class SectionInfo(BaseModel):
    """An entry of a table of contents."""

    title: str
    level: int
    start: int
    anchor: str


class DocumentText(BaseModel):
    """A document, or complete lines of it. Offsets are code points of the document's text."""

    id: str
    source: str
    source_title: str
    kind: str
    alias: str
    key: str
    reference: str
    title: str
    summary: str
    length: int = Field(description="The length of the whole text, in code points.")
    start: int = Field(description="The start of the returned text.")
    end: int
    text: str
    blocks: list[tuple[str, int, int]] = Field(
        description="The blocks of the text: `heading`, `term`, `meaning`, `code` or `paragraph`, start, end."
    )
    sections: list[SectionInfo]
    generation: int
    has_original: bool = Field(description="Whether the original file is available.")
    is_printed: bool = Field(description="Whether its pages are available as images (PDF files).")
    read_on: str = Field(description="The command that displays it; may be empty.")


class PrintedPage(BaseModel):
    """The page of a PDF that contains a range of its text."""

    page: int = Field(description="From 1.")
    pages: int = Field(description="The number of pages.")
    width: float = Field(description="Of the page, in points.")
    height: float = Field(description="Of the page, in points.")
    placed: float = Field(description="The share of the range's letters and digits that are on this page.")
    rectangles: list[tuple[float, float, float, float]] = Field(
        description="The rectangles of the range: left, top, right, bottom, as shares of the page's size. None if less than half was found."
    )


@contextmanager
def missing_documents() -> Iterator[None]:
    """Report documents that cannot be read as missing, with the status 404."""
    try:
        yield
    except StoreError as error:
        raise HttpError(404, "DOCUMENT_MISSING", without_places(error.message), error.hint) from error


def router(state: State) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["sources"], prefix="/api")

    @routes.get("/sources", response_model=SourceList, summary="List the sources")
    async def sources(caller: CallerOf) -> Response:
        found = await state.slots.run(lambda: [one._asdict() for one in state.sources.of(caller)])
        return JSONResponse(published({"sources": found}, is_admin=caller.is_admin))

    @routes.get(
        "/sources/{source}/documents",
        response_model=DocumentList,
        summary="List the documents of a source, or find some by name, title or description",
    )
    async def documents(
        source: SourceName,
        caller: CallerOf,
        q: Annotated[str, Query(max_length=_LONGEST_SEARCH)] = "",
        skip: Annotated[int, Query(ge=0, le=MOST_CHARACTERS)] = 0,
        limit: Annotated[int, Query(ge=1, le=_MOST_DOCUMENTS)] = 100,
    ) -> Response:
        found = await state.slots.run(lambda: state.sources.documents(caller, source, q, skip, limit))
        return JSONResponse(published(found, is_admin=caller.is_admin))

    @routes.get(
        "/sources/{source}/documents/{document}",
        response_model=DocumentText,
        summary="Get a document, or the lines around a range",
    )
    async def document(
        source: SourceName, document: DocumentId, caller: CallerOf, start: Offset = None, end: Offset = None
    ) -> Response:
        first = start or 0
        last = first + _MOST_WINDOW if end is None else min(end, first + _MOST_WINDOW)
        with missing_documents():
            found = await state.slots.run(
                lambda: state.sources.document(caller, source, document, first, last)
            )
        return JSONResponse(published(found, is_admin=caller.is_admin))

    @routes.get(
        "/sources/{source}/documents/{document}/pages",
        response_model=PrintedPage,
        summary="Find the page of a PDF that contains a range of its text",
    )
    async def printed(
        source: SourceName, document: DocumentId, caller: CallerOf, start: Needed, end: Needed
    ) -> Response:
        with (
            missing_documents()
        ):  # in its own thread: a PDF may be slow to read, and questions must not wait for it
            found = await state.slots.run_apart(
                lambda: state.sources.printed(caller, source, document, start, end)
            )
        return JSONResponse(published(found._asdict(), is_admin=caller.is_admin))

    @routes.get(
        "/sources/{source}/documents/{document}/pages/{page}",
        summary="Get a page of a PDF as an image",
        responses={200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}},
        response_class=Response,
    )
    async def picture(
        source: SourceName,
        document: DocumentId,
        page: Annotated[int, Path(ge=1, le=_MOST_PAGES)],
        caller: CallerOf,
        width: Annotated[int, Query(ge=100, le=_MOST_WIDTH, description="In pixels.")] = 1000,
    ) -> Response:
        with missing_documents():
            image = await state.slots.run_apart(
                lambda: state.sources.picture(caller, source, document, page, width)
            )
        headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "private, max-age=300"}
        return Response(image, media_type="image/png", headers=headers)

    @routes.get(
        "/sources/{source}/documents/{document}/original",
        summary="Download the original file of a document, in its current state",
        responses={
            200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
        },
        response_class=Response,
    )
    async def original(source: SourceName, document: DocumentId, caller: CallerOf) -> Response:
        with missing_documents():
            found = await state.slots.run(lambda: state.sources.original(caller, source, document))
        headers = {
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(found.name, safe='')}",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        }
        return Response(found.content, media_type="application/octet-stream", headers=headers)

    return routes
