"""Query the package names in a repository's SQLite file."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from vademecum.desks.composer.packages.store import Known


def opened(file: Path, known: Known) -> "Names | None":
    """The packages of a repository; `None` if they cannot be read."""
    with suppress(sqlite3.Error, OSError):
        return Names(file, known)
    return None


class Names:
    """The packages of one repository."""

    def __init__(self, file: Path, known: Known) -> None:
        self.known = known
        place = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
        self._base = sqlite3.connect(place, uri=True, check_same_thread=False)  # any thread may collect it
        finalize(self, self._base.close)
        self._base.execute("SELECT name FROM package LIMIT 1").fetchall()

    def versions(self, name: str) -> list[str]:
        """The versions of a package; none if there is no such package."""
        return self._texts("SELECT version FROM package WHERE name = ?", name)

    def providers(self, name: str) -> list[str]:
        """Packages that provide a name, the shortest first, at most 9."""
        return self._texts(
            "SELECT package FROM provided WHERE name = ? ORDER BY length(package), package LIMIT 9", name
        )

    def matching(self, pattern: str) -> list[str]:
        """Names that a pattern with `*` and `?` matches, the shortest first, at most 50."""
        return self._texts(
            "SELECT DISTINCT name FROM package WHERE name GLOB ? ORDER BY length(name), name LIMIT 50",
            pattern,
        )

    def beginning(self, start: str) -> list[str]:
        """Names that begin so, the shortest first, at most 9."""
        text = "SELECT DISTINCT name FROM package WHERE name >= ? AND name < ? ORDER BY length(name), name LIMIT 9"
        return self._texts(text, start, _after(start))

    def sized(self, least: int, most: int, start: str) -> list[str]:
        """Names that begin so, of some length in characters."""
        text = (
            "SELECT DISTINCT name FROM package WHERE name >= ? AND name < ? AND length(name) BETWEEN ? AND ?"
        )
        return self._texts(text, start, _after(start), least, most)

    def all(self) -> list[str]:
        """Every name."""
        return self._texts("SELECT DISTINCT name FROM package")

    def _texts(self, text: str, *values: str | int) -> list[str]:
        try:
            return [row[0] for row in self._base.execute(text, values)]
        except sqlite3.Error:  # damaged in the middle: what can be read was read
            return []


def _after(start: str) -> str:
    """What comes after all names that begin so."""
    return start[:-1] + chr(ord(start[-1]) + 1) if start else "\U0010ffff"
