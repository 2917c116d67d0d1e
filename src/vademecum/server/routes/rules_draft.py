"""Drafts of a chat configuration: check them, list their rules, and put one in place of the file.

A draft comes from the network. It can therefore change rules, prompts and thresholds, but no address, key, file or environment variable:
these must be in the file already, and are added by editing the file on the server.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.config.document import NotReadable, parse, read_bytes
from vademecum.core.errors import ConfigError
from vademecum.desks.chat.config.model import EXTRACTIVE, Configuration, Rule
from vademecum.desks.chat.config.normal_form import PROSE, VARIABLE, Fault
from vademecum.desks.chat.load import ConfigurationFaulty, Loaded, read
from vademecum.files.locks import locked
from vademecum.files.write import replace_file
from vademecum.server.errors import HttpError
from vademecum.text.printable import printable

_STEP = re.compile(r"([^.\[\]]+)(?:\[\d+\])*$")
_MOST_KEPT = 20
_PATIENCE_S = 5.0
_SHOWN = 120


class Place(NamedTuple):
    """A fault or a warning, with its position.

    Attributes:
        line: The line, from 1; 0 for the whole file.
        column: The column, from 1; 0 for the whole line.
        path: The path in the file (`responses[2].match.intent`); "" for the whole file.
    """

    line: int
    column: int
    path: str
    message: str
    suggestion: str


class Row(NamedTuple):
    """A rule as a person reads it.

    Attributes:
        when: The conditions, each as a key and its accepted values; none for the fallback.
        then: What answers: `static`, `extractive` or `model`.
    """

    number: int
    name: str
    when: tuple[tuple[str, tuple[str, ...]], ...]
    then: str
    says: str
    model: str
    line: int
    last_line: int


class Checked(NamedTuple):
    """A checked draft."""

    loaded: Loaded | None
    rules: tuple[Row, ...]
    faults: tuple[Place, ...]
    warnings: tuple[Place, ...]


class RulesFile:
    """The file of a chat configuration.

    Args:
        active: The active configuration, whose connections a draft may keep if the file was broken by hand.
    """

    def __init__(self, path: Path, active: Configuration) -> None:
        self.path, self._active = path, active
        self.is_json = path.suffix.lower() == ".json"

    def text(self) -> str:
        """Return the text of the file."""
        return read_bytes(self.path).decode("utf-8", "replace")

    def check(self, draft: str) -> Checked:
        """Check a draft against the file that it would replace."""
        text = self.text()
        name = self.path.name
        if faults := list(self._variables(draft, text)):
            return Checked(None, (), tuple(_places(faults, draft)), ())
        try:
            loaded = read(draft.encode(), name, is_json=self.is_json)
        except ConfigurationFaulty as error:
            return Checked(None, (), tuple(_places(error.faults, draft)), ())
        if faults := list(self._additions(loaded, draft, text)):
            return Checked(None, (), tuple(_places(faults, draft)), ())
        rows = tuple(rows_of(loaded, draft, is_json=self.is_json))
        return Checked(loaded, rows, (), tuple(_places(loaded.warnings, draft)))

    def save(self, draft: str, before: str) -> Checked:
        """Put a draft in place of the file. The old file is kept under a name with the time.

        Returns:
            The checked draft; the file is unchanged if it has faults.
        """
        path = self.path.resolve()
        try:
            with locked(path.with_name(f".{path.name}.lock"), patience_s=_PATIENCE_S):
                _demand_same(path, self.text(), before)
                checked = self.check(draft)
                if checked.loaded is not None and draft != before:
                    self._keep(path, before)
                    mode = path.stat().st_mode & 0o777
                    replace_file(path, draft)
                    path.chmod(mode)
                return checked
        except OSError as error:
            message = f"{path} cannot be written: {error.strerror or error}."
            raise ConfigError(message, hint="Check the permissions of its folder.") from error

    def _keep(self, path: Path, text: str) -> None:
        """Keep the old file, and remove the oldest of many."""
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S.%f")
        kept = path.with_name(f"{path.name}.{stamp}.old")
        replace_file(kept, text)
        kept.chmod(path.stat().st_mode & 0o777)
        for old in sorted(path.parent.glob(f"{path.name}.*.old"))[:-_MOST_KEPT]:
            old.unlink(missing_ok=True)

    def _variables(self, draft: str, text: str) -> Iterator[Fault]:
        """Yield a fault for each value with environment variables that the file does not have under the same key.

        It is looked for before variables are replaced, so that no message contains the value of a variable.
        """
        known = {("api_key", llm.api_key) for llm in self._active.llms.values()}
        known |= {(key, value) for key, value, _ in _substituted(text, is_json=self.is_json)}
        for key, value, line in _substituted(draft, is_json=self.is_json):
            if (key, value) not in known:
                message = (
                    f"The file on the server does not have {key}: {printable(value, 80)}. Add it there first."
                )
                yield Fault("", line, message)

    def _additions(self, loaded: Loaded, draft: str, text: str) -> Iterator[Fault]:
        """Yield a fault for each connection of a draft that neither the file nor the active configuration has."""
        known = set(_connections(self._active))
        with suppress(ConfigurationFaulty):
            known |= set(_connections(read(text.encode(), "", is_json=self.is_json).configuration))
        connections, lines = {key for _, key in known}, draft.splitlines()
        for path, connection in _connections(loaded.configuration):
            if connection not in connections:
                name = re.compile(rf"(?<![\w-]){re.escape(path.partition('.')[2])}[\"']?\s*:")
                line = next((at for at, text_line in enumerate(lines, 1) if name.search(text_line)), 0)
                message = "The file on the server does not have this connection. Add addresses, keys and files there first."
                yield Fault(path, line, message)


def probes_of(path: Path) -> str:
    """Return the text of the probes next to a file of rules, `chat.probes.yaml` for `chat.yaml`; "" if there are none."""
    place = _probes_place(path)
    return read_bytes(place).decode("utf-8", "replace") if place.exists() else ""


def save_probes(path: Path, text: str, before: str) -> None:
    """Write the probes next to a file of rules."""
    place = _probes_place(path)
    try:
        with locked(place.with_name(f".{place.name}.lock"), patience_s=_PATIENCE_S):
            _demand_same(place, probes_of(path), before)
            replace_file(place, text)
            place.chmod(path.stat().st_mode & 0o777)
    except OSError as error:
        message = f"{place} cannot be written: {error.strerror or error}."
        raise ConfigError(message, hint="Check the permissions of its folder.") from error


def _probes_place(path: Path) -> Path:
    resolved = path.resolve()
    return resolved.with_name(f"{resolved.stem}.probes.yaml")


def _demand_same(path: Path, text: str, before: str) -> None:
    """Check that nobody has changed a file."""
    if text != before:
        message = f"{path.name} was changed in the meantime."
        raise HttpError(409, "RULES_CHANGED", message, "Compare it with the draft, and save again.")


def rows_of(loaded: Loaded, text: str, *, is_json: bool) -> Iterator[Row]:
    """Yield the rules of a valid configuration, with their lines in its text."""
    try:
        root = parse(text.encode(), is_json=is_json, finite=False)
    except NotReadable:  # the built-in configuration has no text
        root = None
    nodes = root.value.get("responses") if root and isinstance(root.value, dict) else None
    written = nodes.value if nodes and isinstance(nodes.value, list) else []
    starts = [node.line for node in written]
    last = len(text.rstrip().splitlines())
    for number, rule in enumerate(loaded.configuration.responses):
        node = written[number].value if number < len(written) else None
        comment = node["comment"].plain() if isinstance(node, dict) and "comment" in node else ""
        line = starts[number] if number < len(starts) else 0
        following = starts[number + 1] - 1 if number + 1 < len(starts) else last
        yield Row(
            number,
            comment if isinstance(comment, str) else "",
            tuple((key, _values(value)) for key, value in rule.match.items()),
            *_then(rule, loaded.configuration),
            line,
            max(line, following) if line else 0,
        )


def _then(rule: Rule, configuration: Configuration) -> tuple[str, str, str]:
    """Return what a rule answers with, the beginning of its text, and its model."""
    if rule.static_response is not None:
        return "static", rule.static_response[:_SHOWN], ""
    llm = configuration.llm(rule.llm)
    if llm.type == EXTRACTIVE:
        return "extractive", rule.prompt[:_SHOWN], ""
    model = rule.model or llm.default_model
    return "model", rule.prompt[:_SHOWN], f"{rule.llm}: {model}" if model else rule.llm


def _values(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)


def _substituted(text: str, *, is_json: bool) -> list[tuple[str, str, int]]:
    """Return each value in which environment variables are replaced, with its key and line; none if the text cannot be read."""
    try:
        root = parse(text.encode(), is_json=is_json, finite=False)
    except NotReadable:
        return []
    found, waiting = [], [("", root)]
    while waiting:
        key, node = waiting.pop()
        if isinstance(node.value, dict):
            waiting += [
                (name, inner) for name, inner in node.value.items() if name not in {"comment", "detection"}
            ]
        elif isinstance(node.value, list):
            waiting += [(key, inner) for inner in node.value]
        elif isinstance(node.value, str) and key not in PROSE and VARIABLE.search(node.value):
            found.append((key, node.value, node.line))
    return found


def _connections(configuration: Configuration) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what each llm and service connects to, with its path."""
    for name, llm in configuration.llms.items():
        yield (f"llms.{name}", (llm.type, llm.base_url, llm.api_key, llm.proxy, llm.ca_file))
    for name, service in configuration.rag_services.items():
        yield f"rag_services.{name}", (service.type, service.url, service.tenant, service.database)


def _places(faults: Sequence[Fault], text: str) -> Iterator[Place]:
    """Add the column of each fault: that of the last key of its path, or of the line's first character."""
    lines = text.splitlines()
    for fault in faults:
        line = lines[fault.line - 1] if 0 < fault.line <= len(lines) else ""
        step = _STEP.search(fault.path)
        found = re.search(rf"(?<![\w-]){re.escape(step[1])}(?![\w-])", line) if step else None
        column = found.start() if found else len(line) - len(line.lstrip())
        yield Place(fault.line, column + 1 if line else 0, fault.path, fault.message, fault.meant)


def plain(rows: Sequence[Row] | Sequence[Place]) -> list[Mapping[str, Any]]:
    """Return rows or places as plain data."""
    return [
        {**row._asdict(), "when": [{"key": key, "values": list(values)} for key, values in row.when]}
        if isinstance(row, Row)
        else row._asdict()
        for row in rows
    ]
