"""The files in `deploy` name only what there is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from vademecum.cli._command import find
from vademecum.cli._environment import variable_of
from vademecum.cli._programs import VADEMECUM

DEPLOY = Path(__file__).parents[2] / "deploy"
SERVE, _ = find(VADEMECUM, ["serve"])
KNOWN = {variable_of(SERVE, flag) for flag in SERVE.flags}


def test_variables_of_flags_exist():
    pages = [
        *DEPLOY.iterdir(),
        DEPLOY.parent / "docs/how-to/run-a-server.md",
        DEPLOY.parent / "docs/reference/server.md",
    ]
    named = {name for page in pages for name in re.findall(r"VADEMECUM_SERVE_[A-Z_]+[A-Z]", page.read_text())}
    assert len(named) > 3
    assert named <= KNOWN


def test_extras_of_the_image_exist():
    import tomllib

    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]
    extras = re.search(r"'\.\[([\w,]+)\]'", (DEPLOY / "Containerfile").read_text())[1].split(",")
    assert set(extras) <= project["optional-dependencies"].keys()


def test_services_of_compose():
    found = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    assert found["services"].keys() == {"server", "database"}
    assert found["services"]["server"]["ports"] == ["127.0.0.1:8765:8765"]
    assert (DEPLOY / found["services"]["server"]["build"]["context"] / "deploy/Containerfile").exists()


@pytest.mark.parametrize("name", ["vademecum.service", "vademecum-reindex.service"])
def test_the_units_are_ones_of_systemd(tmp_path, name):
    if not shutil.which("systemd-analyze"):
        pytest.skip("there is no systemd-analyze")
    unit = tmp_path / name
    text = re.sub(r"/opt/vademecum/bin/\w+", "/bin/true", (DEPLOY / name).read_text())
    unit.write_text(re.sub(r"man:\w+", "man:true", text))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert not re.search(r"Unknown|Failed to parse|Invalid", done.stderr)
