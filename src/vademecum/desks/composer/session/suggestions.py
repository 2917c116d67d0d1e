"""Suggest additions to an image: a watchdog, monitoring, hardening. They are never added automatically."""

from typing import NamedTuple

from vademecum.desks.composer.image_template import Facts
from vademecum.desks.composer.image_template.capabilities import capabilities_of
from vademecum.desks.composer.packages.choice import choose, present_of
from vademecum.desks.composer.settings import ComposerSettings


class Suggestion(NamedTuple):
    """A package that may be of use.

    Attributes:
        kind: `watchdog`, `monitoring` or `security`.
    """

    term: str
    packages: tuple[str, ...]
    why: str
    kind: str


_FIELD = frozenset(
    """industrial sensors mqtt reports-metrics kiosk signage robotics read-only-root slots router satellite small-disk""".split()  # noqa: SIM905
)
_FIELD_WORDS = (
    "edge", "iot", "embedded", "industrial", "sensor", "gateway", "kiosk", "remote", "field", "appliance", "robot", "signage",
)  # fmt: skip
_RULES = (
    ("watchdog", "watchdog", "restarts the machine when it hangs"),
    ("monitoring", "node exporter", "lets the machine be watched from afar"),
    ("security", "fail2ban", "blocks those who try passwords over SSH"),
    ("security", "automatic updates", "installs security updates by itself"),
    ("security", "auditd", "records what is done on the machine"),
)
_MOST = 3


def suggestions(
    facts: Facts, request: str, settings: ComposerSettings, *, asked_for: bool = False
) -> list[Suggestion]:
    """What might be added to an image, by what it is and what was said; nothing unless the settings say so, or a person asks."""
    rules = settings.agent.suggestions
    if not (rules.enabled or asked_for) or facts.image_type in {"img", "wsl2"}:
        return []
    able = set(capabilities_of(facts))
    in_field = bool(able & _FIELD) or any(word in request.lower() for word in _FIELD_WORDS)
    found = []
    for kind, term, why in _RULES:
        if (
            (kind == "watchdog" and not in_field)
            or (kind == "monitoring" and not rules.monitoring_packages)
            or (kind == "security" and not rules.security_packages)
        ):
            continue
        if (term == "automatic updates" and facts.read_only_root) or (
            term == "fail2ban" and "remote-shell" not in able
        ):
            continue
        if present_of(term, facts.packages):
            continue
        chosen = choose(
            term, facts.distribution, facts.packages, frozenset(), frozenset(), release=facts.version
        )
        if chosen.names and not chosen.present:
            found.append(Suggestion(term, chosen.names, why, kind))
    return found[:_MOST]
