"""Uploaded documents: each is stored under its own id in the folder of its collection.

    files/<id>/<name>       the document, or one file per record; the collection's source reads these
    uploads/<id>.json       its original name and metadata

The original name determines the type and what is displayed, but never the folder.
"""

import json
import re
import shutil
import unicodedata
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.core.documents import DocumentRef, Problem
from vademecum.core.errors import SourceError, StoreError
from vademecum.files.write import replace_file
from vademecum.library.collections import Collection
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.sources.docs._contained import Contained

_MEDIA = {
    ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".txt": "text", "": "text", ".adoc": "asciidoc",
    ".asciidoc": "asciidoc", ".asc": "asciidoc", ".xlsx": "workbook", ".xls": "workbook", ".ods": "workbook",
}  # fmt: skip
"""The types of documents that are not named by their suffix."""

RECORDS = frozenset({"json", "jsonl", "csv"})
LONGEST_NAME = 200

_ID = re.compile(r"[0-9a-f]{16}")
_PDF, _PDF_WITHIN = b"%PDF-", 1024
_SHOWN = re.compile(r"[^a-z0-9]+")
_HINT = (
    "Send text, Markdown, HTML, PDF, an Office file, or another of the formats in docs/reference/formats.md."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An uploaded document.

    Attributes:
        id: An id of 16 hexadecimal digits.
        media: `markdown`, `html`, `text`, `pdf`, `docx`, `json`, `jsonl` or `csv`.
        documents: The number of documents that it contains: one, or one per record.
        created: The time of the upload, as ISO 8601 in UTC.
    """

    id: str
    name: str
    media: str
    size_bytes: int
    documents: int
    created: str

    def to_dict(self) -> dict[str, Any]:
        """Convert the upload to plain data."""
        return asdict(self)


class Uploads:
    """The uploads of a collection."""

    def __init__(self, collection: Collection) -> None:
        self.files = collection.folder / "files"
        self._records = collection.folder / "uploads"
        self._reader: Contained | None = None
        self._named: dict[str, list[Upload]] | None = None

    def take(self, name: str, place: Path, fields: Mapping[str, str] | None = None) -> Upload:
        """Store a document. It can be found once the collection is indexed.

        The document is first read in a separate process, so that one that cannot be read is rejected immediately.

        Args:
            name: Its name. It is displayed, and its suffix determines the type.
            place: The file, which is copied.
            fields: For records, the fields that contain `text`, `title` and `url`.
        """
        name = shown(name)
        media = media_of(name)
        if not media:
            raise SourceError(f"{name} has an unsupported file type.", hint=_HINT)
        with place.open("rb") as file:
            if (_PDF in file.read(_PDF_WITHIN)) != (media == "pdf"):
                said = "is not a PDF file" if media == "pdf" else "is a PDF file"
                raise SourceError(f"{name} {said}.", hint="Give it the suffix of its format.")
        id_ = uuid.uuid4().hex[:16]
        new = self.files.parent / f".upload-{id_}"
        try:
            new.mkdir(mode=0o700)
            documents = self._fill(new, place, name, media, fields)
            upload = Upload(
                id=id_,
                name=name,
                media=media,
                size_bytes=place.stat().st_size,
                documents=documents,
                created=datetime.now(UTC).isoformat(timespec="seconds"),
            )
            for folder in (self.files, self._records):
                folder.mkdir(mode=0o700, exist_ok=True)
            replace_file(self._records / f"{id_}.json", json.dumps(upload.to_dict()) + "\n")
            new.rename(self.files / id_)
        except OSError as error:
            message = f"{name} cannot be stored: {error.strerror}."
            raise StoreError(
                message, hint="Check the free space on the disk and the permissions of its folder."
            ) from error
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return upload

    def replace(
        self, name: str, place: Path, fields: Mapping[str, str] | None = None
    ) -> tuple[Upload, list[Upload]]:
        """Store a document like `take`, and remove the previous documents with the same name.

        The names that exist are read once: one object serves many files, and not for long.

        Returns:
            The document, and the documents that were removed.
        """
        if self._named is None:
            self._named = {}
            for upload in self:
                self._named.setdefault(upload.name, []).append(upload)
        taken = self.take(name, place, fields)
        old, self._named[taken.name] = self._named.get(taken.name, []), [taken]
        return taken, [upload for upload in old if self.remove(upload.id)]

    def rename(self, id_: str, name: str) -> Upload | None:
        """Give an upload another name of the same type. It is found under that name once the collection is indexed again.

        Returns:
            The renamed upload; None if it does not exist.
        """
        name, every = shown(name), {upload.id: upload for upload in self}
        upload = every.get(id_)
        if upload is None:
            return None
        if media_of(name) != upload.media:
            raise SourceError(
                f"{name} is not a name for a document of the type {upload.media}.",
                hint="Keep the ending of the name.",
            )
        if any(other.name == name for other in every.values() if other.id != id_):
            raise SourceError(
                f"Another document is named {name}.", hint="Delete it first, or choose another name."
            )
        named = replace(upload, name=name)
        old, new = _stored_name(upload.name), _stored_name(name)
        try:
            if upload.media not in RECORDS and (self.files / id_ / old).exists():
                (self.files / id_ / old).rename(self.files / id_ / new)
            replace_file(self._records / f"{id_}.json", json.dumps(named.to_dict()) + "\n")
        except OSError as error:
            message = f"{name} cannot be stored: {error.strerror}."
            raise StoreError(message, hint="Check the permissions of the collection's folder.") from error
        return named

    def __iter__(self) -> Iterator[Upload]:
        """Iterate over the uploads, oldest first."""
        found = []
        for path in self._records.glob("*.json") if self._records.is_dir() else ():
            try:
                found.append(Upload(**json.loads(path.read_text(encoding="utf-8"))))
            except (OSError, ValueError, TypeError):  # being removed, or damaged
                continue
        return iter(sorted(found, key=lambda one: (one.created, one.id)))

    def remove(self, id_: str) -> bool:
        """Remove an upload. It can be found until the collection is indexed again.

        Returns:
            Whether it existed.
        """
        if not _ID.fullmatch(id_):
            return False
        aside = self.files.parent / f".upload-{id_}"
        try:
            (self.files / id_).rename(aside)
            (self._records / f"{id_}.json").unlink(missing_ok=True)
        except FileNotFoundError:
            return False
        except OSError as error:
            message = f"The document {id_} cannot be removed: {error.strerror}."
            raise StoreError(message, hint="Check the permissions of the collection's folder.") from error
        shutil.rmtree(aside, ignore_errors=True)
        return True

    def _fill(
        self, folder: Path, place: Path, name: str, media: str, fields: Mapping[str, str] | None
    ) -> int:
        """Write a document to its new folder, as the collection's source reads it, and return the number of documents."""
        if media in RECORDS and (fields or media != "csv"):  # without fields, a CSV file is a table
            from vademecum.library.uploads.records import convert  # noqa: PLC0415 - few uploads are records

            try:
                return convert(place, media, fields or {}, folder, Path(_stored_name(name)).stem)
            except SourceError:
                if fields:
                    raise
                for written in folder.iterdir():  # it has no records with texts, and is read as data
                    written.unlink()
        from vademecum.sources.docs import DocsSource  # noqa: PLC0415 - needed only for uploads
        from vademecum.sources.docs._contained import Contained  # noqa: PLC0415 - likewise

        shutil.copyfile(place, folder / _stored_name(name))
        self._reader = self._reader or Contained()
        source = DocsSource(folder, "upload", reader=self._reader)
        found = list(source.scan())
        for one in (*found, *source.read([ref for ref in found if isinstance(ref, DocumentRef)])):
            if isinstance(one, Problem):
                raise SourceError(f"{name} cannot be read: {one.message}", hint=one.hint)
        return 1


def shown(name: str) -> str:
    """Return the last part of a path without control and directional characters, so that it is safe to display.

    >>> shown("../../etc/notes.md")
    'notes.md'
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(one for one in last if unicodedata.category(one)[0] != "C").strip(" .")
    if not kept or len(kept) > LONGEST_NAME:
        message = f"{printable(name, 60)!r} is not a valid name for a file."
        raise SourceError(message, hint=f"Give it a name of at most {LONGEST_NAME} characters.")
    return kept


def media_of(name: str) -> str:
    """Return the type of a document by its name; "" if such files are not read.

    >>> media_of("Notes.MD"), media_of("talk.pptx"), media_of("photo.png")
    ('markdown', 'pptx', '')
    """
    from vademecum.sources.docs.folder import is_document, suffix_of  # noqa: PLC0415 - needed only for uploads

    suffix = suffix_of(name)
    return _MEDIA.get(suffix, suffix[1:]) if is_document(name) else ""


def _stored_name(name: str) -> str:
    """Return the name of the file in which a document is stored."""
    stem, suffix = Path(name).stem, Path(name).suffix.lower()
    return f"{_SHOWN.sub('-', stem.lower()).strip('-')[:60] or 'document'}{suffix}"
