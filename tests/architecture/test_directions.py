"""Rooms see only the rooms they may, as pyproject.toml says under importlinter."""

import subprocess
import sys
from pathlib import Path


def test_imports_go_downwards():
    """In a process of its own: import-linter disables every logger that there is."""
    command = [Path(sys.executable).with_name("lint-imports"), "--config", "pyproject.toml", "--no-cache"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
