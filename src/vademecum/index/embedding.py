"""Select the embedder of an index by its configured name."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from vademecum.core.passages import Wording
from vademecum.core.settings import EmbedderName, Method
from vademecum.providers.builtin import word_table
from vademecum.retrieval.meaning import LINE, NEED
from vademecum.retrieval.methods import METHODS

if TYPE_CHECKING:
    from vademecum.core.protocols import Embedder  # it loads more than a question needs

_BY_TRANSFORMER = frozenset({LINE, NEED})
"""What a transformer embeds, in the process or on a server: short texts, some 31,000 of them for 20,000 manual pages. All the rest would take
several times as long."""


class Embedding:
    """The embedders of one index, each for some of its dense vectors.

    The word table is always among them: the entries of a document are compared by it alone.

    Args:
        embedder: What was asked for.

    Raises:
        ProviderError: It is not installed, damaged, or on a server that does not answer; also by its methods.
    """

    __slots__ = ("_transformer", "table")

    def __init__(self, embedder: EmbedderName) -> None:
        self.table = word_table()
        self._transformer: Embedder | None = None
        if embedder != "builtin":
            self._transformer = _transformer() if embedder == "onnx" else _served(embedder)

    def made_by(self, method: Method) -> str:
        """The rules and embedders of a method, which the recipe of every segment ends in."""
        by_transformer = f" {self._transformer.stamp}" if self._transformer else ""
        return f"{METHODS[method].rules} {self.table.name}{by_transformer}"

    def check(self) -> None:
        """See that texts can be embedded.

        Raises:
            ProviderError: The transformer cannot be loaded.
        """
        if self._transformer:
            self._transformer.check()

    def dimensions(self, name: str) -> int:
        """Of the dense vector of that name."""
        transformer = self._transformer_of(name)
        return transformer.dimensions if transformer else self.table.dimensions

    def documents(self, name: str, texts: Sequence[Wording]) -> list[list[float]]:
        """The dense vectors of that name of what is searched; of length 1, or zeros for a text that says nothing."""
        if transformer := self._transformer_of(name):
            return transformer.embed([text.text for text in texts], "document")
        return [self.table.embed(text.terms) for text in texts]

    def question(self, question: Wording) -> dict[str, list[float]]:
        """A question's vector for each dense vector's name, likewise."""
        found = dict.fromkeys((LINE, NEED), self.table.embed(question.terms))
        if self._transformer:
            found |= dict.fromkeys(_BY_TRANSFORMER, self._transformer.embed([question.text], "query")[0])
        return found

    def _transformer_of(self, name: str) -> "Embedder | None":
        return self._transformer if name in _BY_TRANSFORMER else None


def made_by(embedder: EmbedderName, method: Method = "manual-pages") -> str:
    """The rules and embedders of today, which the recipe of every segment ends in."""
    return Embedding(embedder).made_by(method)


def _transformer() -> "Embedder":
    from vademecum.providers.registry import transformer  # noqa: PLC0415 - for those who asked for it

    return transformer()


@cache
def _served(name: EmbedderName) -> "Embedder":
    """A model on a server; one for the whole process, since it remembers what the server has said of it."""
    from vademecum.providers.registry import open_embedder  # noqa: PLC0415 - for those who asked for it

    return open_embedder(name)
