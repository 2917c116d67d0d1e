"""Models by name: find the provider, and load it when a model is opened."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.core.models import ModelSettings
from vademecum.text.printable import printable
from vademecum.text.similar import closest

if TYPE_CHECKING:
    from vademecum.core.deadline import Deadline
    from vademecum.core.protocols import ChatModel, Embedder
    from vademecum.extensions import Extension
    from vademecum.net import Client

_OURS = {
    "gemini": "vademecum.providers.gemini",
    "llamacpp": "vademecum.providers.llamacpp",
    "ollama": "vademecum.providers.ollama",
    "openai": "vademecum.providers.openai",
}
PROVIDERS = tuple(_OURS)
"""The names of the built-in providers."""

BUILTIN, ONNX = "builtin", "onnx"
"""The in-process embedders, which have no settings: the word table and the transformer."""

_HINT = "A model is named PROVIDER:MODEL, as in ollama:gemma3:1b or openai:gpt-4o-mini."


class _Way(NamedTuple):
    """The settings that models must have in common to share connections."""

    proxy: str
    ca_file: str


_clients: "dict[_Way, Client]" = {}
_lock = Lock()


def open_model(spec: str | ModelSettings) -> "ChatModel":
    """Open a language model."""
    settings = settings_of(spec)
    model: ChatModel = _opener(settings, "open_chat")(settings, _client(settings))
    from vademecum.net.address import place_of  # noqa: PLC0415 - loaded by now
    from vademecum.providers.call_limit import limited  # noqa: PLC0415 - with a model only

    is_here = place_of(settings.base_url).is_here if settings.base_url else settings.provider == "ollama"
    return limited(model, settings, is_here=is_here)


def open_embedder(spec: str | ModelSettings) -> "Embedder":
    """Open an embedder.

    Args:
        spec: `PROVIDER:MODEL`, or the settings of a model; `builtin` or `onnx` for in-process embedders.
    """
    if spec == BUILTIN:
        from vademecum.providers.builtin.words import WordEmbedder  # noqa: PLC0415 - one or the other

        return WordEmbedder()
    if spec == ONNX:
        return transformer()
    settings = settings_of(spec)
    embedder: Embedder = _opener(settings, "open_embedder")(settings, _client(settings))
    return embedder


@cache
def transformer() -> "Embedder":
    """Return the transformer. It is shared by the whole process, because loading it takes longer than a question."""
    from vademecum.providers.onnx import MiniLM  # noqa: PLC0415 - for those who asked for it

    return MiniLM()


def settings_of(
    spec: str | ModelSettings, sections: Mapping[str, ModelSettings] = MappingProxyType({})
) -> ModelSettings:
    """Return the validated settings of a model.

    Args:
        spec: `PROVIDER:MODEL` for default settings, the name of a section, or the settings themselves.
        sections: The models in the configuration (`Settings.models`), by name.

    >>> settings_of("ollama:gemma3:1b").model
    'gemma3:1b'
    """
    if isinstance(spec, str) and spec.strip() in sections:
        spec = sections[spec.strip()]
    if isinstance(spec, str):
        provider, mark, model = spec.strip().partition(":")
        if not mark:
            raise ConfigError(
                f"This does not name a model: {printable(spec, 80)}", hint=_meant(spec, sections)
            )
        spec = ModelSettings(provider, model)
    if not spec.provider or not spec.model.strip() or not spec.model.isprintable():
        raise ConfigError(
            f"This does not name a model: {printable(f'{spec.provider}:{spec.model}', 80)}", hint=_HINT
        )
    for name in ("context_tokens", "max_tokens", "dimensions", "batch", "threads", "calls"):
        value = getattr(spec, name)
        if value is not None and not (type(value) is int and 0 < value <= _MOST):
            raise _unusable(spec, name, "a whole number above 0")
    for name in ("timeout_s", "stall_s"):
        value = getattr(spec, name)
        if type(value) not in {int, float} or not 0 < value <= _MOST:
            raise _unusable(spec, name, "a number of seconds above 0")
    if spec.wait_s is not None and not (type(spec.wait_s) in {int, float} and 0 <= spec.wait_s <= _MOST):
        raise _unusable(spec, "wait_s", "a number of seconds")
    if type(spec.retries) is not int or not 0 <= spec.retries <= MOST_RETRIES:
        raise _unusable(spec, "retries", f"a whole number from 0 to {MOST_RETRIES}")
    return spec


def check_provider(name: str) -> None:
    """Check that a provider with this name exists, without loading it."""
    if name not in _OURS:
        _extension(name)


def look(spec: str | ModelSettings, deadline: "Deadline") -> tuple[str, ...]:
    """Check, without retries and without loading it, that a model is available.

    Returns:
        The models on its server; empty if the server does not list them, or there is none.
    """
    if spec in {BUILTIN, ONNX}:
        open_embedder(spec).check()
        return ()
    settings = settings_of(spec)
    client = _client(settings)
    provider = _provider(settings)
    if hasattr(provider, "look"):
        found: tuple[str, ...] = provider.look(settings, client, deadline)
        return found
    opener = "open_chat" if hasattr(provider, "open_chat") else "open_embedder"
    model = _opener(settings, opener)(settings, client)
    try:
        model.check(deadline)
    finally:
        model.close()
    return ()


MOST_RETRIES = 20
"""The maximum of `ModelSettings.retries`."""

_MOST = 100_000_000


def _meant(name: str, sections: Mapping[str, ModelSettings]) -> str:
    if similar := closest(name.strip(), sections):
        return f"Did you mean {similar}?"
    known = f" The configuration describes {', '.join(sections)}." if sections else ""
    return f"{_HINT}{known}"


def _unusable(spec: ModelSettings, name: str, wanted: str) -> ConfigError:
    value = printable(repr(getattr(spec, name)), 40)
    message = f"{name} of {printable(f'{spec.provider}:{spec.model}', 80)} must be {wanted}, not {value}."
    return ConfigError(message, hint="Correct the model's section of the configuration.")


def _opener(settings: ModelSettings, name: str) -> Any:
    """Return a function of a provider by its name."""
    opener = getattr(_provider(settings), name, None)
    if opener is None:
        what = "chat models" if name == "open_chat" else "models for embedding"
        message = f"{printable(settings.provider, 40)} has no {what}."
        raise ConfigError(message, hint="Use another provider for this.")
    return opener


def _provider(settings: ModelSettings) -> Any:
    """Import the module of a model's provider."""
    module = _OURS.get(settings.provider)
    if module is None:
        return _extension(settings.provider).load()
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise _not_installed(settings.provider, error.name) from error


def _extension(name: str) -> "Extension":
    """Return the extension that is the provider with this name."""
    from vademecum import extensions  # noqa: PLC0415 - for names that are not built in

    found = extensions.find("providers", name)
    if found is None:
        similar = closest(name, _OURS)
        meant = f"Did you mean {similar}?" if similar else f"There are {', '.join(_OURS)}. {_HINT}"
        raise ConfigError(f"There is no provider named {printable(name, 40)}.", hint=meant)
    return found


def _client(settings: ModelSettings) -> "Client":
    """Return this process's HTTP client for models with the same connection settings."""
    try:
        from vademecum.net import Client  # noqa: PLC0415 - some 0.2 s that only models need
    except ModuleNotFoundError as error:
        raise _not_installed(settings.provider, error.name) from error
    way = _Way(settings.proxy, settings.ca_file)
    with _lock:
        if way not in _clients:
            _clients[way] = Client(proxy=way.proxy, ca_file=way.ca_file)
        return _clients[way]


def _not_installed(provider: str, module: str | None) -> ConfigError:
    message = f"Models of {printable(provider, 40)} need {module}, which is not installed."
    extra = "llamacpp" if provider == "llamacpp" else "models"
    return ConfigError(message, hint=f"Install it with: pip install 'vademecum[{extra}]'")
