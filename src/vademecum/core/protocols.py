"""The interfaces between rooms, as Protocols. A test checks every implementation."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, Self

from vademecum.core.deadline import Deadline
from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.core.models import Message, Purpose, Reply, Schema, Vector


class Source(Protocol):
    """A place documents come from.

    Implementations keep no state between calls: everything `read` needs is in the ref and in the
    source's own location, so that batches may be read by several processes.
    """

    alias: str

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List what is there, without parsing it. Order is stable for the same content.

        Raises:
            SourceError: The place itself cannot be used.
        """
        ...

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Parse a batch, in the order of `refs`: one `Document` or one `Problem` for each.

        A bad document is a `Problem`, never an exception; no document can hang the call.
        """
        ...


class ChatStream(Protocol):
    """A reply that is being said: an iterator of its pieces.

    Nothing is sent before the first piece is asked for, so that one who holds the stream can end it at any moment.
    Use it as a context manager, or call `close`: who only drops it leaves a connection to the collector.
    """

    def __iter__(self) -> Self: ...

    def __next__(self) -> str:
        """The next piece, never empty.

        Raises:
            ProviderError: The reply cannot be had, or broke off. What came before is not a whole reply.
            StreamClosed: It was closed from elsewhere.
        """
        ...

    def reply(self) -> Reply:
        """What was said as a whole, once the rest has come.

        Raises:
            ProviderError: It broke off.
        """
        ...

    def close(self) -> None:
        """End it, from any thread, at once: the connection is closed, and the server stops. More than once is fine."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


class ChatModel(Protocol):
    """A language model. One serves any number of threads.

    Attributes:
        name: Provider and model, as in `ollama:gemma3:1b`.
    """

    name: str

    @property
    def context_tokens(self) -> int | None:
        """How many tokens prompt and reply may have together; None when nobody knows."""
        ...

    def reply(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        stop: Sequence[str] = (),
        deadline: Deadline | None = None,
    ) -> Reply:
        """Let the model answer.

        Args:
            messages: The conversation, at least one.
            schema: What the reply must be: JSON of this schema.
            max_tokens: How long it may become; None for what the settings say.
            temperature: Likewise.
            stop: Words at which it ends, themselves left out.
            deadline: For all tries together; None for what the settings say.

        Raises:
            ProviderError: There is none to be had; never a part of one.
        """
        ...

    def stream(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        stop: Sequence[str] = (),
        deadline: Deadline | None = None,
    ) -> ChatStream:
        """The same, piece by piece."""
        ...

    def count_tokens(self, text: str) -> int | None:
        """How many tokens a text has, by the model's own counter; None where there is none."""
        ...

    def check(self, deadline: Deadline | None = None) -> None:
        """See that the server answers and has the model, in one try.

        Raises:
            ProviderError: It does not.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds. Streams that are open end."""
        ...


class Embedder(Protocol):
    """Texts to vectors of Euclidean length 1. One serves any number of threads.

    Attributes:
        name: Provider and model, as in `ollama:nomic-embed-text`.
    """

    name: str

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; the model is asked if need be.

        Raises:
            ProviderError: It does not say.
        """
        ...

    @property
    def stamp(self) -> str:
        """What vectors depend on: model, dimensions, prefixes. Vectors of two stamps are never compared.

        Raises:
            ProviderError: The model cannot be asked.
        """
        ...

    def embed(
        self, texts: Sequence[str], purpose: Purpose = "document", deadline: Deadline | None = None
    ) -> list[Vector]:
        """The vectors of texts, in their order; of none, none. A blank text has zeros.

        Raises:
            ProviderError: One of them cannot be had, or is not what was asked for: of other dimensions, not finite.
        """
        ...

    def check(self, deadline: Deadline | None = None) -> None:
        """See that the server answers and has the model, in one try.

        Raises:
            ProviderError: It does not.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...
