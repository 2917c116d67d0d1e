"""Names of well-known commands, with or without a page on this machine."""

from functools import cache
from pathlib import Path

_NAMES = Path(__file__).parents[1] / "data" / "commands.txt"


@cache
def well_known() -> frozenset[str]:
    """Return the names of widely used commands that many machines lack."""
    lines = _NAMES.read_text(encoding="utf-8").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())
