"""Makes the tables of English: `src/vademecum/retrieval/english.bin` and `src/vademecum/providers/builtin/english.bin`.

    python training/english.py --frequencies FILE --wordnet DIR

A few notes say little about how rare a word is, and nothing about which words mean nearly the same. So both come from
English as a whole. How often a word occurs is from a frequency list, a word and a count on each line (the list of the
package `symspellpy`, MIT, made from Google Books Ngrams). What it means is the vector that all-MiniLM-L6-v2 gives the
word, and the one that it gives the definition of its most frequent sense (WordNet 3.1, the folder `dict`), each without
the mean of all (Mu & Viswanath 2018), added up. The first table has each word's frequency and nearest words; the second
its vector, brought to 256 dimensions and weighed by rarity, so that a sentence is the sum of its words (Arora et al. 2017).
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from vademecum.providers.builtin import embedder
from vademecum.providers.builtin.embedder import DIMENSIONS
from vademecum.providers.builtin.embedder import HEADER as VECTORS_HEADER
from vademecum.providers.builtin.embedder import MAGIC as VECTORS_MAGIC
from vademecum.providers.onnx import MiniLM
from vademecum.retrieval import english
from vademecum.text.words import STOP_WORDS, number, stem

WORDS = 30_000
NEIGHBOURS = 16
LEAST = 0.34
"""The most frequent stems are kept; of each the nearest others, from this cosine on."""

_FORMS = 8
_BLOCK = 1000
_RAREST_SHARE = 0.002


def read_frequencies(path: Path) -> tuple[dict[str, list[str]], Counter[str], int]:
    """The forms of each stem, the most frequent first, how often it occurs, and how many words that are in all."""
    forms: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    counts: Counter[str] = Counter()
    total = 0
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        word, count = line.split()
        total += int(count)
        if len(word) > 1 and word not in STOP_WORDS:
            forms[stem(word)].append((int(count), word))
            counts[stem(word)] += int(count)
    return (
        {one: [word for _, word in sorted(found, reverse=True)] for one, found in forms.items()},
        counts,
        total,
    )


def read_definitions(folder: Path) -> dict[str, tuple[int, str]]:
    """The definition of each word's most frequent sense, and how often that was counted."""
    often: dict[tuple[str, str, str], int] = {}
    parts = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}
    for line in (folder / "index.sense").read_text().splitlines():
        key, offset, _, count = line.split()
        word, _, rest = key.partition("%")
        often[word, parts[rest[0]], offset] = int(count)
    found: dict[str, tuple[int, str]] = {}
    for part in ("noun", "verb", "adj", "adv"):
        glosses = {}
        for line in (folder / f"data.{part}").read_text().splitlines():
            if not line.startswith(" "):
                glosses[line[:8]] = line.partition(" | ")[2].split('; "')[0].strip()
        for line in (folder / f"index.{part}").read_text().splitlines():
            if line.startswith(" "):
                continue
            fields = line.split()
            for offset in fields[-int(fields[2]) :]:
                count = often.get((fields[0], part, offset), 0)
                if fields[0] not in found or count > found[fields[0]][0]:
                    found[fields[0]] = (count, glosses[offset])
    return found


def vectors_of(
    stems: Sequence[str], forms: Mapping[str, Sequence[str]], definitions: Mapping[str, tuple[int, str]]
) -> np.ndarray:
    """A vector of length 1 for each stem, in their order."""
    model = MiniLM()
    found = _centred(np.array(model.embed([forms[one][0] for one in stems]), np.float32))
    glosses: list[tuple[int, str]] = []
    for at, one in enumerate(stems):
        senses = [(*definitions[word], word) for word in forms[one][:_FORMS] if word in definitions]
        if senses:
            _, gloss, word = max(senses, key=lambda sense: sense[0])
            glosses.append((at, f"{re.sub('_', ' ', word)}: {gloss}"))
    found[[at for at, _ in glosses]] += _centred(
        np.array(model.embed([text for _, text in glosses]), np.float32)
    )
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def _centred(vectors: np.ndarray) -> np.ndarray:
    vectors = vectors - vectors.mean(0)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def nearest(vectors: np.ndarray) -> list[list[tuple[int, float]]]:
    """For each row the rows nearest to it, as (row, cosine), nearest first."""
    found = []
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK] @ vectors.T
        block[np.arange(len(block)), np.arange(start, start + len(block))] = -1
        for row in block:
            best = np.argpartition(-row, NEIGHBOURS)[:NEIGHBOURS]
            best = best[np.argsort(-row[best], kind="stable")]
            found.append([(int(at), float(row[at])) for at in best if row[at] >= LEAST])
    return found


def write_words(
    path: Path, stems: Sequence[str], bits: np.ndarray, neighbours: Sequence[Sequence[tuple[int, float]]]
) -> None:
    """The first table, see `vademecum.retrieval.english`."""
    ends = np.cumsum([len(of_word) for of_word in neighbours])
    with path.open("wb") as file:
        file.write(english.HEADER.pack(english.MAGIC, len(stems), int(ends[-1])))
        file.write(np.array([number(one) for one in stems], np.uint32).tobytes())
        file.write(ends.astype(np.uint32).tobytes())
        file.write(np.array([at for of_word in neighbours for at, _ in of_word], np.uint16).tobytes())
        file.write(np.clip(np.round(bits * english.STEPS_A_BIT), 0, 255).astype(np.uint8).tobytes())
        cosines = [round(255 * near) for of_word in neighbours for _, near in of_word]
        file.write(np.array(cosines, np.uint8).tobytes())


def write_vectors(path: Path, stems: Sequence[str], vectors: np.ndarray) -> None:
    """The second table, see `vademecum.providers.builtin.embedder`; it has no buckets for other words."""
    _, _, axes = np.linalg.svd(vectors, full_matrices=False)
    table = english.english()
    shares = np.array([table.share(number(one)) for one in stems])
    rows = (vectors @ axes[:DIMENSIONS].T) * np.log(1 + (1 - shares) / (shares + _RAREST_SHARE))[:, None]
    scales = np.abs(rows).max(1) / 127
    with path.open("wb") as file:
        file.write(VECTORS_HEADER.pack(VECTORS_MAGIC, DIMENSIONS, len(stems), 0))
        file.write(np.array([number(one) for one in stems], np.uint32).tobytes())
        file.write(scales.astype(np.float32).tobytes())
        file.write(np.round(rows / scales[:, None]).astype(np.int8).tobytes())


def main() -> None:
    """Read the lists, embed the words, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frequencies", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, required=True)
    args = parser.parse_args()
    forms, counts, total = read_frequencies(args.frequencies)
    stems = sorted((one for one, _ in counts.most_common(WORDS)), key=number)
    vectors = vectors_of(stems, forms, read_definitions(args.wordnet))
    bits = np.array([-np.log2(counts[one] / total) for one in stems])
    write_words(english.TABLE, stems, bits, nearest(vectors))
    write_vectors(embedder.ENGLISH, stems, vectors)


if __name__ == "__main__":
    main()
