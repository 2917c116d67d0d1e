"""Every command that a document tells a reader to type exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_make_targets_exist(document):
    assert set(re.findall(r"(?:`|^ *\$? ?)make ([a-z]+)", document.read_text(), re.MULTILINE)) <= TARGETS
