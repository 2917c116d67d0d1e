"""Every module says what it owns, and is named after it."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
MODULES = sorted(SOURCE.rglob("*.py"))
NAMES_THAT_OWN_NOTHING = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc"}


def test_every_module_has_a_docstring():
    assert MODULES
    assert not [module for module in MODULES if not ast.get_docstring(ast.parse(module.read_bytes()))]


def test_no_module_is_named_after_nothing():
    def names(module):
        return {part.strip("_") for part in module.relative_to(SOURCE).with_suffix("").parts}

    assert not [module for module in MODULES if names(module) & NAMES_THAT_OWN_NOTHING]
