"""Retrieve, the first step: query the selected collections, and collect their results."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import NamedTuple

from vademecum.core.errors import CollectionMissing, CollectionRefused
from vademecum.desks.chat.config.model import Service
from vademecum.desks.chat.profile import CollectionSettings, RagResult, Result
from vademecum.desks.chat.services import OpenService, Query
from vademecum.retrieval.units.calibration import THRESHOLD
from vademecum.text.printable import printable
from vademecum.text.similar import closest

LOCAL = "local"
"""The type of services with collections of this machine."""

_AT_ONCE = 8
MOST_SELECTED = 100
_HINT = "List the collections with: GET /api/chat/collections"


class Reference(NamedTuple):
    """A collection to query."""

    service: str
    collection: str

    def __str__(self) -> str:
        return f"{self.service}/{self.collection}"


def references_of(selected: Iterable[str], services: Mapping[str, Service]) -> list[Reference]:
    """Return the collections that references name, without duplicates, in the order of selection.

    A reference is split at its first slash. A service alone means its pinned collection.
    """
    found: dict[Reference, None] = {}
    for one in selected:
        name, slash, collection = one.partition("/")
        service = services.get(name)
        if service is None:
            near = closest(name, list(services))
            hint = f"Did you mean {near}{slash}{printable(collection, 60)}?" if near else _HINT
            raise CollectionMissing(f"Service {printable(name, 60)} not found.", hint=hint)
        if service.collection is None:
            if not collection:
                message = f"The service {name} has several collections; select one."
                raise CollectionMissing(message, hint=f"Write {name}/COLLECTION. {_HINT}")
        elif slash and collection != service.collection:
            message = f"The service {name} is limited to the collection {service.collection}."
            raise CollectionRefused(message, hint=f"Write {name}, or {name}/{service.collection}.")
        found[Reference(name, service.collection or collection)] = None
    return list(found)


def everything(
    services: Mapping[str, Service], opened: Mapping[str, OpenService], query: Query
) -> list[Reference]:
    """Return every collection that the caller may query, in the order of the services, up to `MOST_SELECTED`."""
    found = []
    for name, service in services.items():
        names = [service.collection] if service.collection else opened[name].names(query)
        found += [Reference(name, one) for one in names]
    return found[:MOST_SELECTED]


def retrieve(
    query: Query,
    references: Sequence[Reference],
    services: Mapping[str, Service],
    opened: Mapping[str, OpenService],
) -> list[RagResult]:
    """Query the collections in order, until a match ends the search.

    A match by a distance ends the search if the query mode of its service is `first`. Matches by answerability are compared, so that all
    of these collections are queried. Consecutive collections whose mode is `all` are
    queried at the same time, and do not end the search.

    Returns:
        All collections that were queried, in the order of `references`, including those without a near document.
    """

    def ask(reference: Reference) -> RagResult:
        service = services[reference.service]
        if query.where and service.type != LOCAL:  # a service that cannot filter documents is not queried
            warning = (
                f"{reference} was not queried, because its server cannot restrict a query to some documents."
            )
            return RagResult(
                reference.service, reference.collection, reference.collection, "none", None,
                service.match_threshold, service.partial_threshold, warnings=(warning,),
            )  # fmt: skip
        settings, documents, local = opened[reference.service].ask(reference.collection, query, service.top_k)
        match, partial, warnings = _thresholds(service, settings)
        distance = min((document.distance for document in documents), default=None)
        answerability = local.answerability if local else 0.0
        settings = settings._replace(description=settings.description or service.description)
        identifier = service.intent_identifier
        return RagResult(
            service=reference.service,
            collection=reference.collection,
            intent=f"{identifier}/{reference.collection}" if identifier else reference.collection,
            result=by_answerability(answerability) if match is None else classify(distance, match, partial),
            distance=distance,
            match_threshold=match,
            partial_threshold=partial,
            settings=settings,
            documents=documents,
            local=local,
            warnings=(*settings.warnings, *warnings),
        )

    asked: list[RagResult] = []
    for walk_on, group in _groups(references, services):
        query.calls.check()
        asked += _at_once(ask, group) if walk_on else [ask(group[0])]
        if not walk_on and asked[-1].result == "match" and asked[-1].match_threshold is not None:
            break
    return asked


def classify(distance: float | None, match: float, partial: float | None) -> Result:
    """Return the result for a distance, which must be strictly below a threshold.

    >>> classify(0.2, 0.2, 0.45), classify(0.45, 0.2, 0.45)
    ('partial', 'none')
    """
    if distance is not None and distance < match:
        return "match"
    if distance is not None and partial is not None and distance < partial:
        return "partial"
    return "none"


def by_answerability(answerability: float) -> Result:
    """Return the result for an answerability: a match from `THRESHOLD`, partial from half of it."""
    return "match" if answerability >= THRESHOLD else "partial" if answerability >= THRESHOLD / 2 else "none"


def _thresholds(
    service: Service, settings: CollectionSettings
) -> tuple[float | None, float | None, list[str]]:
    """Return both thresholds, or None, and warnings. The collection's own take precedence if they are in order."""
    match = service.match_threshold if settings.match_threshold is None else settings.match_threshold
    partial = service.partial_threshold if settings.partial_threshold is None else settings.partial_threshold
    if match is None:
        return None, None, []
    if partial is not None and partial < match:
        if settings.match_threshold is None and settings.partial_threshold is None:
            return match, partial, []
        if settings.partial_threshold is None:  # its matches extend beyond the service's partial results
            return match, match, []
        warning = "The collection's partial_threshold is below its match_threshold, and is not used."
        return match, max(match, service.partial_threshold or match), [warning]
    return match, partial, []


def _groups(
    references: Sequence[Reference], services: Mapping[str, Service]
) -> Iterator[tuple[bool, list[Reference]]]:
    """Yield the collections to query at the same time: consecutive ones that never end the search, or a single one."""
    for walk_on, group in groupby(references, lambda one: services[one.service].query_mode == "all"):
        if walk_on:
            yield True, list(group)
        else:
            yield from ((False, [one]) for one in group)


def _at_once(ask: Callable[[Reference], RagResult], many: Sequence[Reference]) -> list[RagResult]:
    if len(many) == 1:
        return [ask(many[0])]
    with ThreadPoolExecutor(min(_AT_ONCE, len(many)), "chat-retrieve") as pool:
        futures = [pool.submit(ask, one) for one in many]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
