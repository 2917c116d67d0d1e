"""Extract the files of a zip archive one at a time, within limits. The sizes that it declares are not trusted."""

import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from vademecum.core.errors import SourceError
from vademecum.text.printable import printable

MOST_FILES = 1000
MOST_BYTES = 1 << 29
"""The maximum total size of the extracted files."""

_PIECE = 1 << 20
_ENCRYPTED = 0x1
_UNWANTED = ("__MACOSX", "Thumbs.db", "desktop.ini")
_HINT = "Make the archive again, without a password, or send its files by themselves."


class Member(NamedTuple):
    """A file of an archive.

    Attributes:
        name: Its path within the archive, with `-` for each slash: `policies/leave.md` becomes `policies-leave.md`.
        place: The extracted file, which exists until the next one is requested; None if it cannot be extracted.
        fault: Why it cannot be extracted, or None.
    """

    name: str
    place: Path | None
    fault: SourceError | None = None


def members_of(archive: Path, name: str) -> Iterator[Member]:
    """Yield the files of an archive, in its order, without hidden files and those that operating systems add.

    Args:
        name: The name of the archive for messages.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            infos = [info for info in opened.infolist() if _is_wanted(info)]
            _check_size(infos, name)
            left = MOST_BYTES
            for info in infos:
                with tempfile.NamedTemporaryFile(dir=archive.parent, prefix=".member-") as place:
                    why = "It is encrypted." if info.flag_bits & _ENCRYPTED else ""
                    if not why:
                        try:
                            left -= _unpack(opened, info, place, left)
                        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
                            why = f"It is damaged: {printable(str(error), 100)}."
                    if left <= 0:
                        raise _too_large(name)
                    fault = (
                        SourceError(f"{_name_of(info)} cannot be unpacked: {why}", hint=_HINT)
                        if why
                        else None
                    )
                    yield Member(_name_of(info), None if fault else Path(place.name), fault)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise SourceError(f"{name} is not a zip archive that can be read.", hint=_HINT) from error


def _is_wanted(info: zipfile.ZipInfo) -> bool:
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    return not info.is_dir() and not any(part.startswith(".") or part in _UNWANTED for part in parts)


def _name_of(info: zipfile.ZipInfo) -> str:
    parts = PurePosixPath(info.filename.replace("\\", "/")).parts
    return printable("-".join(part for part in parts if part.strip("/")))


def _check_size(infos: list[zipfile.ZipInfo], name: str) -> None:
    if not infos:
        raise SourceError(f"{name} holds no file.", hint=_HINT)
    if len(infos) > MOST_FILES:
        message = f"{name} holds {len(infos):,} files, and at most {MOST_FILES:,} are taken at once."
        raise SourceError(message, hint="Send it in parts.")
    if sum(info.file_size for info in infos) > MOST_BYTES:
        raise _too_large(name)


def _too_large(name: str) -> SourceError:
    message = f"{name} unpacks to more than {MOST_BYTES // (1 << 20):,} MB."
    return SourceError(message, hint="Send it in parts.")


def _unpack(
    opened: zipfile.ZipFile, info: zipfile.ZipInfo, place: "tempfile._TemporaryFileWrapper[bytes]", most: int
) -> int:
    """Extract a file up to `most` bytes, and return its size. The limit may be exceeded by one piece."""
    count = 0
    with opened.open(info) as file:
        while count <= most and (piece := file.read(_PIECE)):
            place.write(piece)
            count += len(piece)
    place.flush()
    return count
