"""The project's files mean the same on every machine."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MACHINE_PATH = re.compile(rb"(?<![\w.~$}-])/(?:work|root)/")  # an absolute path, not the middle of one
VERBATIM = ("tests/data/", "benchmarks/questions/")  # other people's words
PUBLIC_HOSTS = {"pypi.org", "files.pythonhosted.org"}


@pytest.mark.needs("git")
def test_no_file_names_a_folder_of_somebodys_machine(project_files):
    paths = [ROOT / name for name in project_files if not name.startswith(VERBATIM)]
    assert paths
    assert [str(path) for path in paths if MACHINE_PATH.search(path.read_bytes())] == []


def test_the_lock_names_public_hosts_only():
    lock = (ROOT / "uv.lock").read_text()
    assert set(re.findall(r"https?://([^/\"]+)", lock)) == PUBLIC_HOSTS


def test_the_lock_is_of_these_dependencies():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = sum(project["optional-dependencies"].values(), project["dependencies"])
    packages = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    (ours,) = (package for package in packages if package["name"] == project["name"])
    locked = {dependency["name"] for dependency in ours["metadata"]["requires-dist"]}
    assert {re.match(r"[\w-]+", dependency)[0].lower() for dependency in wanted} == locked
