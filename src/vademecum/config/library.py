"""The settings of the linux desk, in `config.yaml`."""

from pathlib import Path

from vademecum.config.kinds import FRACTION, SECONDS, STORE, SWITCH, choice, text
from vademecum.config.reader import read, write_new
from vademecum.config.schema import Schema, Setting, Values
from vademecum.core.settings import Settings

DEFAULT_TEXT = """\
ragman:
  confidence_threshold: 0.35    # 0 to 1; answers below it are withheld
  presenter_default: markdown   # markdown, plain or json
ragadmin:
  output_default: table         # table or json
"""
"""The file as `ragadmin init` writes it."""

_MODELS = "models"
_IN_PROCESS = ("", "builtin", "onnx")
"""Names of models that no section describes, or of none."""


def _model_settings() -> tuple[Setting, ...]:
    from vademecum.config.models import model_settings  # noqa: PLC0415 - a question without a model is faster so

    return model_settings()


def _check(values: Values) -> None:
    from vademecum.config.models import check_models, check_name, models_of  # noqa: PLC0415 - a file has changed

    check_models(values)
    for key, models in (("ragman.model", models_of(values)), ("ragadmin.embedder", {})):
        if values.value(key) not in _IN_PROCESS:
            check_name(values, key, models)


SCHEMA = Schema(
    (
        Setting("ragman.confidence_threshold", FRACTION, "0.35"),
        Setting("ragman.presenter_default", choice("markdown", "plain", "json"), "markdown"),
        Setting("ragman.query_log", SWITCH, "false"),
        Setting("ragman.model", text("PROVIDER:MODEL, or a name defined under models")),
        Setting("ragman.style", choice("choose", "prose"), "choose"),
        Setting("ragman.timeout_s", SECONDS, "60"),
        Setting("ragadmin.output_default", choice("table", "json"), "table"),
        Setting("ragadmin.embedder", text("builtin, onnx, or PROVIDER:MODEL"), "builtin"),
        Setting("ragadmin.store", STORE, "files"),
    ),
    {_MODELS: _model_settings},
    hint="Correct it, or move it away and run: ragadmin init",
    check=_check,
)


def load_settings(path: Path, copy: Path) -> Settings:
    """The settings of a configuration file; the defaults where there is none.

    Args:
        copy: Where a copy of it is kept. A copy that cannot be read or written is ignored.
    """
    return _settings(read(SCHEMA, path, copy=copy))


def read_settings(path: Path) -> Settings:
    """The settings of a configuration file, parsed even where there is a copy."""
    return _settings(read(SCHEMA, path))


def write_default(path: Path) -> bool:
    """Write the file with its defaults where there is none. See `reader.write_new`."""
    return write_new(path, DEFAULT_TEXT)


def _settings(values: Values) -> Settings:
    settings = values.into(Settings())
    if not values.sections[_MODELS]:
        return settings
    from vademecum.config.models import models_of  # noqa: PLC0415 - see above

    return settings._replace(models=models_of(values))
