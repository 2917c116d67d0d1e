"""Which sentences of a model are shown as written: of those with planted faults, and of faithful ones.

    python benchmarks/verification.py [--questions FILE] [--json]

`verification/README.md` describes the sets. Sentences that are not shown as written are replaced by the line that they cite.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planted import FAITHFUL, Planted, load
from records import circumstances, save

SETS = Path(__file__).parent / "verification"


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="some answers, to see that it works")
    parser.add_argument("--questions", type=Path, help="other answers, in the format of planted.jsonl")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON, and keep none")
    arguments = parser.parse_args()
    files = [arguments.questions] if arguments.questions else sorted(SETS.glob("*.jsonl"))
    results = {file.stem: measured(list(load(file))[: 20 if arguments.quick else None]) for file in files}
    if arguments.json:
        print(json.dumps(results, indent=1))
        return
    for name, figures in results.items():
        print(
            f"\n{name}: faults as written {figures['faults']:.1%}, faithful sentences {figures['faithful']:.1%}"
        )
        for kind, (kept, count) in figures["kinds"].items():
            print(f"  {kind:<32} {kept} of {count}")
    if not arguments.questions:
        print(
            f"\nkept in {save('verification', {'measured': circumstances(quick=arguments.quick), **results})}"
        )


def measured(answers: Sequence[Planted]) -> dict[str, Any]:
    """Return the shares of sentences shown as written, the counts by kind, and the time of a sentence in milliseconds."""
    shown: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    began_s = time.process_time()
    for answer in answers:
        for sentence in answer.sentences:
            is_faithful = sentence.fault == FAITHFUL
            kinds = ["faithful", sentence.note] if is_faithful else ["faults", sentence.fault]
            counts.update(kinds)
            shown.update(kinds if sentence.is_said(answer) else [])
    spent_s = time.process_time() - began_s
    return {
        "faults": shown["faults"] / counts["faults"],
        "faithful": shown["faithful"] / counts["faithful"],
        "milliseconds": 1000 * spent_s / (counts["faults"] + counts["faithful"]),
        "kinds": {kind: (shown[kind], count) for kind, count in counts.most_common(12)},
    }


if __name__ == "__main__":
    main()
