"""Requests that chat front ends send on their own, such as for the title of a conversation. They are not questions to documents.

Open WebUI, LibreChat and others ask the same model for a title, tags, follow-up questions or search queries, with the conversation in
the prompt. The reply is made from what the user asked first.
"""

import json
import re
from collections.abc import Generator, Sequence

from vademecum.core.models import Message
from vademecum.server.state import Event
from vademecum.text.patterns import Pattern
from vademecum.text.words import STOP_WORDS, WORD

_FIELD = Pattern(r'\{\s*"(title|tags|follow_ups|queries|text)"\s*:')
"""The field of the JSON object that a prompt asks for."""

_TITLE = Pattern(
    r"^\W*(?:(?:please|task|you are|you will|your task|an? \w+(?: \w+)? (?:that|who))\b[^.\n]{0,60}?\b)?"
    r"(?:generates?|provides?|creates?|writes?|suggests?|gives?|analy[sz]e|summari[sz]es?)\b[^.]{0,120}?\btitles?\b"
)
_OF_CHAT = Pattern(r"\b(?:conversation|chat|message|dialog(?:ue)?|(?:user )?query)s?\b")
_HISTORY = Pattern(
    r"<chat_history>(?P<marked>.*?)</chat_history>|^\W*(?:(?:chat|message) history|conversation|user(?:'s)? (?:message|query)|message|query)\s*:(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_SPEAKER = Pattern(r"^\s*(?:user|human)\s*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_HEAD = 400
"""How many characters of a prompt say what it asks for."""

_TITLE_LENGTH, _MOST_TAGS = 40, 3


def own_request(messages: Sequence[Message]) -> str | None:
    """Return the reply to a request that a front end makes on its own; None if the last message is a question."""
    *before, last = messages
    system = next((message.text for message in before if message.role == "system"), "")
    history = _HISTORY.search(last.text)
    field = _FIELD.search(last.text)
    if field and history:
        asked = _asked(history["marked"] or history["rest"] or "")
    elif _wants_title(last.text):
        users = [message.text for message in before if message.role == "user"]
        asked = users[0] if users else _asked((history["marked"] or history["rest"]) if history else "")
    elif _wants_title(system) and not any(message.role == "assistant" for message in before):
        asked = last.text
    else:
        return None
    name = field[1].lower() if field else ""
    if not name:
        return _title(asked)
    made = {"title": _title(asked), "tags": _tags(asked), "queries": [asked] if asked else []}
    return json.dumps({name: made.get(name, "" if name == "text" else [])}, ensure_ascii=False)


def events_of(said: str) -> Generator[Event]:
    """Yield the events of such a reply."""
    yield "token", {"text": said}
    yield "final", {"answer": said, "status": "success", "sources": [], "citations": []}


def _wants_title(prompt: str) -> bool:
    head = prompt[:_HEAD]
    return bool(_TITLE.search(head) and _OF_CHAT.search(head))


def _asked(history: str) -> str:
    """Return the first thing that a user said in a conversation that is part of a prompt."""
    said = _SPEAKER.search(history)
    lines = [line.strip() for line in history.splitlines() if line.strip()]
    return said[1].strip() if said else lines[0] if lines else ""


def _title(asked: str) -> str:
    """Return the beginning of a question, without its mark."""
    first = re.split(r"(?<=[.!?])\s|\n", asked.strip(), maxsplit=1)[0].rstrip(" ?!.")
    if len(first) > _TITLE_LENGTH:
        first = f"{first[:_TITLE_LENGTH].rsplit(' ', 1)[0].rstrip(' ,;:')} …"
    return first[:1].upper() + first[1:] or "New conversation"


def _tags(asked: str) -> list[str]:
    words = (word.lower() for word in WORD.findall(asked))
    return list(dict.fromkeys(word for word in words if word not in STOP_WORDS and len(word) > 2))[
        :_MOST_TAGS
    ]
