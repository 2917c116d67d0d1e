"""`vademecum eval`: ask questions whose answers are known, and print how good the answers are."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from vademecum.cli import _reason, _templates
from vademecum.core.errors import ConfigError
from vademecum.desks.linux.evaluate import run
from vademecum.evaluation.intervals import RESAMPLES
from vademecum.evaluation.questions import Question, read_questions
from vademecum.evaluation.report import render
from vademecum.evaluation.results import Result
from vademecum.evaluation.summary import summarise

Item = TypeVar("Item")

BASELINE = "plain BM25"
WORST = 10


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "eval",
        help="ask questions whose answers are known, and print how good the answers are",
        description="Ask questions whose answers are known, and print how good the answers are, next to plain BM25.",
    )
    parser.add_argument(
        "desk", choices=["linux", "book", "reasoning", "templates"], help="whose questions they are"
    )
    parser.add_argument(
        "--questions",
        type=Path,
        action="append",
        required=True,
        metavar="FILE.jsonl",
        help="one JSON object a line: question, gold, must_contain, answerable (linux); question, gold_files, gold_phrase, answerable (book); query, expected (reasoning); query, relevant (templates); may be given again",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument(
        "--worst",
        type=_at_least(0),
        nargs="?",
        const=WORST,
        metavar="N",
        help=f"also the N worst questions, with what came instead ({WORST})",
    )
    parser.add_argument(
        "--limit", type=_at_least(1), metavar="N", help="ask N questions only, spread evenly over the files"
    )
    parser.add_argument(
        "--bootstrap",
        type=_at_least(0),
        default=RESAMPLES,
        metavar="N",
        help="resamples for the intervals (%(default)s), 0 for no intervals",
    )
    parser.add_argument("--book", type=Path, metavar="DIR", help="the book that questions are put to (book)")
    parser.add_argument(
        "--exclude",
        action="append",
        metavar="PATTERN",
        help="files that are not part of the book (SOURCE.md); may be given again",
    )
    _reason.add_templates_flag(parser)
    _templates.add_folder_flags(parser)
    _reason.add_embedder_flag(parser)
    parser.set_defaults(run=evaluate)


def evaluate(arguments: argparse.Namespace) -> int:
    """Ask the library, and print.

    Raises:
        VademecumError: A file of questions or the index cannot be used.
    """
    if arguments.desk == "book":
        return _evaluate_book(arguments)
    if arguments.desk == "reasoning":
        return _evaluate_reasoning(arguments)
    if arguments.desk == "templates":
        return _evaluate_templates(arguments)
    questions = chosen(arguments)  # before the library is loaded: a bad file is said at once

    from vademecum.answering.render import render_plain  # noqa: PLC0415 - `vademecum --help` needs no engine
    from vademecum.library import Library  # noqa: PLC0415 - the same

    return show(arguments, run(Library.open(), render_plain, questions, progress=_progress()))


def _evaluate_book(arguments: argparse.Namespace) -> int:
    """Index a book, ask it, and print."""
    from vademecum.desks.book import evaluate as desk  # noqa: PLC0415 - the other desks need none of it
    from vademecum.desks.book.report import render  # noqa: PLC0415 - the same

    if arguments.book is None:
        raise ConfigError(
            "There is no book to put the questions to.",
            hint="Name its folder: vademecum eval book --book DIR",
        )
    questions = spread(
        [question for path in arguments.questions for question in desk.read_questions(path)], arguments.limit
    )
    exclude = arguments.exclude if arguments.exclude is not None else ["SOURCE.md"]
    outcomes = desk.run(arguments.book, questions, exclude=exclude, progress=_progress())
    figures = desk.summarise(outcomes, resamples=arguments.bootstrap, worst=arguments.worst)
    print(json.dumps(figures, allow_nan=False) if arguments.json else render(figures))
    return 0


def _evaluate_reasoning(arguments: argparse.Namespace) -> int:
    """Ask the templates, and print."""
    from vademecum.desks.reasoning import evaluate as desk  # noqa: PLC0415 - the other desk needs none of it
    from vademecum.desks.reasoning.report import render  # noqa: PLC0415 - the same

    queries = spread(
        [query for path in arguments.questions for query in desk.read_queries(path)], arguments.limit
    )
    outcomes = desk.run(_reason.templates_of(arguments), queries)
    figures = desk.summarise(outcomes, resamples=arguments.bootstrap, worst=arguments.worst)
    print(json.dumps(figures, allow_nan=False) if arguments.json else render(figures))
    return 0


def _evaluate_templates(arguments: argparse.Namespace) -> int:
    """Ask for image templates, and print."""
    from vademecum.desks.composer import evaluate as desk  # noqa: PLC0415 - the other desks need none of it

    queries = spread(
        [query for path in arguments.questions for query in desk.read_queries(path)], arguments.limit
    )
    library = _templates.library_of(arguments)
    outcomes = desk.run(library, queries, _templates.search_settings(), progress=_progress())
    figures = desk.summarise(outcomes, resamples=arguments.bootstrap, worst=arguments.worst)
    print(json.dumps(figures, allow_nan=False) if arguments.json else desk.render(figures))
    return 0


def chosen(arguments: argparse.Namespace) -> Sequence[Question]:
    """The questions to ask, of all files."""
    questions = [question for path in arguments.questions for question in read_questions(path)]
    return spread(questions, arguments.limit)


def show(arguments: argparse.Namespace, results: Sequence[Result]) -> int:
    """Print what came, and return the exit code."""
    report = summarise(results, resamples=arguments.bootstrap, worst_limit=arguments.worst)
    if arguments.json:
        print(json.dumps(report.to_dict(), allow_nan=False))
    else:
        print(render(report, title="Manual pages", baseline=BASELINE), end="")
    return 0


def spread(items: Sequence[Item], limit: int | None) -> Sequence[Item]:
    """At most `limit` of the items, evenly over all of them and in their order; all if it is `None`."""
    if limit is None or limit >= len(items):
        return items
    return [items[place * len(items) // limit] for place in range(limit)]


def _at_least(least: int) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is less than {least}")
        return number

    return whole_number


def _progress() -> Callable[[int, int], None]:
    """What shows how far it is, on one line of the terminal; nothing where there is none."""
    if not sys.stderr.isatty():
        return lambda _done, _total: None

    def show(done: int, total: int) -> None:
        line = f"\r{done} of {total} questions" if done < total else "\r\x1b[K"
        print(line, end="", file=sys.stderr, flush=True)

    return show
