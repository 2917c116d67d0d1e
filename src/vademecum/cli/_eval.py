"""`vademecum eval`: ask questions whose answers are known, and print how good the answers are."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

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
    parser.add_argument("desk", choices=["linux"], help="whose questions they are")
    parser.add_argument(
        "--questions",
        type=Path,
        action="append",
        required=True,
        metavar="FILE.jsonl",
        help="one JSON object a line: question, gold, must_contain, answerable; may be given again",
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
    parser.set_defaults(run=evaluate)


def evaluate(arguments: argparse.Namespace) -> int:
    """Ask the library, and print.

    Raises:
        VademecumError: A file of questions or the index can not be used.
    """
    questions = chosen(arguments)  # before the library is loaded: a bad file is said at once

    from vademecum.answering.render import render_plain  # noqa: PLC0415 - `vademecum --help` needs no engine
    from vademecum.library import Library  # noqa: PLC0415 - the same

    return show(arguments, run(Library.open(), render_plain, questions, progress=_progress()))


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
