"""The environment variables of the book desk, validated at start."""

import os
import re
from collections.abc import Mapping
from math import ceil
from typing import NamedTuple
from urllib.parse import urlsplit

from vademecum.ask.kinds import CHOSEN
from vademecum.config.kinds import Kind, choice, number, text, whole
from vademecum.config.reader import read
from vademecum.config.schema import Schema, Setting
from vademecum.core.errors import ConfigError
from vademecum.core.models import ModelSettings
from vademecum.core.settings import AnswerStyle
from vademecum.stores import WAYS, is_address

MOST_PASSAGES = 10
_MOST_TOKENS = 1_000_000


class BookSettings(NamedTuple):
    """The settings of the book desk.

    Attributes:
        models: The models that write answers; the first that is not too busy is used. Empty for quotations only.
        top_k: `RETRIEVAL_TOP_K`: the default maximum number of passages that an answer is based on.
        similarity_threshold: `RETRIEVAL_SIMILARITY_THRESHOLD`: passages with a lower cosine are omitted; None if it is
            not set. The trace shows what the default of 0.5 would omit.
        max_tokens: `RETRIEVAL_MAX_TOKENS`: the maximum total length of the passages in a prompt.
        model_timeout_s: `OPENAI_TIMEOUT`: the time limit, in seconds, of a call to a model including retries.
        max_question_tokens: `SERVICE_MAX_QUESTION_TOKENS`: the maximum length of a question.
        retries: `SERVICE_RETRY_ATTEMPTS`: the maximum number of retries of a call to a model.
        timeout_s: `ASK_TIMEOUT`: the time limit, in seconds, of a question.
        cached: `ASK_CACHE`: the maximum number of cached answers without a model; 0 disables the cache.
        reply_tokens: The maximum length of a model's reply.
        temperature: The sampling temperature of the model.
        style: `ASK_STYLE`: what a model does: `choose` among the statements of the documents, or write `prose`.
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
    style: AnswerStyle = "choose"


def _of(name: str, kind: Kind, default: str = "", field: str = "") -> Setting:
    return Setting(name, kind, default, (field,) if field else None, variables=(name,))


_MODELS, _STORE, _QDRANT, _TIMEOUT = "OPENAI_MODEL", "BOOKS_STORE", "QDRANT_URL", "QDRANT_TIMEOUT"
_USUAL_MODEL = "gpt-4-turbo"
_NAME, _NAME_PATTERN = "QDRANT_COLLECTION_NAME", r"[A-Za-z][A-Za-z0-9_-]{0,60}"
_TOKENS, _TIME_S = whole(1, _MOST_TOKENS), number(0.001, 3600)
_ADDRESS = text("the address of a store", is_secret=True)
SCHEMA = Schema(
    (
        _of(_MODELS, text("a model's name, or several with commas between", lambda given: given.strip(", "))),
        _of("OPENAI_TIMEOUT", _TIME_S, "30", "model_timeout_s"),
        _of("RETRIEVAL_TOP_K", whole(1, MOST_PASSAGES), "3", "top_k"),
        _of("RETRIEVAL_SIMILARITY_THRESHOLD", number(-1, 1), field="similarity_threshold"),
        _of("RETRIEVAL_MAX_TOKENS", _TOKENS, "3000", "max_tokens"),
        _of("SERVICE_MAX_QUESTION_TOKENS", _TOKENS, "2000", "max_question_tokens"),
        _of("SERVICE_RETRY_ATTEMPTS", whole(0, 20), "3", "retries"),
        _of("ASK_TIMEOUT", _TIME_S, "60", "timeout_s"),
        _of("ASK_STYLE", choice("choose", "prose"), "choose", "style"),
        _of("ASK_CACHE", whole(0, _MOST_TOKENS), "1000", "cached"),
        _of(_STORE, _ADDRESS),
        _of(_QDRANT, _ADDRESS),
        _of(
            _NAME,
            text(
                "a name of letters, digits, - and _, which begins with a letter",
                lambda given: re.fullmatch(_NAME_PATTERN, given),
            ),
            "rag_embedding",
        ),
        _of(_TIMEOUT, _TIME_S, "5"),
    )
)
"""The variables of the desk. `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `QDRANT_API_KEY` are read elsewhere, when their
server is used."""


def settings_from(environment: Mapping[str, str] = os.environ) -> BookSettings:
    """Read the settings from environment variables. A blank variable is treated as not set.

    If none of `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL` is set, no model is used. The name of a model may
    include its provider (`OPENAI_MODEL=ollama:gemma3:1b`). Several models are separated by commas; if one is too busy,
    the next one is used.
    """
    values = read(SCHEMA, environ=environment)
    settings = values.into(BookSettings())
    is_wanted = any(
        environment.get(name, "").strip() for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", _MODELS)
    )
    names = (values.value(_MODELS) or _USUAL_MODEL).split(",") if is_wanted else ()
    models = tuple(_model(name.strip(), settings) for name in names if name.strip())
    return settings._replace(models=models)


def _model(name: str, settings: BookSettings) -> ModelSettings:
    provider, mark, rest = name.partition(":")
    is_other = bool(mark) and provider in _OTHERS
    return ModelSettings(
        provider if is_other else "openai",
        rest if is_other else name,
        timeout_s=settings.model_timeout_s,
        retries=settings.retries,
    )


_OTHERS = frozenset({"openai", "ollama", "gemini", "llamacpp"})


def books_store(environment: Mapping[str, str] = os.environ) -> str:
    """Return the address of the store that contains the books; "" for files.

    `BOOKS_STORE` is the address of any store. `QDRANT_URL` is the usual URL of a Qdrant server, together with
    `QDRANT_API_KEY`, `QDRANT_COLLECTION_NAME` and `QDRANT_TIMEOUT` (seconds).
    """
    values = read(SCHEMA, environ=environment)
    url: str = values.value(_QDRANT)
    named: str = values.value(_STORE)
    if url and named:
        message = "QDRANT_URL and BOOKS_STORE both name a store for books."
        raise ConfigError(message, hint="Unset one of them.")
    if named and not is_address(named):
        raise ConfigError("BOOKS_STORE is not the address of a store.", hint=f"It begins with {WAYS}.")
    if not url:
        return named
    try:
        parts = urlsplit(url)
        is_fine = (
            parts.scheme in {"http", "https"} and parts.hostname and not parts.query + parts.path.strip("/")
        )
    except ValueError:  # unbalanced brackets
        parts, is_fine = urlsplit(""), False
    if not is_fine or "@" in url:
        message = "QDRANT_URL cannot be read."
        raise ConfigError(message, hint="Write it like https://host:6333, with the key in QDRANT_API_KEY.")
    scheme = "qdrant+https" if parts.scheme == "https" else "qdrant"
    timeout_s = min(1000, ceil(values.value(_TIMEOUT)))
    return f"{scheme}://{parts.netloc}/{values.value(_NAME)}?timeout={timeout_s}"
