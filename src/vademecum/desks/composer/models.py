"""The models in the settings, and whether default models are available."""

from functools import cache
from urllib.parse import urlsplit

from vademecum.core.deadline import Deadline
from vademecum.core.errors import VademecumError
from vademecum.core.models import ModelSettings
from vademecum.desks.composer.settings import AUTO, ComposerSettings, OllamaSettings, OpenAISettings

_PROBE_S, _LIST_S = 0.3, 1.0
"""How long `auto` waits for a server that nobody named to take a connection, and for the list of its models."""


def writer(settings: ComposerSettings) -> ModelSettings:
    """Who writes. `auto` means Ollama; a model behind the provider (`ollama:gemma3`) is in the place of the one in the settings."""
    provider, _, model = settings.provider.partition(":")
    known = _known(settings)
    if known is None:
        return ModelSettings(provider, model, timeout_s=timeout_s(settings))
    provider = "ollama" if provider == AUTO else provider
    return ModelSettings(provider, model or known.model, known.base_url, timeout_s=known.timeout_s)


def embedder(settings: ComposerSettings) -> ModelSettings | None:
    """Who embeds; `None` for the built-in word vectors, with a provider that the settings name no embedder of."""
    known = _known(settings)
    if known is None:
        return None
    provider = "openai" if isinstance(known, OpenAISettings) else "ollama"
    return ModelSettings(provider, known.embedding_model, known.base_url, timeout_s=known.timeout_s)


def timeout_s(settings: ComposerSettings) -> float:
    """The time for a request to a model."""
    return (_known(settings) or settings.ollama).timeout_s


def missing(model: ModelSettings) -> str:
    """Why a model that nobody named cannot help, in a sentence; "" if it can. Where nobody answers, that takes 300 ms at most."""
    if not _listens(model.base_url):
        return "there is no Ollama here."
    from vademecum.providers.registry import look, open_model  # noqa: PLC0415 - for those who have one

    try:
        open_model(model)  # loads the client, whose time is not the server's
        look(model, Deadline(_LIST_S))
    except VademecumError as error:
        return error.message
    return ""


@cache
def _listens(base_url: str) -> bool:
    """Return whether anybody takes connections at an address; asked once a process."""
    import socket  # noqa: PLC0415 - not for who names nobody

    url = urlsplit(base_url)
    try:
        place = (url.hostname or "localhost", url.port or (443 if url.scheme == "https" else 80))
        with socket.create_connection(place, timeout=_PROBE_S):
            return True
    except (OSError, ValueError):
        return False


def _known(settings: ComposerSettings) -> OllamaSettings | OpenAISettings | None:
    """The settings of the provider, if it has any of its own."""
    provider = settings.provider.partition(":")[0]
    if provider == "openai":
        return settings.openai
    return settings.ollama if provider in {AUTO, "ollama"} else None
