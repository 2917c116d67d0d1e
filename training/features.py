"""Measures the candidates of development questions with a given word table, for fitting the second stage.

    python training/features.py --index DIR --table words.bin --parts fit --out fit.pickle

The index's own dense vectors are not used: pages are embedded here with the table that was asked for, so that
tables can be compared without building an index for each.
"""

import argparse
import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from questions import development_questions

from vademecum.core.candidates import Place
from vademecum.library.generations import Generations
from vademecum.library.index import Index
from vademecum.providers.builtin import WordTable
from vademecum.retrieval.collect import collect
from vademecum.retrieval.features import FEATURES, measure
from vademecum.retrieval.meaning import NAMES, terms_of
from vademecum.retrieval.question import analyse


class WithTable(Index):
    """An open index whose dense vectors are another table's."""

    def __init__(self, folder: Path, table: Path) -> None:
        generations = Generations(folder)
        super().__init__(generations.current(), generations)
        self._other = WordTable(table)
        self._places = [
            Place(position, number)
            for position, segment in enumerate(self.segments)
            for number in range(len(segment.flat))
            if number not in segment.dead
        ]
        self._rows = {place: row for row, place in enumerate(self._places)}
        self._matrices = {
            name: np.zeros((len(self._places), WordTable.dimensions), np.float32) for name in NAMES
        }
        for row, place in enumerate(self._places):
            entry = self.segments[place.segment].flat.entry(place.document)
            for name, terms in terms_of(entry).items():
                self._matrices[name][row] = self._other.embed(terms)

    def embed(self, terms: Iterable[str]) -> list[float]:
        """See `SearchIndex`."""
        return self._other.embed(terms)

    def nearest(self, meaning: str, vector: list[float], limit: int) -> list[tuple[Place, float]]:
        """See `SearchIndex`."""
        cosines = self._matrices[meaning] @ np.array(vector, np.float32)
        best = np.argpartition(-cosines, limit)[:limit]
        return [(self._places[row], float(cosines[row])) for row in best[np.argsort(-cosines[best])]]

    def nearness(self, meaning: str, vector: list[float], places: Sequence[Place]) -> list[float]:
        """See `SearchIndex`."""
        rows = [self._rows[place] for place in places]
        return [float(one) for one in self._matrices[meaning][rows] @ np.array(vector, np.float32)]


def main() -> None:
    """Measure every question of the parts asked for, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--parts", required=True, help="comma-separated")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--share", default="0/1", help="k/n: every n-th question from the k-th, to use two cores"
    )
    args = parser.parse_args()
    index = WithTable(args.index, args.table)
    first, step = map(int, args.share.split("/"))
    rows = []
    for question in list(development_questions())[first::step]:
        if question.part in args.parts.split(","):
            analysed = analyse(question.text, index)
            measured = measure(analysed, collect(analysed, index), index)
            features = np.array([candidate.features for candidate in measured], np.float32)
            right = np.array([bool(set(question.gold) & set(one.page.names)) for one in measured])
            references = [one.page.reference for one in measured]
            rows.append((question, references, features, right))
    with args.out.open("wb") as file:
        pickle.dump((FEATURES, [(tuple(question), *rest) for question, *rest in rows]), file)
    print(f"{len(rows)} questions")


if __name__ == "__main__":
    main()
