"""Limit a search to documents by source, manual section or name."""

import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import NamedTuple

from vademecum.core.errors import ConfigError, SourceError
from vademecum.index.segments import Segment
from vademecum.text.printable import printable

_SECTION = r"[0-9nl][0-9a-z+]{0,15}"
_REFERENCE = r"\S\(([0-9nlNL][0-9A-Za-z+]*)\)$"
"""Compiled on first use, because most questions have no limits."""


class Limits(NamedTuple):
    """The documents that may be found and cited. An empty field is not a limit.

    Attributes:
        sources: Aliases of sources; a document must be in one of them.
        sections: Manual sections; a document's reference must have one of them.
        documents: Patterns such as `policies/*`; the reference of a document, its last part, or its title must match
            one of them.
    """

    sources: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sources or self.sections or self.documents)

    @property
    def are_of_documents(self) -> bool:
        """Return whether each document must be checked."""
        return bool(self.sections or self.documents)

    def allow(self, reference: str, title: str) -> bool:
        """Return whether a document may be found, regardless of its source.

        >>> Limits(documents=("leave*",)).allow("staff/leave.md", "Days off")
        True
        """
        if not self.allow_reference(reference):
            return False
        names = {reference, reference.rpartition("/")[2], title}
        return not self.documents or any(fits(name, pattern) for pattern in self.documents for name in names)

    def allow_source(self, alias: str) -> bool:
        """Return whether documents of a source may be found."""
        return not self.sources or alias in self.sources

    def allow_reference(self, reference: str) -> bool:
        """Return whether a document with this reference may be found.

        >>> Limits(sections=("3",)).allow_reference("perlapi(3perl)")
        True
        >>> Limits(sections=("3perl",)).allow_reference("printf(3)")
        False
        """
        if not self.sections:
            return True
        found = re.search(_REFERENCE, reference[-24:])
        if found is None:
            return False
        section = found[1].lower()
        return any(section == one or (len(one) == 1 and section[0] == one) for one in self.sections)

    def __str__(self) -> str:
        """Describe the limits in words.

        >>> str(Limits(("man-pages", "tldr"), ("3",)))
        'source man-pages or tldr, section 3'
        """
        named = (("source", self.sources), ("section", self.sections), ("document", self.documents))
        return ", ".join(f"{name} {' or '.join(values)}" for name, values in named if values)


def fits(name: str, pattern: str) -> bool:
    """Return whether a name equals a pattern, or matches it as in a shell. Slashes are ordinary characters, and case is ignored.

    >>> fits("policies/Leave.md", "policies/*"), fits("leave.md", "l*ve"), fits("[draft] Leave", "[draft] leave")
    (True, False, True)
    """
    name, pattern = name.lower(), pattern.lower()
    return name == pattern or fnmatchcase(name, pattern)


def limits_of(
    sources: Sequence[str], sections: Sequence[str], known: Collection[str], documents: Sequence[str] = ()
) -> Limits:
    """Validate requested limits.

    Args:
        sections: Manual sections; `3` includes `3perl` and `3type`.
    """
    for alias in sources:
        if alias not in known:
            shown = printable(alias, 40) or repr("")
            raise SourceError(
                f"Source {shown} not found.", hint=f"The sources are: {', '.join(known) or 'none'}."
            )
    lowered = [section.lower() for section in sections]
    for section in lowered:
        if not re.fullmatch(_SECTION, section):
            message = f"{section[:100]!a} is not a section of the manual."
            raise ConfigError(message, hint="Sections are 1 to 9, n and l, or narrower, such as 3perl.")
    return Limits(*(tuple(dict.fromkeys(values)) for values in (sources, lowered, documents)))


_MOST = 4000
"""The maximum number of documents that are listed by number. If there are more, enough of them are among the first results."""


class Allowed:
    """The live documents of a segment that may be found.

    Args:
        limits: The limits. Only sections and documents are checked, not sources.
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
        """The numbers of the documents; `None` if there are too many."""
        return sorted(self.documents) if self.few else None

    @cached_property
    def texts(self) -> list[int] | None:
        """The numbers of the texts of their passages; `None` if there are too many."""
        if not self.few:
            return None
        found: set[int] = set()
        for record in map(self._flat.document, self.documents):
            passages = range(record.first_passage, record.first_passage + record.passages)
            found.update(self._flat.passage(number).text for number in passages)
        return sorted(found)

    @cached_property
    def needs(self) -> list[int] | None:
        """The numbers of their needs; `None` if there are too many."""
        if not self.few:
            return None
        records = map(self._flat.document, sorted(self.documents))
        return [
            number
            for record in records
            for number in range(record.first_need, record.first_need + record.needs)
        ]
