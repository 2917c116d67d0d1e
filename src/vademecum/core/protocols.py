"""The doors between rooms, as Protocols. A test runs each against every implementation."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from vademecum.core.documents import Document, DocumentRef, Problem


class Source(Protocol):
    """A place documents come from.

    Implementations keep no state between calls: everything `read` needs is in the ref and in the
    source's own location, so that batches may be read by several processes.
    """

    alias: str

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List what is there, without parsing it. Order is stable for the same content.

        Raises:
            SourceError: The place itself can not be used.
        """
        ...

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Parse a batch, in the order of `refs`: one `Document` or one `Problem` for each.

        A bad document is a `Problem`, never an exception; no document can hang the call.
        """
        ...
