"""The XML parts of a zip file, as Office and EPUB files have them: read within limits, without entities of their own."""

import zipfile
from collections.abc import Callable
from html import unescape
from xml.parsers import expat

from vademecum.files.read import Unreadable

MOST_BYTES = 64 * 1024 * 1024
"""The maximum size of a part, unpacked."""

_ENCRYPTED = 0x1
_DEEPEST = 1_000

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]


def read_part(archive: zipfile.ZipFile, name: str, most_bytes: int = MOST_BYTES) -> bytes:
    """Return a part of a zip file."""
    entry = archive.getinfo(name)
    if entry.flag_bits & _ENCRYPTED:
        raise Unreadable("encrypted", "It has a password.")
    with archive.open(entry) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise Unreadable("too-large", f"It holds more than {most_bytes:,} bytes.")
    return content


def parse_part(
    archive: zipfile.ZipFile, name: str, start: Start, end: End, text: Callable[[str], None] | None = None
) -> None:
    """Pass the elements and text of a part to callbacks; see `parse_xml`."""
    parse_xml(read_part(archive, name), start, end, text)


def parse_xml(
    raw: bytes, start: Start, end: End, text: Callable[[str], None] | None = None, encoding: str | None = None
) -> None:
    """Pass the elements and text of a file to callbacks. One that declares entities is rejected, and nothing is fetched."""
    parser = expat.ParserCreate(encoding, namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def on_start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise Unreadable("damaged", "Its elements are nested too deeply.")
        start(_local(tag), {_local(key): value for key, value in attributes.items()})

    def on_end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        end(_local(tag))

    def refuse(*_what: object) -> None:
        raise Unreadable("damaged", "Its XML declares entities, which are not expanded.")

    parser.StartElementHandler = on_start
    parser.EndElementHandler = on_end
    parser.EntityDeclHandler = refuse
    if text:
        parser.CharacterDataHandler = text
        parser.SkippedEntityHandler = lambda name, _is_parameter: text(unescape(f"&{name};"))
    parser.Parse(raw, True)  # in pieces, an unclosed tag would be read again with each piece


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
