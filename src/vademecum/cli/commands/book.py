"""`vademecum book` and `vademecum ask`: manage books, and ask them."""

import json
import sys
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from vademecum.cli._command import Options
from vademecum.cli._style import harmless, print_json, typed_text
from vademecum.core.errors import AnswerError
from vademecum.text.printable import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vademecum.desks.book.ask import Reply
    from vademecum.index.progress import OnProgress, Report
    from vademecum.library.collections import Collection, Collections

_WARNED = 3


def add(arguments: Options) -> int:
    """Add a folder of Markdown as a book, and index it; return the exit code."""
    from vademecum.desks.book.books import add_book  # noqa: PLC0415 - other commands need none of it

    with _progress() as show:
        book, report = add_book(
            _collections(),
            arguments.path,
            name=arguments.name,
            url=arguments.url,
            style=arguments.site,
            description=arguments.description,
            exclude=arguments.exclude,
            on_progress=show,
        )
    return _reported(arguments, {book.name: report})


def attach(arguments: Options) -> int:
    """Use a book that another machine has put into the store of books, without its folder; return the exit code."""
    book = _collections().attach(arguments.book)
    if arguments.json:
        print_json(_book_data(book))
    else:
        print(f"Attached the book {book.name}. It is queried in the store.")
    return 0


def list_books(arguments: Options) -> int:
    """List the books; return the exit code."""
    from vademecum.cli._building import reading  # noqa: PLC0415 - as above

    books = _collections().list(kind="book")
    if arguments.json:
        print_json({"books": [_book_data(book) for book in books]})
    elif not books:
        print("No books. Add one with: vademecum book add PATH")
    else:
        width = max(len(book.name) for book in books)
        for book in books:
            row = _book_data(book)
            line = (
                f"{book.name:{width}}  {row['documents']!s:>6} pages  {row['location']}  {row['description']}"
            )
            print(harmless(line).rstrip())
            if said := reading(book.library):
                print(f"{'':{width}}  {said}")
    return 0


def remove(arguments: Options) -> int:
    """Remove a book; its folder is not changed; return the exit code."""
    from vademecum.desks.book.books import remove_book  # noqa: PLC0415 - as above

    name = remove_book(_collections(), arguments.book)
    if arguments.json:
        print_json({"removed": name})
    else:
        print(f"Removed the book {name}.")
    return 0


def embed(arguments: Options) -> int:
    """Wait until the transformer has embedded a book, or all books; return the exit code."""
    from vademecum.cli._building import embed  # noqa: PLC0415 - as above

    collections = _collections()
    for name in _named(arguments, collections):
        embed(collections.get(name).library, as_json=arguments.json)
    return 0


def _named(arguments: Options, collections: "Collections") -> list[str]:
    """Return the name of the requested book, or of all books."""
    from vademecum.core.errors import IndexMissing  # noqa: PLC0415 - as above
    from vademecum.desks.book.books import named_by  # noqa: PLC0415 - as above
    from vademecum.desks.book.desk import ADD_ONE, NO_BOOKS  # noqa: PLC0415 - as above

    if arguments.book:
        return [named_by(collections, arguments.book)]
    if names := [book.name for book in collections.list(kind="book")]:
        return names
    raise IndexMissing(NO_BOOKS, hint=ADD_ONE)


def sync(arguments: Options) -> int:
    """Update a book, or all books, from its folder; return the exit code."""
    from vademecum.desks.book.books import sync_book  # noqa: PLC0415 - as above

    collections = _collections()
    names = _named(arguments, collections)
    with _progress() as show:
        reports = {name: sync_book(collections, name, on_progress=show) for name in names}
    return _reported(arguments, reports)


def _reported(arguments: Options, reports: "dict[str, Report]") -> int:
    from vademecum.cli._building import reading  # noqa: PLC0415 - as above

    problems = [(name, problem) for name, report in reports.items() for problem in report.problems]
    if arguments.json:
        print_json(
            {
                "books": [
                    {
                        "name": name,
                        "documents": report.documents,
                        "passages": report.passages,
                        "added": report.added,
                        "changed": report.changed,
                        "removed": report.removed,
                        "unchanged": report.unchanged,
                        "problems": [asdict(problem) for problem in report.problems],
                    }
                    for name, report in reports.items()
                ]
            }
        )
    else:
        for name, report in reports.items():
            print(
                f"{name}: {counted(report.documents, 'page')}, {counted(report.passages, 'passage')} "
                f"({report.added} added, {report.changed} changed, {report.removed} removed)"
            )
            if said := reading(_collections().get(name).library):
                print(said)
    for name, one in problems:
        print(
            f"vademecum: {name}: {printable(one.place, 200)}: {printable(one.message)} {one.hint}",
            file=sys.stderr,
        )
    return _WARNED if problems else 0


def ask(arguments: Options) -> int:
    """Answer a question from all documents, with citations; return the exit code."""
    from vademecum.core.deadline import Deadline  # noqa: PLC0415 - other commands need none of it
    from vademecum.desks.book.ask import Ask  # noqa: PLC0415 - the same
    from vademecum.desks.book.desk import Desk  # noqa: PLC0415 - the same
    from vademecum.desks.book.settings import BookSettings  # noqa: PLC0415 - the same
    from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - the same
    from vademecum.server.asking import open_stream  # noqa: PLC0415 - the same
    from vademecum.server.guard.authorization import HERE  # noqa: PLC0415 - the same
    from vademecum.server.sources import Sources  # noqa: PLC0415 - the same

    settings = BookSettings(cached=0)
    if arguments.model:
        from vademecum.providers.registry import settings_of  # noqa: PLC0415 - with a model only

        settings = settings._replace(models=(settings_of(arguments.model),))
    words = " ".join(arguments.question)
    selected = arguments.selected
    if words == "-" and selected == "-":
        raise AnswerError(
            "Question and selection cannot both be read from standard input.",
            hint="Give one of them as an argument.",
        )
    if selected is not None and not selected.strip():
        raise AnswerError(
            "--selected requires some text.", hint="Give the text, or - to read it from standard input."
        )
    request = Ask(
        query=typed_text() if words == "-" else words.encode("utf-8", "replace").decode(),
        mode="full-book" if selected is None else "selected-text",
        selected_text=typed_text() if selected == "-" else selected or "",
        k=arguments.k,
        book=arguments.book,
        explain=arguments.explain,
        require_model=arguments.require_model,
    )
    collections = _collections()
    desk = Desk(collections, settings)
    sources = Sources(InternalLibrary.open(), collections)
    is_of_book = arguments.book or (selected is not None and not arguments.source)
    try:
        desk.models()  # an unavailable model is an error, whatever the question
        choose = None if is_of_book else partial(sources.choose, HERE, arguments.source)
        with open_stream(request, desk, Deadline(settings.timeout_s), choose) as stream:
            reply = stream.whole()
    finally:
        desk.close()
    if arguments.json:
        print_json(reply.to_dict())
    else:
        print(harmless(_rendered(reply)))
    return 0


def _rendered(reply: "Reply") -> str:
    """Return a reply as text: the answer, its sources, and notes."""
    blocks = [reply.answer]
    if reply.sources:
        shown = dict.fromkeys(
            f"[{source.number}] {source.title}{f': {section}' if (section := _section(source.section, source.title)) else ''}\n    {source.url or source.reference}"
            for source in reply.sources
        )
        blocks.append("Sources\n" + "\n".join(shown))
    notes = [note for note in dict.fromkeys((*reply.reasons, *reply.warnings)) if note not in reply.answer]
    if reply.see_also:
        notes.append("See also: " + ", ".join(f"{one.label} ({one.source})" for one in reply.see_also))
    if reply.not_in_book:
        notes.append("The selection was not found in the book; the answer is from the selection alone.")
    if notes:
        blocks.append("\n".join(notes))
    if reply.explain:
        blocks.append(json.dumps(reply.trace.to_dict(), indent=1, ensure_ascii=True))
    return "\n\n".join(blocks)


def _section(path: str, title: str) -> str:
    """Return a path of headings without the page's title."""
    return path.removeprefix(title).removeprefix(" > ")


def _book_data(book: "Collection") -> dict[str, object]:
    entries = book.library.sources()
    embedded = book.library.embedded()
    return {
        "name": book.name,
        "description": book.description,
        "owner": book.owner,
        "created": book.created,
        "documents": sum(entry.documents for entry in entries),
        "location": ", ".join(printable(entry.location, 200) for entry in entries),
        "embedded": embedded and embedded._asdict(),
    }


def _collections() -> "Collections":
    from vademecum.desks.book.settings import books_store  # noqa: PLC0415 - `vademecum --help` needs no engine
    from vademecum.library.collections import Collections  # noqa: PLC0415 - as above

    return Collections(books_in=books_store())


@contextmanager
def _progress() -> "Iterator[OnProgress]":
    """Yield a function that shows the progress on a terminal or in a log."""
    from vademecum.cli._building import Meter  # noqa: PLC0415 - asking indexes nothing

    meter = Meter()
    try:
        yield meter.show
    finally:
        meter.clear()
