"""The server's log: one JSON object per line on standard error, without keys, passwords or questions."""

import logging
import os
import re
import sys
from collections.abc import Mapping, MutableMapping
from functools import lru_cache
from typing import Any, TextIO, cast

import structlog

HIDDEN = "[key]"
_NAMES = re.compile(r"authori[sz]ation|api[-_]?key|token$|secret|passw|cookie|bearer", re.IGNORECASE)
"""Fields whose value is never shown."""

_FORMS = (
    ("vdm_", re.compile(r"vdm_[0-9a-f]{12}_[\w-]{8,}"), HIDDEN),
    ("sk-", re.compile(r"\bsk-[\w-]{8,}"), HIDDEN),
    ("AIza", re.compile(r"\bAIza[\w-]{20,}"), HIDDEN),
    ("earer ", re.compile(r"([Bb]earer )[\w.~+/=-]{8,}"), rf"\1{HIDDEN}"),
    ("://", re.compile(r"://[^/\s:@]+:[^/\s@]+(?=@)"), f"://{HIDDEN}"),
)
"""What keys look like, ours and others', and passwords in addresses: what must be in a text before it is searched at all."""

_SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_SHORTEST = 8


def cleaned(data: Any) -> Any:
    """Plain data with `[key]` for every key and password that can be told.

    >>> cleaned({"question": "is sk-12345678 a key?", "api_key": "x"})
    {'question': 'is [key] a key?', 'api_key': '[key]'}
    """
    if isinstance(data, str):
        text = data
        for mark, form, instead in _FORMS:
            if mark in text:
                text = form.sub(instead, text)
        for secret in _secrets():
            text = text.replace(secret, HIDDEN)
        return text
    if isinstance(data, Mapping):
        return {
            key: HIDDEN
            if isinstance(key, str) and isinstance(value, str) and _NAMES.search(key)
            else cleaned(value)
            for key, value in data.items()
        }
    if isinstance(data, (list, tuple)):
        return [cleaned(value) for value in data]
    return data


def logger_of(logger: logging.Logger) -> structlog.stdlib.BoundLogger:
    """A structured logger that writes to one of the standard library."""
    made = structlog.wrap_logger(
        logger,
        wrapper_class=structlog.stdlib.BoundLogger,
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_log_level,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        cache_logger_on_first_use=True,
    )
    return cast("structlog.stdlib.BoundLogger", made)


class _Handler(logging.StreamHandler[TextIO]):
    """Writes to what is standard error at that moment."""

    @property
    def stream(self) -> TextIO:
        """Standard error."""
        return sys.stderr

    @stream.setter
    def stream(self, _stream: TextIO) -> None:
        """What the base class sets is not needed."""


def set_up_logging() -> None:
    """Send what the server and its parts say to standard error, in one form."""
    handler = _Handler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.format_exc_info,
                _clean,
                structlog.processors.JSONRenderer(ensure_ascii=True, default=repr),
            ],
            foreign_pre_chain=[structlog.stdlib.add_log_level, structlog.stdlib.add_logger_name],
        )
    )
    for name, level in (
        ("vademecum.server", logging.INFO),
        ("vademecum.state", logging.INFO),
        ("uvicorn", logging.WARNING),
        ("mcp", logging.ERROR),
    ):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False
        logger.disabled = False  # as `logging.config` leaves those it was not told of


def _clean(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return cast("MutableMapping[str, Any]", cleaned(event))


@lru_cache(maxsize=1)
def _secrets() -> tuple[str, ...]:
    """The keys that models are called with, as the environment has them."""
    values = {value for name, value in os.environ.items() if _SECRET_VARIABLE.search(name)}
    return tuple(sorted((value for value in values if len(value) >= _SHORTEST), key=len, reverse=True))
