"""The page of requirements leaves none out, and names tests that there are."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
TEXT = (ROOT / "docs/reference/requirements.md").read_text()
ROWS = [re.split(r" \| ?", line.strip("| ")) for line in TEXT.splitlines() if line.startswith("| ")]
REQUIREMENTS = [row for row in ROWS if row[0] not in {"requirement", "---"}]
LEAST = {"Acceptance scenarios": 6, "Edge cases": 4, "Key entities": 4, "Operational details": 7}
"""How many of each the specification has."""


def test_none_is_left_out():
    named = {row[0].split()[0] for row in REQUIREMENTS}
    assert {f"FR-{number:03}" for number in range(1, 14)} | {
        f"SC-{number:03}" for number in (1, 2, 3)
    } <= named
    for heading, count in LEAST.items():
        section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)[1]
        assert len([line for line in section.splitlines() if line.startswith("| ")]) >= count + 2, heading
    assert len({row[0] for row in REQUIREMENTS}) == len(REQUIREMENTS)


def test_the_tests_it_names_are_there():
    missing = []
    for requirement, _, column, *_ in REQUIREMENTS:
        shown = re.findall(r"`([\w/]+\.py)::([\w*]+)`", column)
        assert shown, requirement
        assert re.sub(r"`[^`]*`|[, ]", "", column) == "", f"{requirement}: only tests are named there"
        for file, test in shown:
            functions = names_in(TESTS / file)
            if not (functions if test == "*" else test in functions):
                missing.append(f"{requirement}: {file}::{test}")
    assert not missing


def names_in(file):
    """The names of all tests in a file, those of its classes too."""
    tree = ast.parse(file.read_text())
    return {
        node.name for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }  # fmt: skip
