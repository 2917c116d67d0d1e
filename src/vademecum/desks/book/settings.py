"""What the environment says of the book desk: the variables of its specification, checked at start."""

import os
import re
from collections.abc import Callable, Mapping
from math import ceil
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

from vademecum.ask.rating import CHOSEN
from vademecum.core.errors import ConfigError
from vademecum.core.models import ModelSettings
from vademecum.stores import ADDRESSES, WAYS
from vademecum.text.printable import printable

MOST_PASSAGES = 10
_LONGEST_TIME_S = 3600.0
_MOST_TOKENS = 1_000_000
_Value = TypeVar("_Value", int, float)


class BookSettings(NamedTuple):
    """The settings of the book desk.

    Attributes:
        models: Who writes answers, the first that is not too busy; none for answers of the book's own words.
        top_k: `RETRIEVAL_TOP_K`: how many passages an answer may rest on, unless the question says.
        similarity_threshold: `RETRIEVAL_SIMILARITY_THRESHOLD`: passages whose cosine is below are left out; None where
            it is not set. What its default, 0.5, would leave out is in the trace.
        max_tokens: `RETRIEVAL_MAX_TOKENS`: how long the passages before a model may be together.
        model_timeout_s: `OPENAI_TIMEOUT`: for a model with all its tries.
        max_question_tokens: `SERVICE_MAX_QUESTION_TOKENS`.
        retries: `SERVICE_RETRY_ATTEMPTS`: how often a model is tried again.
        timeout_s: `ASK_TIMEOUT`: for all of a question.
        cached: `ASK_CACHE`: how many answers of the book's own words are remembered; 0 for none.
        reply_tokens: How long a model's reply may be.
        temperature: Of the model.
    """

    models: tuple[ModelSettings, ...] = ()
    top_k: int = CHOSEN
    similarity_threshold: float | None = None
    max_tokens: int = 3000
    model_timeout_s: float = 30.0
    max_question_tokens: int = 2000
    retries: int = 3
    timeout_s: float = 60.0
    cached: int = 1000
    reply_tokens: int = 1000
    temperature: float = 0.3


_MODEL = "gpt-4-turbo"
_DEFAULTS = {
    "OPENAI_MODEL": _MODEL,
    "OPENAI_EMBEDDING_MODEL": "text-embedding-3-small",
    "QDRANT_COLLECTION_NAME": "rag_embedding",
    "RETRIEVAL_TOP_K": "3",
    "RETRIEVAL_SIMILARITY_THRESHOLD": "0.5",
    "RETRIEVAL_MAX_TOKENS": "3000",
    "QDRANT_TIMEOUT": "5",
    "OPENAI_TIMEOUT": "30",
    "SERVICE_MAX_QUESTION_TOKENS": "2000",
    "SERVICE_RETRY_ATTEMPTS": "3",
    "ASK_TIMEOUT": "60",
    "ASK_CACHE": "1000",
}
"""The variables and what they are when they are not set. `OPENAI_API_KEY`, `QDRANT_URL` and `QDRANT_API_KEY` have no default."""


def settings_from(environment: Mapping[str, str] = os.environ) -> BookSettings:
    """The settings of an environment. A blank variable is one that is not set.

    With none of `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL` set nobody is asked but the book. A model of
    another provider is named with it (`OPENAI_MODEL=ollama:gemma3:1b`); of several, parted by commas, the next is
    asked when one is too busy.

    Raises:
        ConfigError: A variable cannot be used.
    """
    said = {name: value.strip() for name, value in environment.items() if value.strip()}
    threshold = _number(said, "RETRIEVAL_SIMILARITY_THRESHOLD", float, -1.0, 1.0)
    timeout_s = _number(said, "OPENAI_TIMEOUT", float, 0.001, _LONGEST_TIME_S)
    retries = _number(said, "SERVICE_RETRY_ATTEMPTS", int, 0, 20)
    return BookSettings(
        models=_models(said, timeout_s=timeout_s, retries=retries),
        top_k=_number(said, "RETRIEVAL_TOP_K", int, 1, MOST_PASSAGES),
        similarity_threshold=threshold if "RETRIEVAL_SIMILARITY_THRESHOLD" in said else None,
        max_tokens=_number(said, "RETRIEVAL_MAX_TOKENS", int, 1, _MOST_TOKENS),
        model_timeout_s=timeout_s,
        max_question_tokens=_number(said, "SERVICE_MAX_QUESTION_TOKENS", int, 1, _MOST_TOKENS),
        retries=retries,
        timeout_s=_number(said, "ASK_TIMEOUT", float, 0.001, _LONGEST_TIME_S),
        cached=_number(said, "ASK_CACHE", int, 0, _MOST_TOKENS),
    )


def _models(said: Mapping[str, str], *, timeout_s: float, retries: int) -> tuple[ModelSettings, ...]:
    if not said.keys() & {"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"}:
        return ()
    found = []
    for name in _said(said, "OPENAI_MODEL").split(","):
        if not (model := name.strip()):
            continue
        provider, mark, rest = model.partition(":")
        is_other = bool(mark) and provider in _OTHERS
        found.append(
            ModelSettings(
                provider if is_other else "openai",
                rest if is_other else model,
                timeout_s=timeout_s,
                retries=retries,
            )
        )
    if not found:
        raise _unusable(
            "OPENAI_MODEL", said["OPENAI_MODEL"], "a model's name, or several with commas between"
        )
    return tuple(found)


_OTHERS = frozenset({"openai", "ollama", "gemini", "llamacpp"})


def books_store(environment: Mapping[str, str] = os.environ) -> str:
    """The address of the store that books are in; "" for files.

    `BOOKS_STORE` is any address of a store. `QDRANT_URL` is that of a Qdrant server as its vendor writes it; `QDRANT_API_KEY`,
    `QDRANT_COLLECTION_NAME` and `QDRANT_TIMEOUT` (seconds) belong to it.

    Raises:
        ConfigError: A variable cannot be used.
    """
    said = {name: value.strip() for name, value in environment.items() if value.strip()}
    timeout_s = _number(said, "QDRANT_TIMEOUT", float, 0.001, _LONGEST_TIME_S)
    url, named = said.get("QDRANT_URL", ""), said.get("BOOKS_STORE", "")
    if url and named:
        message = "QDRANT_URL and BOOKS_STORE both name a store for books."
        raise ConfigError(message, hint="Unset one of them.")
    if named and not named.startswith(ADDRESSES):
        raise ConfigError("BOOKS_STORE is not the address of a store.", hint=f"It begins with {WAYS}.")
    if not url:
        return named
    try:
        parts = urlsplit(url)
        is_fine = (
            parts.scheme in {"http", "https"} and parts.hostname and not parts.query + parts.path.strip("/")
        )
    except ValueError:  # brackets that do not close
        parts, is_fine = urlsplit(""), False
    if not is_fine or "@" in url:
        message = "QDRANT_URL cannot be read."
        raise ConfigError(message, hint="Write it like https://host:6333, with the key in QDRANT_API_KEY.")
    name = _said(said, "QDRANT_COLLECTION_NAME")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,60}", name):
        raise _unusable(
            "QDRANT_COLLECTION_NAME", name, "a name of letters, digits, - and _, which begins with a letter"
        )
    scheme = "qdrant+https" if parts.scheme == "https" else "qdrant"
    return f"{scheme}://{parts.netloc}/{name}?timeout={min(1000, ceil(timeout_s))}"


def _said(said: Mapping[str, str], name: str) -> str:
    return said.get(name, _DEFAULTS[name])


def _number(
    said: Mapping[str, str], name: str, kind: Callable[[str], _Value], least: _Value, most: _Value
) -> _Value:
    text = _said(said, name)
    what = "a whole number" if isinstance(least, int) else "a number"  # type: ignore[redundant-expr] # checked for either type in turn
    wanted = f"{what} from {least:g} to {most:g}"
    try:
        value = kind(text)
    except ValueError as error:
        raise _unusable(name, text, wanted) from error
    if not least <= value <= most:  # a NaN is not between any two
        raise _unusable(name, text, wanted)
    return value


def _unusable(name: str, value: str, wanted: str) -> ConfigError:
    message = f"{name} must be {wanted}, not {printable(repr(value), 40)}."
    return ConfigError(message, hint=f"Correct the environment variable {name}, or unset it.")
