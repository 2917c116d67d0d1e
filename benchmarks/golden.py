"""Are the answers the same as before? Records the answers to many questions through every door, and compares them later.

    make golden                     # the first time it records, afterwards it compares
    make golden ARGS=--record       # records again

A change that only moves code ends with no difference, byte for byte; of any other, the differences are what to read. All
happens in one process. Times and random ids are left out. Manual pages are those of the index of this machine
(`ragadmin reindex`); without one, a small index of its pages is built, and kept. `--book` is a folder of Markdown, by
default the book of the benchmarks, or a copy of this project's documentation.
"""

import argparse
import io
import json
import os
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vademecum import Collections, Places, VademecumError
from vademecum.cli.ragman import run as ragman
from vademecum.core.answers import to_dict
from vademecum.desks.book.ask import ask_book
from vademecum.desks.book.books import add_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.reply import Ask
from vademecum.desks.book.settings import BookSettings
from vademecum.desks.chat.chat import chat
from vademecum.desks.chat.load import built_in
from vademecum.desks.chat.reply import ChatRequest
from vademecum.desks.chat.resources import Resources
from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.draft import Around
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.settings import CacheSettings, ComposerSettings, SessionSettings
from vademecum.files.places import default_places
from vademecum.library.internal import InternalLibrary
from vademecum.server.guard.authorization import HERE as CALLER
from vademecum.server.mcp import AskFor, here
from vademecum.testing.model import ScriptedModel, passages_in, said, statement, written
from vademecum.testing.scripted import Request, Visit

HERE = Path(__file__).parent
FOLDER = HERE.parent / "build" / "golden"
BOOK = HERE.parents[1] / "shared" / "data" / "book"
MANUAL = Path("/usr/share/man")
PAGES = 600
LINUX, OF_BOOK, IMAGES = 500, 500, 385
EACH = 5
"""Doors that repeat what another door shows get every second or fifth question."""

NEW_EACH_TIME = {"took_ms", "latency_ms", "answer_id", "trace_id", "built", "duration_ms"}

Json = dict[str, Any]
Door = Callable[[str], Any]
Key = tuple[str, str]
"""A door, and a question."""


def main() -> None:
    """Record, or compare with what was recorded."""
    parser = argparse.ArgumentParser(
        description="Record the answers to many questions, or compare them with those recorded."
    )
    parser.add_argument("--record", action="store_true", help="record again")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="what is kept (%(default)s)")
    parser.add_argument("--book", type=Path, default=BOOK, help="a folder of Markdown (%(default)s)")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="ask every N-th question only")
    asked = parser.parse_args()
    os.environ["VADEMECUM_EMBEDDING"] = "off"  # else answers depend on how far a background process is
    file: Path = asked.folder / "answers.jsonl"
    is_first = asked.record or not file.exists()
    before = {} if is_first else load(file)
    now = answers(asked.folder, asked.book, asked.share)
    if is_first:
        file.write_text("".join(json.dumps([*key, said], sort_keys=True) + "\n" for key, said in now.items()))
        print(f"Recorded {len(now)} answers in {file}.")
        return
    if before["", "index"] != now["", "index"]:
        sys.exit(
            "The index has changed since the answers were recorded. Record them on the commit before: make golden ARGS=--record"
        )
    sys.exit(1 if compare(before, now) else 0)


def answers(folder: Path, book: Path, share: int) -> dict[Key, Any]:
    """Ask each question through each door, and return each answer, or error."""
    found: dict[Key, Any] = {}
    with ScriptedModel(_quoting) as model:
        places = manual_places(folder)
        manual = InternalLibrary(places)
        found["", "index"] = sorted(entry.alias + entry.checksum for entry in manual.sources())
        tables = (
            (questions("linux_*.jsonl", LINUX), _doors_of_library(manual, model)),
            (questions("book*.jsonl", OF_BOOK), _doors_of_book(book, folder)),
            (image_requests(), _doors_of_composer()),
        )
        for asked, doors in tables:
            for number, question in enumerate(asked[::share]):
                for name, (door, every) in doors.items():
                    if number % every == 0:
                        found[name, question] = _answer(door, question)
    return found


def _answer(door: Door, question: str) -> Any:
    try:
        return without_times(json.loads(json.dumps(door(question))))
    except VademecumError as error:
        return f"{type(error).__name__}: {error}"


def without_times(data: Any) -> Any:
    """Return plain data without what is new each time."""
    if isinstance(data, dict):
        return {key: without_times(value) for key, value in data.items() if key not in NEW_EACH_TIME}
    return [without_times(each) for each in data] if isinstance(data, list) else data


def questions(pattern: str, most: int) -> list[str]:
    """Return questions of these files, the same ones each time."""
    files = sorted((HERE / "questions").glob(pattern))
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    found = list(dict.fromkeys(json.loads(line)["question"] for line in lines))
    return random.Random(0).sample(found, min(most, len(found)))  # noqa: S311 - the same every time


def image_requests() -> list[str]:
    """Return requests to the image composer."""
    files = (HERE / "composer" / f"{name}.jsonl" for name in ("requests", "strangers", "strangers_later"))
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    return list(dict.fromkeys(json.loads(line)["request"] for line in lines))[:IMAGES]


# --- doors ---


def manual_places(folder: Path) -> Places:
    """Return the places of this machine's index, or of a small one that is built here."""
    usual = default_places()
    if (usual.data / "index" / "CURRENT").exists():
        return usual
    os.environ |= {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    places = default_places()
    if (places.data / "index" / "CURRENT").exists():
        return places
    pages = sorted(MANUAL.glob("man[158]/*"), key=lambda page: ("-" in page.name, page.name))[:PAGES]
    for page in pages:
        (folder / "manual" / page.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copy(page, folder / "manual" / page.parent.name)
    library = InternalLibrary.open(places)
    for entry in library.sources():
        library.remove_source(entry.alias)
    library.add_source(folder / "manual" if pages else HERE.parent / "tests/data/manual", type="man")
    library.reindex()
    return places


def _doors_of_library(library: InternalLibrary, model: ScriptedModel) -> Mapping[str, tuple[Door, int]]:
    def stream(question: str) -> Json:
        with library.ask_stream(question, model=model.settings) as statements:
            texts = [statement.text for statement in statements]
            return {"statements": texts, **to_dict(statements.answer)}

    def command(question: str) -> str:
        with redirect_stdout(io.StringIO()) as printed:
            ragman(["--no-service", "--", question])
        return printed.getvalue()

    tools = here()
    return {
        "ragman": (command, 1),
        "library": (lambda question: to_dict(library.ask(question)), 2),
        "stream": (stream, EACH),
        "search": (lambda question: [asdict(hit) for hit in library.search(question)], EACH),
        "mcp": (lambda question: tools.ask(CALLER, AskFor(question=question), lambda _stream: None), EACH),
    }


def _doors_of_book(book: Path, folder: Path) -> Mapping[str, tuple[Door, int]]:
    if not book.is_dir():
        book = folder / "documentation"
        if not book.exists():
            shutil.copytree(HERE.parent / "docs", book)
    collections = Collections(folder / "books")
    if not (folder / "books").exists():
        add_book(collections, book, name="book", exclude=["SOURCE.md"])
    added = collections.get("book")
    desk = Desk(collections, BookSettings(cached=0))
    resources = Resources(built_in(), collections)

    def selection(question: str) -> Json:
        """Asked of the passage that fits best, which holds the answer of most questions, and of some does not."""
        passages = added.library.passages(question, limit=1)
        text = passages[0].text if passages else "Nothing."
        return ask_book(Ask(query=question, mode="selected-text", selected_text=text), desk).to_dict()

    return {
        "ask": (lambda question: ask_book(Ask(query=question), desk).to_dict(), 1),
        "selection": (selection, EACH),
        "chat": (lambda question: chat(ChatRequest(message=question), resources).to_dict(), 2),
        "passages": (lambda question: [asdict(hit) for hit in added.library.passages(question)], EACH),
    }


def _doors_of_composer() -> Mapping[str, tuple[Door, int]]:
    settings = ComposerSettings(
        provider="none", cache=CacheSettings(enabled=False), session=SessionSettings(persist=False)
    )
    agent = Agent(Around(library=TemplateLibrary.open(), settings=settings, index=None))

    def draft(request: str) -> Json:
        made = agent.draft(agent.read(request))
        outcomes = [[outcome.wish.said, outcome.state, outcome.says] for outcome in made.outcomes]
        return {"template": made.document.text, "outcomes": outcomes, "notes": made.notes}

    return {"image": (draft, 1)}


def _quoting(visit: Visit, request: Request) -> None:
    """A model that says the beginning of the first passage it is shown, and something that is in none."""
    passages = passages_in(request)
    number, text = next(iter(passages.items()), (1, "Nothing."))
    sentence = text.partition("\n")[0][:200]
    said(written(statement(sentence, number), statement("It was written in 1066.", number)))(visit, request)


# --- recordings ---


def load(file: Path) -> dict[Key, Any]:
    """Return a recording: the answer to each question through each door."""
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {(door, question): answer for door, question, answer in lines}


def compare(before: dict[Key, Any], after: dict[Key, Any]) -> int:
    """Print how the answers differ; returns how many do, or are in one recording only."""
    asked = Counter(door for door, _ in before.keys() & after.keys())
    different: Counter[str] = Counter()
    for door, question in sorted(before.keys() & after.keys()):
        if fields := sorted(differences(before[door, question], after[door, question])):
            different[door] += 1
            print(f"{door}: {question}\n    {', '.join(fields)}")
    for door, count in sorted(asked.items()):
        print(f"{door or 'index'}: {count} answers in both, {different[door] or 'none'} different")
    if missing := len(before.keys() ^ after.keys()):
        print(f"{missing} answers are in one recording only.")
    return different.total() + missing


def differences(before: Any, after: Any) -> Iterator[str]:
    """Yield the fields in which two answers differ; "all" for answers without fields."""
    if isinstance(before, dict) and isinstance(after, dict):
        yield from (field for field in before.keys() | after.keys() if before.get(field) != after.get(field))
    elif before != after:
        yield "all"


if __name__ == "__main__":
    main()
