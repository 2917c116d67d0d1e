"""`ragadmin models`: list the configured models, check them, and test one."""

import json
from typing import Any

from vademecum.cli._command import Options
from vademecum.core.errors import ConfigError, VademecumError
from vademecum.library.internal import InternalLibrary
from vademecum.text.printable import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vademecum.library.health.backends import Backend

WARNINGS = 3
_LOOK_S, _NAME_S = 3.0, 2.0
_SHOWN = 100
_AVAILABLE = "available"
_STATES = {"MODEL_MISSING": "missing", "PROVIDER_REFUSED": "refused", "CONFIG_INVALID": "misconfigured"}
"""The states of unavailable models, by error code; other models are `not reachable`."""

_NONE = "No model is configured: answers quote the documents, which are found with the built-in word vectors."


def list_models(library: InternalLibrary, asked: Options) -> int:
    """Print the configured models; return 3 if one is unavailable."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - other commands need no models

    from vademecum.library.health.backends import configured  # noqa: PLC0415 - the same

    found = configured(library.settings)
    with ThreadPoolExecutor(8) as pool:  # models are usually on several machines
        looked = list(pool.map(_looked, found))
    if _wants_json(library, asked):
        print(json.dumps(looked, indent=2))
    elif not looked:
        print(_NONE)
    else:
        rows = [("key", "model", "uses", "state"), *(_row(one) for one in looked)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        for one in looked:
            if one["message"]:
                print(f"{one['key']}: {printable(one['message'], 400)} {printable(one['remedy'], 200)}")
            elif one["server_has"]:
                print(f"{one['key']}: its server has {printable(', '.join(one['server_has']), 400)}")
    return 0 if all(one["state"] == _AVAILABLE for one in looked) else WARNINGS


def test(library: InternalLibrary, asked: Options) -> int:
    """Try out one model or all configured ones, and print the results; return 1 if one cannot be used."""
    from vademecum.library.health.backends import configured, named, try_out, works  # noqa: PLC0415 - other commands need no models

    found = [named(asked.name, library.settings)] if asked.name else configured(library.settings)
    as_json = _wants_json(library, asked)
    if not found and not as_json:
        raise ConfigError("No model is configured.", hint="Name one: ragadmin models test ollama:gemma3:1b")
    all_work = True
    reports = []
    for one in found:
        tried = try_out(one, asked.timeout)
        fine = works(one, tried)
        all_work &= fine
        reports.append(
            {"key": one.key, "model": one.name, "ok": fine, "tried": [each._asdict() for each in tried]}
        )
        if as_json:
            continue
        print(f"{one.key}: {printable(one.name, _SHOWN)} {'works' if fine else 'cannot be used'}")
        for each in tried:
            mark, does = ("✓" if each.ok else "✗"), each.use
            print(f"  {mark} {does:8} {each.seconds:6.2f} s  {printable(each.said, 400)}")
            for more in (each.hint, *each.warnings):
                if more:
                    print(f"             {printable(more, 400)}")
    if as_json:
        print(json.dumps(reports, indent=2))
    return 0 if all_work else 1


def _looked(one: "Backend") -> dict[str, Any]:
    """Return the state of a backend, from a single check."""
    from vademecum.library.health.probing import NoAnswerError, why, within  # noqa: PLC0415 - as above

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


def _wants_json(library: InternalLibrary, asked: Options) -> bool:
    return bool(asked.json) or library.settings.output_default == "json"
