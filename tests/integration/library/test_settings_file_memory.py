"""Whatever a settings file holds, reading it takes little memory."""

import resource
import subprocess
import sys

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
MEASURED = """
import resource, sys, time
from pathlib import Path
from vademecum.core.errors import ConfigError
from vademecum.config.library import load_settings
import yaml, difflib
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name in sys.argv[1:]:
    try:
        load_settings(Path(name), Path("/nonexistent/copy"))
    except ConfigError as error:
        print(len(error.message))
print("grew", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_none_of_it_takes_memory(tmp_path):
    files = {
        "bomb": f"ragman: &z\n  query_log: 1\n{BOMB}",
        "aliases": "ragman: {query_log: &a [" + "x, " * 15_000 + "x]}",
        "large": "a: b\n" * 10_000_000,
        "deep": "[" * 65_000,
        "keys": "".join(f"k{number}: 1\n" for number in range(6000)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-c", MEASURED, *(str(tmp_path / name) for name in files)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20)),
    )  # fmt: skip
    *said, grew = done.stdout.splitlines()
    assert len(said) == len(files)
    assert int(grew.split()[1]) < 100
