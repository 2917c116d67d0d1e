"""Export a collection: a zip file with its description, its uploads and its other documents."""

import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from vademecum.core.documents import DocumentRef
from vademecum.files.read import Unreadable, open_within
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.catalog.source_types import open_source
from vademecum.library.collections import Collection
from vademecum.library.uploads.uploads import Uploads
from vademecum.sources.docs.folder import LIMIT_BYTES

_PIECE = 1 << 20


def archive_of(collection: Collection, description: Mapping[str, Any]) -> Iterator[bytes]:
    """Return a zip file with a collection's description, uploads and other documents, in pieces.

    Args:
        description: Stored as `collection.json`, with the list of uploads.
    """
    place = tempfile.TemporaryFile(dir=collection.folder)  # noqa: SIM115 - closed after the last piece
    uploads = Uploads(collection)
    described = {**description, "uploads": [upload.to_dict() for upload in uploads]}
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("collection.json", json.dumps(described, indent=1))
        for path in sorted(uploads.files.rglob("*")):
            if path.is_file():
                archive.write(path, f"files/{path.relative_to(uploads.files)}")
        for entry in collection.library.sources():
            if entry.type == "docs" and Path(entry.location).resolve() != uploads.files.resolve():
                _add_pages(archive, entry)
    place.seek(0)

    def pieces() -> Iterator[bytes]:
        with place:
            while piece := place.read(_PIECE):
                yield piece

    return pieces()


def _add_pages(archive: zipfile.ZipFile, entry: CatalogEntry) -> None:
    """Add the documents of a folder to a zip file, without other files and links that lead out of the folder."""
    root = os.path.realpath(entry.root)
    for found in open_source(entry).scan():
        if isinstance(found, DocumentRef):
            with suppress(Unreadable), os.fdopen(open_within(root, found.key, LIMIT_BYTES), "rb") as page:
                archive.writestr(f"pages/{entry.alias}/{found.key}", page.read())
