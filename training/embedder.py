"""Trains the static word table of `providers/builtin`: word vectors whose sum means what a sentence means.

    python training/embedder.py --sentences DIR --pairs FILE --out words.bin

Three losses share one table of term vectors (a text's vector is the normalised sum of its terms' vectors):

1. *distil*: each sentence's vector points where MiniLM's does (cosine, and InfoNCE within the batch;
   van den Oord et al. 2018), MiniLM's 384 dimensions brought to 256 by PCA;
2. *pairs*: two texts that belong together (summary and description, heading and body, option and text,
   question and page) lie nearer than others of the batch (symmetric InfoNCE);
3. *unseen*: character n-gram buckets are fitted to the finished word vectors (Bojanowski et al. 2017),
   so that words the table does not have get a vector, too.

Seeded; numpy and scipy only. The result is int8 with one scale a row.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from vademecum.providers.builtin.embedder import BUCKETS, DIMENSIONS, HEADER, MAGIC, buckets_of
from vademecum.text.words import number, terms

SEED = 20261121
VOCABULARY = 34_000
_TEMPERATURE = 0.06
_BATCH = 1024
_DROPPED = 0.3
_PAIR_RATE = 0.3


def load_sentences(folder: Path) -> tuple[list[str], np.ndarray]:
    """Sentences and their teacher vectors, shape (n, 384), from `*.json` and `*.npy` of one stem."""
    texts: list[str] = []
    vectors = []
    for path in sorted(folder.glob("v*.json")):
        part = path.with_suffix(".npy")
        if part.exists():
            texts += json.loads(path.read_text())
            vectors.append(np.load(part).astype(np.float32))
    return texts, np.concatenate(vectors)


def principal_axes(vectors: np.ndarray) -> np.ndarray:
    """The teacher's directions of largest variance, shape (384, DIMENSIONS). Not centred: cosines stay cosines."""
    values, axes = np.linalg.eigh(vectors.T @ vectors / len(vectors))
    kept = axes[:, np.argsort(values)[::-1][:DIMENSIONS]]
    print(
        f"  {values[np.argsort(values)[::-1][:DIMENSIONS]].sum() / values.sum():.3f} of the teacher's energy kept"
    )
    return kept.astype(np.float32)


class Bags:
    """Texts as bags of known terms, as one sparse matrix."""

    def __init__(
        self, texts: list[str], rows: dict[int, int], terms: Callable[[str], Iterable[str]] = terms
    ) -> None:
        data, indices, indptr = [], [], [0]
        for text in texts:
            counts = Counter(rows[n] for n in map(number, terms(text)) if n in rows)
            indices.extend(counts)
            data.extend(min(count, 2) for count in counts.values())
            indptr.append(len(indices))
        self.matrix = csr_matrix(
            (np.array(data, np.float32), np.array(indices), np.array(indptr)), shape=(len(texts), len(rows))
        )


class Adam:
    """Adam that only touches the rows a batch used."""

    def __init__(self, table: np.ndarray, rate: float) -> None:
        self.table, self.rate = table, rate
        self.first, self.second = np.zeros_like(table), np.zeros_like(table)
        self.steps = 0

    def step(self, rows: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        """Move the rows a batch used against their gradient."""
        self.steps += 1
        self.first[rows] = 0.9 * self.first[rows] + 0.1 * gradient
        self.second[rows] = 0.999 * self.second[rows] + 0.001 * gradient**2
        correction = np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        self.table[rows] -= rate * correction * self.first[rows] / (np.sqrt(self.second[rows]) + 1e-8)


def normalised(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows at length 1, and the lengths they had, shape (n, 1)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-6
    return vectors / lengths, lengths


def through_norm(gradient: np.ndarray, unit: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The gradient of the rows before `normalised`, from that of the unit rows."""
    return (gradient - unit * (gradient * unit).sum(1, keepdims=True)) / lengths


def contrast(
    left: np.ndarray, right: np.ndarray, same: np.ndarray | None = None
) -> tuple[float, np.ndarray, np.ndarray]:
    """Symmetric InfoNCE of rows that belong together; `same` marks further pairs that are not negatives."""
    scores = left @ right.T / _TEMPERATURE
    if same is not None:
        scores[same] = -1e9
        np.fill_diagonal(scores, (left * right).sum(1) / _TEMPERATURE)
    count = len(left)
    gradient = np.zeros_like(scores)
    loss = 0.0
    for axis in (1, 0):
        shifted = np.exp(scores - scores.max(axis, keepdims=True))
        share = shifted / shifted.sum(axis, keepdims=True)
        loss -= np.log(np.diagonal(share) + 1e-12).mean()
        share[np.arange(count), np.arange(count)] -= 1
        gradient += share
    gradient /= 2 * count * _TEMPERATURE
    return loss / 2, gradient @ right, gradient.T @ left


def train(
    bags: csr_matrix,
    target: np.ndarray,
    pairs: tuple[csr_matrix, csr_matrix, np.ndarray],
    table: np.ndarray,
    epochs: int,
) -> np.ndarray:
    """The table after all epochs of distilling and pairing; prints the losses of each."""
    generator = np.random.default_rng(SEED)
    adam = Adam(table, 0.0)
    left, right, groups = pairs
    steps = len(target) // _BATCH
    total = epochs * steps
    done = 0
    for epoch in range(epochs):
        order = generator.permutation(len(target))
        pair_order = generator.permutation(left.shape[0])
        losses = [0.0, 0.0, 0.0]
        for step in range(steps):
            rate = 0.01 * min(1.0, (done + 1) / 100) * (0.5 + 0.5 * np.cos(np.pi * done / total)) + 1e-5
            done += 1
            chosen = order[step * _BATCH : (step + 1) * _BATCH]
            batch = bags[chosen]
            unit, lengths = normalised(batch @ table)
            teacher = target[chosen]
            info, towards, _ = contrast(unit, teacher)
            cosine = (unit * teacher).sum(1).mean()
            gradient = through_norm(0.3 * towards - 1.0 * teacher / _BATCH * 4, unit, lengths)
            losses[0] += cosine / steps
            losses[1] += info / steps
            update(adam, batch, gradient, rate)
            start = (step * _BATCH) % max(1, left.shape[0] - _BATCH)
            mine = pair_order[start : start + _BATCH]
            one, other = dropped(left[mine], generator), dropped(right[mine], generator)
            a, a_length = normalised(one @ table)
            b, b_length = normalised(other @ table)
            same = groups[mine][:, None] == groups[mine][None, :]
            np.fill_diagonal(same, val=False)
            info, to_a, to_b = contrast(a, b, same)
            losses[2] += info / steps
            update(adam, one, through_norm(to_a, a, a_length), _PAIR_RATE * rate)
            update(adam, other, through_norm(to_b, b, b_length), _PAIR_RATE * rate)
        print(
            f"  epoch {epoch}: cosine {losses[0]:.4f}, distil {losses[1]:.3f}, pairs {losses[2]:.3f}",
            flush=True,
        )
    return adam.table


def dropped(bags: csr_matrix, generator: np.random.Generator) -> csr_matrix:
    """The bags with a share of their words left out, so that a pair is not told by one rare word."""
    kept = bags.copy()
    kept.data = kept.data * (generator.random(len(kept.data)) > _DROPPED)
    return kept


def update(adam: Adam, bags: csr_matrix, gradient: np.ndarray, rate: float) -> None:
    """Pass the gradient of the bags' sums on to the rows they are summed from."""
    used = np.unique(bags.indices)
    adam.step(used, (bags[:, used].T @ gradient).astype(np.float32), rate)


def fit_buckets(words: list[str], vectors: np.ndarray) -> np.ndarray:
    """Bucket vectors whose mean over a word's n-grams comes near the word's vector (ridge, by conjugate steps)."""
    indices, indptr, data = [], [0], []
    for word in words:
        found = buckets_of(word)
        indices.extend(found)
        data.extend([1 / max(1, len(found))] * len(found))
        indptr.append(len(indices))
    matrix = csr_matrix(
        (np.array(data, np.float32), np.array(indices), np.array(indptr)), shape=(len(words), BUCKETS)
    )
    target = matrix.T @ vectors
    gram = (matrix.T @ matrix).tocsr()
    solution = np.zeros((BUCKETS, vectors.shape[1]), np.float32)
    residual = target - gram @ solution - 0.02 * solution
    direction, size = residual.copy(), (residual**2).sum(0)
    for _ in range(60):
        moved = gram @ direction + 0.02 * direction
        factor = size / ((direction * moved).sum(0) + 1e-12)
        solution += factor * direction
        residual -= factor * moved
        new_size = (residual**2).sum(0)
        direction = residual + new_size / (size + 1e-12) * direction
        size = new_size
    return solution


def write_table(path: Path, numbers: list[int], words: np.ndarray, buckets: np.ndarray) -> None:
    """Write both matrices (rows x 256) as `providers/builtin/table.py` says."""
    order = np.argsort(numbers)
    word_scales, word_rows = quantised(words[order])
    bucket_scales, bucket_rows = quantised(buckets)
    with path.open("wb") as file:
        file.write(HEADER.pack(MAGIC, DIMENSIONS, len(numbers), len(buckets)))
        file.write(np.array(numbers, "<u4")[order].tobytes())
        for part in (word_scales, bucket_scales, word_rows, bucket_rows):
            file.write(part.tobytes())


def quantised(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row as int8, and its scale."""
    scales = np.abs(matrix).max(axis=1, keepdims=True) / 127 + 1e-12
    return scales.astype("<f4"), (matrix / scales).round().astype("int8")


def main() -> None:
    """Read, train, fit the buckets, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True, help='JSONL: {"a", "b", "group"}')
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    texts, teacher = load_sentences(args.sentences)
    pairs = [json.loads(line) for line in args.pairs.read_text().splitlines()]
    print(f"{len(texts):,} sentences, {len(pairs):,} pairs")
    counts = Counter(term for text in texts for term in set(terms(text)))
    for pair in pairs:
        counts.update(set(terms(pair["a"])) | set(terms(pair["b"])))
    words = [term for term, count in counts.most_common(VOCABULARY) if count > 1]
    rows = {number(term): row for row, term in enumerate(words)}
    axes = principal_axes(teacher)
    target, _ = normalised(teacher @ axes)
    bags = Bags(texts, rows).matrix
    generator = np.random.default_rng(SEED)
    table = (bags.T @ target).astype(np.float32)
    occurrences = np.asarray(bags.sum(0)).ravel()[:, None] + 1
    mean = target.mean(0, keepdims=True)
    table = table / occurrences - mean + generator.normal(0, 0.01, table.shape).astype(np.float32)
    table *= np.log(1 + len(texts) / occurrences) / np.log(1 + len(texts))
    table = table.astype(np.float32)
    groups = np.array([number(pair["group"]) for pair in pairs])
    left, right = Bags([p["a"] for p in pairs], rows).matrix, Bags([p["b"] for p in pairs], rows).matrix
    table = train(bags, target, (left, right, groups), table, args.epochs)
    lengths = np.linalg.norm(table, axis=1)
    print(f"  lengths: median {np.median(lengths):.3f}, largest {lengths.max():.3f}")
    write_table(args.out, [number(word) for word in words], table, fit_buckets(words, table))
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.1f} MB, {len(words):,} words")


if __name__ == "__main__":
    main()
