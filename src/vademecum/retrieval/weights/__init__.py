"""Numbers that were fitted, as Python: nothing has to be read or parsed."""

from collections.abc import Sequence
from typing import Protocol

from vademecum.core.settings import EmbedderName
from vademecum.retrieval.weights import manual_pages


class Weights(Protocol):
    """A second stage as `training/ranker.py` writes it: a module of that kind."""

    BORDER: float

    def rank_score(self, features: Sequence[float], /) -> float:
        """What a candidate is ranked by."""
        ...

    def answerable_logit(self, signals: Sequence[float], /) -> float:
        """How likely the documents hold an answer, as log odds."""
        ...

    def right_logit(self, signals: Sequence[float], /) -> float:
        """How likely the first document is right, likewise."""
        ...


def fitted_with(embedder: EmbedderName) -> Weights:
    """The second stage that was fitted with the vectors of this embedder."""
    if (
        embedder != "builtin"
    ):  # vectors of other sentence embedders are nearer to these than to averaged words
        from vademecum.retrieval.weights import manual_pages_onnx  # noqa: PLC0415 - for those who asked for it

        return manual_pages_onnx
    return manual_pages
