"""Documents, as all sources produce them: one text, and the offsets of its parts.

All offsets count code points of `Document.text`, start inclusive, end exclusive.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

BlockKind = Literal["heading", "paragraph", "item", "code", "table"]


class Block(NamedTuple):
    """A stretch of a document's text with one role. Blocks never overlap and are in reading order.

    Attributes:
        kind: `heading`; `paragraph` (running text, also a bullet's); `item` (an entry of a tagged
            list: the tag, and the paragraph that follows it directly); `code` (line breaks kept);
            `table` (one line a row).
        start: First code point.
        end: One past the last code point.
        level: Of a heading its depth, from 1. Of any other block how many lists it is in:
            0 outside of all; an item of an outermost list has 1, and so have the further
            paragraphs of its body.
        anchor: The fragment that addresses the block (`SETUID_AND_SETGID_BITS`, `R`), or "".
        tag_end: Of an item, one past its tag (`text[start:tag_end]` is `-R, --recursive`);
            of any other block, equal to `start`.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    anchor: str = ""
    tag_end: int = -1


class Need(NamedTuple):
    """Something people want that a document answers, in their words and not the document's.

    Attributes:
        text: Some 3 to 14 words (`find files bigger than a given size`).
        tags: What of the document meets it: words of its items' tags (`-size`); empty when all of it does.
    """

    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One manual page, article or file, as text with its structure.

    Attributes:
        key: Where the source keeps it, unique within the source (`man1/chmod.1.gz`).
        reference: How people cite it (`chmod(1)`), unique within the source.
        title: What a person reads as its title.
        summary: One line that says what it is about, or "".
        names: Every reference it answers to, its own first (`("stat(2)", "fstat(2)")`).
        text: The whole text. White space is folded, lines are kept between blocks and within code.
        blocks: The structure, in reading order.
        links: References of other documents it points to (`("umask(2)",)`), as written.
        needs: What people want that it answers. They help to find it and are never quoted.
        language: A BCP 47 tag.
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
        """SHA-256 over reference and text, in hexadecimal: names the exact words a citation quotes."""
        return digest(self.reference, self.text)


def digest(reference: str, text: str) -> str:
    """See `Document.digest`."""
    return hashlib.sha256(f"{reference}\0{text}".encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRef:
    """A document a source has seen but not yet read.

    Attributes:
        key: As in `Document.key`.
        names: Every reference it will answer to, its own first.
        fingerprint: Changes whenever the document may have changed (size, time and names).
        size_bytes: Of the file as stored.
    """

    key: str
    names: tuple[str, ...]
    fingerprint: str
    size_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that could not be read, in words that help. Never an exception: the rest goes on.

    Attributes:
        place: The file, or the place within the source.
        fault: A short fixed name (`damaged-archive`, `renderer-timeout`).
        message: What happened.
        hint: What to do next.
    """

    place: str
    fault: str
    message: str
    hint: str = field(default="")
