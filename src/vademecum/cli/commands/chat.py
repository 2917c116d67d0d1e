"""`vademecum chat`: check, explain, test and migrate chat rules."""

import json
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.cli._command import Options
from vademecum.cli._output import WARNED, asked_text, print_result, warn
from vademecum.cli._style import harmless
from vademecum.core.errors import ConfigError
from vademecum.text.printable import counted, printable

if TYPE_CHECKING:
    from vademecum.desks.chat.chat import Routed
    from vademecum.desks.chat.load import Loaded
    from vademecum.desks.chat.resources import Resources

_FAILED = 1


def _with_extra(run: Callable[[Options], int]) -> Callable[[Options], int]:
    """Decorate a command that needs the extra `server`, and report if it is not installed."""

    @wraps(run)
    def guarded(arguments: Options) -> int:
        try:
            return run(arguments)
        except ModuleNotFoundError as error:
            message = f"Chat needs {error.name}, which is not installed."
            raise ConfigError(message, hint="Install it with: pip install 'vademecum[server]'") from error

    return guarded


def _loaded(path: Path | None) -> "Loaded":
    from vademecum.desks.chat.load import built_in, default_file, load  # noqa: PLC0415 - other commands need none

    path = path or default_file()
    return load(path) if path else built_in()


def _resources(path: Path | None) -> "Resources":
    from vademecum.desks.chat.resources import Resources  # noqa: PLC0415 - other commands need none of it
    from vademecum.library.collections import Collections  # noqa: PLC0415 - the same

    return Resources(_loaded(path), Collections())


# --- check ---


@_with_extra
def check(arguments: Options) -> int:
    """Check chat rules, and report each error with its line; return the exit code."""
    from vademecum.desks.chat.config.model import schema  # noqa: PLC0415 - other commands need none of it
    from vademecum.desks.chat.load import ConfigurationFaulty, located  # noqa: PLC0415 - the same

    if arguments.schema:
        print(json.dumps(schema(), indent=2))
        return 0
    try:
        loaded = _loaded(arguments.file)
    except ConfigurationFaulty as error:
        faults = [fault._asdict() for fault in error.faults]
        data = {"sound": False, "faults": faults, "warnings": [], "configuration": None}
        print_result(data, "", as_json=arguments.json)
        if not arguments.json:
            _to_stderr(located(error.name, fault) for fault in error.faults)
            print(f"vademecum: {counted(len(faults), 'fault')}; {error.hint}", file=sys.stderr)
        return 2
    missing = _resources(arguments.file).check() if arguments.live else []
    data = {
        "sound": not missing,
        "faults": [],
        "warnings": [warning._asdict() for warning in loaded.warnings],
        "missing": [part._asdict() for part in missing],
        "configuration": loaded.configuration.to_dict(),
    }
    print_result(data, "" if missing else _summary(loaded), as_json=arguments.json)
    if not arguments.json:
        _to_stderr(f"{located(loaded.name, warning)} (a warning)" for warning in loaded.warnings)
        _to_stderr(f"{part.part}: {part.message} {part.hint}" for part in missing)
    return _FAILED if missing else WARNED if loaded.warnings else 0


def _summary(loaded: "Loaded") -> str:
    configuration = loaded.configuration
    rules = counted(len(configuration.responses), "rule")
    services = counted(len(configuration.rag_services), "service")
    name = printable(loaded.name, 200) or "The built-in configuration"
    return f"{name} is valid: {rules}, {services}, {counted(len(configuration.llms), 'llm')}."


# --- route and explain ---


def _routed(arguments: Options) -> "Routed":
    from vademecum.desks.chat.chat import route  # noqa: PLC0415 - other commands need none of it
    from vademecum.desks.chat.reply import ChatRequest  # noqa: PLC0415 - the same

    question = asked_text(arguments.question, "question", 'vademecum chat route "how do I ..."')
    request = ChatRequest(message=question, collections=arguments.collection or None, explain=True)
    with _resources(arguments.config) as resources:
        return route(request, resources)


@_with_extra
def route(arguments: Options) -> int:
    """Print the rule that answers a question; return the exit code."""
    routed = _routed(arguments)
    routing = routed.routing
    where = about = ""
    if routing.distance is not None:
        where = f" {routing.service}/{routing.collection} at {routing.distance:.3f}"
    if routing.intent:
        about = f", intent {routing.intent}"
    said = f"responses[{routing.rule}]: {routing.rag_result}{where}{about}"
    print_result(routed.to_dict(), said, as_json=arguments.json)
    return warn(routed.warnings)


@_with_extra
def explain(arguments: Options) -> int:
    """Show each routing step for a question, and the prompt for the model; return the exit code."""
    from vademecum.answering.choice import PASSAGES  # noqa: PLC0415 - other commands need none of it

    routed = _routed(arguments)
    composed = routed.composed
    system = composed.system.replace(PASSAGES, "(the numbered lines of the documents)")
    identifiers = [source.identifier for source in composed.sources]
    generate = {
        "text": composed.text,
        "llm": composed.llm,
        "model": composed.model,
        "system": system,
        "max_tokens": composed.max_tokens,
        "temperature": composed.temperature,
        "sources": identifiers,
        "warnings": list(composed.warnings),
    }
    lines = _steps(routed)
    if composed.text is not None:
        lines.append(f"generate  the rule's own words:\n{composed.text}")
    else:
        model = f" {composed.model}" if composed.model else ""
        sources = ", ".join(identifiers) or "no document"
        lines.append(f"generate  {composed.llm}{model}, at most {composed.max_tokens} tokens, from {sources}")
        if system.strip() and composed.model:
            lines.append(f"\nThe system prompt:\n\n{system}")
    print_result({**routed.to_dict(explain=True), "generate": generate}, lines, as_json=arguments.json)
    return warn(routed.warnings if arguments.json else (*routed.warnings, *composed.warnings))


def _steps(routed: "Routed") -> list[str]:
    steps = {step.name: step for step in routed.trace.steps}
    retrieve = dict(steps["retrieve"].saw)
    lines = []
    if retrieve["read_as"] != retrieve["question"]:
        lines.append(f"retrieve  interpreted as: {retrieve['read_as']}")
    asked = retrieve["asked"]
    assert isinstance(asked, list)  # noqa: S101 - the step records a list
    for one in asked:
        distance = "nothing" if one["distance"] is None else f"{one['distance']:.3f}"
        if one["match_threshold"] is None:
            thresholds = [f"answerability {one['answerability'] or 0:.2f}"]
        else:
            thresholds = [f"match below {one['match_threshold']:g}"]
        if one["partial_threshold"] is not None:
            thresholds.append(f"partial below {one['partial_threshold']:g}")
        lines.append(f"retrieve  {one['identifier']}: {distance}, {one['result']} ({', '.join(thresholds)})")
    if not asked:
        lines.append("retrieve  no collection was asked")
    promoted = f", {routed.profile.identifier}" if routed.profile.identifier else ""
    lines.append(f"evaluate  {routed.profile.rag_result}{promoted}")
    intent = dict(steps["intent"].saw)
    lines.append(f"intent    {routed.profile.intent or 'none'} ({intent['why']})")
    lines += [
        f"match     responses[{one.rule}]: {'matches' if one.passed else f'{one.failed} does not match'}"
        for one in routed.tried
    ]
    return lines


# --- test ---


@_with_extra
def test(arguments: Options) -> int:
    """Route questions with known rules, and list those that are routed differently; return the exit code."""
    from vademecum.desks.chat.probes import read_probes, run  # noqa: PLC0415 - other commands need none of it

    probes = read_probes(_bytes(arguments.probes), str(arguments.probes), is_json=_is_json(arguments.probes))
    with _resources(arguments.config) as resources:
        outcomes = list(run(probes, resources))
    wrong = [outcome for outcome in outcomes if outcome.wrong]
    data = [
        {
            "line": outcome.probe.line,
            "question": outcome.probe.question,
            "passed": not outcome.wrong,
            "wrong": list(outcome.wrong),
            "routing": outcome.routing.to_dict() if outcome.routing else None,
        }
        for outcome in outcomes
    ]
    lines = []
    for outcome in wrong:
        lines.append(f"{arguments.probes}:{outcome.probe.line}: {printable(outcome.probe.question, 100)}")
        lines += [f"  {line}" for line in outcome.wrong]
    lines.append(f"{len(outcomes) - len(wrong)} of {len(outcomes)} probes were routed as expected.")
    result = {"probes": len(outcomes), "failed": len(wrong), "outcomes": data}
    print_result(result, lines, as_json=arguments.json)
    return _FAILED if wrong else 0


# --- migrate ---


@_with_extra
def migrate(arguments: Options) -> int:
    """Convert an old configuration, and list what is lost; return the exit code."""
    from vademecum.desks.chat.migrate.migration import migrate  # noqa: PLC0415 - other commands need none of it

    migrated = migrate(_bytes(arguments.old), str(arguments.old), is_json=_is_json(arguments.old))
    if arguments.output:
        try:
            with arguments.output.open("x", encoding="utf-8") as file:
                file.write(migrated.to_yaml())
        except OSError as error:
            message = f"{printable(str(arguments.output), 200)} cannot be written: {error.strerror}."
            raise ConfigError(message, hint="Use a new file name in an existing folder.") from error
    data = {"configuration": migrated.data, "losses": list(migrated.losses)}
    print_result(data, "", as_json=arguments.json)
    if not arguments.json:
        print("" if arguments.output else migrated.to_yaml(), end="")
        _to_stderr(migrated.losses)
    return WARNED if migrated.losses else 0


# --- helpers ---


def _to_stderr(lines: Iterable[str]) -> None:
    for line in lines:
        print(harmless(line), file=sys.stderr)


def _bytes(path: Path) -> bytes:
    from vademecum.config.document import read_bytes  # noqa: PLC0415 - other commands need none of it

    return read_bytes(path)


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"
