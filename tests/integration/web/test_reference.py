"""The reference page of the server says all that there is, and its commands work."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum.server.openapi import described

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/server.md").read_text()
SOURCE = "".join(
    path.read_text() for path in (ROOT / "src/vademecum/server").rglob("*.py") if path.parent.name != "local"
)


def test_every_route(server):
    said = set(re.findall(r"(?:GET|POST|PUT|DELETE) (/[\w/{}.]+)", PAGE)) | {"/mcp"}
    said |= {
        path
        for path in described(server.app)["paths"]
        if path.startswith(("/api/chat", "/api/collections", "/api/jobs"))
    }
    assert set(described(server.app)["paths"]) <= said
    assert {"/docs", "/openapi.json"} <= said


def test_every_code():
    codes = set(re.findall(r'HttpError\(\s*\d+,\s*"(\w+)"', SOURCE)) - {"CLIENT_GONE", "REFUSED"}
    assert len(codes) > 10
    assert all(f"`{code}`" in PAGE for code in codes)


def test_every_flag():
    help_text = subprocess.run(
        [Path(sys.executable).with_name("vademecum"), "serve", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    flags = set(re.findall(r"(?<![\w-])--[a-z-]+", help_text))
    section = re.search(r"## Flags\n(.*?)\n## ", PAGE, re.DOTALL)[1]
    assert flags == set(re.findall(r"--[a-z][a-z-]*", section))


@pytest.mark.needs("curl")
def test_its_commands(server):
    commands = re.findall(r"^curl .*$", PAGE, re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        words = shlex.split(command.replace("http://127.0.0.1:8765", server.url))
        done = subprocess.run(
            [*words, "--silent", "--fail"], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout
