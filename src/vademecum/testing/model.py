"""A scripted language model behind the OpenAI protocol, on a real socket."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Self

from vademecum.core.models import ModelSettings
from vademecum.testing.scripted import Request, ScriptedServer, Visit, answer, stream

Answer = str | bytes | Callable[[Visit, Request], None]
"""What is said: words, an answer byte by byte, or a function that gives it."""

_LINE = re.compile(r"^(\d+)\. \[[^\n]*?\] (.*)$", re.MULTILINE)
_NAMING = "names of their manual pages"


def event(data: object) -> bytes:
    """A server-sent event that holds JSON."""
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def chunk(text: str = "", finish: str | None = None) -> bytes:
    """A piece of a completion."""
    choice = {"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}
    return event({"id": "c", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]})


END = chunk(finish="stop") + b"data: [DONE]\n\n"


def chunks(text: str, size: int = 12) -> Iterable[bytes]:
    """A text in pieces of a completion, without its end."""
    return [chunk(text[at : at + size]) for at in range(0, len(text), size)]


def said(text: str, *, size: int = 12, end: bytes = END) -> Callable[[Visit, Request], None]:
    """A completion that says a text, in pieces or at once as it was asked for."""

    def give(visit: Visit, request: Request) -> None:
        if request.json.get("stream"):
            stream([*chunks(text, size), *([end] if end else [])])(visit, request)
            return
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        whole = {"id": "c", "object": "chat.completion", "model": "scripted", "choices": [choice]}
        visit.send(answer(whole))

    return give


def written(*sentences: tuple[str, int]) -> str:
    """A reply in sentences, each with the number of its line."""
    return "\n".join(f"{text} [{number}]" for text, number in sentences)


def lines_in(request: Request) -> dict[int, str]:
    """The numbered lines of a prompt, without their documents."""
    prompt = "\n".join(message["content"] for message in request.json["messages"])
    return {int(number): text for number, text in _LINE.findall(prompt)}


class ScriptedModel:
    """Listens on 127.0.0.1 and answers each completion with the next answer of its script, the last one ever after.

    Args:
        script: The answers.
        names: The manual pages that it names when it is asked for some.

    Attributes:
        server: The server itself.
        asked: The completions it was asked for, except for names of pages.
    """

    def __init__(self, *script: Answer, names: Sequence[str] = ()) -> None:
        self._script, self._names = list(script), list(names)
        self._lock = Lock()
        self.asked: list[Request] = []
        self.server = ScriptedServer(self._answer)

    @property
    def settings(self) -> ModelSettings:
        """How it is reached; no call is tried again."""
        return ModelSettings("openai", "scripted", f"{self.server.url}/v1", context_tokens=8192, retries=0)

    def _answer(self, visit: Visit, request: Request) -> None:
        if request.path.endswith("/models"):
            visit.send(answer({"object": "list", "data": [{"id": "scripted", "object": "model"}]}))
        elif not request.path.endswith("/chat/completions"):
            visit.send(answer({"error": {"message": "there is no such thing"}}, 404))
        elif _NAMING in request.json["messages"][0]["content"]:
            said(json.dumps({"names": self._names}))(visit, request)
        else:
            with self._lock:
                self.asked.append(request)
                given = self._script.pop(0) if len(self._script) > 1 else self._script[0]
            if isinstance(given, bytes):
                visit.send(given)
            else:
                (said(given) if isinstance(given, str) else given)(visit, request)

    def __enter__(self) -> Self:
        self.server.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self.server.__exit__(*exception)
