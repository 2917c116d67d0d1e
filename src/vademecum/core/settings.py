"""Settings as data, with their defaults."""

from typing import Literal, NamedTuple

Presenter = Literal["markdown", "plain", "json"]
OutputFormat = Literal["table", "json"]


class Settings(NamedTuple):
    """What the linux desk's configuration file may say.

    Attributes:
        confidence_threshold: Below this confidence (0-1) a question is refused.
        presenter_default: How `ragman` shows an answer.
        output_default: How `ragadmin` shows what it lists.
    """

    confidence_threshold: float = 0.35
    presenter_default: Presenter = "markdown"
    output_default: OutputFormat = "table"
