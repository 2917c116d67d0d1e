"""Ask all sources that the caller may query."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from vademecum.ask.kinds import Corpus
from vademecum.core.deadline import Deadline
from vademecum.core.errors import IndexMissing, VademecumError
from vademecum.desks.book.ask import AskStream, OpenCorpus, stream_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.reply import Ask
from vademecum.library.collections import Collection
from vademecum.server.sources import Chosen


def open_stream(
    request: Ask, desk: Desk, deadline: Deadline, choose: Callable[[], Chosen] | None
) -> AskStream:
    """Return the stream that answers a question."""
    if choose is None:
        return stream_book(request, desk, deadline=deadline)
    chosen = choose()
    if stretch := chosen.selection:
        selected = stretch.library.text(stretch.document)[stretch.start : stretch.end]
        request = replace(request, mode="selected-text", selected_text=selected, selection=stretch)
        return stream_book(request, desk, deadline=deadline)
    request = replace(request, books=tuple(book.name for book in chosen.texts))
    libraries = [] if request.mode == "selected-text" else list(_libraries(chosen, request.where).values())
    return stream_book(request, desk, deadline=deadline, libraries=libraries)


def open_corpora(chosen: Chosen) -> tuple[list[Corpus], list[str]]:
    """Return the chosen sources as corpora, and the reasons why others cannot be queried, as sentences."""
    corpora: list[Corpus] = []
    problems: list[str] = []
    for name, open_corpus in (_libraries(chosen) | _of_collections(chosen.texts)).items():
        try:
            corpora.append(open_corpus())
        except IndexMissing:
            problems.append(f"{name}: It has no documents yet.")
        except VademecumError as error:
            problems.append(f"{name}: {error.message}")
    return corpora, problems


def _libraries(chosen: Chosen, where: Sequence[str] = ()) -> dict[str, OpenCorpus]:
    """Return functions that open this machine's library and the collections of manual pages, if they are chosen."""
    library = chosen.library
    machine: dict[str, OpenCorpus] = (
        {"this machine": lambda: library.corpus(chosen.aliases, documents=where)} if library else {}
    )
    return machine | _of_collections(chosen.pages, where)


def _of_collections(collections: Sequence[Collection], where: Sequence[str] = ()) -> dict[str, OpenCorpus]:
    return {
        collection.name: partial(collection.library.corpus, name=collection.name, documents=where)
        for collection in collections
    }
