"""The page on models names every setting and provider, and no other."""

import re
from pathlib import Path

from vademecum.core.models import ModelSettings
from vademecum.providers.registry import _OURS

PAGE = (Path(__file__).parents[2] / "docs/reference/models.md").read_text()


def first_cells(heading):
    section = PAGE.split(f"# {heading}\n", 1)[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


def test_settings():
    assert first_cells("Settings") == list(ModelSettings._fields)


def test_providers():
    assert sorted(first_cells("Models")) == sorted(_OURS)
