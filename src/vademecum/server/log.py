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
"""The names of fields whose values are never shown."""

_FORMS = (
    ("vdm_", re.compile(r"vdm_[0-9a-f]{12}_[\w-]{8,}"), HIDDEN),
    ("sk-", re.compile(r"\bsk-[\w-]{8,}"), HIDDEN),
    ("AIza", re.compile(r"\bAIza[\w-]{20,}"), HIDDEN),
    ("earer ", re.compile(r"([Bb]earer )[\w.~+/=-]{8,}"), rf"\1{HIDDEN}"),
    ("://", re.compile(r"://[^/\s:@]+:[^/\s@]+(?=@)"), f"://{HIDDEN}"),
)
"""The formats of our own keys, other keys, and passwords in URLs.

Each has a marker, without which a text is not searched, a pattern, and a replacement.
"""

_SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_SHORTEST = 8


def cleaned(data: Any) -> Any:
    """Return plain data with `[key]` in place of every recognized key and password.

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
    """Return a structured logger that writes to a logger of the standard library."""
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
    """A handler that writes to the current standard error."""

    @property
    def stream(self) -> TextIO:
        """Standard error."""
        return sys.stderr

    @stream.setter
    def stream(self, _stream: TextIO) -> None:
        """Ignore the stream that the base class sets."""


def set_up_logging() -> None:
    """Send the log messages of the server and its libraries to standard error, in one format."""
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
        logger.disabled = False  # `logging.config` disables loggers that it does not configure


def _clean(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return cast("MutableMapping[str, Any]", cleaned(event))


@lru_cache(maxsize=1)
def _secrets() -> tuple[str, ...]:
    """Return the secrets in the environment, such as the API keys of models."""
    values = {value for name, value in os.environ.items() if _SECRET_VARIABLE.search(name)}
    return tuple(sorted((value for value in values if len(value) >= _SHORTEST), key=len, reverse=True))
