"""Report a draft: a few lines for people, plain data for programs, and the reasons on request."""

from vademecum.core.trace import Json
from vademecum.desks.composer.draft import Draft, told
from vademecum.desks.composer.session.conversation import Said

_MARKS = {"delivered": "+", "already": "=", "undeliverable": "!", "not understood": "?", "asked back": "?"}
_MOST_MISSING = 20


def account(made: Draft) -> str:
    """What was asked for and what came of it, a line each: `+` done, `=` so already, `!` not to be had, `?` not understood, or asked back."""
    rows = [
        (outcome.wish.said or outcome.wish.value or outcome.wish.kind, _MARKS[outcome.state], outcome.says)
        for outcome in made.outcomes
    ]
    width = min(max((len(asked) for asked, _, _ in rows), default=0), 34)
    return "\n".join(f"{mark} {_cut(asked, width):{width}}  {says}" for asked, mark, says in rows)


def report(said: Said) -> str:
    """A turn in lines for people; everything but the template itself."""
    made = said.draft
    if made is None:
        return said.summary
    lines = [made.says] if made.says else []
    if made.outcomes:
        lines.append(account(made))
    elif not made.says:
        lines.append(said.summary)
    lines += [f"Corrected: {one.message}" for one in made.fixed]
    lines += packages_told(made)
    lines += [
        f"{finding.severity.capitalize()}: {f'{finding.where}: ' if finding.where else ''}{finding.message}"
        for finding in made.findings
    ]
    lines += [f"Note: {note}" for note in made.notes]
    if said.suggestions:
        lines.append("You might want to add:")
        lines += [f"- {', '.join(suggestion.packages)}: {suggestion.why}" for suggestion in said.suggestions]
        lines.append('Say "add them" if you do.')
    missing = [outcome for outcome in made.outcomes if not outcome.is_met]
    if missing:
        lines.append(
            f"Not in the template, of what was asked for: {len(missing)} of {len(made.outcomes)} (marked ! or ?)."
        )
    return "\n".join(lines)


def packages_told(made: Draft) -> list[str]:
    """What is known of the packages, in lines: how many are sure, and each that is not there."""
    if not made.packages:
        return []
    counts = {
        state: sum(package.state == state for package in made.packages)
        for state in ("verified", "resolved", "unverified", "not_available")
    }
    if counts["unverified"] == len(made.packages):
        return ["Packages: none could be verified; run: vademecum packages sync"]
    told_of = ", ".join(f"{number} {state.replace('_', ' ')}" for state, number in counts.items() if number)
    lines = [f"Packages: {told_of}"]
    for one in [package for package in made.packages if package.state == "not_available"][:_MOST_MISSING]:
        others = f" Instead: {', '.join(one.alternatives)}." if one.alternatives else ""
        lines.append(f"Not available: {one.name}. {one.reason}{others}")
    return lines


def as_data(said: Said) -> dict[str, Json]:
    """A turn as plain data."""
    data: dict[str, Json] = {
        "kind": said.kind,
        "summary": said.summary,
        "template": said.text,
        "diff": said.diff,
    }
    if said.suggestions:
        data["suggestions"] = [
            _fields(suggestion, "packages", "why", "kind") for suggestion in said.suggestions
        ]
    made = said.draft
    if made is not None:
        data |= {
            "request": made.request,
            "based_on": made.based_on,
            "valid": made.is_valid,
            "complete": made.is_complete,
            "items": [told(outcome) for outcome in made.outcomes],
            "findings": [
                _fields(finding, "where", "severity", "kind", "message") for finding in made.findings
            ],
            "fixed": [_fields(fixed, "where", "message") for fixed in made.fixed],
            "packages": [
                _fields(package, "name", "state", "found", "by", "alternatives", "reason")
                for package in made.packages
            ],
            "notes": list(made.notes),
        }
    return data


def _fields(record: object, *names: str) -> dict[str, Json]:
    values = {name: getattr(record, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def explained(made: Draft) -> str:
    """Why a draft is what it is: the reading, the search, the tools, step by step."""
    lines = []
    for step in made.trace.steps:
        lines.append(f"{step.name} ({step.duration_ms:.1f} ms)")
        for key, value in step.saw.items():
            lines += [f"  {line}" for line in _shown(key, value)]
    return "\n".join(lines)


def _shown(key: str, value: Json) -> list[str]:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [
            f"{key}:",
            *(
                f"  {_cut(', '.join(f'{name}={one}' for name, one in row.items() if one not in ('', None, [])), 200)}"
                for row in value[:12]
            ),
        ]
    return [f"{key}: {_cut(str(value), 220)}"] if value not in ("", [], {}, None) else []


def _cut(text: str, longest: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
