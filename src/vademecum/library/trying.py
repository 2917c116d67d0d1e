"""Trying a model out: one real reply, one embedding, and how long each took."""

import time
from collections.abc import Callable
from typing import NamedTuple

from vademecum.core.deadline import Deadline
from vademecum.core.errors import VademecumError
from vademecum.core.models import Message, ModelSettings
from vademecum.library.backends import ANSWERS, EMBEDS, Backend
from vademecum.providers.registry import open_embedder, open_model

QUESTION = "Which command lists the files of a folder on Linux? Answer in one short sentence."
TEXT = "change the permissions of a file"
_REPLY_TOKENS = 60


class Tried(NamedTuple):
    """What came of one way to use a model.

    Attributes:
        use: `answers` or `embeds`.
        ok: Whether it can be used so.
        seconds: How long it took, the loading of the model included.
        said: The reply, or what the vector is; else why there is none.
        hint: What to do then; "" if it can be used.
        error_code: The error's code, likewise.
        warnings: What a person should know of a reply.
    """

    use: str
    ok: bool
    seconds: float
    said: str
    hint: str = ""
    error_code: str = ""
    warnings: tuple[str, ...] = ()


class _Said(NamedTuple):
    said: str
    warnings: tuple[str, ...] = ()


def try_out(one: Backend, timeout_s: float) -> list[Tried]:
    """Use a model as it is configured to be used; one that is only described, in both ways.

    Args:
        one: The model.
        timeout_s: For each use.
    """
    spec = one.spec if isinstance(one.spec, str) else one.spec._replace(retries=0)
    return [_timed(use, _WAYS[use], spec, timeout_s) for use in one.uses or (ANSWERS, EMBEDS)]


def works(one: Backend, tried: list[Tried]) -> bool:
    """Whether it can be used as configured; one that is only described, in one way at least."""
    return (all if one.uses else any)(each.ok for each in tried)


def _timed(
    use: str,
    way: Callable[[ModelSettings | str, Deadline], _Said],
    spec: ModelSettings | str,
    timeout_s: float,
) -> Tried:
    began_s = time.perf_counter()
    try:
        said, warnings = way(spec, Deadline(timeout_s))
    except VademecumError as error:
        return Tried(use, False, time.perf_counter() - began_s, error.message, error.hint, error.code)
    return Tried(use, True, time.perf_counter() - began_s, said, warnings=warnings)


def _answered(spec: ModelSettings | str, deadline: Deadline) -> _Said:
    model = open_model(spec)
    try:
        reply = model.reply([Message("user", QUESTION)], max_tokens=_REPLY_TOKENS, deadline=deadline)
    finally:
        model.close()
    return _Said(" ".join(reply.text.split()), reply.warnings)


def _embedded(spec: ModelSettings | str, deadline: Deadline) -> _Said:
    embedder = open_embedder(spec)
    try:
        (vector,) = embedder.embed([TEXT], "query", deadline)
    finally:
        embedder.close()
    return _Said(f"a vector of {len(vector)} numbers")


_WAYS = {ANSWERS: _answered, EMBEDS: _embedded}
