"""`vademecum eval`: run evaluation cases, and print figures."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.cli._command import Options
from vademecum.cli._output import print_result, show_progress
from vademecum.cli.commands import reason, templates
from vademecum.core.errors import ConfigError
from vademecum.evaluation.cases import spread

progress = partial(show_progress, what="questions")


class Desk(NamedTuple):
    """The functions to evaluate a desk, and the module with its report: `summarise` and `render`."""

    read: Callable[[Path], Sequence[Any]]
    run: Callable[[Sequence[Any]], Sequence[Any]]
    report: Any


def evaluate(arguments: Options) -> int:
    """Evaluate a desk, and print the figures."""
    desk = _DESKS[arguments.desk](arguments)
    cases = chosen(arguments, desk)  # before anything is opened, so that a bad file is reported immediately
    return show(arguments, desk, desk.run(cases))


def chosen(arguments: Options, desk: Desk) -> Sequence[Any]:
    """Return the cases of all files, up to the limit."""
    return spread([case for path in arguments.questions for case in desk.read(path)], arguments.limit)


def show(arguments: Options, desk: Desk, outcomes: Sequence[Any]) -> int:
    """Print the figures, and return the exit code."""
    figures = desk.report.summarise(outcomes, resamples=arguments.bootstrap, worst=arguments.worst)
    print_result(figures, desk.report.render(figures), as_json=arguments.json)
    return 0


def _linux(_arguments: Options) -> Desk:
    from vademecum.core.answers import render_plain  # noqa: PLC0415 - the other desks need none of it
    from vademecum.desks.linux import report  # noqa: PLC0415 - the same
    from vademecum.desks.linux.evaluate import run  # noqa: PLC0415 - the same
    from vademecum.desks.linux.questions import read_questions  # noqa: PLC0415 - the same
    from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - the same

    def ask(questions: Sequence[Any]) -> Sequence[Any]:
        return run(InternalLibrary.open(), render_plain, questions, progress=progress)

    return Desk(read_questions, ask, report)


def _book(arguments: Options) -> Desk:
    from vademecum.desks.book import report  # noqa: PLC0415 - the other desks need none of it
    from vademecum.desks.book.evaluate import read_questions, run  # noqa: PLC0415 - the same

    if arguments.book is None:
        raise ConfigError("No book given.", hint="Name its folder: vademecum eval book --book DIR")
    exclude = arguments.exclude or ["SOURCE.md"]
    return Desk(read_questions, partial(run, arguments.book, exclude=exclude, progress=progress), report)


def _reasoning(arguments: Options) -> Desk:
    from vademecum.desks.reasoning import evaluate as desk  # noqa: PLC0415 - the other desks need none of it

    def ask(queries: Sequence[Any]) -> Sequence[Any]:
        return desk.run(reason.templates_of(arguments), queries, progress=progress)

    return Desk(desk.read_queries, ask, desk)


def _image_templates(arguments: Options) -> Desk:
    from vademecum.desks.composer import evaluate as desk  # noqa: PLC0415 - the other desks need none of it

    def ask(queries: Sequence[Any]) -> Sequence[Any]:
        library, settings = templates.library_of(arguments), templates.search_settings()
        return desk.run(library, queries, settings, progress=progress)

    return Desk(desk.read_queries, ask, desk)


_DESKS = {"linux": _linux, "book": _book, "reasoning": _reasoning, "templates": _image_templates}
