"""The word table as an embedder of texts: splits texts into words, and looks them up."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vademecum.providers.builtin import word_table
from vademecum.text.words import WORDS_VERSION, terms

if TYPE_CHECKING:
    from vademecum.core.deadline import Deadline
    from vademecum.core.models import Purpose, Vector


class WordEmbedder:
    """See `Embedder`. It needs no server, nothing that is not in the package, and well under a millisecond for a text."""

    def __init__(self) -> None:
        self._table = word_table()
        self.name = "builtin"
        self.dimensions = self._table.dimensions
        self.stamp = f"{self._table.name}:{self.dimensions}:words-{WORDS_VERSION}"

    def embed(
        self,
        texts: Sequence[str],
        purpose: "Purpose" = "document",  # noqa: ARG002 - it takes questions and documents alike
        deadline: "Deadline | None" = None,  # noqa: ARG002 - it is done at once
    ) -> "list[Vector]":
        """The vectors of texts, in their order; zeros for one that says nothing."""
        return [self._table.embed(terms(text)) for text in texts]

    def check(self, deadline: "Deadline | None" = None) -> None:
        """Nothing: the table was checked when it was opened."""

    def close(self) -> None:
        """Let go of what it holds: nothing, since the table is mapped."""
