"""The reference of the composer's settings and packages says all that there is, and nothing else."""

import re
import sys
from pathlib import Path
from typing import get_args

from vademecum.cli._command import find
from vademecum.cli._programs import VADEMECUM
from vademecum.desks.composer.counters import metrics
from vademecum.desks.composer.packages.states import By, State
from vademecum.desks.composer.packages.syncing import State as RepositoryState
from vademecum.desks.composer.settings_table import TABLE

ROOT = Path(__file__).parents[2]
SETTINGS = (ROOT / "docs/reference/composer-settings.md").read_text()
PACKAGES = (ROOT / "docs/reference/vademecum-packages.md").read_text()


def rows(page, heading):
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]
    return [
        [cell.strip().replace("`", "") for cell in line.strip("|").split(" | ")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]


def test_settings():
    said = [(key, "" if default == "empty" else default) for key, default, *_ in rows(SETTINGS, "Settings")]
    assert said == [(one.key, one.default) for one in TABLE]


def test_counters():
    assert [row[0] for row in rows(SETTINGS, "Counters")] == list(metrics())


def test_flags():
    own = find(VADEMECUM, ["packages"])[0].commands
    known = {name for command in own for flag in command.flags for name in flag.names}
    said = {row[0].split()[0] for row in rows(PACKAGES, "Commands") if row[0].startswith("--")}
    assert said == known - {"-h", "--help"}
    assert {row[0] for row in rows(PACKAGES, "Commands")} - {
        f for f in (r[0] for r in rows(PACKAGES, "Commands")) if f.startswith("--")
    } == {command.path[-1] for command in own}


def test_states():
    assert {row[0] for row in rows(PACKAGES, "States of a package")} == set(get_args(State))
    assert all(f"`{by}`" in PACKAGES for by in get_args(By) if by)
    said = {name for row in rows(PACKAGES, "States of a repository") for name in row[0].split(", ")}
    assert said == set(get_args(RepositoryState))
    faults = re.findall(
        r'(?:IndexUnusable|Unreachable)\(\s*"([a-z-]+)"',
        "".join(path.read_text() for path in (ROOT / "src/vademecum/desks/composer/packages").glob("*.py")),
    )
    assert len(set(faults)) > 6
    assert all(f"`{fault}`" in PACKAGES for fault in faults)


def test_fields_of_a_template():
    sys.path.insert(0, str(ROOT / "scripts"))
    import template_fields

    assert template_fields.PAGE.read_text() == template_fields.page()
