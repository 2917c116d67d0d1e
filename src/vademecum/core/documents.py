"""Documents, as produced by all sources: one text, and the offsets of its parts.

All offsets are code points of `Document.text`; the start is inclusive, and the end is exclusive.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

BlockKind = Literal["heading", "paragraph", "item", "code", "table"]


class Block(NamedTuple):
    """A range of a document's text with one role. Blocks do not overlap, and are in reading order.

    Attributes:
        kind: `heading`; `paragraph` (running text, including that of bullets); `item` (an item of a tagged
            list: the tag, and the paragraph directly after it); `code` (line breaks are preserved);
            `table` (one line per row).
        start: The first code point.
        end: The end (exclusive).
        level: The depth of a heading, from 1; for other blocks, the number of lists that contain the block:
            0 outside of lists, and 1 for an item of an outermost list and for the further paragraphs of
            its body.
        anchor: The fragment that addresses the block (`SETUID_AND_SETGID_BITS`, `R`), or "".
        tag_end: The end (exclusive) of the tag of an item (`text[start:tag_end]` is `-R, --recursive`);
            for other blocks, equal to `start`.

    Example:
        >>> Block(start=0, end=8, kind="heading").kind
        'heading'
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    anchor: str = ""
    tag_end: int = -1


class Need(NamedTuple):
    """A task that a document helps with, in the words of users.

    Attributes:
        text: The task in about 3 to 14 words (`find files bigger than a given size`).
        tags: The parts of the document that meet it, as words of item tags (`-size`); empty for the whole document.
        line: The command line that meets it, with slots in capitals (`find DIR -size SIZE`), or a line of a file after the reference
            of its page (`crontab(5): @reboot COMMAND`); "" if none is known.
    """

    text: str
    tags: tuple[str, ...] = ()
    line: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A manual page, article or file: its text and structure.

    Attributes:
        key: Its location, unique within the source (`man1/chmod.1.gz`).
        reference: Its reference (`chmod(1)`), unique within the source.
        title: Its title.
        summary: Its one-line description, or "".
        names: All references to it, its own first (`("stat(2)", "fstat(2)")`).
        text: The whole text. White space is folded, except line breaks between blocks and within code.
        blocks: The structure, in reading order.
        links: References to other documents (`("umask(2)",)`), as written.
        needs: The needs that it meets. They are used for retrieval and never quoted.
        language: A BCP 47 tag.

    Example:
        >>> from vademecum.testing import document
        >>> note = document("office.md", ("The office", ["It is open from nine to five."]))
        >>> note.text.splitlines()
        ['The office', 'It is open from nine to five.']
    """

    key: str
    reference: str
    title: str
    summary: str
    names: tuple[str, ...]
    text: str
    blocks: tuple[Block, ...]
    links: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()
    language: str = "en"

    def digest(self) -> str:
        """Return the SHA-256 hash of reference and text, in hexadecimal. It identifies the exact text that citations quote.

        Example:
            >>> from vademecum.testing import document
            >>> len(document("office.md", ("", ["It is open."])).digest())
            64
        """
        return digest(self.reference, self.text)


def digest(reference: str, text: str) -> str:
    """See `Document.digest`."""
    import hashlib  # noqa: PLC0415 - 3 ms (OpenSSL), and questions hash nothing

    return hashlib.sha256(f"{reference}\0{text}".encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRef:
    """A document that a source has found but not read.

    Attributes:
        key: As in `Document.key`.
        names: All references to it, its own first.
        fingerprint: Changes if the document may have changed (size, time and names).
        size_bytes: The size of the stored file.

    Example:
        >>> DocumentRef(key="office.md", names=("office.md",), fingerprint="175 1795868049").size_bytes
        0
    """

    key: str
    names: tuple[str, ...]
    fingerprint: str
    size_bytes: int = 0


OTHER_KINDS, LEFT_OUT, OTHER_LANGUAGE = "other-kinds", "left-out", "other-language"
"""The faults of files that are not read on purpose, and of documents that are indexed, but not in English. They are reported without a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A document that could not be read, and how to fix it. It is not an exception, so other documents are still read.

    Attributes:
        place: The file, or the location within the source.
        fault: A short fixed name (`damaged-archive`, `renderer-timeout`).
        message: What happened.
        hint: What to do next.

    Example:
        >>> Problem(place="office.md", fault="unreadable", message="It cannot be read.").fault
        'unreadable'
    """

    place: str
    fault: str
    message: str
    hint: str = field(default="")


def structure_fault(document: Document) -> str:
    """Return what is wrong with the blocks of a document, as a sentence; "" if nothing is.

    Example:
        >>> from dataclasses import replace
        >>> from vademecum.testing import document
        >>> note = document("office.md", ("The office", ["It is open from nine to five."]))
        >>> structure_fault(note), structure_fault(replace(note, text=note.text[:20]))
        ('', 'A block ends at 40, and the text has 20 characters.')
    """
    text, before = document.text, 0
    for block in document.blocks:
        if block.end > len(text):
            return f"A block ends at {block.end}, and the text has {len(text)} characters."
        if block.start < before or block.end <= block.start:
            return f"The block from {block.start} to {block.end} is empty, or overlaps the one before it."
        if text[block.start].isspace() or text[block.end - 1].isspace():
            return f"The block from {block.start} to {block.end} begins or ends with white space."
        if block.kind == "item" and not block.start <= block.tag_end <= block.end:
            return f"The tag of the item from {block.start} to {block.end} ends at {block.tag_end}."
        before = block.end
    return ""
