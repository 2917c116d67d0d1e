"""Whether a template is valid: the tool's own schema, before and after merging, and what no schema can say."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.meaning_checks import meaning_checks
from vademecum.desks.composer.schema import faults
from vademecum.sources.image_template import Data, Resolved

Severity = Literal["error", "warning"]


class Finding(NamedTuple):
    """Something amiss in a template.

    Attributes:
        where: Dotted path of the value (`disk.partitions.1.end`), "" for the whole.
        message: What is wrong, in a sentence. Holds no password.
        severity: An `error` makes the template invalid; a `warning` does not.
        kind: A short fixed name: `schema`, `merged-schema`, `extends`, or one of `meaning_checks.KINDS`.
    """

    where: str
    message: str
    severity: Severity
    kind: str


def check(data: Data, *, library: TemplateLibrary, file: str = "") -> list[Finding]:
    """Everything amiss in a template; errors first, each in the order of the file. An empty list: it is valid and clean.

    Args:
        data: Its values, as `Template.data` or plain copies of a tree have them.
        library: Its parents and defaults are looked up there.
        file: Where it lies in the folder of templates, for `extends`.
    """
    found = list(_checked(data, library, file))
    return [one for severity in ("error", "warning") for one in found if one.severity == severity]


def check_resolved(data: Data, resolved: Resolved) -> list[Finding]:
    """The same for a template that is resolved already."""
    found = list(_all(data, resolved))
    return [one for severity in ("error", "warning") for one in found if one.severity == severity]


def is_valid(findings: list[Finding]) -> bool:
    """Whether there is no error among the findings."""
    return not any(one.severity == "error" for one in findings)


def _checked(data: Data, library: TemplateLibrary, file: str) -> Iterator[Finding]:
    yield from _all(data, library.resolve(data, file))


def _all(data: Data, resolved: Resolved) -> Iterator[Finding]:
    own = [
        Finding(where=where, message=message, severity="error", kind="schema")
        for where, message in faults(data, "UserTemplate")
    ]
    yield from own
    for problem in resolved.problems:
        yield Finding(where="extends", message=problem.message, severity="error", kind="extends")
    if not resolved.problems and (resolved.has_defaults or "systemConfig" in resolved.data):
        said = {(one.where, one.message) for one in own}
        for where, message in faults(resolved.data, "FullTemplate"):
            if (where, message) not in said:
                yield Finding(
                    where=where,
                    message=f"With its parents and defaults: {message}",
                    severity="error",
                    kind="merged-schema",
                )
    for where, message, severity, kind in meaning_checks(data, resolved):
        yield Finding(where=where, message=message, severity=severity, kind=kind)
