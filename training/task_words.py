"""Fits the word vectors that tasks are compared by: `src/vademecum/providers/builtin/tasks.bin`.

    python training/task_words.py --out src/vademecum/providers/builtin/tasks.bin

The table of `embedder.py`, trained further on the phrasings of the book: two phrasings of one task lie nearer than those of other tasks
(symmetric InfoNCE within the batch, with words dropped; van den Oord et al. 2018). Only the words of the book are stored. Neither titles nor
questions are among the pairs. Afterwards, all recipes of manual pages are fitted again.
"""

import argparse
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
from embedder import SEED, Adam, Bags, contrast, dropped, normalised, through_norm, update, write_table

from vademecum.core.passages import Wording
from vademecum.providers.builtin.embedder import DIMENSIONS, HEADER, WORDS
from vademecum.retrieval.meaning import SMALL, task_terms
from vademecum.sources.man.tasks import BOOK, read_book
from vademecum.text.words import number, terms

_EPOCHS, _BATCH, _RATE = 8, 1024, 0.006


def base_table() -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the words of the general table, and their vectors."""
    data = WORDS.read_bytes()
    _, _, words, buckets = HEADER.unpack_from(data)
    numbers = np.frombuffer(data, "<u4", words, HEADER.size)
    scales = np.frombuffer(data, "<f4", words, HEADER.size + 4 * words)
    start = HEADER.size + 8 * words + 4 * buckets
    rows = np.frombuffer(data, "i1", DIMENSIONS * words, start).reshape(words, DIMENSIONS)
    return numbers, rows.astype(np.float32) * scales[:, None]


def pairs(tasks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Each phrasing with another one of its task, in random order: shape (n, 2)."""
    of_task = defaultdict(list)
    for phrasing in generator.permutation(len(tasks)):
        of_task[tasks[phrasing]].append(phrasing)
    found = [pair for own in of_task.values() for pair in pairwise(own)]
    return np.array(found)[generator.permutation(len(found))]


def train(bags: Bags, tasks: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The table after all epochs."""
    generator = np.random.default_rng(SEED)
    adam = Adam(table.copy(), 0.0)
    for epoch in range(_EPOCHS):
        found = pairs(tasks, generator)
        losses = []
        for start in range(0, len(found) - _BATCH, _BATCH):
            left, right = found[start : start + _BATCH].T
            one, other = dropped(bags.matrix[left], generator), dropped(bags.matrix[right], generator)
            (a, a_length), (b, b_length) = normalised(one @ adam.table), normalised(other @ adam.table)
            same = tasks[left][:, None] == tasks[left][None, :]
            np.fill_diagonal(same, val=False)
            loss, to_a, to_b = contrast(a, b, same)
            losses.append(loss)
            rate = _RATE * (1 - (epoch + start / len(found)) / _EPOCHS) + 1e-6
            update(adam, one, through_norm(to_a, a, a_length), rate)
            update(adam, other, through_norm(to_b, b, b_length), rate)
        print(f"  epoch {epoch}: {np.mean(losses):.3f}", flush=True)
    return adam.table


def main() -> None:
    """Train, and write the words of the book."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    books = [read_book(path.read_text(encoding="utf-8")) for path in sorted(BOOK.glob("*.txt"))]
    phrasings = [task.phrasings for book in books for task in book if task.line and len(task.phrasings) > 1]
    texts = [said for of_task in phrasings for said in of_task]
    tasks = np.repeat(np.arange(len(phrasings)), [len(of_task) for of_task in phrasings])
    numbers, table = base_table()
    small = [number(term) for term in dict.fromkeys(SMALL.values())]
    numbers = np.append(numbers, np.array(small, np.uint32))
    blank = np.random.default_rng(SEED).normal(0, 0.02, (len(small), DIMENSIONS)).astype(np.float32)
    table = np.vstack([table, blank])
    rows = {int(one): row for row, one in enumerate(numbers)}
    bags = Bags(texts, rows, lambda text: task_terms(Wording(text, terms(text))))
    print(f"{len(phrasings):,} tasks, {len(texts):,} phrasings")
    trained = train(bags, tasks, table)
    used = np.unique(bags.matrix.indices)
    write_table(args.out, [int(one) for one in numbers[used]], trained[used], np.zeros((0, DIMENSIONS)))
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.1f} MB, {len(used):,} words")


if __name__ == "__main__":
    main()
