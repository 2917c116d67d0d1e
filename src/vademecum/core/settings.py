"""Settings as data, with their defaults."""

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vademecum.core.models import ModelSettings

Presenter = Literal["markdown", "plain", "json"]
OutputFormat = Literal["table", "json"]
EmbedderName = str
"""`builtin`, `onnx`, or `PROVIDER:MODEL`."""
Method = Literal["manual-pages", "documents"]
"""How a collection is indexed and ranked: as pages of short entries whose names people know, or as running text under headings."""


class Settings(NamedTuple):
    """What the linux desk's configuration file may say.

    Attributes:
        confidence_threshold: Below this confidence (0-1) a question is refused.
        presenter_default: How `ragman` shows an answer.
        output_default: How `ragadmin` shows what it lists.
        query_log: Whether questions and answers are logged.
        embedder: What turns texts into vectors: the built-in word table, or a transformer beside it.
        model: Who writes answers: the name of one of `models`, or `PROVIDER:MODEL`; "" for nobody.
        timeout_s: How long a question may take with a model.
        store: Where the index is asked: "files" of this machine, or the address of a store.
        models: The models that are described, by their names.
    """

    confidence_threshold: float = 0.35
    presenter_default: Presenter = "markdown"
    output_default: OutputFormat = "table"
    query_log: bool = False
    embedder: EmbedderName = "builtin"
    model: str = ""
    timeout_s: float = 60.0
    store: str = "files"
    models: "Mapping[str, ModelSettings]" = MappingProxyType({})
