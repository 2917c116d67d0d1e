"""Routes of collections: create, describe, fill, index in jobs, try, delete."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, File, Form, UploadFile
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

from vademecum.core.errors import CollectionRefused, IndexMissing, SourceError, StoreError
from vademecum.library.background import begin
from vademecum.library.collections import LONGEST_NAME, Collection
from vademecum.library.thresholds import MOST_QUESTIONS, calibrate
from vademecum.library.uploads.export import archive_of
from vademecum.library.uploads.uploads import Uploads, shown
from vademecum.library.uploads.zip_files import MOST_FILES, Member, members_of
from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import HERE, READERS, Caller, may
from vademecum.server.guard.caller import CallerOf
from vademecum.server.jobs import FolderWatch
from vademecum.server.routes.jobs import JobInfo, add_jobs
from vademecum.server.state import State
from vademecum.text.printable import printable

_T = TypeVar("_T")
_PIECE = 1 << 20
_MOST_COLLECTIONS = 1000
_MOST_DOCUMENTS = 10_000
_FULL = SourceError(
    f"The collection already has {_MOST_DOCUMENTS:,} files.",
    hint="Remove some, or upload records in one file.",
)
_Threshold = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]


class Described(BaseModel):
    """The settings of a collection."""

    model_config = ConfigDict(extra="forbid", strict=True)

    description: str | None = Field(default=None, max_length=2000)
    prompt: str | None = Field(default=None, max_length=20_000, description="The prompt for models.")
    match_threshold: _Threshold | None = Field(default=None, description="The maximum distance of a match.")
    partial_threshold: _Threshold | None = Field(default=None, description="Likewise, of a partial match.")
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000, description="Of a model's answer.")
    model: str | None = Field(default=None, max_length=200)
    shared_with: list[Annotated[str, Field(min_length=1, max_length=200)]] | None = Field(
        default=None, max_length=1000, description="The names of keys that can also query it, for the owner."
    )

    @model_validator(mode="after")
    def _ordered(self) -> "Described":
        match, partial = self.match_threshold, self.partial_threshold
        if match is not None and partial is not None and match > partial:
            message = "match_threshold must not be above partial_threshold"
            raise ValueError(message)
        return self

    def metadata(self) -> dict[str, Any]:
        """Return the given settings that are stored as metadata. `None` removes a value."""
        return self.model_dump(exclude_unset=True, exclude={"name", "description", "shared_with"})


class NewCollection(Described):
    """A collection to create."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME, pattern=r"^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$")


class EmbeddedInfo(BaseModel):
    """The number of passages that the transformer has embedded."""

    passages: int
    total: int


class CollectionInfo(BaseModel):
    """A collection."""

    name: str
    kind: str
    description: str
    created: str
    metadata: dict[str, Any]
    documents: int = Field(description="The number of indexed documents.")
    embedded: EmbeddedInfo | None = Field(
        description="How much of the collection the transformer, if there is one, has embedded; until then, words are matched."
    )
    may_change: bool = Field(description="Whether the caller may change it.")
    shared_with: list[str] = Field(
        description="The names of the keys that can also query it; for its owner and admins."
    )


class Collections(BaseModel):
    """All collections that the caller may query."""

    collections: list[CollectionInfo]


class UploadInfo(BaseModel):
    """An uploaded document."""

    id: str
    name: str
    media: str
    size_bytes: int
    documents: int
    created: str


class Documents(BaseModel):
    """The uploaded documents of a collection."""

    documents: list[UploadInfo]


class Untaken(BaseModel):
    """A rejected file."""

    name: str
    message: str
    hint: str


class Taken(BaseModel):
    """The stored documents, and the job that indexes them."""

    document: UploadInfo = Field(description="The first of them.")
    documents: list[UploadInfo]
    replaced: list[UploadInfo] = Field(description="The documents that they have replaced.")
    refused: list[Untaken] = Field(description="The rejected files, with the reason.")
    job: JobInfo


class NewName(BaseModel):
    """A new name for a document."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=1000, description="With the same ending as before.")


class Renamed(BaseModel):
    """The renamed document, and the job that indexes it."""

    document: UploadInfo
    job: JobInfo


class Trial(BaseModel):
    """Questions to calibrate the thresholds of a collection."""

    model_config = ConfigDict(extra="forbid", strict=True)

    questions: list[Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]] = Field(
        min_length=1, max_length=MOST_QUESTIONS
    )
    expected: list[bool] | None = Field(
        default=None, description="Whether the collection should answer each question."
    )

    @model_validator(mode="after")
    def _paired(self) -> "Trial":
        if self.expected is not None and len(self.expected) != len(self.questions):
            message = "expected must have one value for each question"
            raise ValueError(message)
        return self


def router(state: State) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["collections"])
    jobs = state.jobs
    state.at_start += [jobs.clear, Thread(target=_embed, args=[state], daemon=True).start]
    follow = FolderWatch(state.collections, jobs, state.settings.folder / "follow.lock")
    state.at_start.append(follow.start)
    state.at_stop += [jobs.close, follow.close]

    async def on(
        caller: Caller, name: str, work: Callable[[Collection], _T], *, changing: bool = False
    ) -> _T:
        """Run work on one of the caller's collections, in a thread."""
        return await state.slots.run(lambda: work(state.collection(caller, name, changing=changing)))

    def info(caller: Caller, collection: Collection) -> dict[str, Any]:
        """Return a collection as plain data. Only callers who may change it see which keys it is shared with."""
        is_theirs = may(caller, collection.owner, changing=True)
        ids = collection.metadata.get(READERS, ()) if is_theirs else ()
        shared = sorted(key.name for key in state.keys.list() if key.id in ids) if ids else []
        return {**_info(collection), "may_change": is_theirs, "shared_with": shared}

    def readers(asked: Described) -> dict[str, Any]:
        """Return the keys that a collection is shared with, as metadata."""
        if asked.shared_with is None:
            return {}
        ids = {key.name: key.id for key in state.keys.list()}
        if missing := [name for name in asked.shared_with if name not in ids]:
            message = f"Key {printable(missing[0], 60)} not found."
            raise HttpError(
                422, "KEY_UNKNOWN", message, "The administrator lists them with: vademecum keys list"
            )
        return {READERS: [ids[name] for name in asked.shared_with] or None}

    @routes.get("/api/collections", response_model=Collections, summary="List the collections")
    async def all_of_them(caller: CallerOf) -> Response:
        found = await state.slots.run(lambda: [info(caller, one) for one in state.collections_of(caller)])
        return JSONResponse({"collections": found})

    @routes.post(
        "/api/collections", status_code=201, response_model=CollectionInfo, summary="Create a collection"
    )
    async def make(asked: NewCollection, caller: CallerOf) -> Response:
        def work() -> dict[str, Any]:
            if len(state.collections.list(owner=caller.owner)) >= _MOST_COLLECTIONS:
                message = f"The maximum of {_MOST_COLLECTIONS:,} collections has been reached."
                raise HttpError(409, "TOO_MANY", message, "Delete one first.")
            metadata = asked.metadata() | readers(asked)
            made = state.collections.create(
                asked.name,
                description=asked.description or "",
                owner=caller.owner,
                metadata={name: value for name, value in metadata.items() if value is not None},
            )
            return info(caller, made)

        return JSONResponse(await state.slots.run(work), 201)

    @routes.get("/api/collections/{collection}", response_model=CollectionInfo, summary="Get a collection")
    async def one(collection: str, caller: CallerOf) -> Response:
        return JSONResponse(await on(caller, collection, lambda one: info(caller, one)))

    @routes.patch(
        "/api/collections/{collection}",
        response_model=CollectionInfo,
        summary="Change the settings of a collection",
    )
    async def describe(collection: str, asked: Described, caller: CallerOf) -> Response:
        def work(found: Collection) -> dict[str, Any]:
            now = {**found.metadata, **asked.metadata()}
            match, partial = now.get("match_threshold"), now.get("partial_threshold")
            if match is not None and partial is not None and match > partial:
                message = "match_threshold must not be above partial_threshold."
                raise HttpError(400, "REQUEST_INVALID", message, "Set both.")
            metadata = asked.metadata() | readers(asked)
            if not asked.model_fields_set.isdisjoint({"match_threshold", "partial_threshold"}):
                with suppress(IndexMissing):
                    metadata["threshold_scale"] = found.library.scale
            return info(caller, found.describe(description=asked.description, metadata=metadata))

        return JSONResponse(await on(caller, collection, work, changing=True))

    @routes.delete("/api/collections/{collection}", status_code=204, summary="Delete a collection")
    async def delete(collection: str, caller: CallerOf) -> Response:
        def work(found: Collection) -> None:
            if caller == HERE and found.kind != "collection":
                message = (
                    f"{found.name} was added from the command line. Deleting it requires an admin's key."
                )
                hint = f"Remove it with: vademecum book remove {found.name}. Or send an admin's key."
                raise CollectionRefused(message, hint=hint)
            state.collections.delete(found.name)

        await on(caller, collection, work, changing=True)
        return Response(status_code=204)

    @routes.get(
        "/api/collections/{collection}/documents",
        response_model=Documents,
        summary="List the uploaded documents",
    )
    async def documents(collection: str, caller: CallerOf) -> Response:
        found = await on(caller, collection, lambda one: [upload.to_dict() for upload in Uploads(one)])
        return JSONResponse({"documents": found})

    @routes.post(
        "/api/collections/{collection}/documents",
        status_code=202,
        response_model=Taken,
        summary="Upload documents",
    )
    async def upload(
        collection: str,
        caller: CallerOf,
        file: Annotated[
            list[UploadFile],
            File(
                description="One or more files. The files in a `.zip` are extracted.", max_length=MOST_FILES
            ),
        ],
        mapping: Annotated[
            str, Form(max_length=2000, description='The mapping of record fields: `{"text": "body"}`.')
        ] = "",
    ) -> Response:
        fields = _mapping(mapping)

        def work(found: Collection) -> dict[str, Any]:
            taken = _take(found, file, fields)
            return {**taken, "job": jobs.begin(found, caller.owner).to_dict()}

        return JSONResponse(await on(caller, collection, work, changing=True), 202)

    @routes.patch(
        "/api/collections/{collection}/documents/{document}",
        status_code=202,
        response_model=Renamed,
        summary="Rename a document",
    )
    async def rename(collection: str, document: str, asked: NewName, caller: CallerOf) -> Response:
        def work(found: Collection) -> dict[str, Any]:
            renamed = Uploads(found).rename(document, asked.name)
            if renamed is None:
                raise HttpError(404, "DOCUMENT_MISSING", "Document not found.", "List the documents first.")
            return {"document": renamed.to_dict(), "job": jobs.begin(found, caller.owner).to_dict()}

        return JSONResponse(await on(caller, collection, work, changing=True), 202)

    @routes.delete(
        "/api/collections/{collection}/documents/{document}",
        status_code=202,
        response_model=JobInfo,
        summary="Delete a document",
    )
    async def remove(collection: str, document: str, caller: CallerOf) -> Response:
        def work(found: Collection) -> dict[str, Any]:
            if not Uploads(found).remove(document):
                raise HttpError(404, "DOCUMENT_MISSING", "Document not found.", "List the documents first.")
            return jobs.begin(found, caller.owner).to_dict()

        return JSONResponse(await on(caller, collection, work, changing=True), 202)

    @routes.post(
        "/api/collections/{collection}/reindex",
        status_code=202,
        response_model=JobInfo,
        summary="Index what has changed in the documents of a collection",
    )
    async def reindex(collection: str, caller: CallerOf) -> Response:
        job = await on(caller, collection, lambda one: jobs.begin(one, caller.owner), changing=True)
        return JSONResponse(job.to_dict(), 202)

    @routes.post("/api/collections/{collection}/calibrate", summary="Calibrate the thresholds with questions")
    async def calibrated(collection: str, asked: Trial, caller: CallerOf) -> dict[str, Any]:
        return await on(caller, collection, lambda one: calibrate(one, asked.questions, asked.expected))

    @routes.get("/api/collections/{collection}/export", summary="Export a collection as a zip file")
    async def export(collection: str, caller: CallerOf) -> Response:
        archive = await on(caller, collection, lambda one: archive_of(one, _info(one)))
        headers = {"Content-Disposition": f'attachment; filename="{collection}.zip"'}
        return StreamingResponse(archive, media_type="application/zip", headers=headers)

    add_jobs(routes, state)
    return routes


def _embed(state: State) -> None:
    """Continue the work of the transformer where an earlier process was interrupted."""
    with suppress(StoreError):
        begin(*(found.library.places.index_folder for found in state.collections.list()))


def _info(collection: Collection) -> dict[str, Any]:
    embedded = collection.library.embedded()
    return {
        "name": collection.name,
        "kind": collection.kind,
        "description": collection.description,
        "created": collection.created,
        "metadata": {name: value for name, value in collection.metadata.items() if name != READERS},
        "documents": sum(source.documents or 0 for source in collection.library.sources()),
        "embedded": embedded and embedded._asdict(),
    }


def _take(collection: Collection, files: Sequence[UploadFile], fields: Mapping[str, str]) -> dict[str, Any]:
    """Store uploaded files. Each replaces a file of the same name. The result includes the rejected files."""
    uploads = Uploads(collection)
    room = _MOST_DOCUMENTS - sum(1 for _ in uploads)
    documents: list[dict[str, Any]] = []
    replaced: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    for member in _members(collection.folder, files):
        error = member.fault if room > 0 else _FULL
        if member.place and not error:
            try:
                taken, old = uploads.replace(member.name, member.place, fields)
            except SourceError as found:
                error = found
            else:
                room += len(old) - 1
                documents.append(taken.to_dict())
                replaced += [one.to_dict() for one in old]
        if error:
            refused.append(
                {"name": printable(member.name, 200), "message": error.message, "hint": error.hint}
            )
    if documents:
        return {"document": documents[0], "documents": documents, "replaced": replaced, "refused": refused}
    first = refused[0]
    if room <= 0:
        raise HttpError(409, "TOO_MANY", first["message"], first["hint"])
    raise HttpError(422, "DOCUMENT_UNREADABLE", first["message"], first["hint"], extra={"refused": refused})


def _members(folder: Path, files: Sequence[UploadFile]) -> Iterator[Member]:
    """Yield the files, and the files in zip archives, each with its temporary path."""
    for file in files:
        name = file.filename or ""
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".incoming-") as place:
            while piece := file.file.read(_PIECE):
                place.write(piece)
            place.flush()
            if not name.lower().endswith(".zip"):
                yield Member(name, Path(place.name))
                continue
            try:
                yield from members_of(Path(place.name), shown(name))
            except SourceError as error:
                yield Member(name, None, error)


def _mapping(text: str) -> dict[str, str]:
    """Return a mapping of fields from the text of a form field."""
    try:
        found = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise HttpError(
            400,
            "REQUEST_INVALID",
            "body.mapping: it must be a JSON object that maps names to names.",
            '{"text": "body"}',
        )
    return found
