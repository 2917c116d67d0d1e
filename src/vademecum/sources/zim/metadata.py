"""What an archive says of itself."""

import re
from typing import NamedTuple

from vademecum.sources.zim.archive import Archive
from vademecum.sources.zim.directory import printable
from vademecum.sources.zim.languages import UNKNOWN, bcp47

_COUNT = re.compile(r"([^;=]+(?:;[^;=]+=[^;=]+(?==))*)=(\d+)(?:;|$)")


class Metadata(NamedTuple):
    """What an archive says of itself; "" or 0 where it does not.

    Attributes:
        title: Of the whole archive.
        language: The first of its languages, a BCP 47 tag; `und` when it names none.
        languages: All of them.
        creator: Who wrote what is in it.
        date: When it was made, as written (`2025-04-09`).
        articles: How many it has.
        counter: How many entries there are of each MIME type.
    """

    title: str
    language: str
    languages: tuple[str, ...]
    creator: str
    date: str
    articles: int
    counter: dict[str, int]


def read_metadata(archive: Archive) -> Metadata:
    """Read what an archive says of itself.

    Raises:
        BadArchive: It cannot be read.
    """
    languages = languages_of(archive)
    counter = parse_counter(archive.metadata("Counter"))
    html = sum(count for mime, count in counter.items() if mime.partition(";")[0].strip() == "text/html")
    return Metadata(
        title=printable(archive.metadata("Title")),
        language=languages[0],
        languages=languages,
        creator=printable(archive.metadata("Creator")),
        date=printable(archive.metadata("Date")),
        articles=archive.front_count() or html,
        counter=counter,
    )


def languages_of(archive: Archive) -> tuple[str, ...]:
    """The languages an archive is written in, at least one, as BCP 47 tags.

    Raises:
        BadArchive: It cannot be read.
    """
    codes = re.split(r"[,;\s]+", archive.metadata("Language"))
    found = dict.fromkeys(tag for code in codes if (tag := bcp47(code)))
    return tuple(found) or (UNKNOWN,)


def parse_counter(text: str) -> dict[str, int]:
    """How many entries there are of each type; a type may have parameters.

    >>> parse_counter("image/png=2;text/html;raw=true=3;text/html=1")
    {'image/png': 2, 'text/html;raw=true': 3, 'text/html': 1}
    """
    return {mime.strip(): int(count) for mime, count in _COUNT.findall(text) if len(count) < 12}
