"""`vademecum book` and `vademecum ask`: manage books, and ask them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial

from vademecum.cli import _building
from vademecum.cli._command import Options
from vademecum.cli._output import print_result, warn
from vademecum.cli._style import typed_text
from vademecum.core.deadline import Deadline
from vademecum.core.errors import AnswerError, IndexMissing
from vademecum.desks.book.books import add_book, named_by, remove_book, sync_book
from vademecum.desks.book.desk import ADD_ONE, NO_BOOKS, Desk
from vademecum.desks.book.reply import Ask, Reply
from vademecum.desks.book.settings import BookSettings, books_store
from vademecum.index.progress import OnProgress, Report
from vademecum.library.collections import Collection, Collections
from vademecum.library.internal import InternalLibrary
from vademecum.text.printable import counted, printable


def add(arguments: Options) -> int:
    """Add a folder of Markdown as a book, and index it; return the exit code."""
    with _progress() as show:
        book, report = add_book(
            _collections(),
            arguments.path,
            name=arguments.name,
            url=arguments.url,
            style=arguments.site,
            description=arguments.description,
            exclude=arguments.exclude,
            follows=arguments.follow,
            on_progress=show,
        )
    return _reported(arguments, {book.name: report})


def attach(arguments: Options) -> int:
    """Use a book that another machine has put into the store of books, without its folder; return the exit code."""
    book = _collections().attach(arguments.book)
    said = f"Attached the book {book.name}. It is queried in the store."
    print_result(_book_data(book), said, as_json=arguments.json)
    return 0


def list_books(arguments: Options) -> int:
    """List the books; return the exit code."""
    books = _collections().list(kind="book")
    rows = [_book_data(book) for book in books]
    width = max((len(book.name) for book in books), default=0)
    lines = []
    for book, row in zip(books, rows, strict=True):
        pages = f"{row['documents']!s:>6} pages"
        lines.append(f"{book.name:{width}}  {pages}  {row['location']}  {row['description']}".rstrip())
        if said := _building.reading(book.library):
            lines.append(f"{'':{width}}  {said}")
    nothing = "No books. Add one with: vademecum book add PATH"
    print_result({"books": rows}, lines or nothing, as_json=arguments.json)
    return 0


def remove(arguments: Options) -> int:
    """Remove a book; its folder is not changed; return the exit code."""
    name = remove_book(_collections(), arguments.book)
    print_result({"removed": name}, f"Removed the book {name}.", as_json=arguments.json)
    return 0


def embed(arguments: Options) -> int:
    """Wait until the transformer has embedded a book, or all books; return the exit code."""
    collections = _collections()
    for name in _named(arguments, collections):
        _building.embed(collections.get(name).library, as_json=arguments.json)
    return 0


def sync(arguments: Options) -> int:
    """Update a book, or all books, from its folder; return the exit code."""
    collections = _collections()
    names = _named(arguments, collections)
    with _progress() as show:
        reports = {name: sync_book(collections, name, on_progress=show) for name in names}
    return _reported(arguments, reports)


def _named(arguments: Options, collections: Collections) -> list[str]:
    """Return the name of the requested book, or of all books."""
    if arguments.book:
        return [named_by(collections, arguments.book)]
    if names := [book.name for book in collections.list(kind="book")]:
        return names
    raise IndexMissing(NO_BOOKS, hint=ADD_ONE)


_COUNTS = ("documents", "passages", "added", "changed", "removed", "unchanged")


def _reported(arguments: Options, reports: dict[str, Report]) -> int:
    books, lines = [], []
    for name, report in reports.items():
        counts = {count: getattr(report, count) for count in _COUNTS}
        problems = [asdict(problem) for problem in report.problems]
        books.append({"name": name, **counts, "problems": problems, "left_out": list(report.left_out)})
        lines.append(
            f"{name}: {counted(report.documents, 'page')}, {counted(report.passages, 'passage')} "
            f"({report.added} added, {report.changed} changed, {report.removed} removed)"
        )
        lines += map(printable, report.left_out)
        if said := _building.reading(_collections().get(name).library):
            lines.append(said)
    print_result({"books": books}, lines, as_json=arguments.json)
    return max(warn(report.problems, about=f"{name}: ") for name, report in reports.items())


def ask(arguments: Options) -> int:
    """Answer a question from all documents, with citations; return the exit code."""
    from vademecum.server.asking import open_stream  # noqa: PLC0415 - other commands need none of it
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
    print_result(reply.to_dict(), _rendered(reply), as_json=arguments.json)
    return 0


def _rendered(reply: Reply) -> str:
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


def _book_data(book: Collection) -> dict[str, object]:
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


def _collections() -> Collections:
    return Collections(books_in=books_store())


@contextmanager
def _progress() -> Iterator[OnProgress]:
    """Yield a function that shows the progress on a terminal or in a log."""
    meter = _building.Meter()
    try:
        yield meter.show
    finally:
        meter.clear()
