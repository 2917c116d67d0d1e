"""Measures search beside SQLite FTS5 and LlamaIndex, each with its offline defaults: the same pages and questions.

What is asked of each: is the phrase that answers in the first passage, or in one of the first five? Then the rate of
indexing, the time of a question, the memory of the process, and what installing it takes. `README.md` shows the call.

LlamaIndex needs an environment of its own, with llama-index-core and llama-index-retrievers-bm25; without it, it is left out.
"""

import argparse
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

FIRST = 5
_CHARACTERS = 1500


def main() -> None:
    """Measure and print, a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--book", type=Path, required=True, help="the folder of Markdown")
    parser.add_argument(
        "--questions", type=Path, nargs="+", required=True, help="files of questions with gold_phrase"
    )
    parser.add_argument("--llamaindex", type=Path, help="the Python of an environment that has it")
    parser.add_argument("--here", choices=sorted(_WAYS), help="only this, in this process")
    asked = parser.parse_args()
    if asked.here:
        print(json.dumps(_measured(asked.here, asked.book, asked.questions)))
        return
    for name in _WAYS:
        python = asked.llamaindex if name == "llamaindex" else Path(sys.executable)
        if python is None:
            continue
        command = [python, __file__, "--here", name, "--book", asked.book, "--questions", *asked.questions]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print(done.stdout.strip() or done.stderr.strip().splitlines()[-1], flush=True)


def _measured(name: str, book: Path, files: list[Path]) -> dict[str, object]:
    lines = [line for file in files for line in file.read_text().splitlines()]
    questions = [found for line in lines if (found := json.loads(line)).get("gold_phrase")]
    pages = [
        (path, path.read_text(errors="replace"))
        for path in sorted(book.rglob("*.md"))
        if path.name != "SOURCE.md"
    ]
    began_s = time.perf_counter()
    search = _WAYS[name](book, pages)
    built_s = time.perf_counter() - began_s
    size_mb = sum(len(text.encode()) for _, text in pages) / 1e6
    first = among = 0
    times_s = []
    for question in questions:
        began_s = time.perf_counter()
        found = search(question["question"])
        times_s.append(time.perf_counter() - began_s)
        phrase = _folded(question["gold_phrase"])
        first += any(phrase in _folded(text) for text in found[:1])
        among += any(phrase in _folded(text) for text in found[:FIRST])
    times_s.sort()
    return {
        "name": name,
        "questions": len(questions),
        "phrase_in_1": round(first / len(questions), 3),
        f"phrase_in_{FIRST}": round(among / len(questions), 3),
        "characters": round(sum(map(len, found[:FIRST])) / max(1, len(found[:FIRST]))),
        "index_mb_s": round(size_mb / built_s, 2),
        "question_ms": round(1000 * times_s[len(times_s) // 2], 1),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000),
    }


Search = Callable[[str], list[str]]
Pages = list[tuple[Path, str]]


def _ours(book: Path, _pages: Pages) -> Search:
    from vademecum import Library, Places  # noqa: PLC0415 - others have environments without it

    folder = Path(tempfile.mkdtemp(prefix="vademecum-others-"))
    library = Library(Places(config=folder / "config", data=folder / "data"), method="documents")
    for entry in library.sources():
        library.remove_source(entry.alias)
    library.add_source(book, type="docs", exclude=["SOURCE.md"])
    library.reindex()
    return lambda question: [hit.text for hit in library.passages(question, limit=FIRST)]


def _fts5(_book: Path, pages: Pages) -> Search:
    """Paragraphs put together to some 1,500 characters, stemmed, ranked by its own bm25."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize = 'porter unicode61')")
    database.executemany(
        "INSERT INTO passages VALUES (?)", ((part,) for _, text in pages for part in _parts(text))
    )

    def search(question: str) -> list[str]:
        words = ["".join(filter(str.isalnum, word)) for word in question.split()]
        asked = " OR ".join(f'"{word}"' for word in words if word)
        query = "SELECT text FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?"
        return [text for (text,) in database.execute(query, (asked, FIRST))]

    return search


def _llamaindex(_book: Path, pages: Pages) -> Search:
    """Its splitter and its BM25 retriever, as they come: what embeds by default asks a server on the internet."""
    from llama_index.core import Document  # noqa: PLC0415 - an environment of its own
    from llama_index.core.node_parser import SentenceSplitter  # noqa: PLC0415 - likewise
    from llama_index.retrievers.bm25 import BM25Retriever  # noqa: PLC0415 - likewise

    nodes = SentenceSplitter().get_nodes_from_documents([Document(text=text) for _, text in pages])
    retriever = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=FIRST)
    return lambda question: [found.node.get_content() for found in retriever.retrieve(question)]


_WAYS: dict[str, Callable[[Path, Pages], Search]] = {"ours": _ours, "fts5": _fts5, "llamaindex": _llamaindex}


def _parts(text: str) -> list[str]:
    parts = [""]
    for paragraph in text.split("\n\n"):
        if parts[-1] and len(parts[-1]) + len(paragraph) > _CHARACTERS:
            parts.append("")
        parts[-1] += paragraph + "\n\n"
    return parts


def _folded(text: str) -> str:
    return " ".join(text.replace("*", "").replace("`", "").replace("_", "").split()).lower()


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main()
