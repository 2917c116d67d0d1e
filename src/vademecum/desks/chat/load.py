"""Load a configuration: parse, normalize, check and compile it. Each error has its path and line."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vademecum.config.document import Node, NotReadable, joined, not_finite, parse, read_bytes
from vademecum.core.errors import ConfigError
from vademecum.desks.chat.config.check import NEVER_REACHED, check
from vademecum.desks.chat.config.model import EXTRACTIVE, Configuration
from vademecum.desks.chat.config.normal_form import Fault, normalise
from vademecum.desks.chat.rules import Compiler, Rules
from vademecum.files.folders import desk_config_folder
from vademecum.text.printable import printable
from vademecum.text.similar import closest

NOTHING_FOUND = "No relevant information found for your query."
"""The fixed answer if nothing was found."""

UNKNOWN_KEY = "Unknown key"
LOCAL = "local"
_HINT = "The keys are described in docs/reference/chat-configuration.md. Check the file with: vademecum chat check"
_MOST_FAULTS = 100


class ConfigurationFaulty(ConfigError):
    """A chat configuration that cannot be used."""

    def __init__(self, name: str, faults: Iterable[Fault]) -> None:
        self.name = name
        self.faults = tuple(faults)
        first = self.faults[0]
        count = len(self.faults) - 1
        more = f" ({count} more {'fault' if count == 1 else 'faults'})" if count else ""
        super().__init__(f"{located(name, first)}{more}", hint=_HINT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A loaded configuration."""

    name: str
    configuration: Configuration
    rules: Rules
    warnings: tuple[Fault, ...]
    version: str


def located(name: str, fault: Fault) -> str:
    """Return a fault as one line: file, line, path and message."""
    line = f":{fault.line}" if fault.line else ""
    return f"{printable(name, 200)}{line}: {fault}"


def default_file() -> Path | None:
    """Return the user's file, or None.

    Its path is `${XDG_CONFIG_HOME}/vademecum/chat.yaml` (or `.yml`, `.json`).
    """
    for name in ("chat.yaml", "chat.yml", "chat.json"):
        path = Path(desk_config_folder(), name)
        if path.exists():
            return path
    return None


def load(path: Path, environment: Mapping[str, str] | None = None) -> Loaded:
    """Load a file as JSON if its name ends in `.json`, otherwise as YAML."""
    return read(read_bytes(path), str(path), is_json=path.suffix.lower() == ".json", environment=environment)


def read(
    data: bytes, name: str, *, is_json: bool = False, environment: Mapping[str, str] | None = None
) -> Loaded:
    """Load a configuration from text."""
    try:
        root = parse(data, is_json=is_json, finite=False)
    except NotReadable as error:
        raise ConfigurationFaulty(name, [Fault("", error.line, error.message)]) from error
    if not isinstance(root.value, dict):
        message = "It must contain the keys llms, rag_services, intent, embedding, responses."
        raise ConfigurationFaulty(name, [Fault("", root.line, message)])
    root, faults = normalise(root, environment)
    faults += [Fault(one.path, one.line, _NO_NUMBER) for one in not_finite(root)]
    configuration = None
    try:
        configuration = Configuration.model_validate(root.plain())
    except ValidationError as error:
        faults += _faults_of(error, root)
        faults += _faults_of_the_rest(error, root)
    warnings: list[Fault] = []
    rules = None
    if configuration:
        found, warnings = check(configuration, root)
        compiler = Compiler(configuration, root)
        rules = compiler.rules()
        faults += [*found, *compiler.faults]
        warnings += compiler.warnings
    if faults or configuration is None or rules is None:
        raise ConfigurationFaulty(
            name, sorted(set(faults), key=lambda one: (one.line, one.path))[:_MOST_FAULTS]
        )
    version = sha256(data).hexdigest()[:16]
    return Loaded(
        name=name, configuration=configuration, rules=rules, warnings=tuple(warnings), version=version
    )


def built_in() -> Loaded:
    """Return the configuration without a file: an extractive rule for all collections, small talk, and a fallback."""
    return replace(read(BUILT_IN.encode(), ""), version="built-in")


BUILT_IN = f"""\
rag_services:
  {LOCAL}:
    type: local
    query_mode: all
responses:
  - match: {{rag_result: match}}
    llm: {EXTRACTIVE}
  - match: {{small_talk: [greeting, help]}}
    static_response: Hello. Ask a question, and the answer comes from your documents, with the words it rests on.
  - match: {{small_talk: thanks}}
    static_response: You are welcome.
  - match: {{small_talk: goodbye}}
    static_response: Goodbye.
  - static_response: {NOTHING_FOUND}
"""
"""The configuration without a file. It uses calibrated answerability, because a distance says little about whether
there is an answer, and cannot be compared between a book and three notes."""


# --- errors of Pydantic ---


_PLAIN_WORDS = {
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "float_parsing": "a number",
    "int_parsing": "a whole number",
}
"""What a value must be, by the type of Pydantic's error."""

_NO_NUMBER = ".nan and .inf are not numbers that can be used."


def _faults_of(error: ValidationError, root: Node) -> list[Fault]:
    found = error.errors(include_url=False, include_context=True)[:_MOST_FAULTS]
    specific = {_place(one) for one in found if one["type"] != "string_type"}
    # Pydantic also reports a list with faulty elements as too short, and a wrong number as not being text
    return [
        _fault_of(one, root)
        for one in found
        if not (one["type"] == "too_short" and len(found) > 1)
        and not (one["type"] == "string_type" and _place(one) in specific)
    ]


def _faults_of_the_rest(error: ValidationError, root: Node) -> list[Fault]:
    """Return further faults, found without the faulty keys. Faults that the missing keys may cause are left out."""
    gone: dict[tuple[Any, ...], Node] = {}
    for place in {_place(one) for one in error.errors(include_url=False)}:
        above = root.at(place[:-1])
        if place and isinstance(above.value, dict) and place[-1] in above.value:
            gone[place] = above.value.pop(str(place[-1]))
    try:
        configuration = Configuration.model_validate(root.plain())
    except ValidationError as still:
        for place in {_place(one) for one in still.errors(include_url=False)} & gone.keys():
            keys = root.at(place[:-1]).value
            if isinstance(keys, dict):  # a required key, usually a threshold
                keys[str(place[-1])] = Node(0, gone[place].line, gone[place].path)
        try:
            configuration = Configuration.model_validate(root.plain())
        except ValidationError:
            return []
    compiler = Compiler(configuration, root)
    compiler.rules()
    found = [*check(configuration, root)[0], *compiler.faults]
    return [one for one in found if not any(_follows(one, left.path) for left in gone.values())]


def _follows(fault: Fault, gone: str) -> bool:
    """Return whether a missing key may be the cause of a fault."""
    is_order = fault.message.startswith(NEVER_REACHED)
    return gone.startswith(fault.path) and (not is_order or ".match" in gone)


def _place(error: Any) -> tuple[Any, ...]:
    """Return the place in the file of an error of Pydantic."""
    return tuple(step for step in error["loc"] if not _is_branch(step))


def _fault_of(one: Any, root: Node) -> Fault:
    place = _place(one)
    kind, message = one["type"], one["msg"]
    node = root.at(place)
    if kind == "extra_forbidden":
        key = str(place[-1])
        known = _keys_at(place[:-1])
        return Fault(node.path, node.line, f"{UNKNOWN_KEY} (known: {', '.join(known)}).", closest(key, known))
    if kind == "missing":
        key = str(place[-1])
        where = f"Service {joined('', place[1])}: " if place[0] == "rag_services" and len(place) == 3 else ""
        if place == ("responses",):
            return Fault("responses", node.line, "Config must define at least one response rule.")
        return Fault(joined(node.path, key), node.line, f"{where}{key} is missing.")
    if kind == "too_short" and place == ("responses",):
        return Fault("responses", node.line, "Config must define at least one response rule.")
    if kind == "too_long":
        limit, has = one["ctx"]["max_length"], one["ctx"].get("actual_length")
        count = f", but has {has:,}" if has else ""
        return Fault(node.path, node.line, f"It can have at most {limit:,} entries{count}.")
    shown = (
        printable(repr(node.plain()), 60) if not isinstance(node.value, dict | list) else "a mapping or list"
    )
    secret = bool(place) and place[-1] == "api_key"
    if kind == "literal_error":
        expected = one["ctx"]["expected"]
        words = expected.replace("'", "").replace(" or ", ", ").split(", ")
        return Fault(
            node.path, node.line, f"It must be {expected}, not {shown}.", closest(str(node.value), words)
        )
    if isinstance(node.value, float) and math.isnan(node.value):
        return Fault(node.path, node.line, _NO_NUMBER)
    if kind in _PLAIN_WORDS:
        return Fault(
            node.path, node.line, f"It must be {_PLAIN_WORDS[kind]}{'' if secret else f', not {shown}'}."
        )
    said = message.removeprefix("Value error, ").replace("Input should be", "It must be")
    return Fault(node.path, node.line, f"{said[:1].upper()}{said[1:]}{'' if secret else f', not {shown}'}.")


def _is_branch(step: object) -> bool:
    """Return whether a step of a Pydantic location is the name of a tried type, not a key."""
    return isinstance(step, str) and (
        step in {"int", "float", "str", "[key]"} or step.startswith(("constrained-", "function-"))
    )


def _keys_at(place: tuple[str | int, ...]) -> list[str]:
    """Return the known keys at a place."""
    model: Any = Configuration
    for step in place:
        field = model.model_fields.get(step) if hasattr(model, "model_fields") else None
        annotation = field.annotation if field else model
        model = _section(annotation, step) if field else model
    return list(model.model_fields) if hasattr(model, "model_fields") else []


def _section(annotation: Any, _step: object) -> Any:
    """Return the section in an annotation such as `dict[str, Llm]`, `Intent | None` or `tuple[Rule, ...]`."""
    from typing import get_args  # noqa: PLC0415 - only for errors

    if hasattr(annotation, "model_fields"):
        return annotation
    return next(
        (found for get_arg in get_args(annotation) if (found := _section(get_arg, _step)) is not None), None
    )
