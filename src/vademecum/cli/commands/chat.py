"""`vademecum chat`: check, explain, test and migrate chat rules."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.cli._command import Options
from vademecum.cli._style import harmless, print_json, typed_text
from vademecum.core.errors import AnswerError, ConfigError
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.desks.chat.chat import Routed
    from vademecum.desks.chat.load import Loaded
    from vademecum.desks.chat.resources import Resources

_FAILED, _WARNED = 1, 3


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
        if arguments.json:
            faults = [fault._asdict() for fault in error.faults]
            print_json({"sound": False, "faults": faults, "warnings": [], "configuration": None})
        else:
            for fault in error.faults:
                print(harmless(located(error.name, fault)), file=sys.stderr)
            count = len(error.faults)
            print(f"vademecum: {count} {'fault' if count == 1 else 'faults'}; {error.hint}", file=sys.stderr)
        return 2
    missing = _resources(arguments.file).check() if arguments.live else []
    if arguments.json:
        print_json(
            {
                "sound": not missing,
                "faults": [],
                "warnings": [one._asdict() for one in loaded.warnings],
                "missing": [one._asdict() for one in missing],
                "configuration": loaded.configuration.to_dict(),
            }
        )
    else:
        for warning in loaded.warnings:
            print(harmless(f"{located(loaded.name, warning)} (a warning)"), file=sys.stderr)
        for part in missing:
            print(harmless(f"{part.part}: {part.message} {part.hint}"), file=sys.stderr)
        if not missing:
            print(_summary(loaded))
    return _FAILED if missing else _WARNED if loaded.warnings else 0


def _summary(loaded: "Loaded") -> str:
    configuration = loaded.configuration
    counts = (
        (len(configuration.responses), "rule"),
        (len(configuration.rag_services), "service"),
        (len(configuration.llms), "llm"),
    )
    said = ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts)
    return f"{printable(loaded.name, 200) or 'The built-in configuration'} is valid: {said}."


# --- route and explain ---


def _routed(arguments: Options) -> "Routed":
    from vademecum.desks.chat.chat import route  # noqa: PLC0415 - other commands need none of it
    from vademecum.desks.chat.reply import ChatRequest  # noqa: PLC0415 - the same

    request = ChatRequest(
        message=_question(arguments), collections=arguments.collection or None, explain=True
    )
    with _resources(arguments.config) as resources:
        return route(request, resources)


@_with_extra
def route(arguments: Options) -> int:
    """Print the rule that answers a question; return the exit code."""
    routed = _routed(arguments)
    if arguments.json:
        print_json(routed.to_dict())
    else:
        print(harmless(_way(routed)))
    return _warned(routed.warnings)


def _way(routed: "Routed") -> str:
    """Return the routing of a question as one line."""
    routing = routed.routing
    where = (
        f" {routing.service}/{routing.collection} at {routing.distance:.3f}"
        if routing.distance is not None
        else ""
    )
    about = f", intent {routing.intent}" if routing.intent else ""
    return f"responses[{routing.rule}]: {routing.rag_result}{where}{about}"


@_with_extra
def explain(arguments: Options) -> int:
    """Show each routing step for a question, and the prompt for the model; return the exit code."""
    from vademecum.answering.prompt import PASSAGES  # noqa: PLC0415 - other commands need none of it

    routed = _routed(arguments)
    composed = routed.composed
    system = composed.system.replace(PASSAGES, "(the documents, fenced and numbered)")
    if arguments.json:
        data = {
            "text": composed.text,
            "llm": composed.llm,
            "model": composed.model,
            "system": system,
            "max_tokens": composed.max_tokens,
            "temperature": composed.temperature,
            "sources": [source.identifier for source in composed.sources],
            "warnings": list(composed.warnings),
        }
        print_json({**routed.to_dict(explain=True), "generate": data})
        return _warned(routed.warnings)
    print(harmless("\n".join(_steps(routed))))
    if composed.text is not None:
        print(harmless(f"generate  the rule's own words:\n{composed.text}"))
    else:
        model = f" {composed.model}" if composed.model else ""
        sources = ", ".join(source.identifier for source in composed.sources) or "no document"
        print(
            harmless(f"generate  {composed.llm}{model}, at most {composed.max_tokens} tokens, from {sources}")
        )
        if system.strip() and composed.model:
            print(harmless(f"\nThe system prompt:\n\n{system}"))
    return _warned((*routed.warnings, *composed.warnings))


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
    if arguments.json:
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
        print_json({"probes": len(outcomes), "failed": len(wrong), "outcomes": data})
    else:
        for one in wrong:
            print(harmless(f"{arguments.probes}:{one.probe.line}: {printable(one.probe.question, 100)}"))
            for line in one.wrong:
                print(harmless(f"  {line}"))
        print(f"{len(outcomes) - len(wrong)} of {len(outcomes)} probes were routed as expected.")
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
    if arguments.json:
        print_json({"configuration": migrated.data, "losses": list(migrated.losses)})
    elif not arguments.output:
        print(migrated.to_yaml(), end="")
    if not arguments.json:
        for loss in migrated.losses:
            print(harmless(loss), file=sys.stderr)
    return _WARNED if migrated.losses else 0


# --- helpers ---


def _question(arguments: Options) -> str:
    words = " ".join(arguments.question)
    text = typed_text() if words == "-" else words
    text = text.encode("utf-8", "replace").decode()  # replaces bytes that are not text
    if not text.strip():
        raise AnswerError("No question given.", hint='Put it in quotes: vademecum chat route "how do I ..."')
    return text


def _bytes(path: Path) -> bytes:
    from vademecum.config.document import read_bytes  # noqa: PLC0415 - other commands need none of it

    return read_bytes(path)


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _warned(warnings: Sequence[str]) -> int:
    for warning in warnings:
        print(f"vademecum: {printable(warning, 300)}", file=sys.stderr)
    return _WARNED if warnings else 0
