"""The same answers as before? Records the answers to many questions through every door, and compares two recordings.

    python benchmarks/golden.py record before.jsonl --data DIR --book DIR   # once before a change
    python benchmarks/golden.py record after.jsonl --data DIR --book DIR    # and once after it
    python benchmarks/golden.py compare before.jsonl after.jsonl

`--data` is a data folder (`XDG_DATA_HOME`) that `ragadmin reindex` has filled; it gets the questions about Linux, through `Library.ask`,
`ask_stream` with a scripted model, and `search`. `--book` is a folder of Markdown, indexed into a temporary folder; it gets the
questions about books, through `/ask`, `/ask` on a selection, `Library.ask` and `passages`. A change that should move no
answer ends with 0 differences; of any other, the differences are what to read.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vademecum import Collections, Places, VademecumError
from vademecum.core.answers import to_dict
from vademecum.desks.book.ask import ask_book
from vademecum.desks.book.books import add_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.reply import Ask
from vademecum.desks.book.settings import BookSettings
from vademecum.files.places import default_places
from vademecum.library.internal import InternalLibrary
from vademecum.testing.model import ScriptedModel, passages_in, said, statement, written
from vademecum.testing.scripted import Request, Visit

QUESTIONS = Path(__file__).parent / "questions"
Json = dict[str, Any]


def main() -> None:
    """Record, or compare."""
    parser = argparse.ArgumentParser(
        description="Record the answers to many questions, and compare recordings."
    )
    kinds = parser.add_subparsers(dest="kind", required=True)
    recording = kinds.add_parser("record", help="ask, and write the answers to a file")
    recording.add_argument("file", type=Path)
    recording.add_argument("--data", type=Path, help="a data folder with an index of manual pages")
    recording.add_argument("--book", type=Path, help="a folder of Markdown")
    recording.add_argument("--most", type=int, default=500, help="questions to each of both (%(default)s)")
    comparing = kinds.add_parser("compare", help="how two recordings differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    asked = parser.parse_args()
    if asked.kind == "record":
        record(asked.file, asked.data, asked.book, asked.most)
    else:
        sys.exit(1 if compare(load(asked.before), load(asked.after)) else 0)


def questions(pattern: str, most: int) -> list[str]:
    """Questions of these files, the same ones each time."""
    files = sorted(QUESTIONS.glob(pattern))
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    found = list(dict.fromkeys(json.loads(line)["question"] for line in lines))
    return random.Random(0).sample(found, min(most, len(found)))  # noqa: S311 - the same every time


def record(file: Path, data: Path | None, book: Path | None, most: int) -> None:
    """Ask each question through each door, and write each answer, or error, as a line."""
    with (
        file.open("w", encoding="utf-8") as out,
        tempfile.TemporaryDirectory(prefix="vademecum-golden-") as folder,
        ScriptedModel(_quoting) as model,
    ):
        asked: list[tuple[str, dict[str, Door]]] = []
        if data:
            asked.append(("linux_*.jsonl", _doors_of_library(data, model)))
        if book:
            asked.append(("book*.jsonl", _doors_of_book(book, Path(folder))))
        for pattern, doors in asked:
            for question in questions(pattern, most):
                for name, door in doors.items():
                    try:
                        answer = door(question)
                    except VademecumError as error:
                        answer = {"error": f"{type(error).__name__}: {error}"}
                    out.write(json.dumps({"question": question, "door": name, "answer": answer}) + "\n")


Door = Callable[[str], Json]


def _doors_of_library(data: Path, model: ScriptedModel) -> dict[str, Door]:
    library = InternalLibrary(default_places()._replace(data=data / "ragcli"))

    def stream(question: str) -> Json:
        with library.ask_stream(question, model=model.settings) as statements:
            texts = [statement.text for statement in statements]
            return {"statements": texts, **to_dict(statements.answer)}

    return {
        "ask": lambda question: to_dict(library.ask(question)),
        "stream": stream,
        "search": lambda question: {"hits": [asdict(hit) for hit in library.search(question)]},
    }


def _doors_of_book(book: Path, folder: Path) -> dict[str, Door]:
    collections = Collections(folder / "books")
    added, _ = add_book(collections, book, name="book", exclude=["SOURCE.md"])
    desk = Desk(collections, BookSettings(cached=0))
    notes = InternalLibrary.open(Places(data=folder / "data", config=folder / "config"))
    for entry in notes.sources():
        notes.remove_source(entry.alias)
    notes.add_source(book, type="docs", exclude=["SOURCE.md"])
    notes.reindex()

    def selection(question: str) -> Json:
        """Asked of the passage that fits best, which holds the answer of most questions, and of some does not."""
        passages = added.library.passages(question, limit=1)
        text = passages[0].text if passages else "Nothing."
        return ask_book(Ask(query=question, mode="selected-text", selected_text=text), desk).to_dict()

    return {
        "book": lambda question: ask_book(Ask(query=question), desk).to_dict(),
        "selection": selection,
        "notes": lambda question: to_dict(notes.ask(question)),
        "passages": lambda question: {"hits": [asdict(hit) for hit in notes.passages(question)]},
    }


def _quoting(visit: Visit, request: Request) -> None:
    """A model that says the beginning of the first passage it is shown, and something that is in none."""
    passages = passages_in(request)
    number, text = next(iter(passages.items()), (1, "Nothing."))
    sentence = text.partition("\n")[0][:200]
    said(written(statement(sentence, number), statement("It was written in 1066.", number)))(visit, request)


Key = tuple[str, str]
"""A door, and a question."""


def load(file: Path) -> dict[Key, Json]:
    """A recording: the answer to each question through each door."""
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {(line["door"], line["question"]): line["answer"] for line in lines}


def compare(before: dict[Key, Json], after: dict[Key, Json]) -> int:
    """Print how the answers differ; returns how many do, or are in one recording only."""
    fields: dict[str, Counter[str]] = {}
    asked = Counter(door for door, _ in before.keys() & after.keys())
    differ = len(before.keys() ^ after.keys())
    for door, question in sorted(before.keys() & after.keys()):
        found = sorted(differences(before[door, question], after[door, question]))
        differ += bool(found)
        if found:
            fields.setdefault(door, Counter()).update(["answers", *found])
            print(f"{door}: {question}\n    {', '.join(found)}")
    for door, count in sorted(asked.items()):
        print(f"{door}: {count} answers in both, different: {dict(fields.get(door, {})) or 'none'}")
    if missing := len(before.keys() ^ after.keys()):
        print(f"{missing} answers are in one recording only.")
    return differ


def differences(before: Json, after: Json) -> Iterator[str]:
    """The fields in which two answers differ, but for what is new each time."""
    for field in before.keys() | after.keys():
        if before.get(field) != after.get(field) and field not in {
            "took_ms",
            "latency_ms",
            "answer_id",
            "trace_id",
            "built",
        }:
            yield field


if __name__ == "__main__":
    main()
