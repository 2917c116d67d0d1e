"""Embed texts with a server: batches, validation, normalization to length 1, and the prefix that a model requires."""

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from math import sqrt
from threading import Lock
from typing import NamedTuple

from vademecum.core.deadline import Deadline
from vademecum.core.errors import AnswerError, ReplyInvalid
from vademecum.core.models import ModelSettings, Purpose, Vector


class Prefixes(NamedTuple):
    """The prefixes of a question and of a searchable text."""

    query: str = ""
    document: str = ""


_SEARCHING = "Represent this sentence for searching relevant passages: "

_KNOWN: tuple[tuple[str, Prefixes], ...] = (
    (r"nomic-embed", Prefixes("search_query: ", "search_document: ")),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"(?:^|[-_/])e5(?:$|[-_:])", Prefixes("query: ", "passage: ")),
    (r"mxbai-embed", Prefixes(_SEARCHING, "")),
    (r"snowflake-arctic-embed(?:2|.*v2)", Prefixes("query: ", "")),
    (r"snowflake-arctic-embed", Prefixes(_SEARCHING, "")),
    (r"bge-(?:small|base|large)-en", Prefixes(_SEARCHING, "")),
    (
        r"qwen3-embedding",
        Prefixes(
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:", ""
        ),
    ),
)


def prefixes_of(model: str) -> Prefixes:
    """Return the prefixes of a model by its name; empty for unknown models.

    >>> prefixes_of("nomic-embed-text:v1.5").query
    'search_query: '
    """
    name = model.lower()
    return next((prefixes for pattern, prefixes in _KNOWN if re.search(pattern, name)), Prefixes())


_MOST_CHARACTERS = 200_000
_LARGE = 1e100  # a vector of such numbers is none, and squares of larger ones are not finite
_PROBE = "dimensions"


class Ways(NamedTuple):
    """The functions that query a server.

    Attributes:
        ask: Given texts, their kind and a deadline, returns unchecked vectors in the order of the texts.
        revision: Distinguishes versions of a model with the same name; "" if unknown.
    """

    ask: Callable[[list[str], Purpose, Deadline | None], list[object]]
    check: Callable[[Deadline | None], None]
    revision: Callable[[], str] = lambda: ""


class ServedEmbedder:
    """An embedder on a server; see `Embedder`.

    Args:
        prefixes: The prefixes of the model, unless the settings define them; None to derive them from its name.
    """

    def __init__(self, settings: ModelSettings, ways: Ways, prefixes: Prefixes | None = None) -> None:
        self.name = f"{settings.provider}:{settings.model}"
        known = prefixes_of(settings.model) if prefixes is None else prefixes
        self._prefixes = Prefixes(
            known.query if settings.query_prefix is None else settings.query_prefix,
            known.document if settings.document_prefix is None else settings.document_prefix,
        )
        self._batch = max(1, settings.batch)
        self._ways = ways
        self._lock = Lock()
        self._dimensions = settings.dimensions

    @property
    def dimensions(self) -> int:
        """The length of the vectors. Queries the model if necessary."""
        if self._dimensions is None:
            self.embed([_PROBE], "query")
        return self._dimensions or 0

    @property
    def stamp(self) -> str:
        """An identifier of everything that vectors depend on: model, dimensions, prefixes."""
        said = repr((self._ways.revision(), *self._prefixes))
        return f"{self.name}:{self.dimensions}:{sha256(said.encode()).hexdigest()[:12]}"

    def embed(
        self, texts: Sequence[str], purpose: Purpose = "document", deadline: Deadline | None = None
    ) -> list[Vector]:
        """Return the vectors of texts, in the same order."""
        prefix = self._prefixes.query if purpose == "query" else self._prefixes.document
        said = [number for number, text in enumerate(texts) if text.strip()]
        vectors: dict[int, Vector] = {}
        for batch in self._batches(texts, said):
            sent = [prefix + _text(texts[number]) for number in batch]
            found = self._ways.ask(sent, purpose, deadline)
            if len(found) != len(batch):
                message = f"{self.name} gave {len(found)} vectors for {len(batch)} texts."
                raise ReplyInvalid(message, hint="Check that base_url names a server of this protocol.")
            vectors.update(zip(batch, map(self._checked, found), strict=True))
        if len(vectors) < len(texts):
            nothing = [0.0] * self.dimensions
            return [vectors.get(number) or list(nothing) for number in range(len(texts))]
        return [vectors[number] for number in range(len(texts))]

    def check(self, deadline: Deadline | None = None) -> None:
        """Check that the server responds and has the model."""
        self._ways.check(deadline)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""

    def _batches(self, texts: Sequence[str], numbers: Sequence[int]) -> Iterator[list[int]]:
        """Yield batches of indexes of texts, limited in number and total size."""
        batch: list[int] = []
        size = 0
        for number in numbers:
            if batch and (len(batch) == self._batch or size + len(texts[number]) > _MOST_CHARACTERS):
                yield batch
                batch, size = [], 0
            batch.append(number)
            size += len(texts[number])
        if batch:
            yield batch

    def _checked(self, found: object) -> Vector:
        values = found if isinstance(found, list) else []
        numbers = [float(value) for value in values if type(value) in {int, float} and abs(value) < _LARGE]
        length = sqrt(sum(value * value for value in numbers))
        if len(numbers) != len(values) or not length:
            message = f"{self.name} gave a vector that is none: empty, all zeros, or not of finite numbers."
            raise ReplyInvalid(message, hint="See whether the model is one for embedding.")
        with self._lock:
            if self._dimensions is None:
                self._dimensions = len(numbers)
        if len(numbers) != self._dimensions:
            message = f"{self.name} gave a vector of {len(numbers)} numbers instead of {self._dimensions}."
            raise ReplyInvalid(
                message, hint="Another model answers to this name: correct model or dimensions, and reindex."
            )
        return [value / length for value in numbers]


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        hint = "Take the text from a file or program that writes UTF-8."
        raise AnswerError("A text holds characters that are not text.", hint=hint) from error
    return text
