"""One image template as its file says it: plain values, and the line each of them is on."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Data = dict[str, Any]
"""Plain values as YAML has them: texts, numbers, switches, `None`, lists and mappings of these. Nothing else, ever."""


class Template(NamedTuple):
    """A template, read and not yet checked.

    Attributes:
        file: Its path within the folder of templates, with `/` (`debian13/debian13-x86_64-server-raw.yml`); for a text that
            lies in no folder, what it is called.
        text: As written.
        data: Its values.
        lines: The line, from 1, of every value, by its dotted path (`disk.partitions.0.start`); the whole has the path "".
        comments: The words of its comments, a paragraph each, without the marks.
        folder: The folder of templates that it was read from; "" for a text that lies in none.
    """

    file: str
    text: str
    data: Data
    lines: Mapping[str, int] = {}
    comments: tuple[str, ...] = ()
    folder: str = ""

    @property
    def name(self) -> str:
        """The file's name without folders."""
        return self.file.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The file's name without folders and ending."""
        return self.name.rpartition(".")[0] or self.name

    def line_of(self, where: str) -> int:
        """The line of a value, or of the nearest thing around it that is written; 1 if nothing is."""
        while where not in self.lines and where:
            where = where.rpartition(".")[0]
        return self.lines.get(where, 1)


def walk(value: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Every value below one, with its dotted path, in order, itself first."""
    yield where, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from walk(one, f"{where}.{key}" if where else str(key))


def texts(value: object) -> list[str]:
    """The texts of a list; of anything else none."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def mappings(value: object) -> list[Data]:
    """The mappings of a list; of anything else none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def mapping(value: object) -> Data:
    """A mapping itself; for anything else an empty one."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """A text itself; for anything else ""."""
    return value if isinstance(value, str) else ""
