"""A question to every source: what it is put to, as the caller may ask it."""

from collections.abc import Callable
from dataclasses import replace

from vademecum.core.deadline import Deadline
from vademecum.desks.book.asking import AskStream, OpenCorpus, stream_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.replying import Ask
from vademecum.library.collections import Collection
from vademecum.server.web.sources import Chosen


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
    libraries = [] if request.mode == "selected-text" else _libraries(chosen)
    return stream_book(request, desk, deadline=deadline, libraries=libraries)


def _libraries(chosen: Chosen) -> list[OpenCorpus]:
    """This machine's library and the collections of manual pages, as far as they are asked."""
    found = [_of_collection(collection) for collection in chosen.pages]
    if library := chosen.library:
        found.insert(0, lambda: library.corpus(chosen.aliases))
    return found


def _of_collection(collection: Collection) -> OpenCorpus:
    return lambda: collection.library.corpus(name=collection.name)
