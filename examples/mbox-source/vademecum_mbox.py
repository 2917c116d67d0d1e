"""Mail in an mbox file as a source of Vademecum: each message is a document, and its quotations are exact.

ragadmin sources add ~/mail/team.mbox
ragadmin reindex
ragman "Who is on call in May?"
"""

import hashlib
import mailbox
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from email.header import decode_header, make_header
from email.message import Message
from pathlib import Path

from vademecum import Block, Document, DocumentRef, Problem, SourceError

_PARAGRAPH = re.compile(r"(?:.+\n?)+")
_QUOTED = re.compile(r"^>.*\n?", re.MULTILINE)


class MboxSource:
    """The messages of an mbox file.

    Args:
        location: The file.
        alias: The name of the source.
    """

    suffixes = (".mbox",)
    """The endings of files that are recognized without `--type`."""

    parser = "mbox-1"
    """Raise it whenever the same message yields another text: every message is then read again."""

    def __init__(self, location: Path, alias: str) -> None:
        if not location.is_file():
            raise SourceError(f"{location} is not a file.", hint="Name an mbox file.")
        self.location, self.alias = location, alias

    def scan(self) -> Iterator[DocumentRef]:
        """List the messages without parsing their bodies."""
        for key, message in self._messages().items():
            whole = message.as_bytes(policy=message.policy.clone(raise_on_defect=False))
            yield DocumentRef(
                key=key,
                names=(_title(message),),
                fingerprint=hashlib.sha256(whole).hexdigest(),
                size_bytes=len(whole),
            )

    def read(self, refs: Sequence[DocumentRef]) -> Iterator[Document | Problem]:
        """Parse some messages, in the order of the references. What cannot be read is a problem, not an exception."""
        messages = self._messages()
        for ref in refs:
            message = messages.get(ref.key)
            body = _body(message) if message else ""
            if message is None or not body.strip():
                fault = "empty" if message else "gone"
                yield Problem(place=ref.key, fault=fault, message="It has no text.", hint="")
            else:
                yield _document(ref.key, _title(message), body)

    def _messages(self) -> dict[str, Message]:
        """The messages by their ids. A message without an id, or with that of another, is named by its position."""
        found: dict[str, Message] = {}
        with closing(mailbox.mbox(self.location, create=False)) as box:
            for position, message in enumerate(box):
                key = str(message.get("Message-ID", "")).strip("<> ") or f"message {position}"
                found[key if key not in found else f"{key} ({position})"] = message
        return found


def senders(arguments: Sequence[str]) -> int:
    """`vademecum mail FILE`: print who wrote how many messages."""
    if len(arguments) != 1:
        print("Usage: vademecum mail FILE")
        return 2
    with closing(mailbox.mbox(arguments[0], create=False)) as box:
        for name, count in Counter(str(message["From"]) for message in box).most_common():
            print(f"{count:4}  {name}")
    return 0


def _document(key: str, title: str, body: str) -> Document:
    """A message as text, with a block for each paragraph. A quotation is a range of this text."""
    text = f"{title}\n"
    blocks = [Block("heading", 0, len(title), 1, tag_end=0)]
    for found in _PARAGRAPH.finditer(_QUOTED.sub("", body)):
        paragraph = found[0].strip()
        if paragraph:
            start = len(text) + 1
            text += f"\n{paragraph}\n"
            blocks.append(Block("paragraph", start, start + len(paragraph), tag_end=start))
    return Document(
        key=key,
        reference=title,
        title=title,
        summary="",
        names=(title,),
        text=text.rstrip("\n"),
        blocks=tuple(blocks),
    )


def _title(message: Message) -> str:
    """The subject and the date, which together are how people name a message."""
    subject = " ".join(str(make_header(decode_header(message.get("Subject", "no subject")))).split())
    return f"{subject} ({message.get('Date', 'no date')})"


def _body(message: Message) -> str:
    """The plain text of a message."""
    for part in message.walk():
        if part.get_content_type() == "text/plain" and not part.get_filename():
            data = part.get_payload(decode=True)
            if isinstance(data, bytes):
                return data.decode(part.get_content_charset("utf-8"), "replace")
    return ""
