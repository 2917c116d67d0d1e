"""The result of checking one component."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from vademecum.core.errors import IndexCorrupt, IndexMissing, IndexStale

Severity = Literal["pass", "warn", "fail"]

WARNINGS = 3
"""The exit code of a library with warnings but no failures."""

_SEVERITIES: tuple[Severity, ...] = ("pass", "warn", "fail")
_SHOWN = 3


class HealthResult(NamedTuple):
    """The result of checking one component.

    Attributes:
        component: The fixed name of the component.
        severity: `pass`; `warn` if it will become a failure, or limits the answers; or `fail`.
        message: What was found, in one or two sentences.
        remedy: What to do, in one line: a command if there is one, several separated by `; `; "" if there are no
            problems.
        error_code: The code of the error that it causes now or later, or "".

    Example:
        >>> [check.severity for check in library.health() if check.component == "index_integrity"]
        ['pass']
    """

    component: str
    severity: Severity
    message: str
    remedy: str = ""
    error_code: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Convert the result to plain data. `error_code` is omitted if it is empty.

        Example:
            >>> library.health()[0].to_dict()["component"]
            'index_freshness'
        """
        data = self._asdict()
        if not self.error_code:
            del data["error_code"]
        return data


class Finding(NamedTuple):
    """A problem of a component."""

    severity: Severity
    message: str
    remedy: str
    error_code: str = ""


def worst(severities: Sequence[Severity]) -> Severity:
    """Return the worst severity; `pass` if there are none."""
    return max(severities, key=_SEVERITIES.index, default="pass")


def summed_up(component: str, findings: Sequence[Finding], well: str) -> HealthResult:
    """Combine the problems of a component into one result, worst first, with the remedies for all of them.

    Args:
        component: The name of the component.
        findings: The problems.
        well: The message if there are none.
    """
    if not findings:
        return HealthResult(component, "pass", well)
    ordered = sorted(findings, key=lambda one: -_SEVERITIES.index(one.severity))
    more = len(ordered) - _SHOWN
    said = [finding.message for finding in ordered[:_SHOWN]] + ([f"And {more} more."] if more > 0 else [])
    code = next((finding.error_code for finding in ordered if finding.error_code), "")
    remedy = "; ".join(dict.fromkeys(finding.remedy for finding in ordered if finding.remedy))
    return HealthResult(component, ordered[0].severity, " ".join(said), remedy, code)


def exit_code(results: Sequence[HealthResult]) -> int:
    """Return the exit code: 0 without problems, 3 with warnings, 1 with a failure, or 4 if the index has failed."""
    severity = worst([result.severity for result in results])
    of_index = {error.code: error.exit_code for error in (IndexMissing, IndexCorrupt, IndexStale)}
    for result in results:
        if result.severity == "fail" and result.error_code in of_index:
            return of_index[result.error_code]
    return {"pass": 0, "warn": WARNINGS, "fail": 1}[severity]
