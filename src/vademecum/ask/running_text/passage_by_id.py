"""Look up a passage by the id in a citation or search result."""

import re

from vademecum.ask.hits import hit_at
from vademecum.ask.sites import Site
from vademecum.core.answers import Hit
from vademecum.core.errors import StoreError
from vademecum.index.reader.index import Index
from vademecum.text.printable import printable

_ID = re.compile(r"([a-z0-9-]{1,31}:[0-9a-f]{64}):([0-9]{1,9})")


def passage_by_id(index: Index, id_: str, *, site: Site | None = None) -> Hit:
    """Return the passage with an id. Its score is 0, because there is no question.

    Raises:
        StoreError: The index has no such passage.
    """
    match = _ID.fullmatch(id_)
    place = index.place(match[1]) if match else None
    if match is None or place is None:
        raise _missing(id_)
    flat = index.segments[place.segment].flat
    record = flat.document(place.document)
    number = int(match[2])
    if number >= record.passages:
        raise _missing(id_)
    return hit_at(index, place, record.first_passage + number, site)


def _missing(id_: str) -> StoreError:
    message = f"The index has no passage {printable(id_, 120)}."
    return StoreError(message, hint="Its document may have changed: search again.")
