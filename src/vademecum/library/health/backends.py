"""The configured backends (models and embedders): whether each is available, and a test with one real call."""

import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import NamedTuple

from vademecum.config.library import load_settings
from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError, VademecumError
from vademecum.core.models import Message, ModelSettings
from vademecum.core.settings import Settings
from vademecum.files.places import Places
from vademecum.library.health.probing import Probe
from vademecum.providers.registry import BUILTIN, ONNX, look, open_embedder, open_model, settings_of

ANSWERS, EMBEDS = "answers", "embeds"
"""The uses of a backend."""


class Backend(NamedTuple):
    """A model or embedder in the configuration.

    Attributes:
        key: Its setting: `models.NAME`, or the setting that names it directly (`ragman.model`).
        spec: Its settings, or the name of an embedder in this process.
        uses: What `ragman` uses it for; empty for a model that is configured but not used.
    """

    key: str
    spec: ModelSettings | str
    uses: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Provider and model, such as `ollama:gemma3:1b`."""
        return self.spec if isinstance(self.spec, str) else f"{self.spec.provider}:{self.spec.model}"

    def look(self, timeout_s: float) -> tuple[str, ...]:
        """Check that it is available; see `providers.registry.look`."""
        return look(self.spec, Deadline(timeout_s))


def configured(settings: Settings) -> list[Backend]:
    """Return the backends of a configuration, first those that `ragman` uses. The built-in word table is omitted."""
    found = []
    if settings.model:
        key = f"models.{settings.model}" if settings.model in settings.models else "ragman.model"
        found.append(Backend(key, settings_of(settings.model, settings.models), (ANSWERS,)))
    if settings.embedder != BUILTIN:
        spec = ONNX if settings.embedder == ONNX else settings_of(settings.embedder)
        found.append(Backend("ragadmin.embedder", spec, (EMBEDS,)))
    described = (Backend(f"models.{name}", one) for name, one in settings.models.items())
    return [*found, *(one for one in described if one.key not in {each.key for each in found})]


def named(name: str, settings: Settings) -> Backend:
    """Return the backend for a name: a configured model, `builtin`, `onnx`, or `PROVIDER:MODEL`."""
    if name in {BUILTIN, ONNX}:
        return Backend(name, name, (EMBEDS,))
    spec = settings_of(name, settings.models)
    for one in configured(settings):
        if one.spec == spec:
            return one
    return Backend(name, spec)


def probes(places: Places) -> tuple[Probe, ...]:
    """Return a probe for each backend; none if the configuration is invalid, which is reported separately."""
    try:
        settings = load_settings(places.settings_file, places.settings_copy)
        found = configured(settings)
    except ConfigError:
        return ()
    stores = (
        () if settings.store == "files" else (Probe("ragadmin.store", partial(_stored, settings.store), ""),)
    )
    return (*stores, *(Probe(one.key, partial(_said, one), _REMEDY) for one in found))


def _stored(url: str, _timeout_s: float) -> str:
    from vademecum.index.shared.contents import manifest_in  # noqa: PLC0415 - needed only with a store
    from vademecum.stores import open_engine  # noqa: PLC0415 - likewise

    with closing(open_engine(url)) as engine:
        current = manifest_in(engine)
    return f"{engine.name} is there: generation {current.number}, {current.documents:,} documents."


def _said(one: Backend, timeout_s: float) -> str:
    one.look(timeout_s)
    return f"{one.name} is there."


_REMEDY = "See what is configured, and what answers, with: ragadmin models list"

QUESTION = "Which command lists the files of a folder on Linux? Answer in one short sentence."
TEXT = "change the permissions of a file"
_REPLY_TOKENS = 60


class Tried(NamedTuple):
    """The result of testing one use of a model.

    Attributes:
        use: `answers` or `embeds`.
        ok: Whether the test succeeded.
        seconds: The duration, including loading the model.
        said: The reply, or a description of the vector; otherwise the error message.
        hint: What to do about the error; "" if the test succeeded.
        error_code: The code of the error; "" if the test succeeded.
    """

    use: str
    ok: bool
    seconds: float
    said: str
    hint: str = ""
    error_code: str = ""
    warnings: tuple[str, ...] = ()


def try_out(one: Backend, timeout_s: float) -> list[Tried]:
    """Test a model in its configured uses, or in both uses if it has none.

    Args:
        timeout_s: The time limit for each use, in seconds.
    """
    spec = one.spec if isinstance(one.spec, str) else one.spec._replace(retries=0)
    return [_timed(use, _WAYS[use], spec, timeout_s) for use in one.uses or (ANSWERS, EMBEDS)]


def works(one: Backend, tried: list[Tried]) -> bool:
    """Return whether all configured uses succeeded; for a model without configured uses, whether any use did."""
    return (all if one.uses else any)(each.ok for each in tried)


def _timed(
    use: str,
    way: Callable[[ModelSettings | str, Deadline], tuple[str, tuple[str, ...]]],
    spec: ModelSettings | str,
    timeout_s: float,
) -> Tried:
    began_s = time.perf_counter()
    try:
        said, warnings = way(spec, Deadline(timeout_s))
    except VademecumError as error:
        return Tried(use, False, time.perf_counter() - began_s, error.message, error.hint, error.code)
    return Tried(use, True, time.perf_counter() - began_s, said, warnings=warnings)


def _answered(spec: ModelSettings | str, deadline: Deadline) -> tuple[str, tuple[str, ...]]:
    with closing(open_model(spec)) as model:
        reply = model.reply([Message("user", QUESTION)], max_tokens=_REPLY_TOKENS, deadline=deadline)
    return " ".join(reply.text.split()), reply.warnings


def _embedded(spec: ModelSettings | str, deadline: Deadline) -> tuple[str, tuple[str, ...]]:
    with closing(open_embedder(spec)) as embedder:
        (vector,) = embedder.embed([TEXT], "query", deadline)
    return f"a vector of {len(vector)} numbers", ()


_WAYS = {ANSWERS: _answered, EMBEDS: _embedded}
