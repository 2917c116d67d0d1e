"""Ask all sources that the caller may query."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from vademecum.ask.rating import Corpus
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
    """The stream that answers a question.

    Args:
        request: The question.
        desk: Who answers.
        deadline: For all of it.
        choose: Says what it is put to; without it, to the collections that the question names.

    Raises:
        AnswerError: The question cannot be taken as put.
        VademecumError: Nothing can be asked.
    """
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
    """What was chosen, as the question path takes it; and why some of it cannot be asked, in sentences."""
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
    """This machine's library and the collections of manual pages, as far as they are asked."""
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
