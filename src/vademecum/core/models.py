"""The messages to and from a language model, and its settings."""

from typing import Any, Literal, NamedTuple

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "filter", "other"]
Purpose = Literal["query", "document"]
Schema = dict[str, Any]
"""A JSON schema that a reply must match."""

Vector = list[float]


class Message(NamedTuple):
    """A message of a conversation."""

    role: Role
    text: str


class Reply(NamedTuple):
    """The complete reply of a model.

    Attributes:
        text: The text; JSON if a schema was given.
        finish: Why the reply ended: the model stopped (`stop`), `max_tokens` was reached (`length`), the vendor's
            content rules blocked the rest (`filter`), or another reason (`other`).
        model: The name of the model, as reported by the server.
        prompt_tokens: The length of the prompt; None if the server does not report it.
        reply_tokens: The length of the reply; None if the server does not report it.
        warnings: Warnings for the user, as sentences.
    """

    text: str
    finish: Finish
    model: str
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    warnings: tuple[str, ...] = ()


class ModelSettings(NamedTuple):
    """The settings of a model, from a section of the configuration. They refer to an API key, but never contain it.

    Attributes:
        provider: `ollama`, `openai` (also for servers with the same protocol), `gemini`, `llamacpp`, or a third-party
            provider.
        model: The name of the model at the provider; for `llamacpp`, the path of a GGUF file.
        base_url: The URL of the server, including any path prefix (`http://localhost:8000/v1`); "" for the provider's
            default.
        api_key: `${NAME}`, where NAME is the environment variable that contains the key, or `${NAME:-none}`, with the
            value to send if it is not set; "" for the provider's default variable, if any.
        context_tokens: The maximum number of tokens of prompt and reply together; None for the value
            that the model reports.
        max_tokens: The default maximum length of a reply.
        temperature: The default sampling temperature, 0 for reproducible replies; None for the model's default.
        dimensions: The required length of vectors; others are rejected. None to use the length of the first vector.
        query_prefix: The prefix of questions that are embedded; None for the known prefix of the model.
        document_prefix: The prefix of texts that are embedded; None for the known prefix of the model.
        batch: The number of texts that are embedded in one request.
        timeout_s: The time limit of a call including retries, unless the call has a deadline.
        stall_s: The maximum pause within a reply.
        retries: The maximum number of retries of a call.
        proxy: The URL of a proxy. Proxy settings in the environment are ignored.
        ca_file: A file of certificates to trust in addition to the system's.
        threads: The number of threads for a model in this process; None for one per core.
        calls: The maximum number of concurrent calls from this process; None for 1 to a model in this process, 2 to
            one on this machine, and 32 to any other.
        wait_s: The maximum time, in seconds, that further calls wait before they fail; None for 5.

    Example:
        >>> ModelSettings("ollama", "gemma3:1b").timeout_s
        120.0
    """

    provider: str
    model: str
    base_url: str = ""
    api_key: str = ""
    context_tokens: int | None = None
    max_tokens: int = 1000
    temperature: float | None = None
    dimensions: int | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    batch: int = 32
    timeout_s: float = 120.0
    stall_s: float = 60.0
    retries: int = 3
    proxy: str = ""
    ca_file: str = ""
    threads: int | None = None
    calls: int | None = None
    wait_s: float | None = None
