"""The reasoning desk's configuration file, `${XDG_CONFIG_HOME}/vademecum/reasoning.yaml`, and a library made by it."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vademecum.files.folders import desk_config_folder, desk_folder

if TYPE_CHECKING:
    from vademecum.core.models import ModelSettings
    from vademecum.desks.reasoning.library import ReasoningLibrary

_BUILTIN = "builtin"


class ReasoningSettings(NamedTuple):
    """What the file may say.

    Attributes:
        embedder: What embeds problems and templates; `None` for the built-in ranking, which needs none.
        threshold: A cosine; see `ReasoningLibrary`.
        top_k: How many templates a search gives.
        chroma: The address of the Chroma server that has the vectors; "" for none.
    """

    embedder: "ModelSettings | str | None" = None
    threshold: float | None = None
    top_k: int = 3
    chroma: str = ""


def settings_file() -> Path:
    """Where the file is."""
    return Path(desk_config_folder(), "reasoning.yaml")


def settings_from(path: Path | None = None) -> ReasoningSettings:
    """What the file says; the defaults where there is none.

    Raises:
        ConfigError: It cannot be used, with the key and line at fault.
    """
    path = path or settings_file()
    if not os.path.lexists(path):
        return ReasoningSettings()
    from vademecum.config.model_sections import COUNT, fault_of_name, read_models  # noqa: PLC0415 - for who has one
    from vademecum.config.settings_file import Kind, fault, is_number, pairs, parsed, value_of  # noqa: PLC0415
    from vademecum.providers.registry import ONNX, settings_of  # noqa: PLC0415 - the same

    kinds = {
        "embedder": Kind(
            "builtin, onnx, PROVIDER:MODEL, or a name of models", lambda value: isinstance(value, str)
        ),
        "threshold": Kind("a cosine from 0 to 1", lambda value: is_number(value) and 0 <= value <= 1),
        "top_k": COUNT,
        "chroma": Kind("an address as http://localhost:8000", lambda value: isinstance(value, str)),
    }
    loader, root = parsed(path)
    said, models, named = {}, {}, None
    for section, node in pairs(root, path, "", ("reasoning", "models")):
        if section == "models":
            models = read_models(loader, node, path)
            continue
        for key, value_node in pairs(node, path, "reasoning.", tuple(kinds)):
            said[key] = value_of(loader, value_node, path, f"reasoning.{key}", kinds[key])
            named = value_node if key == "embedder" else named
    name = said.pop("embedder", _BUILTIN)
    if name == _BUILTIN:
        return ReasoningSettings(None, **said)
    if name == ONNX:
        return ReasoningSettings(ONNX, **said)
    if named is not None and (wrong := fault_of_name(name, models)):
        raise fault(path, named, f"reasoning.embedder {wrong}")
    return ReasoningSettings(settings_of(name, models), **said)


def library_of(
    template_dirs: Iterable[Path] | None = None,
    *,
    threshold: float | None = None,
    embedder: str | None = None,
) -> "ReasoningLibrary":
    """The library that a person has configured.

    Args:
        template_dirs: As for `ReasoningLibrary`.
        threshold: In the place of the configured one.
        embedder: Likewise.

    Raises:
        ConfigError: The file, or what was given, cannot be used.
    """
    from vademecum.desks.reasoning.library import ReasoningLibrary  # noqa: PLC0415 - settings are read without it

    settings = settings_from()
    spec = settings.embedder if embedder is None else None if embedder == _BUILTIN else embedder
    return ReasoningLibrary(
        template_dirs,
        top_k=settings.top_k,
        threshold=settings.threshold if threshold is None else threshold,
        embedder=spec,
        kept=Path(desk_folder("reasoning"), "vectors.json"),
        chroma_url=settings.chroma,
    )
