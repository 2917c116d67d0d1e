"""Parse package indexes in pieces: Debian's `Packages`, and the `primary.xml` of RPM repositories."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.parsers import expat

from vademecum.desks.composer.packages.inflating import IndexUnusable

MOST_PACKAGES = 1_000_000
_LONGEST_LINE = 1 << 20
_LONGEST_TOKEN = 4 << 20
_LONGEST_NAME = 200
_DEEPEST = 40
_MOST_PROVIDES = 2000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._~-]*")
_RELATION = re.compile(r"\s*([^\s(:|,]+)")
_COMMON = "{http://linux.duke.edu/metadata/common}"
_RPM = "{http://linux.duke.edu/metadata/rpm}"


class Package(NamedTuple):
    """A package of a repository: its name, its version, and the names of what it provides beside itself."""

    name: str
    version: str
    provides: tuple[str, ...] = ()


def is_name(text: str) -> bool:
    """Return whether a text can be a package's name."""
    return len(text) <= _LONGEST_NAME and bool(_NAME.fullmatch(text))


def debian_packages(pieces: Iterable[bytes]) -> Iterator[Package]:
    """The packages of a `Packages` file, in its order. Fields of no use and paragraphs without a name are passed over."""
    fields: dict[bytes, str] = {}
    count = 0
    key = b""
    for number, line in enumerate(_lines(pieces), start=1):
        if not line:
            if package := _debian_package(fields):
                count += 1
                yield _counted(package, count)
            fields, key = {}, b""
        elif line[:1] in b" \t":
            if key == b"provides" and len(fields.get(key, "")) < _LONGEST_LINE:
                fields[key] += line.decode("utf-8", "replace")
        else:
            name, colon, value = line.partition(b":")
            key = name.lower()
            if not colon or not name:
                raise IndexUnusable("not-an-index", f"Line {number} is not a field of a package.")
            if key in {b"package", b"version", b"provides"}:
                fields[key] = value.decode("utf-8", "replace").strip()
    if package := _debian_package(fields):
        yield _counted(package, count + 1)


def _debian_package(fields: dict[bytes, str]) -> Package | None:
    name = fields.get(b"package", "")
    if not is_name(name):
        return None
    provides = [
        found[1]
        for part in fields.get(b"provides", "").split(",")[:_MOST_PROVIDES]
        if (found := _RELATION.match(part))
    ]
    return Package(name, fields.get(b"version", "")[:_LONGEST_NAME], _others(name, provides))


def rpm_packages(pieces: Iterable[bytes]) -> Iterator[Package]:
    """The packages of a `primary.xml`, in its order. Only what is where it belongs counts.

    Entities are refused before any is expanded: no index has need of them.
    """
    reader = _Primary()
    fed = 0
    try:
        for piece in pieces:
            reader.parser.Parse(piece, False)
            fed += len(piece)
            if fed - max(0, reader.parser.CurrentByteIndex) > _LONGEST_TOKEN:
                raise IndexUnusable("not-an-index", "The XML has a tag that no list of packages has.")
            yield from reader.done()
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        fault = "cut-off" if error.code in _ENDINGS else "not-an-index"
        message = f"The XML cannot be read: {expat.errors.messages.get(error.code, 'a fault')} (line {error.lineno})."
        raise IndexUnusable(fault, message) from error
    yield from reader.done()
    if reader.root != f"{_COMMON}metadata":
        raise IndexUnusable("not-an-index", "It is XML, but no list of packages.")


_ENDINGS = frozenset(
    expat.errors.codes[text]
    for text in (expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN)
)


def safe_parser() -> expat.XMLParserType:
    """A parser that refuses entities and external parts; names come as `{namespace}name`."""
    parser = expat.ParserCreate(namespace_separator="}")
    parser.EntityDeclHandler = _refuse_entity
    parser.ExternalEntityRefHandler = _refuse_entity
    parser.UnparsedEntityDeclHandler = _refuse_entity
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    return parser


def _refuse_entity(*_: object) -> int:
    raise IndexUnusable("entities", "The XML declares entities, which no index needs; none was expanded.")


class _Primary:
    """Puts packages together from what the parser tells."""

    def __init__(self) -> None:
        self.root = ""
        self.parser = safe_parser()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self._path: list[str] = []
        self._said: list[str] | None = None
        self._name = self._version = ""
        self._provides: list[str] = []
        self._found: list[Package] = []
        self._count = 0

    def done(self) -> list[Package]:
        """The packages that are whole by now, once each."""
        found, self._found = self._found, []
        return found

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = f"{{{tag}"
        self.root = self.root or tag
        self._path.append(tag)
        if len(self._path) > _DEEPEST:
            raise IndexUnusable("not-an-index", "The XML is nested too deeply.")
        if len(self._path) == 2 and tag == f"{_COMMON}package":
            self._name = self._version = ""
            self._provides = []
        elif len(self._path) == 3 and tag == f"{_COMMON}name":
            self._said = []
        elif len(self._path) == 3 and tag == f"{_COMMON}version":
            epoch, version, release = (attributes.get(key, "") for key in ("epoch", "ver", "rel"))
            self._version = (
                f"{f'{epoch}:' if epoch not in {'', '0'} else ''}{version}{f'-{release}' if release else ''}"
            )
        elif (
            tag == f"{_RPM}entry"
            and self._path[-2] == f"{_RPM}provides"
            and len(self._provides) < _MOST_PROVIDES
        ):
            self._provides.append(attributes.get("name", ""))

    def _end(self, _tag: str) -> None:
        tag = self._path.pop()
        if self._said is not None:
            self._name, self._said = "".join(self._said).strip(), None
        if len(self._path) == 1 and tag == f"{_COMMON}package" and is_name(self._name):
            self._count += 1
            package = Package(self._name, self._version[:_LONGEST_NAME], _others(self._name, self._provides))
            self._found.append(_counted(package, self._count))

    def _text(self, data: str) -> None:
        if self._said is not None and len(self._said) < _LONGEST_NAME:
            self._said.append(data[:_LONGEST_NAME])


def _others(name: str, provides: Iterable[str]) -> tuple[str, ...]:
    """What is provided and can be asked for like a package: no files, sonames and the like."""
    return tuple(
        dict.fromkeys(
            provide for provide in provides if provide != name and is_name(provide) and ".so" not in provide
        )
    )


def _counted(package: Package, count: int) -> Package:
    if count > MOST_PACKAGES:
        raise IndexUnusable("too-large", f"It lists more than {MOST_PACKAGES:,} packages.")
    return package


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()
        if len(rest) > _LONGEST_LINE:
            raise IndexUnusable("not-an-index", "It has a line that no list of packages has.")
        for line in lines:
            yield line.rstrip(b"\r")
    if rest:
        yield rest.rstrip(b"\r")
