"""Errors of the server as problem details (RFC 9457)."""

from collections.abc import Mapping
from typing import Any

from vademecum.core.errors import VademecumError

PROBLEM = "application/problem+json"


class HttpError(Exception):
    """A request that the server rejects.

    Args:
        code: A fixed name, such as `BODY_INVALID`.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        hint: str = "",
        headers: tuple[tuple[str, str], ...] = (),
        *,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.extra = dict(extra or {})
        self.status, self.code, self.message, self.hint, self.headers = status, code, message, hint, headers


def problem(error: VademecumError | HttpError) -> dict[str, Any]:
    """Return an error as plain data. Clients rebuild the exception from `code`, `detail` and `hint`."""
    return {
        "type": f"urn:vademecum:error:{error.code}",
        "title": error.code.replace("_", " ").capitalize(),
        "status": error.status,
        "code": error.code,
        "detail": error.message,
        "hint": error.hint,
        **(error.extra if isinstance(error, HttpError) else {}),
    }
