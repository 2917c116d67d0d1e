"""Convert records to documents: each entry of a JSON list, JSON Lines or CSV table becomes a small Markdown file.

Files are read in a separate process with limits on memory and time, because a file can be crafted to exhaust both.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from vademecum.core.errors import SourceError
from vademecum.files.read import Unreadable, open_file
from vademecum.sources.docs._contained import Contained
from vademecum.sources.docs.data import RECORD_FIELDS
from vademecum.sources.docs.folder import LIMIT_BYTES
from vademecum.text.printable import printable

_HINT = "Send a list of records, each with a text; say which field it is in with the mapping."


def convert(place: Path, media: str, fields: Mapping[str, str], folder: Path, stem: str) -> int:
    """Write the records of a file into a folder, as one Markdown file each.

    Args:
        media: `json`, `jsonl` or `csv`.
        fields: The fields for `text`, `title` and `url`; by default, those in `RECORD_FIELDS` are tried.
        stem: The prefix of the file names.

    Returns:
        The number of records.
    """
    unknown = sorted(set(fields) - set(RECORD_FIELDS))
    if unknown:
        message = f"The mapping names {printable(unknown[0], 40)}, which documents do not have."
        raise SourceError(message, hint=f"Map {', '.join(RECORD_FIELDS)} to fields of the records.")
    descriptor = open_file(place, LIMIT_BYTES)
    try:
        with Contained() as reader:
            said = reader.ask(
                descriptor, {"do": "records", "media": media, "fields": dict(fields), "stem": stem}
            )
    except Unreadable as bad:
        hint = _HINT if bad.fault == "records" else "Split the file into smaller ones."
        raise SourceError(bad.message, hint=hint) from None
    finally:
        os.close(descriptor)
    for number, text in enumerate(said["texts"], 1):
        (folder / f"{stem}-{number:06}.md").write_text(text, encoding="utf-8")
    return len(said["texts"])
