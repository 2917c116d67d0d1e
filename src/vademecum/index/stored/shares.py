"""The share of the documents that one of several machines reads."""

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.core.errors import ConfigError

if TYPE_CHECKING:
    from vademecum.core.protocols import Source

MOST = 1000


class Share(NamedTuple):
    """A share: its number, from 1, and the number of shares.

    >>> Share.of("2/4")
    Share(number=2, of_all=4)
    """

    number: int
    of_all: int

    @classmethod
    def of(cls, text: str) -> "Share":
        """Parse a share, `i/N`.

        Raises:
            ConfigError: It is not a valid share.
        """
        found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
        share = cls(int(found[1]), int(found[2])) if found else cls(0, 0)
        if not 1 <= share.number <= share.of_all <= MOST:
            message = "A share is written as i/N: its number, from 1, and how many there are."
            raise ConfigError(message, hint=f"The second of four is 2/4; there are at most {MOST:,}.")
        return share

    @property
    def name(self) -> str:
        """Its segment name in a store."""
        return f"share-{self.number:04}-of-{self.of_all:04}"

    def has(self, key: str) -> bool:
        """Return whether the document with this key is in the share."""
        digest = sha256(key.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.of_all == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of_all}"


class SharedSource:
    """A share of a source.

    Args:
        source: The whole source.
        share: The share.
    """

    def __init__(self, source: "Source", share: Share) -> None:
        self._source, self._share = source, share
        self.alias = source.alias

    @property
    def parser(self) -> str:
        """The parser of the source and the share. If either changes, every document is read again."""
        return f"{self._source.parser} share-{self._share}"

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List the documents of the share. Only the first share reports problems."""
        for found in self._source.scan():
            is_ours = (
                self._share.has(found.key) if isinstance(found, DocumentRef) else self._share.number == 1
            )
            if is_ours:
                yield found

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Read documents with the source."""
        return self._source.read(refs)


def without_share(recipe: str) -> str:
    """Remove the share from a recipe."""
    return re.sub(r" share-\d+/\d+", "", recipe)
