"""The interfaces between rooms, as Protocols. A test checks every implementation."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, Self

from vademecum.core.deadline import Deadline
from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.core.models import Message, Purpose, Reply, Schema, Vector


class Source(Protocol):
    """A source of documents. `vademecum.testing.broken_promises` tests an implementation.

    Implementations keep no state between calls: the reference and the location of the source contain everything that `read`
    needs, so that several processes can read batches. They are pickled to get there. An extension is made by calling its class
    with the location, a `Path`, and the alias; its attribute `suffixes` names the endings of single files that it reads.

    Example:
        >>> from vademecum.testing import MemorySource, document
        >>> source = MemorySource("mine", [document("office.md", ("", ["It is open."]))])
        >>> [ref.key for ref in source.scan()]
        ['office.md']
    """

    alias: str

    @property
    def parser(self) -> str:
        """The version of the format and the parser. If it changes, every document is read again."""
        ...

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List the documents without parsing them. The order is stable for the same content.

        Raises:
            SourceError: The location cannot be used.
        """
        ...

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Parse a batch. Yields a `Document` or a `Problem` for each reference, in order.

        A document that cannot be read is a `Problem`, never an exception. No document can block the call.
        """
        ...


class ChatStream(Protocol):
    """A streamed reply: an iterator over its parts.

    The request is sent when the first part is requested, so that a stream can be cancelled at any time. Use it as a context manager, or
    call `close`; otherwise, its connection stays open until it is garbage-collected.
    """

    def __iter__(self) -> Self: ...

    def __next__(self) -> str:
        """Return the next part of the text, never empty.

        Raises:
            ProviderError: The call failed, or the reply was interrupted. The parts so far are not a complete reply.
            StreamClosed: Another thread closed it.
        """
        ...

    def reply(self) -> Reply:
        """Return the whole reply. Waits for the remaining parts.

        Raises:
            ProviderError: The reply was interrupted.
        """
        ...

    def close(self) -> None:
        """Cancel it immediately, from any thread. The connection is closed, so that the server stops. Repeated calls are allowed."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


class ChatModel(Protocol):
    """A language model. It is thread-safe.

    A model may have another attribute, `is_here`: whether it runs on this machine.

    Attributes:
        name: Provider and model, such as `ollama:gemma3:1b`.
    """

    name: str

    @property
    def context_tokens(self) -> int | None:
        """The maximum number of tokens of prompt and reply; None if unknown."""
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
        """Return the model's reply.

        Args:
            messages: The messages, at least one.
            schema: The JSON schema of the reply; None for text.
            max_tokens: The maximum length of the reply; None to use the settings.
            temperature: The sampling temperature; None to use the settings.
            stop: Strings that end the reply. They are not included.
            deadline: The deadline of all attempts together; None to use the settings.

        Raises:
            ProviderError: The call failed. Partial replies are never returned.
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
        """Return the model's reply as a stream. Takes the same arguments as `reply`."""
        ...

    def check(self, deadline: Deadline | None = None) -> None:
        """Check, without retries, that the server responds and has the model.

        Raises:
            ProviderError: The check failed.
        """
        ...

    def close(self) -> None:
        """Release the resources, and cancel open streams."""
        ...


class Embedder(Protocol):
    """Converts texts to vectors with Euclidean length 1. It is thread-safe.

    Attributes:
        name: Provider and model, such as `ollama:nomic-embed-text`.
    """

    name: str

    @property
    def dimensions(self) -> int:
        """The length of the vectors. Queries the model if necessary.

        Raises:
            ProviderError: The model cannot be queried.
        """
        ...

    @property
    def stamp(self) -> str:
        """An identifier of everything that vectors depend on: model, dimensions, prefixes.

        Vectors with different stamps are never compared.

        Raises:
            ProviderError: The model cannot be queried.
        """
        ...

    def embed(
        self, texts: Sequence[str], purpose: Purpose = "document", deadline: Deadline | None = None
    ) -> list[Vector]:
        """Return the vectors of texts, in the same order. A blank text has a zero vector.

        Raises:
            ProviderError: A vector is missing or invalid: wrong length, or not finite.
        """
        ...

    def check(self, deadline: Deadline | None = None) -> None:
        """Check, without retries, that the server responds and has the model.

        Raises:
            ProviderError: The check failed.
        """
        ...

    def close(self) -> None:
        """Release the resources."""
        ...
