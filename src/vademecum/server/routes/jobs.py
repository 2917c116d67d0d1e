"""`/api/jobs`: the progress of the jobs that index collections."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from vademecum.library.internal import InternalLibrary
from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import Caller, demand_admin, may
from vademecum.server.guard.caller import CallerOf
from vademecum.server.jobs import Following, Job, MachineSource
from vademecum.server.state import State
from vademecum.server.streams import EventStream


class JobInfo(BaseModel):
    """A job."""

    id: str
    collection: str = Field(
        description="The collection; `@NAME` for a source of this machine, `@` for all of them."
    )
    state: str = Field(description="`queued`, `running`, `succeeded`, `failed` or `cancelled`.")
    percent_complete: float
    documents: int
    message: str
    created: float
    changed: float


class JobList(BaseModel):
    """The newest jobs."""

    jobs: list[JobInfo]


class NewJob(BaseModel):
    """A job that indexes what has changed in the sources of this machine."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: str = Field(default="", max_length=63, description="The name of a source; by default all.")


def add_jobs(routes: APIRouter, state: State) -> None:
    """Add the routes of jobs."""
    jobs = state.jobs

    def job_of(caller: Caller, id_: str) -> Job:
        found = jobs.get(id_)
        if found is None or not may(caller, found.owner, changing=True):
            raise HttpError(404, "JOB_MISSING", "Job not found.", "List them with GET /api/jobs.")
        return found

    @routes.get("/api/jobs", response_model=JobList, summary="List the newest jobs")
    async def all_jobs(caller: CallerOf) -> Response:
        owner = None if caller.is_admin else caller.owner
        found = await state.slots.run(lambda: jobs.all(owner=owner))
        return JSONResponse({"jobs": [job.to_dict() for job in found]})

    @routes.post(
        "/api/jobs",
        status_code=202,
        response_model=JobInfo,
        summary="Index what has changed in the sources of this machine; for admins",
    )
    async def begin(asked: NewJob, caller: CallerOf) -> Response:
        demand_admin(caller)

        def work() -> dict[str, Any]:
            library = InternalLibrary.open(state.settings.places)
            if asked.source:
                library.source(asked.source)
            return jobs.begin(MachineSource(library, asked.source), caller.owner).to_dict()

        return JSONResponse(await state.slots.run(work), 202)

    @routes.get("/api/jobs/{job}", response_model=JobInfo, summary="Get the progress of a job")
    async def one_job(job: str, caller: CallerOf) -> Response:
        return JSONResponse((await state.slots.run(lambda: job_of(caller, job))).to_dict())

    @routes.get(
        "/api/jobs/{job}/events",
        summary="Follow a job: server-sent events `job` until it ends",
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
        response_class=Response,
    )
    async def follow(job: str, caller: CallerOf) -> Response:
        first = await state.slots.run(lambda: job_of(caller, job))
        return EventStream(state, Following(jobs, first))

    @routes.post("/api/jobs/{job}/cancel", status_code=202, response_model=JobInfo, summary="Cancel a job")
    async def cancel(job: str, caller: CallerOf) -> Response:
        def work() -> dict[str, Any]:
            found = job_of(caller, job)
            jobs.cancel(found.id)
            return job_of(caller, job).to_dict()

        return JSONResponse(await state.slots.run(work), 202)
