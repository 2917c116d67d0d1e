"""What the tests of the documents share: the documents' blocks, and people at whose desks they are tried."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from vademecum import CatalogEntry, Library, Places
from vademecum.files.places import default_places
from vademecum.index.catalog.catalog import Catalog

ROOT = Path(__file__).parents[2]
SMALL_MANUAL = ROOT / "tests/data/manual"
ANOTHER_PAGE = ".TH TOOL 1\n.SH NAME\ntool \\- measure the depth of a well\n.SH SYNOPSIS\n.B tool\n.I WELL\n"

_ENVIRONMENT = dict(os.environ)
_OWN_INDEX = default_places().index_folder
_BLOCK = re.compile(
    r"(?:^<!-- (?:as (?P<file>\S+)|(?P<whole>of a whole machine)) -->\n)?^```(?P<language>\w+)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A fenced block.

    Attributes:
        language: As written behind the fence.
        body: What stands in it.
        start: Where in the document.
        end: One past its last.
        file: What it is to be saved as first, or "".
        whole: Whether it was made on a machine with all its pages, not on the small manual.
    """

    language: str
    body: str
    start: int
    end: int
    file: str
    whole: bool


class Person(NamedTuple):
    """Someone with a home, a manual that is indexed, and an environment."""

    home: Path
    manual: Path
    environment: dict[str, str]

    def trust(self, threshold):
        """Give answers from this confidence on: what is not sure on four pages may be on 20,000."""
        file = self.home / ".config/ragcli/config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"ragman: {{confidence_threshold: {threshold}}}\n")

    def run(self, *command):
        """Run a program at home; stdout and stderr come as one, as on a terminal."""
        done = subprocess.run(
            command, cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        said = done.stdout.replace(str(self.manual), "/usr/share/man").replace(str(self.home), "/home/you")
        return done.returncode, said


def _environment(home=None):
    programs = f"{Path(sys.executable).parent}{os.pathsep}{_ENVIRONMENT['PATH']}"
    if home is None:
        return {**_ENVIRONMENT, "PATH": programs}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return {**kept, "HOME": str(home), "PATH": programs}


def pytest_addoption(parser):
    parser.addoption("--rewrite", action="store_true", help="put what comes now into the documents")


@pytest.fixture
def blocks():
    """A function that finds a document's fenced blocks."""
    return lambda text: [
        Block(m["language"], m["body"], m.start("body"), m.end("body"), m["file"] or "", bool(m["whole"]))
        for m in _BLOCK.finditer(text)
    ]


@pytest.fixture(scope="session")
def owner():
    """Whoever runs the tests, if there is an index of the machine's own manual; else `None`."""
    return (
        Person(Path.home(), Path("/usr/share/man"), _environment())
        if (_OWN_INDEX / "CURRENT").exists()
        else None
    )


@pytest.fixture(scope="session")
def settled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    person = Person(folder / "home", folder / "manual", {})
    shutil.copytree(SMALL_MANUAL, person.manual)
    shutil.copytree(ROOT / "examples/notes", person.home / "examples/notes")
    page = person.home / "tool/man/man1/tool.1"
    page.parent.mkdir(parents=True)
    page.write_text(ANOTHER_PAGE)
    places = Places(person.home / ".local/share/ragcli", person.home / ".config/ragcli")
    with Catalog(places.catalog_file).changing() as entries:
        entries[:] = [CatalogEntry("man-pages", "man", str(person.manual))]
    assert Library.open(places).reindex().documents == 4
    return person


@pytest.fixture
def person(settled, tmp_path):
    """A person of one's own. Most bytes of an index are holes, which only `cp` knows to leave out."""
    home = tmp_path / "person"
    subprocess.run(["cp", "--archive", "--sparse=always", settled.home, home], check=True)
    return Person(home, settled.manual, _environment(home))
