"""`ragadmin health`: check the library, and say how to fix problems."""

import shutil
import sys
import textwrap
from collections.abc import Sequence

from vademecum.cli._command import Options
from vademecum.cli._output import print_result, wants_json
from vademecum.cli._style import on_terminal
from vademecum.core.errors import ConfigError
from vademecum.library.health.diagnosis import HealthResult, Severity, exit_code, worst
from vademecum.library.internal import InternalLibrary
from vademecum.text.printable import printable

_SYMBOLS: dict[Severity, str] = {"pass": "✓", "warn": "!", "fail": "✗"}
_COLOURS: dict[Severity, str] = {"pass": "\x1b[32m", "warn": "\x1b[33m", "fail": "\x1b[31m"}
_PLAIN = "\x1b[0m"
_NARROWEST = 60


def health(library: InternalLibrary, asked: Options) -> int:
    """Check all components, print the results, and return the exit code."""
    results = library.health(on_wait=_waiting)
    status = worst([result.severity for result in results])
    data = {"status": status, "components": [result.to_dict() for result in results]}
    try:
        as_json = wants_json(library, asked)
    except ConfigError:  # the table shows this error
        as_json = False
    print_result(data, "", as_json=as_json, indent=2)
    if not as_json:
        print(table(results, shutil.get_terminal_size().columns, colours=on_terminal()))
    return exit_code(results)


def table(results: Sequence[HealthResult], columns: int, *, colours: bool) -> str:
    """Return a table of all components, followed by what to do about problems."""
    widest = max(len(result.component) for result in results)
    lines = []
    for result in results:
        head = f"{_SYMBOLS[result.severity]} {result.severity}"
        indent = len(head) + widest + 4
        said = _wrapped(result.message, max(columns, _NARROWEST) - indent, indent)
        if colours:
            head = f"{_COLOURS[result.severity]}{head}{_PLAIN}"
        lines.append(f"{head}  {printable(result.component):{widest}}  {said}")
    remedies = [result for result in results if result.remedy]
    if remedies:
        lines += ["", "What to do:"]
        lines += [
            f"  {printable(remedy.component):{widest}}  {_one_line(remedy.remedy)}" for remedy in remedies
        ]
    return "\n".join(lines)


def _wrapped(text: str, width: int, indent: int) -> str:
    lines = textwrap.wrap(_one_line(text), width, break_long_words=False, break_on_hyphens=False)
    return f"\n{' ' * indent}".join(lines)


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _waiting(said: str) -> None:
    print(_one_line(said), file=sys.stderr, flush=True)
