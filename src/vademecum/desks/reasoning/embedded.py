"""Embed templates and problems with a configured embedder. The vectors of templates are cached."""

import json
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from math import isfinite
from operator import mul
from pathlib import Path
from typing import Any

from vademecum.core.models import ModelSettings
from vademecum.core.protocols import Embedder
from vademecum.desks.reasoning.templates import Template
from vademecum.files.write import replace_file
from vademecum.providers.registry import open_embedder

CONTENT_CHARACTERS = 1000
"""How much of a template's content is embedded, beside what it says of itself."""

_MOST_BYTES = 256 << 20


class Embedded:
    """Cosines of problems with templates.

    Args:
        spec: The embedder: its name, its settings, or itself.
        kept: The file in which vectors of templates are kept; `None` for memory alone.
    """

    def __init__(self, spec: str | ModelSettings | Embedder, kept: Path | None = None) -> None:
        self.embedder: Embedder = open_embedder(spec) if isinstance(spec, str | ModelSettings) else spec
        self._file = kept
        self._stamp = ""
        self._vectors: dict[str, list[float]] = {}

    def learn(self, templates: Sequence[Template]) -> Sequence[Any]:
        """The vectors of templates, in their order, as `cosines` takes them. Those that are not kept are made, all at once."""
        self._recall()
        keys = {_key(text): text for text in map(composite, templates)}
        missing = {key: text for key, text in keys.items() if key not in self._vectors}
        if missing:
            made = self.embedder.embed(list(missing.values()), "document")
            self._vectors |= dict(zip(missing, made, strict=True))
            self._keep()
        return [self._vectors[_key(composite(template))] for template in templates]

    def cosines(self, problem: str, vectors: Sequence[Any]) -> list[float]:
        """The cosine (-1 to 1) of a problem with each template."""
        (asked,) = self.embedder.embed([problem], "query")
        return [float(sum(map(mul, asked, vector))) for vector in vectors]

    def _recall(self) -> None:
        """Take up what is kept, if this very embedder made it."""
        stamp = self.embedder.stamp
        if stamp == self._stamp:
            return
        self._stamp, self._vectors = stamp, {}
        if self._file is None:
            return
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            if self._file.stat().st_size > _MOST_BYTES:
                return
            kept = json.loads(self._file.read_bytes())
            dimensions = self.embedder.dimensions
            if kept["stamp"] == stamp and all(
                _is_vector(one, dimensions) for one in kept["vectors"].values()
            ):
                self._vectors = kept["vectors"]

    def _keep(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # they will be made again
                replace_file(self._file, json.dumps({"stamp": self._stamp, "vectors": self._vectors}) + "\n")


def composite(template: Template) -> str:
    """What of a template is embedded: what it says of itself, and the beginning of its content."""
    lines = (
        f"{template.name}.",
        f"{template.description}.",
        f"Keywords: {', '.join(template.keywords)}.",
        f"Method: {template.methodology}.",
        template.content[:CONTENT_CHARACTERS],
    )
    return "\n".join(lines)


def _key(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _is_vector(found: Sequence[object], dimensions: int) -> bool:
    return len(found) == dimensions and all(isinstance(one, float | int) and isfinite(one) for one in found)
