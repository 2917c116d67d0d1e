"""Embed requests and templates with the built-in word table, or with the configured embedder."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.errors import ProviderError
from vademecum.desks.composer import models
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.search.vectors import VectorCache, Vectors, as_kept, dot
from vademecum.desks.composer.settings import AUTO, ComposerSettings
from vademecum.providers.builtin import word_table
from vademecum.text.words import terms

if TYPE_CHECKING:
    from vademecum.core.models import Purpose
    from vademecum.core.protocols import Embedder


class Embedded(NamedTuple):
    """A request beside the templates.

    Attributes:
        cosines: Of the request with each template, in the library's order.
    """

    cosines: list[float]
    model: str
    hits: int
    misses: int
    notes: tuple[str, ...]


class _BuiltIn:
    """The word table as an embedder."""

    def __init__(self) -> None:
        self._table = word_table()
        self.name = self.stamp = self._table.name
        self.dimensions = self._table.dimensions

    def embed(self, texts: Sequence[str], _purpose: "Purpose" = "document") -> Vectors:
        """The vectors of texts, in their order."""
        return [self._table.embed(terms(text)) for text in texts]


def embedded(words: str, library: TemplateLibrary, settings: ComposerSettings) -> Embedded:
    """Embed a request, and the templates that are not kept."""
    model = models.embedder(settings)
    if model is None:
        return _embedded(words, library, settings, _BuiltIn())
    if settings.provider == AUTO and models.missing(model):
        return _embedded(words, library, settings, _BuiltIn())
    from vademecum.providers.registry import open_embedder  # noqa: PLC0415 - for those who have one

    try:
        return _embedded(words, library, settings, open_embedder(model))
    except ProviderError as error:
        if settings.provider != AUTO:
            raise
        found = _embedded(words, library, settings, _BuiltIn())
        return found._replace(notes=(f"The built-in word vectors served: {error.message}", *found.notes))


def _embedded(
    words: str, library: TemplateLibrary, settings: ComposerSettings, embedder: "Embedder | _BuiltIn"
) -> Embedded:
    texts = [(template.file.rpartition("/")[2], template.indexed.text) for template in library.templates]
    hits = 0
    notes: tuple[str, ...] = ()
    if settings.cache.enabled and texts:
        cache = VectorCache(
            settings.cache.dir,
            model_id=embedder.name.partition(":")[2] or embedder.name,
            stamp=embedder.stamp,
            dimensions=embedder.dimensions,
            ttl=timedelta(seconds=settings.cache.ttl_s) if settings.cache.ttl_s else None,
            most_bytes=settings.cache.max_size_bytes,
        )
        looked = cache.look_up(texts, lambda some: [*embedder.embed(some)])
        vectors, hits, notes = looked.vectors, looked.hits, looked.notes
    else:
        vectors = as_kept([*embedder.embed([text for _, text in texts])])
    (asked,) = embedder.embed([words], "query")
    return Embedded([dot(asked, vector) for vector in vectors], embedder.name, hits, len(texts) - hits, notes)
