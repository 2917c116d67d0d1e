"""The desk's configuration file: read with the line of every setting, written once with all of them commented out.

Other sections of the file than `ai:` belong to the tool that builds the images, and are left alone. Since the YAML parser takes
longer to load than a template to find, what the file said is kept beside the data under its path, size and time.
"""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.core.errors import ConfigError
from vademecum.desks.composer.settings import composer_folder
from vademecum.desks.composer.settings_sources import BY_KEY, ROOT, TABLE, Said, checked, meant
from vademecum.files.write import replace_file
from vademecum.text.printable import printable

if TYPE_CHECKING:
    import yaml

MOST_BYTES = 1 << 16
_HINT = "Correct it, or move it away and run: os-image-composer config init"
_PLAIN = frozenset(f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool"))
_NULL = "tag:yaml.org,2002:null"
_SHOWN = 60
_GROUPS = {key.rpartition(".")[0] for key in BY_KEY} | {ROOT}
_TITLES = {
    "ai": "General",
    "ai.ollama": "Ollama, when it is the provider",
    "ai.openai": "OpenAI, when it is the provider; the key comes from OPENAI_API_KEY",
    "ai.cache": "Vectors of templates",
    "ai.conversation": "Conversation",
    "ai.session": "Sessions",
    "ai.scoring": "Scoring: rarely need to change",
    "ai.classification": "Telling requests apart: rarely need to change",
    "ai.agent": "Checking and mending",
    "ai.agent.suggestions": "Suggestions",
}


def settings_in(path: Path, *, must_exist: bool = False) -> Iterator[tuple[str, Said]]:
    """What a configuration file says: texts by dotted key, each with its line; nothing for a file that is not there.

    Raises:
        ConfigError: It cannot be used, with the key and line at fault.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        if must_exist:
            raise ConfigError(
                f"There is no file {path}.", hint="Name another, or run: os-image-composer config init"
            ) from None
        return iter(())
    except OSError as error:
        raise _unreadable(path, error) from error
    copy = composer_folder() / "settings.json"
    state = [str(path.absolute()), status.st_size, status.st_mtime_ns, status.st_ino]
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        kept = json.loads(copy.read_text(encoding="utf-8"))
        if kept["of"] == state and all(
            isinstance(one["text"], str) and one["key"] in BY_KEY for one in kept["says"]
        ):
            return iter(
                [(str(one["key"]), _said(path, int(one["line"]), one["text"])) for one in kept["says"]]
            )
    found = list(_parsed(path))
    with suppress(OSError):
        says = [{"key": key, "line": line, "text": text} for key, line, text in found]
        replace_file(copy, json.dumps({"of": state, "says": says}) + "\n")
    return iter([(key, _said(path, line, text)) for key, line, text in found])


def default_text() -> str:
    """The file as `config init` writes it: every setting with its default, all commented out."""
    lines = [
        "# Settings of os-image-composer. All values below are the defaults: uncomment only what you change.",
        "# A variable of the environment (OIC_AI_CACHE_DIR for ai.cache.dir) and a flag (--set ai.cache.dir=...) win over this file.",
        "",
        f"# {ROOT}:",
    ]
    group = ""
    for setting in TABLE:
        above = setting.key.rpartition(".")[0]
        if above != group:
            indent = "  " * max(1, above.count("."))
            lines += ["#", f"# {indent}# {_TITLES[above]}"]
            if above != ROOT:
                lines.append(f"# {indent}{above.rpartition('.')[2]}:")
            group = above
        indent = "  " * setting.key.count(".")
        value = setting.default or '""'
        lines.append(f"# {indent}{setting.key.rpartition('.')[2]}: {value}  # {setting.meaning}")
    return "\n".join(lines) + "\n"


def write_default(path: Path) -> bool:
    """Write the file where there is none.

    Returns:
        Whether it was written; one that is there is left as it is.

    Raises:
        ConfigError: It cannot be written.
    """
    if os.path.lexists(path):
        return False
    try:
        replace_file(path, default_text())
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}."
        raise ConfigError(
            message, hint="Check the folder's owner, its rights and the space left on the disk."
        ) from error
    return True


def _said(path: Path, line: int, text: str) -> Said:
    return Said(text, f"{path}, line {line}")


def _parsed(path: Path) -> Iterator[tuple[str, int, str]]:
    """Keys, lines and texts; every text checked, so that a mistake is named by its line."""
    import yaml  # noqa: PLC0415 - 33 ms

    text = _text(path)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise _not_yaml(path, text, error) from error
    except RecursionError as error:
        raise ConfigError(f"{path}: it is nested too deeply.", hint=_HINT) from error
    for key, node in _pairs(root, path, ""):
        if key == ROOT:
            yield from _section(node, path, ROOT)
        elif (
            key.lower() == ROOT
            or key in BY_KEY
            or any(one.startswith(f"{ROOT}.{key}.") for one in BY_KEY)
            or f"{ROOT}.{key}" in BY_KEY
        ):
            raise _fault(path, node, f"{printable(key, _SHOWN)} must stand below {ROOT}:")


def _section(node: "yaml.Node", path: Path, above: str) -> Iterator[tuple[str, int, str]]:
    for key, value in _pairs(node, path, above):
        dotted = f"{above}.{key}"
        if dotted in BY_KEY:
            text = _scalar(value, path, dotted)
            checked(BY_KEY[dotted], text, f"{path}, line {value.start_mark.line + 1}")
            yield dotted, value.start_mark.line + 1, text
        elif dotted in _GROUPS:
            yield from _section(value, path, dotted)
        else:
            raise _fault(
                path, value, f"{printable(dotted, _SHOWN)} is not a setting{meant(dotted)}".removesuffix(".")
            )


def _pairs(node: "yaml.Node | None", path: Path, above: str) -> "Iterator[tuple[str, yaml.Node]]":
    """The keys of a mapping; nothing for one that is absent or empty."""
    if node is None or node.tag == _NULL:
        return
    if not isinstance(node.value, list) or node.tag != "tag:yaml.org,2002:map":
        raise _fault(path, node, f"{above or 'the file'} must hold settings, each with its name")
    seen = set()
    for key_node, value in node.value:
        key = key_node.value if isinstance(key_node.value, str) else "?"
        if key in seen:
            raise _fault(path, key_node, f"{printable(f'{above}.{key}'.lstrip('.'), _SHOWN)} is set twice")
        seen.add(key)
        yield key, value


def _scalar(node: "yaml.Node", path: Path, key: str) -> str:
    """A value's text. A list or mapping is not even looked into: it may be without end."""
    if node.tag == _NULL and isinstance(node.value, str):
        return ""
    if node.tag not in _PLAIN or not isinstance(node.value, str):
        what = {"sequence": "a list", "mapping": "a mapping"}.get(getattr(node, "id", "")) or printable(
            node.tag, _SHOWN
        )
        raise _fault(path, node, f"{key} must be {BY_KEY[key].kind.wanted}, not {what}")
    return str(node.value).strip()


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
        raise ConfigError(f"{path} is too large: it may have {MOST_BYTES:,} bytes.", hint=_HINT)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{path}, line {line}: it is not text in UTF-8 (byte {data[error.start]:#04x})."
        raise ConfigError(message, hint=_HINT) from error


def _unreadable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"{path} cannot be read: {error.strerror}.", hint="Check its owner and rights.")


def _not_yaml(path: Path, text: str, error: "yaml.YAMLError") -> ConfigError:
    """What the parser stumbled over, and where."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)  # of a character that YAML does not allow
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1 if position is not None else 0
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    if r"'\t'" in problem:
        problem = "it is indented with a tab; use spaces"
    at = f", line {line}" if line else ""
    return ConfigError(f"{path}{at}: this is not YAML: {printable(problem, _SHOWN)}.", hint=_HINT)


def _fault(path: Path, node: "yaml.Node", what: str) -> ConfigError:
    ending = "" if what.endswith("?") else "."
    return ConfigError(f"{path}, line {node.start_mark.line + 1}: {what}{ending}", hint=_HINT)
