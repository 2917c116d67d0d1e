"""The result of checking one component."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from vademecum.core.errors import IndexCorrupt, IndexMissing, IndexStale

Severity = Literal["pass", "warn", "fail"]

WARNINGS = 3
"""The exit code of a library that is well but for warnings."""

_SEVERITIES: tuple[Severity, ...] = ("pass", "warn", "fail")
_SHOWN = 3


class HealthResult(NamedTuple):
    """What was found of one component.

    Attributes:
        component: Its fixed name.
        severity: `pass`; `warn` for what will become a failure, or narrows what is answered; `fail`.
        message: What was found, in a sentence or two.
        remedy: What to do about it, one line: a command where there is one, several parted by `; `; "" when all is
            well.
        error_code: The code of the error that it will come to, or has come to already; or "".
    """

    component: str
    severity: Severity
    message: str
    remedy: str = ""
    error_code: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain data; `error_code` only where there is one."""
        data = self._asdict()
        if not self.error_code:
            del data["error_code"]
        return data


class Finding(NamedTuple):
    """One thing that is wrong with a component."""

    severity: Severity
    message: str
    remedy: str
    error_code: str = ""


def worst(severities: Sequence[Severity]) -> Severity:
    """The worst of them; `pass` where there are none."""
    return max(severities, key=_SEVERITIES.index, default="pass")


def summed_up(component: str, findings: Sequence[Finding], well: str) -> HealthResult:
    """All that is wrong with a component as one result: the worst first, and what to do about each.

    Args:
        component: Its name.
        findings: What is wrong.
        well: What is said when nothing is.
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
    """0 when all is well, 3 with warnings, 1 with a failure; 4 when the failure is that of the index."""
    severity = worst([result.severity for result in results])
    of_index = {error.code: error.exit_code for error in (IndexMissing, IndexCorrupt, IndexStale)}
    for result in results:
        if result.severity == "fail" and result.error_code in of_index:
            return of_index[result.error_code]
    return {"pass": 0, "warn": WARNINGS, "fail": 1}[severity]
