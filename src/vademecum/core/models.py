"""The messages to and from a language model, and its settings."""

from typing import Any, Literal, NamedTuple

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "filter", "other"]
Purpose = Literal["query", "document"]
Schema = dict[str, Any]
"""A JSON schema, as a reply must fulfil it."""

Vector = list[float]


class Message(NamedTuple):
    """One turn of a conversation."""

    role: Role
    text: str


class Reply(NamedTuple):
    """What a model said, as a whole.

    Attributes:
        text: The words. Of a reply to a schema, JSON.
        finish: Why it ended there: by itself (`stop`), at `max_tokens` (`length`), since the vendor's rules forbid
            more (`filter`), or for another reason.
        model: The model that spoke, as the server names it.
        prompt_tokens: How long the prompt was; None where the server does not tell.
        reply_tokens: How long the reply was; likewise.
        warnings: What a person should know of it, in sentences.
    """

    text: str
    finish: Finish
    model: str
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    warnings: tuple[str, ...] = ()


class ModelSettings(NamedTuple):
    """A model, as a section of the configuration describes it. It holds no key: it says where one is found.

    Attributes:
        provider: Who runs it: `ollama`, `openai` (and all that speak its protocol), `gemini`, `llamacpp`, or a guest's
            name.
        model: Its name there; for `llamacpp` the path of a GGUF file.
        base_url: The server, with the path before the protocol's own (`http://localhost:8000/v1`); "" for the
            provider's usual one.
        api_key: `${NAME}` of the environment variable that holds the key, or `${NAME:-none}` with what is sent where it is
            not set; "" for the provider's usual one, if any.
        context_tokens: How much the model is to take in, prompt and reply together; None for what it says itself.
        max_tokens: How long a reply may become, unless the call says.
        temperature: 0 for the same again, higher for more variety, unless the call says; None for the model's own.
        dimensions: How many numbers a vector has; others are refused. None for as many as the first one has.
        query_prefix: Put before a question that is embedded; None for what the model is known to want.
        document_prefix: Put before a text that is embedded; likewise.
        batch: How many texts are embedded at once.
        timeout_s: The time for a call with all its tries, unless the call has a deadline.
        stall_s: How long a reply that has begun may pause.
        retries: How often a call is tried again.
        proxy: A proxy's URL. None is ever taken from the environment.
        ca_file: Certificates to trust beside the system's.
        threads: How many a model in this process may use; None for one a core.
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
