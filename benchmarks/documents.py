"""Asks questions about public documentation, and counts the answers whose first 300 characters hold what is asked.

    python benchmarks/documents.py DIR [DIR...] [--out FILE]

Each folder has collections, which `benchmarks/README.md` lists, in subfolders with their names. The questions are `questions/documents.jsonl`; those about
collections that are not there are not asked. A guess counts as shown, and not as an answer.
"""

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vademecum import Library
from vademecum.ask.running_text.passages import find_plain
from vademecum.core.answers import Answer, layout_of
from vademecum.evaluation.metrics import ece

QUESTIONS = Path(__file__).parent / "questions/documents.jsonl"
SHOWN, IN = 300, 5
_BANDS = ((0.85, 1.01, "sure"), (0.6, 0.85, "likely"), (0.0, 0.6, "a guess"))


def text_of(answer: Answer) -> str:
    """Return the text of an answer in the order in which it is shown."""
    layout = layout_of(answer)
    said = (part for shown in (*layout.first, *layout.parts) for part in (shown.text, shown.command))
    return "\n".join(filter(None, said))


def holds(question: dict[str, Any], text: str, reference: str) -> bool:
    """Return whether a text from a file has what the answer of a question must have."""
    flags = re.IGNORECASE | re.DOTALL
    return bool(
        re.search(question["answer_has"], text, flags) and re.search(question["file"], reference, flags)
    )


def asked(folder: Path, questions: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Ask the questions about a collection, and yield what came of each."""
    with TemporaryDirectory() as place, Library.open(Path(place)) as library:
        library.add(folder)
        index = library._opened().parts()[0]  # noqa: SLF001 - for the passages of the baseline
        for question in questions:
            started = time.process_time()
            answer = library.ask(question["question"])
            spent = time.process_time() - started
            cited = answer.citations[0].document_ref if answer.citations else ""
            ours = library.passages(question["question"], limit=IN)
            plain = find_plain(index, question["question"], IN)
            yield {
                **question,
                "text": text_of(answer),
                "is_answer": not answer.no_answer,
                "confidence": answer.confidence,
                "right": question["answerable"] and holds(question, text_of(answer)[:SHOWN], cited),
                "found": any(holds(question, hit.text, hit.reference) for hit in ours),
                "found_plain": any(holds(question, hit.text, hit.reference) for hit in plain),
                "seconds": spent,
            }


def report(name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print the counts of some questions."""
    yes, no = [row for row in rows if row["answerable"]], [row for row in rows if not row["answerable"]]
    print(
        f"{name:18} {len(yes):4}  right {sum(row['right'] for row in yes):4}  as an answer "
        f"{sum(row['right'] and row['is_answer'] for row in yes):4}  in {IN} {sum(row['found'] for row in yes):4}  BM25 "
        f"{sum(row['found_plain'] for row in yes):4}   unanswerable {len(no):3}  answered {sum(row['is_answer'] for row in no):3}"
    )


def main() -> None:
    """Ask all questions, and print the counts by collection and by certainty."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    by_collection = defaultdict(list)
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        by_collection[json.loads(line)["collection"]].append(json.loads(line))
    rows: list[dict[str, Any]] = []
    for name, questions in sorted(by_collection.items()):
        for folder in (folder / name for folder in args.folders if (folder / name).is_dir()):
            of_collection = list(asked(folder, questions))
            report(name, of_collection)
            rows += of_collection
    report("all", rows)
    shown = [row for row in rows if row["text"]]
    for least, most, word in _BANDS:
        inside = [row["right"] for row in shown if least <= row["confidence"] < most]
        print(f"{word}: {sum(inside)} of {len(inside)} right")
    print(f"ECE {ece([(row['confidence'], bool(row['right'])) for row in shown]):.3f}")
    print(f"{1000 * sum(row['seconds'] for row in rows) / len(rows):.0f} ms of processor time a question")
    if args.out:
        args.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
