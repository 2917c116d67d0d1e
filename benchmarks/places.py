"""Folders of a benchmark's own, so that it neither reads nor changes what the user has."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from processes import run

PAGES = Path("/usr/share/man")

_CURRENT = "CURRENT"
_CATALOG = "catalog.json"


class Home(NamedTuple):
    """A private home.

    Attributes:
        folder: All of it; gone at the end.
        environment: What processes are given, so that they keep to it.
    """

    folder: Path
    environment: dict[str, str]

    @property
    def library(self) -> Path:
        """The library's folder: catalog and index."""
        return self.folder / "data" / "ragcli"

    @property
    def index(self) -> Path:
        """The index, where its files really are."""
        return (self.library / "index").resolve()


@contextmanager
def private_home(index: Path | None = None) -> Iterator[Home]:
    """Make a private home, with an index in it if one is given.

    Args:
        index: An index, or a folder that holds one, as `find_index` takes it. It is used where it is.

    Raises:
        SystemExit: There is no index in that folder.
    """
    with TemporaryDirectory(prefix="vademecum-bench-") as name:
        home = Home(Path(name), dict(os.environ))
        home.environment["HOME"] = name
        for variable in ("CACHE", "CONFIG", "DATA", "STATE"):
            folder = home.folder / variable.lower()
            folder.mkdir(mode=0o700)
            home.environment[f"XDG_{variable}_HOME"] = str(folder)
        home.library.mkdir()
        if index is not None:
            found = find_index(index)
            (home.library / "index").symlink_to(found)
            if (found.parent / _CATALOG).is_file():
                shutil.copy(found.parent / _CATALOG, home.library / _CATALOG)
        yield home


def find_index(folder: Path) -> Path:
    """The index in a folder: the folder itself, a library's folder, or an `XDG_DATA_HOME`.

    Raises:
        SystemExit: It is none of these.
    """
    for place in (folder, folder / "index", folder / "ragcli" / "index"):
        if (place / _CURRENT).is_file():
            return place.resolve()
    sys.exit(f"{folder} holds no index. Build one with: XDG_DATA_HOME={folder} ragadmin reindex")


def default_index() -> Path:
    """The index that `ragman` asks.

    Raises:
        SystemExit: There is none.
    """
    return find_index(Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"))


def set_pages(home: Home, pages: Path) -> None:
    """Make a home's library index these manual pages.

    Raises:
        Failed: The library cannot be made.
    """
    run([command("ragadmin"), "init"], home.environment)
    catalog = home.library / _CATALOG
    data = json.loads(catalog.read_text(encoding="utf-8"))
    data["sources"][0]["location"] = str(pages.resolve())
    catalog.write_text(json.dumps(data), encoding="utf-8")


def some_pages(pages: Path, folder: Path, count: int) -> Path:
    """A copy of about `count` pages, evenly over all of them, in `folder`."""
    found = sorted(path for path in pages.glob("man*/*") if path.is_file())
    for path in found[:: max(1, len(found) // count)]:
        target = folder / path.relative_to(pages)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return folder


def command(name: str) -> str:
    """One of our commands, from the environment that this runs in."""
    return str(Path(sys.executable).parent / name)
