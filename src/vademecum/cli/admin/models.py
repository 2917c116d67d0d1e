"""`ragadmin models`: list the configured models, check them, and test one."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from vademecum.cli._command import Options
from vademecum.cli._output import WARNED, columns, print_result, wants_json
from vademecum.core.errors import ConfigError, VademecumError
from vademecum.library.health.backends import Backend, configured, named, try_out, works
from vademecum.library.health.probing import NoAnswerError, why, within
from vademecum.library.internal import InternalLibrary
from vademecum.text.printable import printable

_LOOK_S, _NAME_S = 3.0, 2.0
_SHOWN = 100
_AVAILABLE = "available"
_STATES = {"MODEL_MISSING": "missing", "PROVIDER_REFUSED": "refused", "CONFIG_INVALID": "misconfigured"}
"""The states of unavailable models, by error code; other models are `not reachable`."""

_NONE = "No model is configured: answers quote the documents, which are found with the built-in word vectors."


def list_models(library: InternalLibrary, asked: Options) -> int:
    """Print the configured models; return 3 if one is unavailable."""
    found = configured(library.settings)
    with ThreadPoolExecutor(8) as pool:  # models are usually on several machines
        looked = list(pool.map(_looked, found))
    lines = columns([("key", "model", "uses", "state"), *map(_row, looked)]) if looked else [_NONE]
    for model in looked:
        if model["message"]:
            message, remedy = printable(model["message"], 400), printable(model["remedy"], 200)
            lines.append(f"{model['key']}: {message} {remedy}")
        elif model["server_has"]:
            names = printable(", ".join(model["server_has"]), 400)
            lines.append(f"{model['key']}: its server has {names}")
    print_result(looked, lines, as_json=wants_json(library, asked), indent=2)
    return 0 if all(model["state"] == _AVAILABLE for model in looked) else WARNED


def test(library: InternalLibrary, asked: Options) -> int:
    """Try out one model or all configured ones, and print the results; return 1 if one cannot be used."""
    found = [named(asked.name, library.settings)] if asked.name else configured(library.settings)
    as_json = wants_json(library, asked)
    if not found and not as_json:
        raise ConfigError("No model is configured.", hint="Name one: ragadmin models test ollama:gemma3:1b")
    reports = []
    for backend in found:
        tried = try_out(backend, asked.timeout)
        fine = works(backend, tried)
        lines = [f"{backend.key}: {printable(backend.name, _SHOWN)} {'works' if fine else 'cannot be used'}"]
        for use in tried:
            mark = "✓" if use.ok else "✗"
            lines.append(f"  {mark} {use.use:8} {use.seconds:6.2f} s  {printable(use.said, 400)}")
            lines += [f"             {printable(more, 400)}" for more in (use.hint, *use.warnings) if more]
        if not as_json:
            print("\n".join(lines), flush=True)
        uses = [use._asdict() for use in tried]
        reports.append({"key": backend.key, "model": backend.name, "ok": fine, "tried": uses})
    print_result(reports, "", as_json=as_json, indent=2)
    return 0 if all(report["ok"] for report in reports) else 1


def _looked(one: "Backend") -> dict[str, Any]:
    """Return the state of a backend, from a single check."""
    said: dict[str, Any] = {"key": one.key, "model": one.name, "uses": list(one.uses)}
    try:
        has = within(_LOOK_S + _NAME_S, lambda: one.look(_LOOK_S))
    except NoAnswerError as error:  # a name lookup cannot be cancelled
        fault = {
            "message": f"{one.name}: {why(error)}.",
            "remedy": "Check base_url.",
            "error_code": "PROVIDER_TIMEOUT",
        }
        return {**said, "state": "not reachable", "server_has": [], **fault}
    except VademecumError as error:
        state = _STATES.get(error.code, "not reachable")
        fault = {"message": error.message, "remedy": error.hint, "error_code": error.code}
        return {**said, "state": state, "server_has": [], **fault}
    return {**said, "state": _AVAILABLE, "server_has": list(has), "message": "", "remedy": ""}


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    return one["key"], printable(one["model"], _SHOWN), ", ".join(one["uses"]) or "-", one["state"]
