"""What of a segment is within limits, as the numbers that are searched."""

from functools import cached_property

from vademecum.index.scope import Limits
from vademecum.index.segments import Segment

_MOST = 4000
"""Documents that are asked about by number. Of more, enough are among the first that are found anyway."""


class Allowed:
    """The live documents of one segment that may be found.

    Args:
        segment: Where.
        limits: Whatever its source; sections and documents are looked at.
    """

    def __init__(self, segment: Segment, limits: Limits) -> None:
        flat, dead = segment.flat, segment.dead
        self._flat = flat
        self.documents = frozenset(
            number for number in range(len(flat)) if number not in dead and self._fits(number, limits)
        )
        self.few = len(self.documents) <= _MOST

    def _fits(self, number: int, limits: Limits) -> bool:
        strings = self._flat.strings(self._flat.document(number))
        return limits.allow(strings.reference, strings.title)

    @cached_property
    def pages(self) -> list[int] | None:
        """Their numbers; `None` for too many to be asked about."""
        return sorted(self.documents) if self.few else None

    @cached_property
    def texts(self) -> list[int] | None:
        """The numbers of their passages' texts, likewise."""
        if not self.few:
            return None
        found: set[int] = set()
        for record in map(self._flat.document, self.documents):
            passages = range(record.first_passage, record.first_passage + record.passages)
            found.update(self._flat.passage(number).text for number in passages)
        return sorted(found)

    @cached_property
    def needs(self) -> list[int] | None:
        """The numbers of their needs, likewise."""
        if not self.few:
            return None
        records = map(self._flat.document, sorted(self.documents))
        return [
            number
            for record in records
            for number in range(record.first_need, record.first_need + record.needs)
        ]
