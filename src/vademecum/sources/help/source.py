"""`HelpSource`: the help texts in one folder."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from vademecum.core.documents import Block, Document, DocumentRef, Problem
from vademecum.core.errors import SourceError
from vademecum.files.read import Unreadable, open_within, read_open
from vademecum.sources._problems import problem
from vademecum.sources.help.layout import Help, read_help

FORMAT = "help-2"
"""The version of the format. Increment it when the same file would yield a different text or blocks."""

SUFFIX = ".help"
_LIMIT_BYTES = 4 * 1024 * 1024
_LONGEST_SUMMARY = 200
_FORM = re.compile(r"<[^<>\n]+>|\[[^\[\]\n]+\]|\.\.\.")
_FIRST_SENTENCE = re.compile(r".+?[.!?](?=\s|$)|.+", re.DOTALL)


class HelpSource:
    """Files that contain what programs print for `--help`: `rg.help`, `docker run.help`.

    A file is cited like a manual page, as `rg(help)` or `docker-run(help)`. Its options and commands are items.
    """

    def __init__(self, location: Path, alias: str) -> None:
        is_file = location.is_file()
        self.location = location.parent if is_file else location
        self._only = location.name if is_file else ""
        self.alias = alias

    @property
    def parser(self) -> str:
        """The version of the parser. Documents of another parser are read again."""
        return FORMAT

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List the files by name, without reading them."""
        try:
            paths = [self.location / self._only] if self._only else self.location.iterdir()
            files = sorted(path for path in paths if path.suffix == SUFFIX)
            for path in files:
                status = path.stat()
                name = hashlib.blake2b(
                    path.name.encode("utf-8", "surrogateescape"), digest_size=8
                ).hexdigest()
                yield DocumentRef(
                    key=path.name,
                    names=(f"{path.stem.replace(' ', '-')}(help)",),
                    fingerprint=f"{status.st_size:x}-{status.st_mtime_ns:x}-{name}",
                    size_bytes=status.st_size,
                )
        except OSError as error:
            message = f"{self.location} cannot be listed: {error.strerror}."
            raise SourceError(message, hint="Check its permissions.") from error

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Read files, and yield, for each of `refs` in order, a document or a problem."""
        for ref in refs:
            try:
                raw = read_open(open_within(str(self.location), ref.key, _LIMIT_BYTES), _LIMIT_BYTES)
            except Unreadable as bad:
                yield problem("help", ref.key, bad.fault, bad.message)
                continue
            found = read_help(raw.decode("utf-8", "replace"))
            command = ref.key.removesuffix(SUFFIX)
            yield (
                _document(ref, command, found)
                if found.text
                else problem("help", ref.key, "no-text", "It is empty.")
            )


def _document(ref: DocumentRef, command: str, found: Help) -> Document:
    return Document(
        key=ref.key,
        reference=ref.names[0],
        title=f"{command} --help",
        summary=_summary(found),
        names=ref.names,
        text=found.text,
        blocks=found.blocks,
    )


def _summary(found: Help) -> str:
    """Return the first sentence of the first paragraph that is not a form of the command (`npm <command>`)."""
    paragraphs = (block for block in found.blocks if block.kind == "paragraph")
    said = (block for block in paragraphs if not _FORM.search(found.text, block.start, block.end))
    first = next(said, Block("paragraph", 0, 0, 0))
    sentence = _FIRST_SENTENCE.match(found.text, first.start, first.end)
    return sentence[0][:_LONGEST_SUMMARY].rstrip() if sentence else ""
