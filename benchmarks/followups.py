"""Follow-ups: how many find a right page in three when they are put so that they stand alone, and how many as asked.

Asks the index that `ragman` asks. `python benchmarks/followups.py [--each]`
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from vademecum.ask.path import is_command
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.library.internal import InternalLibrary
from vademecum.retrieval.question.follow_up import Turn, read

QUESTIONS = Path(__file__).parent / "questions" / "followups.jsonl"
FIRST = 3


def main() -> None:
    """Ask, and print a line a part."""
    library = InternalLibrary.open()
    index = open_index(Generations(library.places.index_folder))
    pairs = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    results: dict[str, list[tuple[bool, bool, bool, bool]]] = {}
    for pair in pairs:
        before = library.ask(pair["previous"])
        turn = Turn(pair["previous"], pair["previous"], tuple(one.document_ref for one in before.references))
        reading = read(pair["question"], [turn], lambda name: is_command(name, index))
        with_it, without = found(library, reading.text), found(library, pair["question"])
        right, plain = (bool({*names} & {*pair["gold"]}) for names in (with_it, without))
        first = bool(with_it) and with_it[0] in pair["gold"]
        noticed = bool(reading.why) == pair["depends"]
        kind = "leans" if pair["depends"] else "alone"
        results.setdefault(f"{pair['part']:8} {kind}", []).append((noticed, plain, right, first))
        if "--each" in sys.argv and pair["part"] == "made":
            print(
                f"{'ok ' if right else 'NO '}{'' if noticed else 'UNNOTICED '}{reading.text!r} {reading.why}"
            )
            print(f"     wanted {pair['gold']}, found {with_it}, as asked {without}")
    print(f"{'part':8} {'kind':6} {'n':>3}  taken right  as asked in 3  put again in 3  put again first")
    for name, rows in sorted(results.items()):
        counts = [share(rows, column) for column in range(4)]
        print(f"{name:15} {len(rows):3}  {counts[0]:>11}  {counts[1]:>13}  {counts[2]:>13}  {counts[3]:>14}")


def found(library: InternalLibrary, question: str) -> list[str]:
    """The references of the best documents."""
    return [hit.reference for hit in library.search(question, limit=FIRST)]


def share(rows: Sequence[tuple[bool, ...]], column: int) -> str:
    """How many of the rows, in percent."""
    return f"{sum(row[column] for row in rows) / len(rows):.0%}"


if __name__ == "__main__":
    main()
