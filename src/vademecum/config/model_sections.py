"""The section `models` of the configuration file: names that a person gives, each with the settings of a model.

No key is ever in the file: `api_key` names a variable of the environment, and what else stands there is not even shown.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.config.settings_file import SECONDS, Kind, fault, is_number, pairs, short, value_of
from vademecum.core.errors import ConfigError
from vademecum.core.models import ModelSettings
from vademecum.providers.registry import MOST_RETRIES, check_provider, settings_of

if TYPE_CHECKING:
    import yaml

_MOST = 100_000_000
_LONGEST = 2000
_HOTTEST = 2
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and value.isprintable()


def _is_count(value: object) -> bool:
    return type(value) is int and 0 < value <= _MOST


TEXT = Kind("a text", _is_text)
COUNT = Kind("a whole number above 0", _is_count)

FIELDS = {
    "provider": TEXT,
    "model": TEXT,
    "base_url": Kind("a server's address, as http://localhost:8000/v1", _is_text),
    "api_key": Kind(
        "the name of an environment variable, as ${NAME}",
        lambda value: isinstance(value, str) and _VARIABLE.fullmatch(value) is not None,
        is_secret=True,
    ),
    "context_tokens": COUNT,
    "max_tokens": COUNT,
    "temperature": Kind(
        f"a number from 0 to {_HOTTEST}", lambda value: is_number(value) and 0 <= value <= _HOTTEST
    ),
    "dimensions": COUNT,
    "query_prefix": Kind("a text", lambda value: isinstance(value, str) and len(value) <= _LONGEST),
    "document_prefix": Kind("a text", lambda value: isinstance(value, str) and len(value) <= _LONGEST),
    "batch": COUNT,
    "timeout_s": SECONDS,
    "stall_s": SECONDS,
    "retries": Kind(
        f"a whole number from 0 to {MOST_RETRIES}",
        lambda value: type(value) is int and 0 <= value <= MOST_RETRIES,
    ),
    "proxy": TEXT,
    "ca_file": TEXT,
    "threads": COUNT,
}
"""The keys of a model, and what each may be: those of `ModelSettings`."""


def read_models(loader: "yaml.SafeLoader", node: "yaml.Node", path: Path) -> dict[str, ModelSettings]:
    """The models of a configuration file, by their names.

    Args:
        loader: What parsed the file.
        node: The section.
        path: The file.

    Raises:
        ConfigError: One cannot be used, with the key and line at fault.
    """
    return {name: _read(loader, name, one, path) for name, one in pairs(node, path, "models.")}


def _read(loader: "yaml.SafeLoader", name: str, node: "yaml.Node", path: Path) -> ModelSettings:
    prefix = f"models.{short(name)}"
    if not _NAME.fullmatch(name):
        wanted = "a name has up to 40 small letters, digits, '-', '_' and '.'"
        raise fault(path, node, f"{prefix} is not a valid name for a model: {wanted}")
    said: dict[str, Any] = {}
    nodes: dict[str, yaml.Node] = {}
    for key, value_node in pairs(node, path, f"{prefix}.", tuple(FIELDS)):
        said[key] = value_of(loader, value_node, path, f"{prefix}.{key}", FIELDS[key])
        nodes[key] = value_node
    for key in ("provider", "model"):
        if key not in said:
            raise fault(path, node, f"{prefix} lacks {key}")
    for key, check in (("provider", check_provider), ("base_url", _check_address), ("proxy", _check_address)):
        if key in said:
            try:
                check(said[key])
            except ConfigError as error:
                message = f"{prefix}.{key}: {error.message.rstrip('.')}"
                raise fault(path, nodes[key], message, error.hint) from error
    return ModelSettings(**said)


def _check_address(url: str) -> None:
    try:
        from vademecum.net.address import place_of  # noqa: PLC0415 - loads the client, which only models need
    except ModuleNotFoundError:  # it will be said when the model is opened
        return
    place_of(url)


def fault_of_name(name: str, models: Mapping[str, ModelSettings]) -> str:
    """What is wrong with the name of a model, to stand behind what names it; "" if nothing is."""
    try:
        settings_of(name, models)
        if name.strip() not in models:
            check_provider(name.strip().partition(":")[0])
    except ConfigError as error:
        return f"names no model that there is ({short(name)}): {error.hint.rstrip('.')}"
    return ""


def restored(said: Mapping[str, Mapping[str, Any]]) -> dict[str, ModelSettings]:
    """The models as they were written into the copy of a file.

    Raises:
        ValueError: It says what cannot be; or a `TypeError`, `KeyError` or `AttributeError`.
    """
    usual = ModelSettings("", "")._asdict()
    for one in said.values():
        if not all(FIELDS[key].fits(value) for key, value in one.items() if value != usual[key]):
            raise ValueError("It is not what was written.")
    return {name: ModelSettings(**one) for name, one in said.items()}
