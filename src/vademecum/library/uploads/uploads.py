"""Uploaded documents: each is stored under its own id in the folder of its collection.

    files/<id>/<name>       the document, or one file a record; what the collection's source reads
    uploads/<id>.json       what it was called, and what it is

The name that somebody gave it decides nothing but what it is shown as.
"""

import json
import re
import shutil
import unicodedata
import uuid
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vademecum.core.documents import DocumentRef, Problem
from vademecum.core.errors import SourceError, StoreError
from vademecum.files.write import replace_file
from vademecum.library.collections import Collection
from vademecum.text.printable import printable

SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".txt": "text",
    ".pdf": "pdf",
    ".docx": "docx",
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
}
"""What may be handed over, by what its name ends in."""

RECORDS = frozenset({"json", "jsonl", "csv"})
LONGEST_NAME = 200

_ID = re.compile(r"[0-9a-f]{16}")
_HEAD_BYTES = 1 << 16
_PDF, _PDF_WITHIN = b"%PDF-", 1024
_ZIP = b"PK\x03\x04"
_WORD = "word/document.xml"
_NO_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_SHOWN = re.compile(r"[^a-z0-9]+")
_HINT = f"Send one of {', '.join(sorted(set(SUFFIXES.values())))}, with the ending that goes with it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A document that was handed over.

    Attributes:
        id: 16 hexadecimal digits.
        name: What it was called.
        media: `markdown`, `html`, `text`, `pdf`, `docx`, `json`, `jsonl` or `csv`.
        size_bytes: How large it was.
        documents: How many documents it makes: one, or one a record.
        created: When, ISO 8601 in UTC.
    """

    id: str
    name: str
    media: str
    size_bytes: int
    documents: int
    created: str

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


class Uploads:
    """What was handed over to a collection.

    Args:
        collection: The collection.
    """

    def __init__(self, collection: Collection) -> None:
        self.files = collection.folder / "files"
        self._told = collection.folder / "uploads"

    def take(self, name: str, place: Path, fields: Mapping[str, str] | None = None) -> Upload:
        """Take a document over; it is found once the collection is indexed.

        It is read in a process of its own first, so that one that cannot be read is refused here and now.

        Args:
            name: What it is called; only shown, and its ending says what it is.
            place: Where it lies; it is copied.
            fields: Of records, which of their fields is `text`, `title` and `url`.

        Raises:
            SourceError: It is none that can be read, or its name is none.
            DiskFull: No room is left.
            StoreError: It cannot be kept.
        """
        name = shown(name)
        media = SUFFIXES.get(Path(name).suffix.lower())
        if media is None:
            raise SourceError(f"{name} is of no kind that can be read.", hint=_HINT)
        _check_content(place, name, media)
        id_ = uuid.uuid4().hex[:16]
        new = self.files.parent / f".upload-{id_}"
        try:
            new.mkdir(mode=0o700)
            documents = _fill(new, place, name, media, fields)
            told = Upload(
                id=id_,
                name=name,
                media=media,
                size_bytes=place.stat().st_size,
                documents=documents,
                created=datetime.now(UTC).isoformat(timespec="seconds"),
            )
            for folder in (self.files, self._told):
                folder.mkdir(mode=0o700, exist_ok=True)
            replace_file(self._told / f"{id_}.json", json.dumps(told.to_dict()) + "\n")
            new.rename(self.files / id_)
        except OSError as error:
            message = f"{name} cannot be kept: {error.strerror}."
            raise StoreError(
                message, hint="Check the room on the disk, and the rights of its folder."
            ) from error
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return told

    def replace(
        self, name: str, place: Path, fields: Mapping[str, str] | None = None
    ) -> tuple[Upload, list[Upload]]:
        """Take a document over in the place of those that are called so; see `take`.

        Returns:
            The document, and those that it took the place of, which are removed once it has been taken.
        """
        taken = self.take(name, place, fields)
        old = [one for one in self if one.name == taken.name and one.id != taken.id]
        return taken, [one for one in old if self.remove(one.id)]

    def __iter__(self) -> Iterator[Upload]:
        """All of them, oldest first."""
        found = []
        for path in self._told.glob("*.json") if self._told.is_dir() else ():
            try:
                found.append(Upload(**json.loads(path.read_text(encoding="utf-8"))))
            except (OSError, ValueError, TypeError):  # it is being removed, or the disk lost it
                continue
        return iter(sorted(found, key=lambda one: (one.created, one.id)))

    def remove(self, id_: str) -> bool:
        """Remove one; the next indexing takes it out of the answers.

        Returns:
            Whether there was one.

        Raises:
            StoreError: It cannot be removed.
        """
        if not _ID.fullmatch(id_):
            return False
        aside = self.files.parent / f".upload-{id_}"
        try:
            (self.files / id_).rename(aside)
            (self._told / f"{id_}.json").unlink(missing_ok=True)
        except FileNotFoundError:
            return False
        except OSError as error:
            message = f"The document {id_} cannot be removed: {error.strerror}."
            raise StoreError(message, hint="Check the rights of the collection's folder.") from error
        shutil.rmtree(aside, ignore_errors=True)
        return True


def shown(name: str) -> str:
    """A name as it can be shown: its last part, without what steers a terminal or the direction of writing.

    Raises:
        SourceError: Nothing is left of it, or it is too long.

    >>> shown("../../etc/notes.md")
    'notes.md'
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(one for one in last if unicodedata.category(one)[0] != "C").strip(" .")
    if not kept or len(kept) > LONGEST_NAME:
        message = f"{printable(name, 60)!r} is not a valid name for a file."
        raise SourceError(message, hint=f"Give it a name of at most {LONGEST_NAME} characters.")
    return kept


def _check_content(place: Path, name: str, media: str) -> None:
    """See that a file begins as its ending says.

    Raises:
        SourceError: It does not.
    """
    with place.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    is_pdf = _PDF in head[:_PDF_WITHIN]
    if media == "docx":
        fits = _is_word(place)
    elif media == "pdf":
        fits = is_pdf
    else:
        fits = not head.startswith((_PDF, _ZIP)) and _is_text(head)
    if not fits:
        found = "a PDF" if is_pdf else "a Word document" if _is_word(place) else "something else"
        raise SourceError(f"{name} is named as {media}, and holds {found}.", hint=_HINT)


def _is_text(head: bytes) -> bool:
    """Whether it may be text: UTF-16 by its mark, or without the bytes that no text has; old encodings are no fault."""
    return head.startswith((b"\xff\xfe", b"\xfe\xff")) or not _NO_TEXT.search(head)


def _is_word(place: Path) -> bool:
    try:
        with zipfile.ZipFile(place) as archive:
            return _WORD in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def _fill(folder: Path, place: Path, name: str, media: str, fields: Mapping[str, str] | None) -> int:
    """Put a document into its new folder, as the collection's source reads it; how many documents it makes."""
    stem, suffix = Path(name).stem, Path(name).suffix.lower()
    plain = _SHOWN.sub("-", stem.lower()).strip("-")[:60] or "document"
    if media in RECORDS:
        from vademecum.library.uploads.records import convert  # noqa: PLC0415 - few hand over records

        return convert(place, media, fields or {}, folder, plain)
    from vademecum.sources.docs import DocsSource  # noqa: PLC0415 - for those who hand something over

    shutil.copyfile(place, folder / f"{plain}{suffix}")
    source = DocsSource(folder, "upload")
    found = list(source.scan())
    for one in (*found, *source.read([ref for ref in found if isinstance(ref, DocumentRef)])):
        if isinstance(one, Problem):
            raise SourceError(f"{name} cannot be read: {one.message}", hint=one.hint)
    return 1
