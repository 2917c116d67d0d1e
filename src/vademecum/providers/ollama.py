"""Ollama, through its native API, which accepts the context size. Its OpenAI-compatible API does not."""

from collections.abc import Iterator
from typing import Any

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ModelMissing, ProviderError, ReplyInvalid
from vademecum.core.limits import CHARACTERS_A_TOKEN, CONTEXT_TOKENS
from vademecum.core.models import Finish, ModelSettings, Purpose, Reply
from vademecum.net import Client, Exchange, json_lines
from vademecum.net.statuses import words
from vademecum.providers._chat import Asked, Piece
from vademecum.providers._embeddings import ServedEmbedder, Ways
from vademecum.providers._server import ServedChat, Server, Vendor, Wish, count_in, dig, server_of, text_in
from vademecum.text.printable import printable

_PORT = 11434
_ASK_S = 10.0
_SHOWN = 5
_FINISHES: dict[str, Finish] = {"stop": "stop", "length": "length", "": "stop"}


def address(host: str) -> str:
    """Convert `OLLAMA_HOST` to an address. As in Ollama, scheme and port are optional.

    >>> address("0.0.0.0"), address("https://models.example")
    ('http://127.0.0.1:11434', 'https://models.example')
    """
    scheme, mark, rest = host.strip().rpartition("://")
    rest = rest.rstrip("/")
    name, port = rest, ""
    if ":" in rest and (rest.startswith("[") or rest.count(":") == 1):
        head, _, tail = rest.rpartition(":")
        name, port = (head, tail) if not tail.endswith("]") else (rest, "")
    if name.count(":") > 1 and not name.startswith("["):
        name = f"[{name}]"
    if name in {"", "0.0.0.0", "[::]"}:  # noqa: S104 - where a server listens, not where it is reached
        name = "127.0.0.1"
    if not port and not mark:
        port = str(_PORT)
    return f"{scheme or 'http'}://{name}{f':{port}' if port else ''}"


VENDOR = Vendor(
    f"http://127.0.0.1:{_PORT}", url_from="OLLAMA_HOST", keys_from=("OLLAMA_API_KEY",), read_url=address
)


def open_chat(settings: ModelSettings, client: Client) -> "OllamaChat":
    """Open a chat model."""
    return OllamaChat(settings, server_of(settings, client, VENDOR))


def open_embedder(settings: ModelSettings, client: Client) -> ServedEmbedder:
    """Open an embedder."""
    server = server_of(settings, client, VENDOR)

    def ask(texts: list[str], _purpose: Purpose, deadline: Deadline | None) -> list[object]:
        body: dict[str, Any] = {"model": settings.model, "input": texts}
        if settings.context_tokens is not None:
            body["options"] = {"num_ctx": settings.context_tokens}
        with server.call("/api/embed", body, deadline) as exchange:
            data = exchange.read_json()
            found = dig(data, "embeddings", kind=list)
            if found is None:
                raise _fault(data, exchange)
        return found

    def check(deadline: Deadline | None) -> None:
        _check(settings, server, deadline)

    def revision() -> str:
        return str(dig(_entry(settings, server, None), "digest", kind=str) or "")

    return ServedEmbedder(settings, Ways(ask, check, revision))


class OllamaChat(ServedChat):
    """An Ollama chat model; see `ChatModel`.

    Ollama truncates a prompt that is too long without an error. So the context size is sent with every call, and a reply to a
    prompt that fills it has a warning.
    """

    @property
    def context_tokens(self) -> int:
        """Return the maximum number of tokens of prompt and reply, which is sent as `num_ctx`."""
        return self._settings.context_tokens or CONTEXT_TOKENS

    def check(self, deadline: Deadline | None = None) -> None:
        """Check, without retries, that the server responds and has the model."""
        _check(self._settings, self._server, deadline)

    def _call(self, wish: Wish, *, streams: bool) -> tuple[str, dict[str, Any]]:
        options: dict[str, Any] = {"num_ctx": self.context_tokens, "num_predict": wish.max_tokens}
        if wish.temperature is not None:
            options["temperature"] = wish.temperature
        if wish.stop:
            options["stop"] = wish.stop
        body: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": message.role, "content": message.text} for message in wish.messages],
            "options": options,
            "stream": streams,
        }
        if wish.schema is not None:
            body["format"] = wish.schema
        return "/api/chat", body

    def _whole(self, data: object, exchange: Exchange) -> Piece:
        if dig(data, "message", kind=dict) is None:
            raise _fault(data, exchange)
        return _piece(data)

    def _pieces(self, exchange: Exchange) -> Iterator[Piece]:
        for data in json_lines(exchange):
            if dig(data, "message", kind=dict) is None and not dig(data, "done", kind=bool):
                raise _fault(data, exchange)
            yield _piece(data)

    def _asked(self, wish: Wish) -> Asked:
        about = sum(len(message.text) for message in wish.messages) // CHARACTERS_A_TOKEN
        context = self.context_tokens

        def warn(reply: Reply) -> tuple[str, ...]:
            # Ollama leaves out whole messages, and then a prompt that was far too long counts as a short one.
            if (reply.prompt_tokens or 0) + 1 < context and about < context:
                return ()
            return (
                f"The prompt reaches the context of {context} tokens: {self.name} may not have seen all of it.",
            )

        return Asked(self.name, wish.schema, warn)


def _piece(data: object) -> Piece:
    done = bool(dig(data, "done", kind=bool))
    reason = dig(data, "done_reason", kind=str) or ""
    return Piece(
        text_in(data, "message", "content"),
        _FINISHES.get(reason, "other") if done else None,
        count_in(data, "prompt_eval_count"),
        count_in(data, "eval_count"),
        text_in(data, "model"),
        last=done,
    )


def _fault(data: object, exchange: Exchange) -> ProviderError:
    """Return the error in a response, if it contains one instead of a reply."""
    exchange.close()
    said = words("text/plain", text_in(data, "error").encode(), exchange.secrets)
    message = f"{exchange.whom} answered with an error, not with a reply: {said or 'it does not say which'}"
    return ReplyInvalid(message, hint="Try again; if it stays so, look into Ollama's log.")


def look(settings: ModelSettings, client: Client, deadline: Deadline | None) -> tuple[str, ...]:
    """Check, without retries, that the server responds and has the model. Return its models."""
    return _check(settings, server_of(settings, client, VENDOR), deadline)


def _check(settings: ModelSettings, server: Server, deadline: Deadline | None) -> tuple[str, ...]:
    names = tuple(name for one in _listed(server, deadline) if (name := dig(one, "name", kind=str)))
    if _names(settings).isdisjoint(names):
        wanted = printable(settings.model, 80)
        known = printable(", ".join(sorted(names)[:_SHOWN]), 200)
        message = f"Ollama at {server.place} does not have the model {wanted}; it has {known or 'none'}."
        raise ModelMissing(message, hint=f"Get it with: ollama pull {wanted}")
    return names


def _entry(settings: ModelSettings, server: Server, deadline: Deadline | None) -> object:
    """Return the model's entry in the list of models; None if it is missing."""
    names = _names(settings)
    return next((one for one in _listed(server, deadline) if dig(one, "name", kind=str) in names), None)


def _names(settings: ModelSettings) -> set[str]:
    return {settings.model, f"{settings.model}:latest"}


def _listed(server: Server, deadline: Deadline | None) -> list[object]:
    with server.call("/api/tags", None, deadline or Deadline(_ASK_S), once=True) as exchange:
        data = exchange.read_json()
    listed: list[object] | None = dig(data, "models", kind=list)
    if listed is None:
        raise ReplyInvalid(
            f"{server.place} answers, but is not Ollama.", hint="Check base_url or OLLAMA_HOST."
        )
    return listed
