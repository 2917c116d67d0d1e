"""The same answers as before? Records the answers to many questions, and compares two recordings.

    python benchmarks/golden.py record before.jsonl --data DIR      # once before a change, with a library in DIR
    python benchmarks/golden.py record after.jsonl --data DIR       # and once after it
    python benchmarks/golden.py compare before.jsonl after.jsonl

`DIR` is a data folder (`XDG_DATA_HOME`) that `ragadmin reindex` has filled. A change that should move no answer ends
with 0 differences; of any other, the differences are what to read.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vademecum import Library, VademecumError
from vademecum.answering.render import to_dict
from vademecum.library.places import default_places

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
    recording.add_argument("--data", type=Path, required=True, help="the data folder")
    recording.add_argument(
        "--questions", nargs="+", default=["linux_*.jsonl", "book*.jsonl"], metavar="PATTERN"
    )
    recording.add_argument("--most", type=int, default=400, help="how many, by chance (%(default)s)")
    comparing = kinds.add_parser("compare", help="how two recordings differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    asked = parser.parse_args()
    if asked.kind == "record":
        record(asked.file, asked.data, questions(asked.questions, asked.most))
    else:
        sys.exit(1 if compare(load(asked.before), load(asked.after)) else 0)


def questions(patterns: list[str], most: int) -> list[str]:
    """Questions of these files, the same ones each time."""
    files = sorted(file for pattern in patterns for file in QUESTIONS.glob(pattern))
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    found = list(dict.fromkeys(json.loads(line)["question"] for line in lines))
    return random.Random(0).sample(found, min(most, len(found)))  # noqa: S311 - the same every time


def record(file: Path, data: Path, asked: list[str]) -> None:
    """Ask each question, and write each answer, or error, as a line."""
    places = default_places()._replace(data=data / "ragcli")
    library = Library(places)
    with file.open("w", encoding="utf-8") as out:
        for question in asked:
            try:
                answer: Json = to_dict(library.ask(question))
            except VademecumError as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            out.write(json.dumps({"question": question, "answer": answer}) + "\n")


def load(file: Path) -> dict[str, Json]:
    """A recording: the answer to each question."""
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {line["question"]: line["answer"] for line in lines}


def compare(before: dict[str, Json], after: dict[str, Json]) -> int:
    """Print how the answers differ; returns how many do."""
    fields: Counter[str] = Counter()
    differ = 0
    for question in before.keys() & after.keys():
        found = sorted(differences(before[question], after[question]))
        differ += bool(found)
        fields.update(found)
        if found:
            print(f"{question}\n    {', '.join(found)}")
    print(f"{len(before.keys() & after.keys())} questions in both, {differ} answers differ: {dict(fields)}")
    return differ


def differences(before: Json, after: Json) -> Iterator[str]:
    """The fields in which two answers differ; of the citations only whether their documents do."""
    for field in before.keys() | after.keys():
        if before.get(field) != after.get(field) and field not in {
            "took_ms",
            "latency_ms",
            "answer_id",
            "built",
        }:
            yield field


if __name__ == "__main__":
    main()
