"""Convert mail to HTML: single messages, mailboxes, and web pages that a browser saved as MIME HTML (RFC 2557)."""

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from html import escape
from typing import cast

from vademecum.files.read import Unreadable
from vademecum.sources._blocks import Parsed
from vademecum.sources._html import HtmlPage, read_html
from vademecum.sources._markdown import fold
from vademecum.sources.docs.text import read_text

_HEADERS = ("From", "To", "Cc", "Date")
_FROM = re.compile(rb"^From [^\n]*\d{4}[^\n]*\n", re.MULTILINE)
_QUOTED = re.compile(r"^(?:> ?)+", re.MULTILINE)
_MOST_MESSAGES = 20_000


def read_mail(raw: bytes) -> HtmlPage:
    """Read a message or a mailbox: sender, recipients and date, text, and the names of attachments, which are not read."""
    starts = [found.end() for found in _FROM.finditer(raw)] if raw.startswith(b"From ") else [0]
    if len(starts) > _MOST_MESSAGES:
        raise Unreadable("too-large", f"It holds more than {_MOST_MESSAGES:,} messages.")
    ends = [found.start() for found in _FROM.finditer(raw)][1:] if starts != [0] else []
    messages = [raw[start:end] for start, end in zip(starts, [*ends, len(raw)], strict=True)]
    pages = [_markup(_parsed(message)) for message in messages]
    return read_html(f"<title>{_subject(_parsed(messages[0]))}</title><body>{''.join(pages)}</body>")


def read_saved_page(raw: bytes) -> HtmlPage:
    """Read a web page that a browser saved as MIME HTML."""
    message = _parsed(raw)
    body = message.get_body(("html",))
    if body is None:
        raise Unreadable("no-text", "It holds no page.")
    return read_html(_content(cast("EmailMessage", body)))


def _parsed(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=policy.default)


def _header(message: EmailMessage, name: str) -> str:
    try:
        return fold(str(message.get(name, "")))
    except (ValueError, IndexError, AttributeError, TypeError):  # malformed addresses and dates
        return fold(next((value for key, value in message.raw_items() if key.lower() == name.lower()), ""))


def _subject(message: EmailMessage) -> str:
    return escape(_header(message, "Subject"), quote=False)


def _content(part: EmailMessage) -> str:
    try:
        return str(part.get_content())
    except (LookupError, ValueError, KeyError):
        payload = part.get_payload(decode=True)
        return payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""


def _markup(message: EmailMessage) -> str:
    parts = [f"<h1>{_subject(message) or 'Message'}</h1>"]
    values = {name: escape(_header(message, name), quote=False) for name in _HEADERS}
    parts += [f"<p>{name}: {value}</p>" for name, value in values.items() if value]
    body = message.get_body(("plain", "html"))
    if body is not None:
        words = _content(cast("EmailMessage", body))
        is_html = body.get_content_subtype() == "html"
        parts += _paragraphs(read_html(words) if is_html else read_text(_QUOTED.sub("", words)))
    names = [name for part in message.walk() if (name := part.get_filename())]
    if names:
        parts.append(f"<p>Attachments: {escape(', '.join(map(fold, names)), quote=False)}</p>")
    return "\n".join(parts)


def _paragraphs(page: HtmlPage | Parsed) -> Iterator[str]:
    for block in page.blocks:
        element = "pre" if block.kind in {"code", "table"} else "p"
        yield f"<{element}>{escape(page.text[block.start : block.end], quote=False)}</{element}>"
