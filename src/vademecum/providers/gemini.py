"""Google Gemini, through its REST API."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ProviderError, ProviderRefused, ReplyInvalid
from vademecum.core.models import Finish, ModelSettings, Purpose
from vademecum.net import Client, Exchange, server_events
from vademecum.net.statuses import error_of, words
from vademecum.providers._chat import Piece
from vademecum.providers._embeddings import Prefixes, ServedEmbedder, Ways
from vademecum.providers._server import ServedChat, Server, Vendor, Wish, count_in, dig, server_of, text_in
from vademecum.text.printable import printable

VENDOR = Vendor(
    "https://generativelanguage.googleapis.com/v1beta",
    keys_from=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    header="x-goog-api-key",  # in the address, a key would end up in logs
    form="",
    key_needed=True,
)

_ASK_S = 10.0
_FILTERS = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}
_FINISHES: dict[str, Finish] = {"STOP": "stop", "MAX_TOKENS": "length", **dict.fromkeys(_FILTERS, "filter")}
_TASKS = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}
_MOST_AT_ONCE = 100


def open_chat(settings: ModelSettings, client: Client) -> "GeminiChat":
    """Open a chat model."""
    return GeminiChat(settings, server_of(settings, client, VENDOR))


def open_embedder(settings: ModelSettings, client: Client) -> ServedEmbedder:
    """Open an embedder. Gemini distinguishes questions from documents by task types, so texts have no prefixes."""
    server = server_of(settings, client, VENDOR)
    name = _path(settings)

    def one(text: str, purpose: Purpose) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": name.removeprefix("/"),
            "content": {"parts": [{"text": text}]},
            "taskType": _TASKS[purpose],
        }
        if settings.dimensions is not None:
            body["outputDimensionality"] = settings.dimensions
        return body

    def ask(texts: list[str], purpose: Purpose, deadline: Deadline | None) -> list[object]:
        if len(texts) == 1:
            with server.call(f"{name}:embedContent", one(texts[0], purpose), deadline) as exchange:
                data = exchange.read_json()
                if dig(data, "embedding", kind=dict) is None:
                    raise _fault(data, exchange)
            return [dig(data, "embedding", "values", kind=list)]
        body = {"requests": [one(text, purpose) for text in texts]}
        with server.call(f"{name}:batchEmbedContents", body, deadline) as exchange:
            data = exchange.read_json()
            found = dig(data, "embeddings", kind=list)
            if found is None:
                raise _fault(data, exchange)
        return [dig(entry, "values", kind=list) for entry in found]

    batched = settings._replace(batch=min(settings.batch, _MOST_AT_ONCE))
    ways = Ways(ask, lambda deadline: _check(settings, server, deadline))
    return ServedEmbedder(batched, ways, Prefixes())


class GeminiChat(ServedChat):
    """A Gemini chat model; see `ChatModel`."""

    def __init__(self, settings: ModelSettings, server: Server) -> None:
        super().__init__(settings, server)
        self._path = _path(settings)
        self._context = settings.context_tokens
        self._asked_context = settings.context_tokens is not None

    @property
    def context_tokens(self) -> int | None:
        """Return the maximum number of prompt tokens, from the settings or the server."""
        if not self._asked_context:
            self._asked_context = True
            try:
                self._context = count_in(_about(self._settings, self._server, None), "inputTokenLimit")
            except ProviderError:
                self._context = None
        return self._context

    def check(self, deadline: Deadline | None = None) -> None:
        """Check, without retries, that the server responds and has the model."""
        _check(self._settings, self._server, deadline)

    def _call(self, wish: Wish, *, streams: bool) -> tuple[str, dict[str, Any]]:
        config: dict[str, Any] = {"maxOutputTokens": wish.max_tokens}
        if wish.temperature is not None:
            config["temperature"] = wish.temperature
        if wish.stop:
            config["stopSequences"] = wish.stop
        if wish.schema is not None:
            config |= {"responseMimeType": "application/json", "responseJsonSchema": wish.schema}
        body: dict[str, Any] = {
            "contents": [
                {
                    "role": "model" if message.role == "assistant" else "user",
                    "parts": [{"text": message.text}],
                }
                for message in wish.messages
                if message.role != "system"
            ],
            "generationConfig": config,
        }
        if system := [{"text": message.text} for message in wish.messages if message.role == "system"]:
            body["systemInstruction"] = {"parts": system}
        return f"{self._path}:{'streamGenerateContent?alt=sse' if streams else 'generateContent'}", body

    def _whole(self, data: object, exchange: Exchange) -> Piece:
        return _piece(data, exchange)

    def _pieces(self, exchange: Exchange) -> Iterator[Piece]:
        for event in server_events(exchange):
            yield _piece(exchange.parsed(event.data), exchange)


def _piece(data: object, exchange: Exchange) -> Piece:
    """Parse a response or an event, without the model's thoughts."""
    blocked = text_in(data, "promptFeedback", "blockReason")
    if blocked:
        message = f"{exchange.whom} does not answer this prompt ({printable(blocked, 40)})."
        raise ProviderRefused(message, hint="Put it in other words, or use another model.")
    usage = dig(data, "usageMetadata", kind=dict)
    if dig(data, "candidates", kind=list) is None and usage is None:
        raise _fault(data, exchange)
    parts = dig(data, "candidates", 0, "content", "parts", kind=list) or []
    said = "".join(text_in(part, "text") for part in parts if not dig(part, "thought", kind=bool))
    finish = dig(data, "candidates", 0, "finishReason", kind=str)
    return Piece(
        said,
        _FINISHES.get(finish, "other") if finish else None,
        count_in(usage, "promptTokenCount"),
        count_in(usage, "candidatesTokenCount"),
        text_in(data, "modelVersion"),
    )


def _fault(data: object, exchange: Exchange) -> ProviderError:
    """Return the error in a response, if it contains one instead of a reply."""
    exchange.close()
    said = words("text/plain", text_in(data, "error", "message").encode(), exchange.secrets)
    code = count_in(data, "error", "code") or 0
    if 400 <= code < 600:
        return error_of(code, said, exchange.whom)
    message = f"{exchange.whom} answered with something else than a reply{f': {said}' if said else '.'}"
    return ReplyInvalid(message, hint="Check that base_url names a server of this protocol.")


def _check(settings: ModelSettings, server: Server, deadline: Deadline | None) -> None:
    _about(settings, server, deadline)


def _about(settings: ModelSettings, server: Server, deadline: Deadline | None) -> object:
    """Return the server's description of the model."""
    with server.call(_path(settings), None, deadline or Deadline(_ASK_S), once=True) as exchange:
        data = exchange.read_json()
        if dig(data, "name", kind=str) is None:
            raise _fault(data, exchange)
    return data


def _path(settings: ModelSettings) -> str:
    """Return the path of the model. Its name is escaped, so that it cannot change the path."""
    return f"/models/{quote(settings.model.removeprefix('models/'), safe='')}"
