"""The configuration file, `config.yaml`, and a copy of what it said that is fast to read.

The YAML parser takes longer to load than a question takes to answer. So what the file said is kept beside the
data under the file's path, size and modification time, and the parser is loaded only when these differ.

The file may hold anything: only so much of it is read, nothing in it is made into objects but plain values, and every
mistake is an error that names file, line and key.
"""

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.core.settings import Settings
from vademecum.files.write import replace_file
from vademecum.stores import ADDRESSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import yaml

    from vademecum.core.models import ModelSettings

_HINT = "Correct it, or move it away and run: ragadmin init"
_RIGHTS = "Check its owner and rights."
MOST_BYTES = 1 << 16
"""Of a configuration file. The parser takes half a second for as much, and at worst one and a half."""


class Kind(NamedTuple):
    """What a setting may be.

    Attributes:
        wanted: In words.
        fits: Whether a value is that. NaN is between no two numbers.
        is_secret: Whether a value that is not must not be shown.
    """

    wanted: str
    fits: Callable[[Any], bool]
    is_secret: bool = False


def is_number(value: object) -> bool:
    """Whether a value is a number; `true` is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _one_of(*words: str) -> Kind:
    wanted = f"one of {', '.join(words)}" if len(words) > 1 else words[0]
    return Kind(wanted, lambda value: isinstance(value, str) and value in words)


def _is_store(value: object) -> bool:
    return isinstance(value, str) and (value == "files" or value.startswith(ADDRESSES))


SECONDS = Kind("a number of seconds above 0", lambda value: is_number(value) and 0 < value <= _MOST_SECONDS)

_SECTIONS: dict[str, dict[str, Kind]] = {
    "ragman": {
        "confidence_threshold": Kind(
            "a number from 0 to 1", lambda value: is_number(value) and 0 <= value <= 1
        ),
        "presenter_default": _one_of("markdown", "plain", "json"),
        "query_log": Kind("true or false", lambda value: isinstance(value, bool)),
        "model": Kind("PROVIDER:MODEL, or a name of models", lambda value: isinstance(value, str)),
        "timeout_s": SECONDS,
    },
    "ragadmin": {
        "output_default": _one_of("table", "json"),
        "embedder": Kind("builtin, onnx, or PROVIDER:MODEL", lambda value: isinstance(value, str)),
        "store": Kind(
            "files, or an address: postgresql://user@host/database, qdrant://host/NAME, weaviate://host/NAME or chroma://host/NAME",
            _is_store,
            is_secret=True,
        ),
    },
}
"""The keys of each section, and what each may be."""

_IN_PROCESS = ("", "builtin", "onnx")
"""What names a model that no section describes, or none."""

_MODELS = "models"
"""The section whose keys are names that the person gives."""

_KINDS = {key: kind for keys in _SECTIONS.values() for key, kind in keys.items()}
_PLAIN = {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null")}
_SHOWN = 60
_MOST_SECONDS = 86_400

DEFAULT_TEXT = """\
ragman:
  confidence_threshold: 0.35    # 0 to 1; a less certain answer is not given
  presenter_default: markdown   # markdown, plain or json
ragadmin:
  output_default: table         # table or json
"""
"""The file as `ragadmin init` writes it."""


def load_settings(path: Path, copy: Path) -> Settings:
    """What the configuration file says; the defaults when there is none.

    Args:
        path: The file.
        copy: Where what it said is kept. A copy that cannot be read or written is done without.

    Raises:
        ConfigError: It cannot be used, with the key and line at fault.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise _unreadable(path, error) from error
    state = [str(path), status.st_size, status.st_mtime_ns, status.st_ino]
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        kept = json.loads(copy.read_text(encoding="utf-8"))
        said = kept["says"]
        models = _kept_models(said.pop(_MODELS, None))
        if kept["of"] == state and all(_KINDS[key].fits(value) for key, value in said.items()):
            return Settings(**said, models=models)
    settings = read_settings(path)
    says = settings._asdict() | {_MODELS: {name: one._asdict() for name, one in settings.models.items()}}
    with suppress(OSError):
        replace_file(copy, json.dumps({"of": state, "says": says}) + "\n")
    return settings


def _kept_models(said: Any) -> "Mapping[str, ModelSettings]":
    """The models of a copy.

    Raises:
        ValueError: It says what cannot be; or a `TypeError`, `KeyError` or `AttributeError`.
    """
    if said in (None, {}):
        return {}
    from vademecum.config.model_sections import restored  # noqa: PLC0415 - for those who have models

    return restored(said)


def read_settings(path: Path) -> Settings:
    """Parse and check a configuration file. Keys it leaves out have their defaults.

    Raises:
        ConfigError: It cannot be used, with the key and line at fault.
    """
    loader, root = parsed(path)
    found: dict[str, Any] = {}
    named: dict[str, yaml.Node] = {}
    for section, node in pairs(root, path, "", (*_SECTIONS, _MODELS)):
        if section == _MODELS:
            from vademecum.config.model_sections import read_models  # noqa: PLC0415 - for those who have models

            found[_MODELS] = read_models(loader, node, path)
            continue
        for key, value_node in pairs(node, path, f"{section}.", tuple(_SECTIONS[section])):
            value = value_of(loader, value_node, path, f"{section}.{key}", _SECTIONS[section][key])
            found[key] = float(value) if is_number(value) else value
            if key in {"model", "embedder"} and value not in _IN_PROCESS:
                named[f"{section}.{key}"] = value_node
    for key, value_node in named.items():
        from vademecum.config.model_sections import fault_of_name  # noqa: PLC0415 - as above

        models = found.get(_MODELS, {}) if key == "ragman.model" else {}
        if wrong := fault_of_name(value_node.value, models):
            raise fault(path, value_node, f"{key} {wrong}")
    return Settings(**found)


def parsed(path: Path) -> "tuple[yaml.SafeLoader, yaml.Node | None]":
    """A file of configuration as the parser has it, nothing of it made into values yet; no node where it is empty.

    Raises:
        ConfigError: It cannot be read, or is not YAML, with the line at fault.
    """
    import yaml  # noqa: PLC0415 - 33 ms

    text = _text(path)
    try:
        loader = yaml.SafeLoader(text)
        return loader, loader.get_single_node()
    except yaml.YAMLError as error:
        raise _not_yaml(path, text, error) from error
    except RecursionError as error:
        raise ConfigError(f"{path}: it is nested too deeply.", hint=_HINT) from error


def write_default(path: Path) -> bool:
    """Write the file with its defaults where there is none.

    Returns:
        Whether it was written.

    Raises:
        ConfigError: It cannot be written.
    """
    if os.path.lexists(path):
        return False
    try:
        replace_file(path, DEFAULT_TEXT)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}."
        hint = "Check the folder's owner, its rights and the space left on the disk."
        raise ConfigError(message, hint=hint) from error
    return True


def _text(path: Path) -> str:
    """What the file holds, if that is text of a sensible size."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a named pipe would never end
            what = "it is a folder" if path.is_dir() else "it is not a regular file"
            raise ConfigError(f"{path} cannot be read: {what}.", hint=_HINT)
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(data) > MOST_BYTES:
        message = f"{path} is too large: it may have {MOST_BYTES:,} bytes, and has {path.stat().st_size:,}."
        raise ConfigError(message, hint=_HINT)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = (
            f"{path}, line {line}: this is not YAML: it is not text in UTF-8 (byte {data[error.start]:#04x})."
        )
        raise ConfigError(message, hint="Save it as UTF-8, or move it away and run: ragadmin init") from error


def _unreadable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"{path} cannot be read: {error.strerror}.", hint=_RIGHTS)


def _not_yaml(path: Path, text: str, error: "yaml.YAMLError") -> ConfigError:
    """What the parser stumbled over, and where."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)  # of a character that YAML does not allow
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1 if position is not None else 0
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    if r"'\t'" in problem:
        problem = "it is indented with a tab; use spaces"
    at = f", line {line}" if line else ""
    return ConfigError(f"{path}{at}: this is not YAML: {short(problem)}.", hint=_HINT)


def pairs(
    node: "yaml.Node | None", path: Path, prefix: str, known: tuple[str, ...] = ()
) -> "Iterator[tuple[str, yaml.Node]]":
    """The keys of a mapping and their nodes; nothing for one that is absent or empty.

    Args:
        node: The mapping.
        path: The file.
        prefix: What stands before the keys in messages.
        known: The keys there may be; empty where the person names them.

    Raises:
        ConfigError: It is not a mapping, or a key is not known, or stands twice.
    """
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return
    if not isinstance(node.value, list) or node.tag != "tag:yaml.org,2002:map":
        wanted = f"must hold keys: {', '.join(known)}" if known else "must hold names, each with its settings"
        raise fault(path, node, f"{prefix.rstrip('.') or 'the file'} {wanted}")
    seen = set()
    for key_node, value_node in node.value:
        key = key_node.value if isinstance(key_node.value, str) else "?"
        if known and key not in known:
            raise fault(path, key_node, f"{prefix}{short(key)} is not a setting{_meant(key, prefix, known)}")
        if key in seen:
            raise fault(path, key_node, f"{prefix}{short(key)} is set twice")
        seen.add(key)
        yield key, value_node


def value_of(loader: "yaml.SafeLoader", node: "yaml.Node", path: Path, key: str, kind: Kind) -> Any:
    """A setting's value, checked. A list or mapping is not even looked into: it may be without end.

    Raises:
        ConfigError: It is not of the kind.
    """
    if node.tag not in _PLAIN or not isinstance(node.value, str):
        kind_of_node = getattr(node, "id", "")  # the parser's types leave it out
        what = {"sequence": "a list", "mapping": "a mapping"}.get(kind_of_node) or short(node.tag)
        raise fault(path, node, f"{key} must be {kind.wanted}, not {what}")
    try:
        value = loader.construct_object(node)
    except (ValueError, LookupError, OverflowError):  # such as `!!int x`, or a number of 5,000 digits
        value = node.value
    if not kind.fits(value):
        but = "" if kind.is_secret else f", not {short(repr(value))}"
        raise fault(path, node, f"{key} must be {kind.wanted}{but}")
    return value


def _meant(key: str, prefix: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - needed for a mistake only

    close = get_close_matches(key[:_SHOWN], known, n=1)
    return f"; did you mean {prefix}{close[0]}?" if close else f" (known: {', '.join(known)})"


def short(text: str) -> str:
    """A text as it can stand in a message: not too long, and without what steers a terminal."""
    text = text if text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def fault(path: Path, node: "yaml.Node", what: str, hint: str = _HINT) -> ConfigError:
    """The error of a mistake, with file and line."""
    ending = "" if what.endswith("?") else "."
    return ConfigError(f"{path}, line {node.start_mark.line + 1}: {what}{ending}", hint=hint)
