"""`/api/jobs`: the progress of the jobs that index collections."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.responses import Response

from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import Caller, may
from vademecum.server.guard.caller import CallerOf
from vademecum.server.jobs import Following, Job, Jobs
from vademecum.server.state import State
from vademecum.server.streams import EventStream


class JobInfo(BaseModel):
    """A job."""

    id: str
    collection: str
    state: str = Field(description="`queued`, `running`, `succeeded`, `failed` or `cancelled`.")
    percent_complete: float
    documents: int
    message: str
    created: float
    changed: float


class JobList(BaseModel):
    """The newest jobs."""

    jobs: list[JobInfo]


def add_jobs(routes: APIRouter, state: State, jobs: Jobs) -> None:
    """Add the routes of jobs.

    Args:
        routes: The router.
        state: The server's state.
        jobs: The jobs.
    """

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

    @routes.post("/api/jobs/{job}/cancel", status_code=202, response_model=JobInfo, summary="Have a job end")
    async def cancel(job: str, caller: CallerOf) -> Response:
        def work() -> dict[str, Any]:
            found = job_of(caller, job)
            jobs.cancel(found.id)
            return job_of(caller, job).to_dict()

        return JSONResponse(await state.slots.run(work), 202)
