"""The configuration file, `config.yaml`, and a copy of what it said that is fast to read.

The YAML parser takes longer to load than a question takes to answer. So what the file said is kept beside the
data under the file's path, size and modification time, and the parser is loaded only when these differ.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.core.errors import ConfigError
from vademecum.core.settings import Settings
from vademecum.library.replacing import replace_file

if TYPE_CHECKING:
    import yaml

_HINT = "Correct it, or move it away and run: ragadmin init"

_SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "ragman": {"confidence_threshold": (), "presenter_default": ("markdown", "plain", "json")},
    "ragadmin": {"output_default": ("table", "json")},
}
"""The keys of each section, and the words each may be; without words, a number in 0-1."""

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
        copy: Where what it said is kept. A copy that can not be read or written is done without.

    Raises:
        ConfigError: It can not be used, with the key and line at fault.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise ConfigError(
            f"{path} can not be read: {error.strerror}.", hint="Check its owner and rights."
        ) from error
    state = [str(path), status.st_size, status.st_mtime_ns, status.st_ino]
    with suppress(OSError, ValueError, TypeError, KeyError):
        kept = json.loads(copy.read_text(encoding="utf-8"))
        if kept["of"] == state:
            return Settings(**kept["says"])
    settings = read_settings(path)
    with suppress(OSError):
        replace_file(copy, json.dumps({"of": state, "says": settings._asdict()}) + "\n")
    return settings


def read_settings(path: Path) -> Settings:
    """Parse and check a configuration file. Keys it leaves out have their defaults.

    Raises:
        ConfigError: It can not be used, with the key and line at fault.
    """
    import yaml  # noqa: PLC0415 - 33 ms

    try:
        loader = yaml.SafeLoader(path.read_bytes())
        root = loader.get_single_node()
    except OSError as error:
        raise ConfigError(
            f"{path} can not be read: {error.strerror}.", hint="Check its owner and rights."
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is not text"
        raise ConfigError(f"{path}{line}: this is not YAML: {problem}.", hint=_HINT) from error
    found: dict[str, Any] = {}
    for section, node in _pairs(root, path, "", tuple(_SECTIONS)):
        for key, value_node in _pairs(node, path, f"{section}.", tuple(_SECTIONS[section])):
            found[key] = _value(loader, value_node, path, f"{section}.{key}", _SECTIONS[section][key])
    return Settings(**found)


def write_default(path: Path) -> bool:
    """Write the file with its defaults where there is none.

    Returns:
        Whether it was written.

    Raises:
        ConfigError: It can not be written.
    """
    if os.path.lexists(path):
        return False
    try:
        replace_file(path, DEFAULT_TEXT)
    except OSError as error:
        message = f"{path} can not be written: {error.strerror}."
        raise ConfigError(message, hint="Check the folder's owner and rights.") from error
    return True


def _pairs(
    node: "yaml.Node | None", path: Path, prefix: str, known: tuple[str, ...]
) -> "Iterator[tuple[str, yaml.Node]]":
    """The keys of a mapping and their nodes; nothing for one that is absent or empty."""
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return
    if not isinstance(node.value, list) or node.tag != "tag:yaml.org,2002:map":
        raise _fault(path, node, f"{prefix.rstrip('.') or 'the file'} must hold keys: {', '.join(known)}")
    seen = set()
    for key_node, value_node in node.value:
        key = key_node.value if isinstance(key_node.value, str) else "?"
        if key not in known:
            raise _fault(path, key_node, f"{prefix}{key} is not a setting{_meant(key, prefix, known)}")
        if key in seen:
            raise _fault(path, key_node, f"{prefix}{key} is set twice")
        seen.add(key)
        yield key, value_node


def _value(
    loader: "yaml.SafeLoader", node: "yaml.Node", path: Path, key: str, words: tuple[str, ...]
) -> float | str:
    """A setting's value, checked."""
    value = loader.construct_object(node, deep=True)
    if words:
        if isinstance(value, str) and value in words:
            return value
        raise _fault(path, node, f"{key} must be one of {', '.join(words)}, not {value!r}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _fault(path, node, f"{key} must be a number from 0 to 1, not {value!r}")
    return float(value)


def _meant(key: str, prefix: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - needed for a mistake only

    close = get_close_matches(key, known, n=1)
    return f"; did you mean {prefix}{close[0]}?" if close else f" (known: {', '.join(known)})"


def _fault(path: Path, node: "yaml.Node", what: str) -> ConfigError:
    ending = "" if what.endswith("?") else "."
    return ConfigError(f"{path}, line {node.start_mark.line + 1}: {what}{ending}", hint=_HINT)
