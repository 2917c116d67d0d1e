"""Select the embedder of an index by its configured name."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from vademecum.core.passages import Wording
from vademecum.core.settings import EmbedderName, Method
from vademecum.providers.builtin import task_table, word_table
from vademecum.retrieval.meaning import LINE, NEED, task_terms
from vademecum.retrieval.methods import METHODS

if TYPE_CHECKING:
    from vademecum.core.protocols import Embedder  # it loads more than a question needs

_BY_TRANSFORMER = frozenset({LINE, NEED})
"""The vectors that a transformer embeds, in-process or on a server: short texts, about 31,000 for 20,000 manual pages. All other texts
would take several times as long."""


class Embedding:
    """The embedders of an index, each for some of its dense vectors: the word tables, or a transformer.

    The word table is always included, because entries of a document are compared only with it.
    """

    __slots__ = ("_transformer", "table")

    def __init__(self, embedder: EmbedderName) -> None:
        self.table = word_table()
        self._transformer: Embedder | None = None
        if embedder != "builtin":
            self._transformer = transformer() if embedder == "onnx" else served(embedder)

    def made_by(self, method: Method) -> str:
        """Return the rules and embedders of a method, which are the end of every segment's recipe."""
        by_transformer = f" {self._transformer.stamp}" if self._transformer else ""
        return f"{METHODS[method].rules} {self.table.name} {task_table().name}{by_transformer}"

    def check(self) -> None:
        """Check that texts can be embedded."""
        if self._transformer:
            self._transformer.check()

    def dimensions(self, name: str) -> int:
        """Return the length of the dense vector with this name."""
        transformer = self._transformer_of(name)
        return transformer.dimensions if transformer else self.table.dimensions

    def documents(self, name: str, texts: Sequence[Wording]) -> list[list[float]]:
        """Return the dense vectors of searchable texts, with length 1, or zeros for texts without terms."""
        if transformer := self._transformer_of(name):
            return transformer.embed([text.text for text in texts], "document")
        return [self._by_table(name, text) for text in texts]

    def question(self, question: Wording) -> dict[str, list[float]]:
        """Return a question's vector for each name of a dense vector."""
        if self._transformer:
            return dict.fromkeys(_BY_TRANSFORMER, self._transformer.embed([question.text], "query")[0])
        return {name: self._by_table(name, question) for name in (LINE, NEED)}

    def _by_table(self, name: str, text: Wording) -> list[float]:
        return task_table().embed(task_terms(text)) if name == NEED else self.table.embed(text.terms)

    def _transformer_of(self, name: str) -> "Embedder | None":
        return self._transformer if name in _BY_TRANSFORMER else None


def made_by(embedder: EmbedderName, method: Method = "manual-pages") -> str:
    """Return the current rules and embedders, which are the end of every segment's recipe."""
    return Embedding(embedder).made_by(method)


def transformer() -> "Embedder":
    """Return the transformer in this process."""
    from vademecum.providers import registry  # noqa: PLC0415 - for those who asked for it

    return registry.transformer()


@cache
def served(name: EmbedderName) -> "Embedder":
    """Return a model on a server. It is shared by the whole process, because it caches the server's description."""
    from vademecum.providers.registry import open_embedder  # noqa: PLC0415 - for those who asked for it

    return open_embedder(name)
