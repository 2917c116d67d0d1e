"""A scripted language model behind the OpenAI protocol, on a real socket."""

import json
import re
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, Self

from vademecum.core.models import ModelSettings
from vademecum.testing.scripted import Request, ScriptedServer, Visit, answer, stream

Answer = str | bytes | Callable[[Visit, Request], None]
"""What is said: words, an answer byte by byte, or a function that gives it."""

_PASSAGE = re.compile(r"<<(\w+) passage (\d+): [^\n]*>>\n(.*?)\n<<\1 end>>", re.DOTALL)


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


def statement(text: str, *passages: int, quote: str = "", command: str | None = None) -> dict[str, Any]:
    """A sentence as a model is asked to write it; with `command`, a step."""
    more = {} if command is None else {"command": command}
    return {"citations": [{"passage": passage, "quote": quote} for passage in passages], **more, "text": text}


def written(*summary: dict[str, Any], steps: Iterable[dict[str, Any]] = ()) -> str:
    """A reply as a model is asked to write it."""
    return json.dumps({"summary": list(summary), "steps": list(steps)}, ensure_ascii=False)


def passages_in(request: Request) -> dict[int, str]:
    """The numbered passages of a prompt."""
    prompt = "\n".join(one["content"] for one in request.json["messages"])
    return {int(number): text for _, number, text in _PASSAGE.findall(prompt)}


class ScriptedModel:
    """Listens on 127.0.0.1 and answers each completion with the next answer of its script, the last one ever after.

    Args:
        script: The answers.

    Attributes:
        server: The server itself.
        asked: The completions it was asked for.
    """

    def __init__(self, *script: Answer) -> None:
        self._script = list(script)
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
