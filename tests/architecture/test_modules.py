"""Every module says what it owns, and is named after it."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
MODULES = sorted(SOURCE.rglob("*.py"))
NAMES_THAT_OWN_NOTHING = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(SOURCE)))
def test_module(module):
    assert ast.get_docstring(ast.parse(module.read_bytes())), "what does this module own?"
    names = {part.strip("_") for part in module.relative_to(SOURCE).with_suffix("").parts}
    assert not names & NAMES_THAT_OWN_NOTHING
