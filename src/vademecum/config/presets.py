"""The configurations that `ragadmin init --backend` writes.

A backend is named by its parts, joined by `+`: a store, an embedder in the process, and the provider of the model that writes answers.
"""

import os
import re
from pathlib import Path
from typing import NamedTuple

from vademecum.config.library import DEFAULT_TEXT
from vademecum.core.errors import ConfigError
from vademecum.files.write import replace_file
from vademecum.providers.registry import BUILTIN, ONNX, PROVIDERS
from vademecum.text.printable import printable
from vademecum.text.similar import closest

WRITERS = {"ollama": "gemma3:1b", "openai": "gpt-4o-mini", "gemini": "gemini-2.0-flash", "llamacpp": ""}
"""Who may write answers, and the model of each unless another is named; "" where it must be."""

_EMBEDDERS = {"ollama": "embeddinggemma:latest"}
"""What embeds for a store that is a server, beside the model of the same provider."""

_STORES = {
    "postgresql": "postgresql://localhost/vademecum",
    "postgres": "postgresql://localhost/vademecum",
    "qdrant": "qdrant://localhost:6333/vademecum",
    "weaviate": "weaviate://localhost:8080/vademecum",
    "opensearch": "opensearch://localhost:9200/vademecum",
}
"""The address of each store: of a server on this machine, with nothing changed of its settings."""

_PARTS = (BUILTIN, ONNX, *PROVIDERS, *_STORES)
_SEPARATOR = re.compile(rf"\+(?=(?:{'|'.join(_PARTS)})(?:[:+]|$))")
_MARK, _STORE = "# Written by: ragadmin init --backend ", " --store "
_HINT = f"A backend is one of {', '.join((BUILTIN, ONNX, *WRITERS))}, or some of them joined by +; ollama:MODEL names another model."
_MOST_BYTES = 1 << 16


class Preset(NamedTuple):
    """What a backend's name comes to.

    Attributes:
        store: The address of the store that the index is shared in; "" for files.
        model: Who writes answers; "" for nobody.
    """

    store: str = ""
    embedder: str = BUILTIN
    model: str = ""


def preset_of(name: str) -> Preset:
    """What a name comes to.

    >>> preset_of("weaviate+ollama").embedder
    'ollama:embeddinggemma:latest'
    """
    store = embedder = model = ""
    for part in _SEPARATOR.split(name.strip()):
        kind, mark, rest = part.partition(":")
        kept = {"a store": store, "an embedder": embedder, "a model": model}
        if kind in _STORES and not mark:
            what, store = "a store", _STORES[kind]
        elif kind in {BUILTIN, ONNX} and not mark:
            what, embedder = "an embedder", kind
        elif kind in WRITERS and (not mark or (rest and rest.isprintable())):
            what, model = "a model", f"{kind}:{rest or WRITERS[kind]}"
        else:
            raise _unknown(part)
        if kept[what]:
            raise ConfigError(f"{printable(name, 80)} names {what} twice.", hint=_HINT)
    provider, _, named = model.partition(":")
    if model and not named:
        raise ConfigError(f"{provider} needs a model.", hint="Name a GGUF file: llamacpp:/models/name.gguf")
    if store and not embedder and provider in _EMBEDDERS:
        embedder = f"{provider}:{_EMBEDDERS[provider]}"
    return Preset(store, embedder or BUILTIN, model)


def text_of(name: str, store: str = "") -> str:
    """The configuration file of a backend.

    Args:
        store: The address of its store, where that is not on this machine with its usual settings.
    """
    found = preset_of(name)
    if store:
        if (
            store.partition("://")[0].partition("+")[0] != found.store.partition("://")[0]
            or not store.isprintable()
        ):
            message = f"The address given with --store is not one of {found.store.partition('://')[0] or 'a store'}."
            raise ConfigError(
                message, hint=f"Write it like {found.store or 'postgresql://localhost/vademecum'}"
            )
        found = found._replace(store=store)
    sections = dict(zip(("ragman", "ragadmin"), DEFAULT_TEXT.split("ragadmin:\n"), strict=True))
    ragman, ragadmin = sections["ragman"], f"ragadmin:\n{sections['ragadmin']}"
    if found.model:
        ragman += f"  model: {_scalar(found.model)}  # the model that writes answers\n"
        ragman += "  timeout_s: 60                 # the time limit for an answer by the model\n"
    if found.store:
        ragadmin += f"  store: {_scalar(found.store)}\n"
    if found.embedder != BUILTIN:
        ragadmin += f"  embedder: {_scalar(found.embedder)}\n"
    return f"{_MARK}{name.strip()}{_STORE + store if store else ''}\n{ragman}{ragadmin}"


def write(path: Path, name: str, store: str = "") -> bool:
    """Write the configuration of a backend, unless the file has been changed by hand. What it said is kept.

    Returns:
        Whether it says something else than before.
    """
    text, said = text_of(name, store), ""
    if os.path.lexists(path):
        said = _read(path)
        if said == text:
            return False
        if not _is_ours(said):
            message = f"{path} was edited by hand, and was not changed."
            hint = f"To see the new contents, run: ragadmin init --backend {printable(name, 80)} --print"
            raise ConfigError(message, hint=hint)
    try:
        if said:
            replace_file(kept_of(path), said)
        else:
            kept_of(path).unlink(missing_ok=True)
        replace_file(path, text)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}."
        raise ConfigError(
            message, hint="Check the folder's owner and permissions, and the free space on the disk."
        ) from error
    return True


def kept_of(path: Path) -> Path:
    """Where the configuration is that `write` replaced."""
    return path.with_name(f"{path.name}.before")


def put_back(path: Path) -> bool:
    """Undo what `write` did; whether there was a configuration before."""
    try:
        kept_of(path).replace(path)
    except FileNotFoundError:
        return False
    return True


def _read(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}."
        raise ConfigError(message, hint="Check its owner and permissions.") from error


def _is_ours(said: str) -> bool:
    """Return whether a file is as `ragadmin init` wrote it."""
    if said == DEFAULT_TEXT:
        return True
    first = said.partition("\n")[0]
    try:
        name, _, store = first.removeprefix(_MARK).partition(_STORE)
        return first.startswith(_MARK) and said == text_of(name, store)
    except ConfigError:
        return False


def _scalar(text: str) -> str:
    """A text as YAML has it: plain where that is the same."""
    import json  # noqa: PLC0415 - YAML takes a text of JSON

    return text if re.fullmatch(r"[\w./:-]+", text, re.ASCII) else json.dumps(text, ensure_ascii=False)


def _unknown(part: str) -> ConfigError:
    similar = closest(part.partition(":")[0], _PARTS)
    hint = f"Did you mean {similar}? {_HINT}" if similar else _HINT
    return ConfigError(f"There is no backend named {printable(part, 60) or 'nothing'}.", hint=hint)
