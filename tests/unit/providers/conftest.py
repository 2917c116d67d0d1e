"""What tests of providers share: scripted servers that speak each protocol as its vendor publishes it."""

import json
from typing import NamedTuple

import pytest

from vademecum.core.models import ModelSettings
from vademecum.providers.registry import open_embedder, open_model
from vademecum.testing.scripted import answer, stream

KEY = "sk-k3y-of-the-tests"


class Protocol(NamedTuple):
    """How a vendor puts things."""

    settings: ModelSettings
    chat_path: str
    stream_path: str
    stream_kind: str
    whole: dict
    filtered: dict
    pieces: tuple
    end: bytes
    mid_error: bytes
    embed_path: str

    def vectors(self, *vectors):
        if self.settings.provider == "openai":
            data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
            return answer({"object": "list", "data": data[::-1], "model": "m"})
        if self.settings.provider == "ollama":
            return answer({"model": "m", "embeddings": list(vectors)})
        if len(vectors) == 1:
            return answer({"embedding": {"values": vectors[0]}})
        return answer({"embeddings": [{"values": vector} for vector in vectors]})

    def stream(self, *pieces, **how):
        return stream(pieces, kind=self.stream_kind, **how)


def event(data):
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def line(data):
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"


def chunk(text="", finish=None):
    choice = {"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}
    return event({"id": "c", "object": "chat.completion.chunk", "model": "gpt-x", "choices": [choice]})


def openai_whole(text, finish):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    return {"id": "c", "object": "chat.completion", "model": "gpt-x", "choices": [choice], "usage": usage}


OPENAI = Protocol(
    ModelSettings("openai", "m", api_key="${MODEL_KEY}"),
    "/v1/chat/completions",
    "/v1/chat/completions",
    "text/event-stream",
    openai_whole("Grüße, Welt!", "stop"),
    openai_whole("", "content_filter"),
    (chunk("Grü"), chunk("ße, "), chunk("Welt!")),
    chunk(finish="stop")
    + event(
        {
            "model": "gpt-x",
            "choices": [],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
        }
    )
    + b"data: [DONE]\n\n",
    event({"error": {"message": "it went wrong", "type": "server_error", "code": 500}}),
    "/v1/embeddings",
)


def ollama_line(text, **end):
    message = {"role": "assistant", "content": text}
    return {
        "model": "gpt-x",
        "created_at": "2025-01-01T00:00:00Z",
        "message": message,
        "done": bool(end),
        **end,
    }


OLLAMA = Protocol(
    ModelSettings("ollama", "m", api_key="${MODEL_KEY}"),
    "/api/chat",
    "/api/chat",
    "application/x-ndjson",
    ollama_line("Grüße, Welt!", done_reason="stop", prompt_eval_count=9, eval_count=3),
    ollama_line("", done_reason="unload"),
    (line(ollama_line("Grü")), line(ollama_line("ße, ")), line(ollama_line("Welt!"))),
    line(ollama_line("", done_reason="stop", prompt_eval_count=9, eval_count=3)),
    line({"error": "it went wrong"}),
    "/api/embed",
)


def gemini_event(text="", finish=None):
    candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": text}] if text else []}}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gpt-x"}


GEMINI = Protocol(
    ModelSettings("gemini", "m", api_key="${MODEL_KEY}"),
    "/v1beta/models/m:generateContent",
    "/v1beta/models/m:streamGenerateContent?alt=sse",
    "text/event-stream",
    gemini_event("Grüße, Welt!", "STOP"),
    gemini_event("", "SAFETY"),
    (event(gemini_event("Grü")), event(gemini_event("ße, ")), event(gemini_event("Welt!"))),
    event(gemini_event(finish="STOP")),
    event({"error": {"code": 500, "message": "it went wrong", "status": "INTERNAL"}}),
    "/v1beta/models/m:embedContent",
)

PATHS = {"openai": "/v1", "ollama": "", "gemini": "/v1beta"}


@pytest.fixture(params=[OPENAI, OLLAMA, GEMINI], ids=["openai", "ollama", "gemini"])
def protocol(request, monkeypatch):
    monkeypatch.setenv("MODEL_KEY", KEY)
    return request.param


@pytest.fixture
def opened(serve):
    """Opens a model or embedder at a scripted server: `opened(protocol, *script, retries=0)`; with the server."""

    def start(protocol, *script, embedder=False, **settings):
        server = serve(*script)
        base = server.url + PATHS[protocol.settings.provider]
        chosen = protocol.settings._replace(base_url=base, **{"retries": 0, "timeout_s": 10, **settings})
        return (open_embedder if embedder else open_model)(chosen), server

    return start
