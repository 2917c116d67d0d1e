"""Measures the candidates of development questions with a given word table, for fitting the second stage.

    python training/features.py --index DIR --parts fit --out fit.pickle

With `--embedder onnx` the index is one that was made by that setting, and so are the questions' vectors.
With `--table`, pages are embedded here with another word table than the index's own, so that tables can be
compared without building an index for each.
"""

import argparse
import os
import pickle
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args
from zlib import crc32

import numpy as np
from questions import development_questions

from vademecum.core.candidates import DocumentId, FoundNeed, Page
from vademecum.core.passages import SparseVector, Wording
from vademecum.core.settings import EmbedderName
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.reader.index import Index
from vademecum.providers.builtin import WordTable
from vademecum.retrieval.documents.features import FEATURES, measure
from vademecum.retrieval.documents.ranking import collect
from vademecum.retrieval.meaning import LINE, NEED, line_of
from vademecum.retrieval.question.question import analyse


class WithTable:
    """An open index whose dense vectors are another table's.

    Args:
        index: The index.
        table: The other word table's file.
    """

    def __init__(self, index: Index, table: Path) -> None:
        self._index, self._other = index, WordTable(table)
        self._places = list(index.places())
        self._rows = {place: row for row, place in enumerate(self._places)}
        self._lines = np.zeros((len(self._places), WordTable.dimensions), np.float32)
        for row, place in enumerate(self._places):
            entry = index.segments[place.segment].flat.entry(place.document)
            self._lines[row] = self._other.embed(line_of(entry.title, entry.summary).terms)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def embed(self, terms: Iterable[str]) -> list[float]:
        """See `SearchIndex`."""
        return self._other.embed(terms)

    def vectors(self, question: Wording) -> Mapping[str, list[float]]:
        """See `SearchIndex`."""
        return dict.fromkeys((LINE, NEED), self._other.embed(question.terms))

    def nearest(self, _meaning: str, vector: list[float], limit: int) -> list[tuple[DocumentId, float]]:
        """See `SearchIndex`."""
        cosines = self._lines @ np.array(vector, np.float32)
        best = np.argpartition(-cosines, limit)[:limit]
        return [(self._places[row], float(cosines[row])) for row in best[np.argsort(-cosines[best])]]

    def nearness(self, _meaning: str, vector: list[float], places: Sequence[DocumentId]) -> list[float]:
        """See `SearchIndex`."""
        rows = [self._rows[place] for place in places]
        return [float(one) for one in self._lines[rows] @ np.array(vector, np.float32)]


class WithoutSomeNeeds:
    """An index in which a share of the documents, different ones for each question, have no needs.

    Our needs know the pages of usual systems. Fitted with them alone, the second stage would put whatever
    nobody wrote needs for, a book or an encyclopaedia, behind every page, and take it for no answer.

    Args:
        index: The index.
        question: Which decides by chance.
        share: Of the documents, 0-1.
    """

    def __init__(self, index: Index | WithTable, question: str, share: float) -> None:
        self._index, self._question, self._share = index, question, share

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def needs(self, query: SparseVector, vector: list[float], limit: int) -> list[FoundNeed]:
        """See `SearchIndex`."""
        found = self._index.needs(query, vector, 2 * limit) if self._share < 1 else []
        return [need for need in found if not self._without(need.place)][:limit]

    def page(self, place: DocumentId) -> Page:
        """See `SearchIndex`."""
        page = self._index.page(place)
        return page._replace(needs=0) if self._without(place) else page

    def _without(self, place: DocumentId) -> bool:
        return crc32(f"{self._question}{place}".encode()) % 100 < 100 * self._share


def main() -> None:
    """Measure every question of the parts asked for, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--table", type=Path, help="another word table than the index was made with")
    parser.add_argument("--embedder", choices=get_args(EmbedderName), default="builtin")
    parser.add_argument("--parts", required=True, help="comma-separated")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--share", default="0/1", help="k/n: every n-th question from the k-th, to use two cores"
    )
    parser.add_argument(
        "--without-needs", type=float, default=0.0, help="as if this share of the pages had no needs (0)"
    )
    args = parser.parse_args()
    opened = open_index(Generations(args.index), embedder=args.embedder)
    index = WithTable(opened, args.table) if args.table else opened
    first, step = map(int, args.share.split("/"))
    rows = []
    for question in list(development_questions())[first::step]:
        if question.part in args.parts.split(","):
            asked = (
                WithoutSomeNeeds(index, question.text, args.without_needs) if args.without_needs else index
            )
            analysed = analyse(question.text, asked)
            measured = measure(analysed, collect(analysed, asked), asked)
            features = np.array([candidate.features for candidate in measured], np.float32)
            right = np.array([bool(set(question.gold) & set(one.page.names)) for one in measured])
            references = [one.page.reference for one in measured]
            rows.append((question, references, features, right))
    with args.out.open("wb") as file:
        pickle.dump((FEATURES, [(tuple(question), *rest) for question, *rest in rows]), file)
    print(f"{len(rows)} questions")
    sys.stdout.flush()
    os._exit(0)  # closing the engine would evict the index from the page cache


if __name__ == "__main__":
    main()
