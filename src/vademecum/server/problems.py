"""Errors as problem details (RFC 9457)."""

import json
from typing import Any

from vademecum.core.errors import VademecumError
from vademecum.server.exchange import Refusal, Reply

PROBLEM = "application/problem+json"


def problem(error: VademecumError | Refusal) -> dict[str, Any]:
    """An error as plain data: `code`, `detail` and `hint` are what a client makes it from again."""
    return {
        "type": f"urn:vademecum:error:{error.code}",
        "title": error.code.replace("_", " ").capitalize(),
        "status": error.status,
        "code": error.code,
        "detail": error.message,
        "hint": error.hint,
    }


def refused(error: VademecumError | Refusal) -> Reply:
    """An error as a reply."""
    data = problem(error)
    headers = error.headers if isinstance(error, Refusal) else ()
    return Reply(data["status"], PROBLEM, json.dumps(data).encode() + b"\n", headers)
