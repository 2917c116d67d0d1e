"""The collections of this machine, as a service."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from vademecum.ask.kinds import PASSAGES
from vademecum.ask.path import spelled
from vademecum.core.errors import AnswerError, CollectionMissing, ConfigError, IndexMissing
from vademecum.desks.chat.profile import Passage
from vademecum.desks.chat.services.query import Answered, Query, missing
from vademecum.desks.chat.services.settings import settings_of
from vademecum.library.collections import Collection, Collections
from vademecum.retrieval.meaning import WORDS


class LocalService:
    """The library's own collections as a service.

    Args:
        collections: All collections. Those that the caller may not see are treated as missing.
    """

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    def names(self, query: Query) -> list[str]:
        """Return the names of the collections that the caller may query."""
        return [one.name for one in self._collections.list() if query.may_see(one)]

    def spelled(self, text: str, names: Sequence[str], query: Query) -> str:
        """Return a question with the typing errors corrected that these collections show to be such."""
        corpora = []
        for name in names:
            with suppress(IndexMissing, CollectionMissing):
                corpora.append(self._collection(name, query).library.corpus(name=name))
        return spelled(text, corpora) if corpora else text

    def ask(self, name: str, query: Query, limit: int) -> Answered:
        """See `OpenService`."""
        collection = self._collection(name, query)
        query.calls.check()
        settings = settings_of(collection.metadata, collection.description)
        try:
            found = (
                collection.library.find(  # as many as at every other desk, so that the confidence is the same
                    query.text,
                    limit=max(limit, PASSAGES),
                    documents=query.where,
                    word_distances=settings.scale == WORDS,
                )
            )
        except IndexMissing:
            warning = f"The collection {collection.name} has no documents yet."
            return Answered(settings._replace(warnings=(*settings.warnings, warning)))
        except AnswerError:  # a question without search words has no results
            return Answered(settings)
        found = replace(found, hits=found.hits[:limit])
        documents = tuple(
            Passage(hit.passage, hit.title or hit.reference, hit.text, hit.distance, hit.url, hit.heading)
            for hit in found.hits
        )
        warnings = [*settings.warnings, *(fault.message for fault in found.faults)]
        if settings.scale not in {"", WORDS, collection.library.scale}:
            warnings.append(
                f"The thresholds of {collection.name} were set for other distances. Calibrate it."
            )
        return Answered(settings._replace(warnings=tuple(warnings)), documents, found)

    def _collection(self, name: str, query: Query) -> Collection:
        try:
            found = self._collections.get(name)
        except (ConfigError, CollectionMissing):
            raise missing(name) from None
        if not query.may_see(found):
            raise missing(name)
        return found
