"""Errors as problem details (RFC 9457), and the HTTP status of each."""

import json
from typing import Any

from vademecum.core import errors
from vademecum.core.errors import VademecumError
from vademecum.server.exchange import Refusal, Reply

PROBLEM = "application/problem+json"

STATUSES: dict[type[VademecumError], int] = {
    errors.VademecumError: 500,
    errors.ConfigError: 500,
    errors.SourceError: 422,
    errors.RendererMissing: 500,
    errors.ArchiveBroken: 422,
    errors.TemplatesClash: 422,
    errors.ProviderError: 502,
    errors.ProviderUnreachable: 502,
    errors.ProviderTimeout: 504,
    errors.ProviderRefused: 502,
    errors.ProviderBusy: 502,
    errors.ModelMissing: 502,
    errors.ReplyInvalid: 502,
    errors.StreamClosed: 502,
    errors.StoreError: 500,
    errors.IndexMissing: 503,
    errors.IndexCorrupt: 503,
    errors.IndexStale: 503,
    errors.IndexLocked: 409,
    errors.DiskFull: 507,
    errors.CollectionMissing: 422,
    errors.CollectionExists: 409,
    errors.CollectionRefused: 403,
    errors.AnswerError: 400,
    errors.DeadlinePassed: 504,
    errors.SessionMissing: 404,
}
"""The status of each error; a test fails on a class that is not here."""


def problem(error: VademecumError | Refusal) -> dict[str, Any]:
    """An error as plain data: `code`, `detail` and `hint` are what a client makes it from again."""
    return {
        "type": f"urn:vademecum:error:{error.code}",
        "title": error.code.replace("_", " ").capitalize(),
        "status": error.status if isinstance(error, Refusal) else status_of(error),
        "code": error.code,
        "detail": error.message,
        "hint": error.hint,
    }


def refused(error: VademecumError | Refusal) -> Reply:
    """An error as a reply."""
    data = problem(error)
    headers = error.headers if isinstance(error, Refusal) else ()
    return Reply(data["status"], PROBLEM, json.dumps(data).encode() + b"\n", headers)


def status_of(error: VademecumError) -> int:
    """The status of an error, or of the nearest of its families that has one."""
    return next(STATUSES[family] for family in type(error).__mro__ if family in STATUSES)
