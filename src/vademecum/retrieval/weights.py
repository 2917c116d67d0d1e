"""Fitted weights of rankings and calibrations, which `training` writes to `data`."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.fitted import Trees, read_fitted
from vademecum.core.settings import EmbedderName


class ManualWeights(NamedTuple):
    """The second stage for manual pages, fitted by `training/ranker.py`.

    Attributes:
        threshold: Log odds from which on there is an answer.
        rank: From a candidate's features to what it is ranked by.
        answerable: From a ranking's signals to the log odds that the documents hold an answer.
        right: From the same to the log odds that the first candidate is right.
    """

    threshold: float
    rank: Trees
    answerable: Trees
    right: Trees


@cache
def manual_weights(embedder: EmbedderName) -> ManualWeights:
    """The second stage that was fitted with the vectors of this embedder."""
    # Vectors of other sentence embedders are nearer to the transformer's than to averaged words.
    fitted = fitted_numbers("manual" if embedder == "builtin" else "manual_onnx")
    return ManualWeights(
        fitted["threshold"],
        Trees(fitted["rank"], fitted["features"]),
        Trees(fitted["answerable"], fitted["signals"]),
        Trees(fitted["right"], fitted["signals"]),
    )


def text_numbers(*, by_transformer: bool) -> Mapping[str, Any]:
    """The numbers of running text: with the nearness of words, or with a transformer's."""
    return fitted_numbers("text_onnx" if by_transformer else "text")


def fitted_numbers(name: str) -> Mapping[str, Any]:
    """A file of `data`."""
    return read_fitted(Path(__file__).with_name("data") / f"{name}.json")
