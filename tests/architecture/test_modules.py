"""Every module says what it owns, and is named after it."""

import ast
import re
from collections import Counter
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


MOST_MODULES, MOST_LINES = 18, 600
CROWDED = {"desks/composer/request": 19}
"""Folders with more modules, which are on their way to fewer: a number may only fall."""

LONG = {"library/library.py": 792}
"""Modules with more lines, likewise. A module has up to 600 where it holds one class or one path."""


def test_folders_are_small():
    counts = Counter(str(module.parent.relative_to(SOURCE / "vademecum")) for module in MODULES)
    found = {folder: count for folder, count in counts.items() if count > MOST_MODULES}
    assert not {folder: count for folder, count in found.items() if count > CROWDED.get(folder, 0)}
    assert CROWDED.keys() <= found.keys(), "take out what is small by now"


def test_modules_are_short():
    lengths = {
        str(module.relative_to(SOURCE / "vademecum")): len(module.read_text().splitlines())
        for module in MODULES
    }
    found = {module: length for module, length in lengths.items() if length > MOST_LINES}
    assert not {module: length for module, length in found.items() if length > LONG.get(module, 0)}
    assert LONG.keys() <= found.keys(), "take out what is short by now"


def test_every_name_of_a_module_is_used():
    """A constant, function or class that is written once is its own definition only."""
    package = {module: module.read_text() for module in MODULES}
    tests = [module.read_text() for module in Path(__file__).parents[1].rglob("*.py")]
    everywhere = _words(*package.values(), *tests)
    unused = [
        f"{module.relative_to(SOURCE)}: {name}"
        for module, text in package.items()
        for here in [_words(text)]
        for name in _names_defined_by(ast.parse(text))
        if (here if name.startswith("_") else everywhere)[name] == 1 and not name.startswith("__")
    ]
    assert not unused


def _words(*texts):
    return Counter(word for text in texts for word in re.findall(r"\w+", text))


def _names_defined_by(tree):
    for statement in tree.body:
        match statement:
            case (
                ast.FunctionDef(name=name, decorator_list=[])
                | ast.AsyncFunctionDef(name=name, decorator_list=[])
            ):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
