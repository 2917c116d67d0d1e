"""Every command that a document tells a reader to type exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_make_targets_exist():
    named = {
        (document.name, target)
        for document in DOCUMENTS
        for target in re.findall(r"(?:`|^ *\$? ?)make ([a-z]+)", document.read_text(), re.MULTILINE)
    }
    assert named
    assert not {(document, target) for document, target in named if target not in TARGETS}
