"""`MemorySource`: a minimal, real source."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from vademecum.core.documents import Block, Document, DocumentRef, Need, Problem


class MemorySource:
    """Documents that are given, not found. Plain data, so that other processes can be handed it.

    A `Problem` among them stands for a document that cannot be read: its place is the document's key.

    Args:
        alias: The source's fixed name.
        documents: In the order in which they are listed.
        parser: Another value means that every document has to be read again.
        log: A file to which the key of each document that is read is added, a line each, from whatever process.
    """

    def __init__(
        self,
        alias: str,
        documents: Sequence[Document | Problem],
        *,
        parser: str = "memory-1",
        log: Path | None = None,
    ) -> None:
        self.alias = alias
        self.parser = parser
        self.documents = tuple(documents)
        self.log = log

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List them. A document's fingerprint is a hash of all there is to it."""
        for document in self.documents:
            if isinstance(document, Problem):
                yield DocumentRef(key=document.place, names=(), fingerprint=_fingerprint(document))
            else:
                size = len(document.text.encode("utf-8", "surrogatepass"))
                fingerprint = _fingerprint(document)
                yield DocumentRef(
                    key=document.key, names=document.names, fingerprint=fingerprint, size_bytes=size
                )

    def read(self, refs: Sequence[DocumentRef]) -> Iterator[Document | Problem]:
        """Hand them over."""
        by_key = {_key(document): document for document in self.documents}
        for ref in refs:
            if self.log:
                with self.log.open("a") as log:
                    log.write(f"{ref.key!r}\n")
            yield by_key[ref.key]


def document(
    reference: str,
    *sections: tuple[str, Sequence[str | tuple[str, str]]],
    key: str = "",
    summary: str = "",
    names: Sequence[str] = (),
    links: Sequence[str] = (),
    needs: Sequence[str | tuple[str, str]] = (),
) -> Document:
    """A document from headings and what is under them.

    Args:
        reference: How people cite it.
        sections: Each a heading ("" for none) and its blocks: a paragraph, or a tag with the text behind it.
        key: By default the reference.
        summary: One line.
        names: By default the reference alone.
        links: References it points to.
        needs: What people want that it answers, each alone or with the tag that meets it.
    """
    text, blocks = "", list[Block]()
    for heading, content in sections:
        if heading:
            blocks.append(Block("heading", len(text), len(text) + len(heading), 1, heading.replace(" ", "_")))
            text += heading + "\n"
        for part in content:
            tag, body = part if isinstance(part, tuple) else ("", part)
            whole = f"{tag} {body}" if tag else body
            start, end = len(text), len(text) + len(whole)
            if tag:
                blocks.append(Block("item", start, end, 1, tag.lstrip("-"), start + len(tag)))
            else:
                blocks.append(Block("paragraph", start, end, 0, "", start))
            text += whole + "\n"
    return Document(
        key=key or reference,
        reference=reference,
        title=reference,
        summary=summary,
        names=tuple(names) or (reference,),
        text=text.rstrip("\n"),
        blocks=tuple(blocks),
        links=tuple(links),
        needs=tuple(
            Need(*((need, ()) if isinstance(need, str) else (need[0], (need[1],)))) for need in needs
        ),
    )


def _key(document: Document | Problem) -> str:
    return document.place if isinstance(document, Problem) else document.key


def _fingerprint(document: Document | Problem) -> str:
    return hashlib.sha256(repr(asdict(document)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
