"""Rooms see only the rooms they may, as pyproject.toml says under importlinter."""

from importlinter.cli import lint_imports


def test_imports_go_downwards():
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == 0
