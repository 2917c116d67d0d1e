"""The OpenAI protocol (chat completions, embeddings, model list), with the extensions of compatible servers."""

from collections.abc import Iterator
from typing import Any

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ModelMissing, ProviderError, ReplyInvalid
from vademecum.core.models import Finish, ModelSettings
from vademecum.net import Exchange, server_events
from vademecum.net.statuses import error_of, words
from vademecum.providers._chat import Piece
from vademecum.providers._server import ServedChat, Server, Wish, count_in, dig, text_in
from vademecum.text.printable import printable

_FINISHES: dict[str, Finish] = {"stop": "stop", "eos": "stop", "length": "length", "content_filter": "filter"}
_LIST_S = 10.0


class Completions(ServedChat):
    """A chat model with the OpenAI protocol; see `ChatModel`."""

    def __init__(self, settings: ModelSettings, server: Server, *, limit_name: str = "max_tokens") -> None:
        super().__init__(settings, server)
        self._limit_name = limit_name
        self._context: int | None = settings.context_tokens
        self._asked_context = settings.context_tokens is not None

    @property
    def context_tokens(self) -> int | None:
        """Return the maximum number of tokens of prompt and reply, from the settings or the server's list of models."""
        if not self._asked_context:
            self._asked_context = True
            try:
                listed = _listed(self._server, None)
            except ProviderError:
                listed = []
            for entry in listed:
                if len(listed) == 1 or dig(entry, "id", kind=str) == self._settings.model:
                    self._context = _context_of(entry)
        return self._context

    def check(self, deadline: Deadline | None = None) -> None:
        """Check, without retries, that the server responds and has the model."""
        check(self._settings, self._server, deadline)

    def _call(self, wish: Wish, *, streams: bool) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": message.role, "content": message.text} for message in wish.messages],
            self._limit_name: wish.max_tokens,
        }
        if wish.temperature is not None:
            body["temperature"] = wish.temperature
        if wish.stop:
            body["stop"] = wish.stop
        if wish.schema is not None:
            named = {"name": "reply", "schema": wish.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        if streams:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return "/chat/completions", body

    def _whole(self, data: object, exchange: Exchange) -> Piece:
        if dig(data, "choices", 0, "message", kind=dict) is None:
            raise _fault(data, exchange)
        return _piece(data, "message")

    def _pieces(self, exchange: Exchange) -> Iterator[Piece]:
        for event in server_events(exchange):
            if event.data.strip() == b"[DONE]":
                yield Piece(last=True)
                return
            data = exchange.parsed(event.data)
            if event.name == "error" or (isinstance(data, dict) and data.get("error")):
                raise _fault(data, exchange)
            yield _piece(data, "delta")


def _piece(data: object, part: str) -> Piece:
    said = text_in(data, "choices", 0, part, "content") or text_in(data, "choices", 0, part, "refusal")
    finish = dig(data, "choices", 0, "finish_reason", kind=str)
    return Piece(
        said,
        None if not finish else _FINISHES.get(finish, "other"),
        count_in(data, "usage", "prompt_tokens"),
        count_in(data, "usage", "completion_tokens"),
        text_in(data, "model"),
    )


def _fault(data: object, exchange: Exchange) -> ProviderError:
    """Return the error in a response, if it contains one instead of a reply."""
    exchange.close()
    said = words("application/json", _dumped(data), exchange.secrets)
    code = count_in(data, "error", "code") or count_in(data, "error", "status") or 0
    if 400 <= code < 600:
        return error_of(code, said, exchange.whom)
    message = f"{exchange.whom} answered with an error, not with a reply: {said or 'it does not say which'}"
    return ReplyInvalid(message, hint="Try again; if it stays so, look into the server's log.")


def _dumped(data: object) -> bytes:
    import json  # noqa: PLC0415 - for the words of an error only

    return json.dumps(data).encode()


def embeddings(
    settings: ModelSettings,
    server: Server,
    texts: list[str],
    deadline: Deadline | None,
    dimensions: int | None,
) -> list[object]:
    """Embed texts with `/embeddings`. The vectors are in the order of the texts.

    Args:
        texts: The texts, at least one.
        deadline: The deadline; None to use the settings.
        dimensions: The requested number of dimensions; None for the model's default.
    """
    body: dict[str, Any] = {"model": settings.model, "input": texts, "encoding_format": "float"}
    if dimensions is not None:
        body["dimensions"] = dimensions
    with server.call("/embeddings", body, deadline) as exchange:
        data = exchange.read_json()
        entries = dig(data, "data", kind=list)
        if entries is None:
            raise _fault(data, exchange)
    placed = {
        number if (at := count_in(entry, "index")) is None else at: entry
        for number, entry in enumerate(entries)
    }
    return [dig(placed.get(number), "embedding", kind=list) for number in range(len(placed))]


def check(settings: ModelSettings, server: Server, deadline: Deadline | None) -> tuple[str, ...]:
    """Check, without retries, that a server responds and lists the model. A server without a list passes.

    Returns:
        The models on the server, if it lists them.
    """
    try:
        listed = _listed(server, deadline)
    except ModelMissing:
        return ()
    names = {
        name
        for one in listed
        for name in (dig(one, "id", kind=str), *(dig(one, "aliases", kind=list) or ()))
        if isinstance(name, str) and name
    }
    if names and settings.model not in names:
        known = printable(", ".join(sorted(names)[:5]), 200)
        message = f"{server.place} does not have the model {printable(settings.model, 80)}; it has {known}."
        raise ModelMissing(message, hint="Name one of these as the model.")
    return tuple(sorted(names))


def _listed(server: Server, deadline: Deadline | None) -> list[Any]:
    with server.call("/models", None, deadline or Deadline(_LIST_S), once=True) as exchange:
        data = exchange.read_json()
    found = dig(data, "data", kind=list)
    if found is None:
        raise ReplyInvalid(f"{server.place} answers, but not in OpenAI's protocol.", hint="Check base_url.")
    return found


def _context_of(entry: object) -> int | None:
    """Return a model's context length, in the format of vLLM, llama.cpp or others."""
    ways = (
        ("max_model_len",),
        ("meta", "n_ctx"),
        ("context_length",),
        ("context_window",),
        ("meta", "n_ctx_train"),
    )
    return next((found for way in ways if (found := count_in(entry, *way))), None)
