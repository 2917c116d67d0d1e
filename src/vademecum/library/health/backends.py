"""The configured back ends (models and embedders): whether each is available, and a test with one real call."""

import time
from collections.abc import Callable
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
"""What a back-end may be used for."""


class Backend(NamedTuple):
    """A model that the configuration names.

    Attributes:
        key: Where: `models.NAME`, or the setting that names it outright (`ragman.model`).
        spec: What opens it: its settings, or the name of an embedder in the process.
        uses: What it is used for by `ragman`; nothing for a model that is only described.
    """

    key: str
    spec: ModelSettings | str
    uses: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Provider and model, as in `ollama:gemma3:1b`."""
        return self.spec if isinstance(self.spec, str) else f"{self.spec.provider}:{self.spec.model}"

    def look(self, timeout_s: float) -> tuple[str, ...]:
        """See that it is there; see `providers.registry.look`.

        Raises:
            VademecumError: It is not.
        """
        return look(self.spec, Deadline(timeout_s))


def configured(settings: Settings) -> list[Backend]:
    """All back-ends of a configuration, those first that `ragman` uses. The word table, which is always there, is none.

    Raises:
        ConfigError: A name is that of no model.
    """
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
    """The back-end of a name: one that the configuration describes, `builtin`, `onnx`, or `PROVIDER:MODEL`.

    Raises:
        ConfigError: It is that of no model.
    """
    if name in {BUILTIN, ONNX}:
        return Backend(name, name, (EMBEDS,))
    spec = settings_of(name, settings.models)
    for one in configured(settings):
        if one.spec == spec:
            return one
    return Backend(name, spec)


def probes(places: Places) -> tuple[Probe, ...]:
    """A probe for each back-end; none where the configuration cannot be used, which is a component of its own."""
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
    from vademecum.index.stored.reader import StoredGenerations  # noqa: PLC0415 - for those who have one
    from vademecum.stores import open_store  # noqa: PLC0415 - likewise

    store = open_store(url)
    try:
        current = StoredGenerations(store).current()
    finally:
        store.close()
    return f"{store.name} is there: generation {current.number}, {current.documents:,} documents."


def _said(one: Backend, timeout_s: float) -> str:
    one.look(timeout_s)
    return f"{one.name} is there."


_REMEDY = "See what is configured, and what answers, with: ragadmin models list"


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
