"""Translate HTTP error responses into this package's exceptions."""

import json
from collections.abc import Iterable
from typing import Any

from vademecum.core.errors import ModelMissing, ProviderBusy, ProviderError, ProviderRefused, ReplyInvalid
from vademecum.net.secret import Secret, redacted
from vademecum.text.printable import printable

_SHOWN = 300


def error_of(status: int, said: str, whom: str, *, tries: int = 1) -> ProviderError:
    """Return the exception for a status that is not a success."""
    ending = f": {said}" if said else "."
    if 300 <= status < 400:
        message = f"{whom} redirects to another address (status {status}), which is not followed."
        return ReplyInvalid(message, hint="If the server has moved, change base_url in the configuration.")
    if status in {401, 403}:
        message = (
            f"{whom} rejects the API key, or the key has no permission for this (status {status}){ending}"
        )
        return ProviderRefused(message, hint="Check the environment variable that api_key names.")
    if status == 404:
        message = f"{whom} has no such model or address (status 404){ending}"
        return ModelMissing(message, hint="Check model and base_url in the configuration.")
    if status in {408, 429} or status >= 500:
        times = f", {tries} attempts" if tries > 1 else ""
        message = f"{whom} cannot answer now (status {status}{times}){ending}"
        return ProviderBusy(message, hint="Try again later, or use another model.")
    message = f"{whom} rejects the request (status {status}){ending}"
    return ProviderRefused(
        message, hint="Check model and settings; the prompt may be too long for the model."
    )


def words(content_type: str, body: bytes, secrets: Iterable[Secret]) -> str:
    """Return the server's error message on one line, without control characters and keys; "" if there is none."""
    text = body.decode("utf-8", "replace").strip()
    said = _told(text) or ("" if _is_page(content_type, text) else text)
    return printable(redacted(" ".join(said.split()), secrets), _SHOWN)


def _told(text: str) -> str:
    """Return the message in an error in the format of OpenAI, Google, Ollama or FastAPI."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if isinstance(found, list) and found:
        found = found[0]
    if (
        isinstance(found, dict)
        and isinstance(found.get("error"), str)
        and isinstance(found.get("message"), str)
    ):
        return str(found["message"])  # the other is a code
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    return found if isinstance(found, str) else ""


def _is_page(content_type: str, text: str) -> bool:
    return "html" in content_type.lower() or text[:1] == "<"
