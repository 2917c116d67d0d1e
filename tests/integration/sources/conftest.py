"""Trees of manual pages, and machines with other programs on their PATH."""

import gzip
import os
import shutil
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "data" / "man"


@pytest.fixture
def pages():
    """The folder of roff files that hold what the tests look for."""
    return PAGES


@pytest.fixture
def tree(tmp_path):
    """A tree of every fixture page, compressed as packages do."""
    root = tmp_path / "man"
    for page in sorted(PAGES.iterdir()):
        if page.suffix == ".4":
            continue  # the endless one is for the tests that want to wait
        folder = root / f"man{page.suffix[1:]}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{page.name}.gz").write_bytes(gzip.compress(page.read_bytes(), mtime=0))
    return root


@pytest.fixture
def only(tmp_path, monkeypatch):
    """Leave nothing on the PATH but these programs, and what they run themselves."""

    path = os.environ["PATH"]

    def leave(*programs):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        for left in folder.iterdir():
            left.unlink()
        families = {"groff": ("groff", "troff", "grotty", "preconv", "tbl", "eqn"), "mandoc": ("mandoc",)}
        for program in programs:
            for name in families[program]:
                if found := shutil.which(name, path=path):
                    (folder / name).symlink_to(found)
        monkeypatch.setenv("PATH", str(folder))
        return folder

    return leave


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("vademecum.sources.man.render.MANDOC_IDLE_S", 0.5)
    monkeypatch.setattr("vademecum.sources.man.groff.IDLE_S", 0.5)


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Put a shell script in a program's place; `$REAL` is the program itself."""

    def put(name, script):
        real = shutil.which(name)
        folder = tmp_path / "stand-ins"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\nREAL={real}\n{script}\n")
        (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return put
