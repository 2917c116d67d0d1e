"""One image template as its file declares it: plain values, and the line of each."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Data = dict[str, Any]
"""Plain YAML values: texts, numbers, booleans, `None`, and lists and mappings of these."""


class Template(NamedTuple):
    """A template that has been parsed, but not validated.

    Attributes:
        file: Its path in the folder of templates, with `/` (`debian13/debian13-x86_64-server-raw.yml`); for a text without
            a folder, its name.
        lines: The line, from 1, of every value, by its dotted path (`disk.partitions.0.start`); the path of the root is "".
        comments: The texts of its comments, one paragraph each, without `#`.
        folder: The folder of templates that it was read from; "" for a text without a folder.
    """

    file: str
    text: str
    data: Data
    lines: Mapping[str, int] = {}
    comments: tuple[str, ...] = ()
    folder: str = ""

    @property
    def name(self) -> str:
        """The file name without folders."""
        return self.file.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The file name without folders and extension."""
        return self.name.rpartition(".")[0] or self.name

    def line_of(self, where: str) -> int:
        """Return the line of a value, or of its nearest ancestor in the file; 1 if there is none."""
        while where not in self.lines and where:
            where = where.rpartition(".")[0]
        return self.lines.get(where, 1)


def walk(value: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Yield a value and every value below it, with dotted paths, in order."""
    yield where, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from walk(one, f"{where}.{key}" if where else str(key))


def texts(value: object) -> list[str]:
    """Return the texts of a list; nothing for any other value."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def mappings(value: object) -> list[Data]:
    """Return the mappings of a list; nothing for any other value."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def copied(value: Any) -> Any:
    """Return a copy that shares no list or mapping."""
    if isinstance(value, dict):
        return {key: copied(inner) for key, inner in value.items()}
    return [copied(inner) for inner in value] if isinstance(value, list) else value


def mapping(value: object) -> Data:
    """Return a mapping unchanged; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """Return a text unchanged; "" for any other value."""
    return value if isinstance(value, str) else ""
