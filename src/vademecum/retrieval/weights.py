"""Fitted weights of rankings and calibrations, which `training` writes to `data`."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.fitted import Trees, read_fitted
from vademecum.core.settings import EmbedderName


class ManualWeights(NamedTuple):
    """The fitted weights of the ranking of manual pages, from `training/ranker.py`.

    Attributes:
        answerable: Maps a ranking's signals to the log odds that the documents contain an answer.
        right: Maps them to the log odds that the first candidate is right.
    """

    rank: Trees
    answerable: Trees
    right: Trees


@cache
def manual_weights(embedder: EmbedderName) -> ManualWeights:
    """Return the weights that were fitted with the vectors of this embedder."""
    # Vectors of other sentence embedders are nearer to the transformer's than to averaged words.
    fitted = fitted_numbers("manual" if embedder == "builtin" else "manual_onnx")
    return ManualWeights(
        Trees(fitted["rank"], fitted["features"]),
        Trees(fitted["answerable"], fitted["signals"]),
        Trees(fitted["right"], fitted["signals"]),
    )


def text_numbers(*, by_transformer: bool) -> Mapping[str, Any]:
    """Return the weights for running text: for word vectors, or for a transformer."""
    return fitted_numbers("text_onnx" if by_transformer else "text")


def fitted_numbers(name: str) -> Mapping[str, Any]:
    """Read a file in `data`."""
    return read_fitted(Path(__file__).with_name("data") / f"{name}.json")
