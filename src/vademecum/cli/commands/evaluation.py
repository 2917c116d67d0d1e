"""`vademecum eval`: run evaluation cases, and print figures."""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.cli._command import Options
from vademecum.cli.commands import reason, templates
from vademecum.core.errors import ConfigError
from vademecum.evaluation.cases import spread


class Desk(NamedTuple):
    """The functions to evaluate a desk."""

    read: Callable[[Path], Sequence[Any]]
    run: Callable[[Sequence[Any]], Sequence[Any]]
    summarise: Callable[[Sequence[Any]], dict[str, Any]]
    render: Callable[[dict[str, Any]], str]


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
    figures = desk.summarise(outcomes)
    print(json.dumps(figures, allow_nan=False) if arguments.json else desk.render(figures))
    return 0


def _linux(arguments: Options) -> Desk:
    from vademecum.desks.linux.evaluate import run  # noqa: PLC0415 - the other desks need none of it
    from vademecum.desks.linux.questions import read_questions  # noqa: PLC0415 - the same
    from vademecum.desks.linux.report import render, summarise  # noqa: PLC0415 - the same

    def ask(questions: Sequence[Any]) -> Sequence[Any]:
        from vademecum.core.answers import render_plain  # noqa: PLC0415 - not needed to report a bad file
        from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - the same

        return run(InternalLibrary.open(), render_plain, questions, progress=_progress())

    figures = partial(summarise, resamples=arguments.bootstrap, worst_limit=arguments.worst)
    return Desk(read_questions, ask, figures, render)


def _book(arguments: Options) -> Desk:
    from vademecum.desks.book.evaluate import read_questions, run  # noqa: PLC0415 - the other desks need none of it
    from vademecum.desks.book.report import render, summarise  # noqa: PLC0415 - the same

    if arguments.book is None:
        message = "No book given."
        raise ConfigError(message, hint="Name its folder: vademecum eval book --book DIR")
    exclude = arguments.exclude or ["SOURCE.md"]
    return Desk(
        read_questions,
        partial(run, arguments.book, exclude=exclude, progress=_progress()),
        partial(summarise, resamples=arguments.bootstrap, worst=arguments.worst),
        render,
    )


def _reasoning(arguments: Options) -> Desk:
    from vademecum.desks.reasoning import evaluate as desk  # noqa: PLC0415 - the other desks need none of it

    return Desk(
        desk.read_queries,
        lambda queries: desk.run(reason.templates_of(arguments), queries, progress=_progress()),
        partial(desk.summarise, resamples=arguments.bootstrap, worst=arguments.worst),
        desk.render,
    )


def _image_templates(arguments: Options) -> Desk:
    from vademecum.desks.composer import evaluate as desk  # noqa: PLC0415 - the other desks need none of it

    return Desk(
        desk.read_queries,
        lambda queries: desk.run(
            templates.library_of(arguments), queries, templates.search_settings(), progress=_progress()
        ),
        partial(desk.summarise, resamples=arguments.bootstrap, worst=arguments.worst),
        desk.render,
    )


_DESKS = {"linux": _linux, "book": _book, "reasoning": _reasoning, "templates": _image_templates}


def _progress() -> Callable[[int, int], None]:
    """Return a function that shows the progress on a terminal; elsewhere it does nothing."""
    if not sys.stderr.isatty():
        return lambda _done, _total: None

    def show(done: int, total: int) -> None:
        line = f"\r{done} of {total} questions" if done < total else "\r\x1b[K"
        print(line, end="", file=sys.stderr, flush=True)

    return show
