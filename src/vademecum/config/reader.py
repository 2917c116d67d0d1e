"""Read settings from the configuration file, the environment and the command line. Later sources take precedence.

The YAML parser takes longer to load than a question takes to answer. The parsed settings are therefore cached by file path,
size and modification time, and the parser is loaded only when these differ.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from vademecum.config.schema import Entry, Given, Line, Schema, Setting, Values, intended, shortened, value_of
from vademecum.core.errors import ConfigError
from vademecum.files.write import replace_file
from vademecum.text.similar import closest


def read(
    schema: Schema,
    file: Path | None = None,
    *,
    copy: Path | None = None,
    must_exist: bool = False,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, str] | None = None,
) -> Values:
    """Read the settings of a desk.

    Args:
        schema: The schema that declares the settings.
        file: The configuration file; None to read none.
        copy: The path of the cache; None for no cache. A cache that cannot be read or written is ignored.
        must_exist: Whether a missing file is an error.
        environ: Environment variables. Blank variables count as not set.
        flags: Flag values as strings, by setting key. A flag with its own name has the key `--flag=KEY`.
    """
    values = Values(schema, {}, {}, {name: {} for name in schema.sections}, file)
    if file is not None:
        values = _from_file(values, file, copy, must_exist=must_exist)
    for setting, given in (*_in_environment(schema, environ or {}), *_in_flags(schema, flags or {})):
        values.given[setting.key] = value_of(setting, given)
        values.origins[setting.key] = given.origin
    return values


def write_new(path: Path, text: str) -> bool:
    """Write a configuration file, if it does not exist.

    Returns:
        Whether it was written.
    """
    if os.path.lexists(path):
        return False
    try:
        replace_file(path, text)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}."
        hint = "Check the folder's owner and permissions, and the free space on the disk."
        raise ConfigError(message, hint=hint) from error
    return True


# --- the file ---


def _from_file(values: Values, path: Path, copy: Path | None, *, must_exist: bool) -> Values:
    try:
        status = path.stat()
    except FileNotFoundError:
        if must_exist:
            raise ConfigError(f"There is no file {path}.", hint="Check its name.") from None
        return values
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}."
        raise ConfigError(message, hint="Check its owner and permissions.") from error
    state = [str(path.absolute()), status.st_size, status.st_mtime_ns, status.st_ino]
    if copy is not None:
        with suppress(
            OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError, ConfigError
        ):
            stored = json.loads(copy.read_text(encoding="utf-8"))
            if stored["of"] == state:
                return _checked(values, path, (Line(tuple(way), *rest) for way, *rest in stored["lines"]))
    from vademecum.config.yaml_file import lines_of  # noqa: PLC0415 - loads the parser

    lines = list(lines_of(values.schema, path))
    checked = _checked(values, path, lines)
    if values.schema.check is not None:
        values.schema.check(checked)
    if copy is not None:
        with suppress(OSError):
            replace_file(copy, json.dumps({"of": state, "lines": lines}) + "\n")
    return checked


def _checked(values: Values, path: Path, lines: Iterable[Line]) -> Values:
    schema, by_key = values.schema, values.schema.by_key
    known: dict[str, dict[str, Setting]] = {}
    given: dict[str, object] = {}
    origins: dict[str, str] = {}
    entries: dict[str, dict[str, Entry]] = {name: {} for name in schema.sections}
    for line in lines:
        origin, key = f"{path}, line {line.number}", ".".join(line.path)
        if line.type == "map":
            section, name = line.path
            known[section] = {setting.key: setting for setting in schema.sections[section]()}
            entries[section][name] = Entry(origin, {}, {})
            continue
        value = Given(str(line.text), origin, f"{origin}: {key}", schema.hint, line.type)
        if line.path[0] in entries:
            section, name, field = line.path
            entry = entries[section][name]
            entry.values[field] = value_of(known[section][field], value)
            entry.origins[field] = origin
        else:
            given[key] = value_of(by_key[key], value)
            origins[key] = origin
    for section, named in entries.items():
        for name, entry in named.items():
            _check_entry(schema, f"{section}.{shortened(name)}", entry, known[section].values())
    return values._replace(given=given, origins=origins, sections=entries)


def _check_entry(schema: Schema, label: str, entry: Entry, settings: Iterable[Setting]) -> None:
    for setting in settings:
        if setting.is_required and setting.key not in entry.values:
            raise ConfigError(f"{entry.origin}: {label} lacks {setting.key}.", hint=schema.hint)


# --- environment and flags ---


def _in_environment(schema: Schema, environ: Mapping[str, str]) -> Iterator[tuple[Setting, Given]]:
    known = {name for setting in schema.settings for name in setting.variables}
    for setting in schema.settings:
        for name in setting.variables:
            if text := environ.get(name, "").strip():
                hint = f"Correct the environment variable {name}, or unset it."
                yield setting, Given(text, f"environment {name}", name, hint)
    for name in sorted(environ):
        if schema.prefix and name.startswith(schema.prefix) and name not in known:
            similar = closest(name, known)
            label = f"The environment variable {shortened(name)}"
            wanted = "does not name a setting" + (f"; did you mean {similar}?" if similar else "")
            raise ConfigError(_sentence(f"{label} {wanted}"), hint=f"Unset it. {schema.list_hint}".strip())


def _in_flags(schema: Schema, flags: Mapping[str, str]) -> Iterator[tuple[Setting, Given]]:
    root = f"{schema.roots[0]}." if schema.roots else ""
    by_key = schema.by_key
    for name, text in flags.items():
        flag, equals, key = name.partition("=")
        origin, key = (flag, key) if equals else ("--set", name)
        setting = by_key.get(key) or by_key.get(root + key)
        if setting is None:
            wanted = f"{shortened(key)} is not a setting{intended(schema, key)}"
            raise ConfigError(_sentence(f"{origin}: {wanted}"), hint=schema.list_hint)
        label = origin if equals else f"{origin}: {setting.key}"
        yield setting, Given(text.strip(), origin, label, f"As an example: {setting.default or '/srv/data'}")


def _sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."
