"""Analyse, retrieve and evaluate: rate each kind of document by its own method, to answer from it or to list what was found."""

from collections.abc import Sequence
from itertools import chain, islice

from vademecum.ask.hits import SourcedHit, numbered
from vademecum.ask.kinds import PASSAGES, USUAL, Corpus, Limits, Rated
from vademecum.core.answers import Hit
from vademecum.core.errors import AnswerError, VademecumError


def rate(
    text: str, corpora: Sequence[Corpus], limits: Limits = USUAL
) -> tuple[list[Rated], list[VademecumError]]:
    """Rate each kind of document, and return the ratings, most probable first, and the errors of corpora that cannot be searched.

    Passages of running text from all collections are ranked together. Manual pages are rated separately.

    Args:
        corpora: The corpora to search; at least one.
        limits: How many passages are considered.
    """
    rated: list[Rated] = []
    faults: list[VademecumError] = []
    texts: list[Corpus] = []
    for corpus in corpora:
        for part in corpus.index.parts() or [corpus.index]:
            of_part = corpus.of(part)
            if part.method == "documents":
                texts.append(of_part)
                continue
            from vademecum.ask.manuals.pages import rate_pages  # noqa: PLC0415 - a question to running text alone needs none of it

            try:
                rated.append(rate_pages(text, of_part, limits))
            except AnswerError:
                raise
            except VademecumError as error:
                faults.append(error)
    if texts:
        from vademecum.ask.running_text.shown import with_commands  # noqa: PLC0415 - a question to manual pages alone needs none of it
        from vademecum.ask.running_text.texts import rate_texts  # noqa: PLC0415 - the same

        of_texts, of_their_faults = rate_texts(text, texts, limits)
        rated += [of_texts if of_texts.selected else with_commands(of_texts)] if of_texts else []
        faults += of_their_faults
    if faults and (not rated or len(corpora) == 1):  # half of a library must not pass for all of it
        raise faults[0]
    return sorted(rated, key=lambda rating: -rating.margin), faults


def search(text: str, corpora: Sequence[Corpus], limit: int) -> list[Hit]:
    """Search for documents, each with its best passage. The most probable kind of document comes first."""
    rated, _ = rate(text, [corpus.naming(text) for corpus in corpora], Limits(passages=PASSAGES * limit))
    best: dict[tuple[str, str], Hit] = {}
    for source, hit in chain.from_iterable(kind.passages() for kind in rated):
        best.setdefault((source, hit.document), hit)
        if len(best) == limit:
            break
    return numbered(list(best.values()))


def search_passages(
    text: str, corpora: Sequence[Corpus], limit: int
) -> tuple[list[SourcedHit], list[VademecumError]]:
    """Search for passages, most probable kind of document first. Also return the errors of corpora that cannot be searched."""
    named = [corpus.naming(text) for corpus in corpora]
    rated, faults = rate(text, named, Limits(passages=max(PASSAGES, limit)))
    faults = [*faults, *(fault for corpus in named for fault in corpus.faults)]
    return list(islice(chain.from_iterable(kind.passages() for kind in rated), limit)), faults
