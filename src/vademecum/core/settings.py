"""Settings as data, with their defaults."""

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vademecum.core.models import ModelSettings

Presenter = Literal["markdown", "plain", "json"]
OutputFormat = Literal["table", "json"]
AnswerStyle = Literal["choose", "prose"]
"""What a model does: `choose` among the statements of the documents, or write `prose`."""

EmbedderName = str
"""`builtin`, `onnx`, or `PROVIDER:MODEL`."""
Method = Literal["manual-pages", "documents"]
"""How a collection is indexed and ranked: as pages of short entries with well-known names, or as running text with
headings."""


class Settings(NamedTuple):
    """The settings in the configuration file of the Linux desk.

    Attributes:
        confidence_threshold: The minimum confidence (0-1) of an answer. Below it, a question is refused.
        presenter_default: The format of answers from `ragman`.
        output_default: The format of lists from `ragadmin`.
        query_log: Whether questions and answers are logged.
        embedder: The embedder: the built-in word table alone, or together with a transformer.
        model: The model that writes answers: a name from `models`, or `PROVIDER:MODEL`; "" for none.
        style: What the model does: `choose` among the statements of the documents, or write `prose` that is verified.
        timeout_s: The time limit, in seconds, for answering a question with a model.
        store: The location of the index that is searched: "files" for this machine, or the address of a store.
        models: The configured models, by name.

    Example:
        >>> Settings().presenter_default
        'markdown'
    """

    confidence_threshold: float = 0.35
    presenter_default: Presenter = "markdown"
    output_default: OutputFormat = "table"
    query_log: bool = False
    embedder: EmbedderName = "builtin"
    model: str = ""
    style: AnswerStyle = "choose"
    timeout_s: float = 60.0
    store: str = "files"
    models: "Mapping[str, ModelSettings]" = MappingProxyType({})
