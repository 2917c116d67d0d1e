"""Looking at a source as a whole, once it is new or has changed: is it sound, and what is its checksum?"""

import time
from pathlib import Path

from vademecum.index.catalog import CatalogEntry
from vademecum.index.checksums import Sum, checksum_of
from vademecum.index.plan import ParsedSource
from vademecum.index.progress import OnProgress, Progress
from vademecum.index.source_types import check_source


def checked(source: ParsedSource, entry: CatalogEntry, on_progress: OnProgress) -> Sum:
    """What a source is now, once it was found to be sound.

    Args:
        source: Its reader.
        entry: What the catalog has of it.
        on_progress: Told of the stage `check`, and now and then while an archive is read.

    Raises:
        SourceError: It is broken, or cannot be read.
    """
    place = Path(entry.location)
    if not place.is_dir():
        on_progress(Progress("check", entry.alias, 0, 0, 0))
    check_source(source, entry.location)
    began_s = time.monotonic()

    def tell(done: int, total: int) -> None:
        on_progress(Progress("check", entry.alias, 0, 0, done, time.monotonic() - began_s, total))

    return checksum_of(place, tell)
