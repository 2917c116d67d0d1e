"""The section `models` of a configuration file: user-defined names, each with the settings of a model.

The file never holds a key: `api_key` names a variable of the environment, and any other value is not shown.
"""

import re
from collections.abc import Mapping

from vademecum.config.kinds import COUNT, SECONDS, number, text, whole
from vademecum.config.schema import Setting, Values, shortened
from vademecum.core.errors import ConfigError
from vademecum.core.models import ModelSettings
from vademecum.providers.registry import MOST_RETRIES, check_provider, settings_of

SECTION = "models"
_NAME = r"[a-z0-9][a-z0-9_.-]{0,39}"
_VARIABLE = r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^{}]*)?\}"
_TEXT = text(fits=lambda given: given and given.isprintable())

_MODEL = (
    Setting("provider", _TEXT, is_required=True),
    Setting("model", _TEXT, is_required=True),
    Setting("base_url", _TEXT._replace(wanted="a server's address, such as http://localhost:8000/v1")),
    Setting("api_key", text("the name of an environment variable, as ${NAME}", lambda given: re.fullmatch(_VARIABLE, given), is_secret=True)),
    Setting("context_tokens", COUNT),
    Setting("max_tokens", COUNT),
    Setting("temperature", number(0, 2)),
    Setting("dimensions", COUNT),
    Setting("query_prefix", text()),
    Setting("document_prefix", text()),
    Setting("batch", COUNT),
    Setting("timeout_s", SECONDS),
    Setting("stall_s", SECONDS),
    Setting("retries", whole(0, MOST_RETRIES)),
    Setting("proxy", _TEXT),
    Setting("ca_file", _TEXT),
    Setting("threads", COUNT),
    Setting("calls", COUNT),
    Setting("wait_s", number(0, 86_400)),
)  # fmt: skip


def model_settings() -> tuple[Setting, ...]:
    """The settings of a model: those of `ModelSettings`."""
    return _MODEL


def models_of(values: Values) -> dict[str, ModelSettings]:
    """The models that a file describes, by their names."""
    return {name: ModelSettings(**entry.values) for name, entry in values.sections[SECTION].items()}


def check_models(values: Values) -> None:
    """Check what the kinds of values cannot: names, providers and addresses."""
    for name, entry in values.sections[SECTION].items():
        label = f"{SECTION}.{shortened(name)}"
        if not re.fullmatch(_NAME, name):
            wanted = "a name has up to 40 lowercase letters, digits, '-', '_' and '.'"
            message = f"{entry.origin}: {label} is not a valid name for a model: {wanted}."
            raise ConfigError(message, hint=values.schema.hint)
        for key, check in (
            ("provider", check_provider),
            ("base_url", _check_address),
            ("proxy", _check_address),
        ):
            if key in entry.values:
                try:
                    check(entry.values[key])
                except ConfigError as error:
                    message = f"{entry.origins[key]}: {label}.{key}: {error.message.rstrip('.')}."
                    raise ConfigError(message, hint=error.hint) from error


def check_name(values: Values, key: str, models: Mapping[str, ModelSettings] = {}) -> None:
    """Check that a setting names a model."""
    name = values.value(key)
    try:
        settings_of(name, models)
        if name.strip() not in models:
            check_provider(name.strip().partition(":")[0])
    except ConfigError as error:
        what = f"{key} names an unknown model ({shortened(name)}): {error.hint}"
        raise ConfigError(f"{values.origin(key)}: {what}", hint=values.schema.hint) from error


def _check_address(url: str) -> None:
    try:
        from vademecum.net.address import place_of  # noqa: PLC0415 - loads the client, which only models need
    except ModuleNotFoundError:  # reported when the model is opened
        return
    place_of(url)
