"""Template vectors in a Chroma server: the collection `reasoning_templates`, with cosine distance."""

import os
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from vademecum.core.errors import StoreError
from vademecum.core.models import ModelSettings
from vademecum.core.protocols import Embedder
from vademecum.desks.reasoning.embedded import Embedded
from vademecum.desks.reasoning.templates import TEXTS, Template
from vademecum.net.address import place_of
from vademecum.net.secret import Secret
from vademecum.stores.chroma import ChromaServer

COLLECTION = "reasoning_templates"
_COSINE = {"hnsw": {"space": "cosine"}}
_KEY = "CHROMA_API_KEY"
_HINT = "Check that the server runs, and reasoning.chroma in reasoning.yaml."


class EmbeddedInChroma(Embedded):
    """Cosines of problems with templates, as a Chroma server finds them.

    Args:
        url: Its address, as `http://localhost:8000`. A key is in the variable CHROMA_API_KEY.
        spec: The embedder: its name, its settings, or itself.
        kept: As for `Embedded`.
    """

    def __init__(self, url: str, spec: str | ModelSettings | Embedder, kept: Path | None = None) -> None:
        super().__init__(spec, kept)
        place = place_of(url)
        said = os.environ.get(_KEY, "").strip()
        key = Secret(said, origin=_KEY) if said else None
        self._server = ChromaServer(place, name=str(place), key=key, hint=_HINT)

    def learn(self, templates: Sequence[Template]) -> Sequence[Any]:
        """Put the vectors of templates into the collection, and take out those of templates that are gone.

        Returns:
            The ids of the templates, in their order.
        """
        vectors = super().learn(templates)
        collection = self._collection()
        ids = [template.id for template in templates]
        if ids:
            self._server.ask(
                collection,
                "upsert",
                {
                    "ids": ids,
                    "documents": [template.content for template in templates],
                    "embeddings": vectors,
                    "metadatas": [
                        {name: getattr(template, name) for name in TEXTS} for template in templates
                    ],
                },
            )
        there = self._server.ask(collection, "get", {"include": []})
        known = there.get("ids") if isinstance(there, dict) else None
        if not isinstance(known, list):
            raise self._server.strange()
        if gone := [name for name in known if name not in ids]:
            self._server.ask(collection, "delete", {"ids": gone})
        return ids

    def cosines(self, problem: str, vectors: Sequence[Any]) -> list[float]:
        """The cosine of a problem with each template, by its id; 0 for one that the server does not find."""
        (asked,) = self.embedder.embed([problem], "query")
        if not vectors:
            return []
        body = {"query_embeddings": [asked], "n_results": len(vectors), "include": ["distances"]}
        answer = self._server.ask(self._collection(), "query", body)
        try:
            found = dict(zip(answer["ids"][0], map(float, answer["distances"][0]), strict=True))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise self._server.strange() from error
        return [
            1 - found[name] if isfinite(found.get(name, 1.0)) and name in found else 0.0 for name in vectors
        ]

    def _collection(self) -> str:
        """The id of the collection, which is made if it is not there."""
        made = self._server.make(COLLECTION, {"hnsw:space": "cosine"}, _COSINE)
        if made.space != "cosine":
            message = f"The collection {COLLECTION} at {self._server.name} measures distance by {made.space or 'l2'}, not by cosine."
            raise StoreError(message, hint="Delete it there; it is made again by the next question.")
        return made.id
