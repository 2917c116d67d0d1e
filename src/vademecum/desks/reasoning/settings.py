"""The settings of the reasoning desk, in `${XDG_CONFIG_HOME}/vademecum/reasoning.yaml`."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vademecum.config.kinds import COUNT, number, text
from vademecum.config.models import SECTION, check_models, check_name, model_settings, models_of
from vademecum.config.reader import read
from vademecum.config.schema import Schema, Setting, Values
from vademecum.files.folders import desk_config_folder, desk_folder
from vademecum.providers.registry import BUILTIN, ONNX, settings_of

if TYPE_CHECKING:
    from vademecum.core.models import ModelSettings
    from vademecum.desks.reasoning.library import ReasoningLibrary


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


_EMBEDDER = "reasoning.embedder"


def _check(values: Values) -> None:
    check_models(values)
    if values.value(_EMBEDDER) not in {BUILTIN, ONNX}:
        check_name(values, _EMBEDDER, models_of(values))


SCHEMA = Schema(
    (
        Setting(_EMBEDDER, text("builtin, onnx, PROVIDER:MODEL, or a name of models"), BUILTIN),
        Setting("reasoning.threshold", number(0, 1, "a cosine from 0 to 1")),
        Setting("reasoning.top_k", COUNT, "3"),
        Setting("reasoning.chroma", text("an address as http://localhost:8000")),
    ),
    {SECTION: model_settings},
    hint="Correct it, or move it away.",
    check=_check,
)


def settings_file() -> Path:
    """Where the file is."""
    return Path(desk_config_folder(), "reasoning.yaml")


def settings_from(path: Path | None = None) -> ReasoningSettings:
    """The settings of the file; the defaults where there is none."""
    values = read(SCHEMA, path or settings_file())
    settings, name = values.into(ReasoningSettings()), values.value(_EMBEDDER)
    if name not in {BUILTIN, ONNX}:
        return settings._replace(embedder=settings_of(name, models_of(values)))
    return settings._replace(embedder=None if name == BUILTIN else ONNX)


def library_of(
    template_dirs: Iterable[Path] | None = None,
    *,
    threshold: float | None = None,
    embedder: str | None = None,
) -> "ReasoningLibrary":
    """The library that a person has configured."""
    from vademecum.desks.reasoning.library import ReasoningLibrary  # noqa: PLC0415 - settings are read without it

    settings = settings_from()
    spec = settings.embedder if embedder is None else None if embedder == BUILTIN else embedder
    return ReasoningLibrary(
        template_dirs,
        top_k=settings.top_k,
        threshold=settings.threshold if threshold is None else threshold,
        embedder=spec,
        kept=Path(desk_folder("reasoning"), "vectors.json"),
        chroma_url=settings.chroma,
    )
