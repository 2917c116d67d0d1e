"""A collection on a server that another program fills. A file describes it; its records are found when a question is asked."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.core.engines import Described
from vademecum.core.errors import SourceError

SUFFIX = ".records"
_LONGEST = 64 * 1024
_HINT = "Write it again with: vademecum store use ADDRESS"


class RecordsSource:
    """The description of a collection, as a source without documents of its own."""

    suffixes: ClassVar = (SUFFIX,)
    parser = "records-1"

    def __init__(self, location: Path, alias: str) -> None:
        self.location, self.alias = location, alias

    def described(self) -> Described:
        """Read the description."""
        import yaml  # noqa: PLC0415 - 10 ms, for those who use one

        try:
            with self.location.open(encoding="utf-8") as file:
                data: Any = yaml.safe_load(file.read(_LONGEST))
            found = Described(**data)
        except (OSError, ValueError, TypeError, yaml.YAMLError) as error:
            message = (
                f"{self.alias}: {self.location} cannot be read as the description of a collection: {error}."
            )
            raise SourceError(" ".join(message.split())[:500], hint=_HINT) from error
        if not all(isinstance(value, str) for value in found) or not found.address or not found.text:
            message = f"{self.alias}: {self.location} must have an address and the field with the text, and only texts."
            raise SourceError(message, hint=_HINT)
        return found

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """Check the description. It has no documents."""
        self.described()
        return iter(())

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Read nothing."""
        del refs
        return ()


def written(described: Described) -> str:
    """Return a description as the text of its file."""
    import yaml  # noqa: PLC0415 - as above

    fields = {name: value for name, value in described._asdict().items() if value}
    return str(yaml.safe_dump(fields, sort_keys=False, allow_unicode=True))
