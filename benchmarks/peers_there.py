"""Runs in the environment of each peer of `peers.py`: builds its index once, then answers questions in a new process.

`peers.py` calls it; it imports nothing of the project but for our own two. Both ways print JSON:

    python peers_there.py fts5 build FOLDER
    python peers_there.py fts5 ask FOLDER QUESTIONS

FOLDER holds `pages.jsonl`, a page a line with its name and its text, and is where the index is kept. `peers.py` makes it
with the functions for pages.
"""

import contextlib
import gzip
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

PASSAGES = 50
"""How many passages a retriever is asked for, so that three different pages are among them."""

SHOWN = 3
"""How many of them are read."""

_CHARACTERS = 1500
_FUNCTION_WORDS = (
    "a about after all also am an and any are as at be been before but by can could did do does every for from get "
    "give had has have how i if in into is it its itself just let lots make me my no not of off on one only or out "
    "please really so some somebody somewhere tell than that the them then there these they this those to too under "
    "up was we what whats when where which while who with without you your"
)


class Found(NamedTuple):
    """What a question found.

    Attributes:
        pages: The names of pages, best first.
        texts: What is shown first, second and third.
        answered: Whether anything is offered as an answer.
    """

    pages: list[str]
    texts: list[str]
    answered: bool


MANUAL = Path("/usr/share/man")

_DASHES = str.maketrans("‐‑−", "---")

Search = Callable[[str], Found]


def content_words(question: str) -> list[str]:
    """The words of a question but for function words, in their order: what a person types into a keyword search."""
    words = ["".join(letter for letter in word if letter.isalnum()) for word in question.lower().split()]
    left_out = _FUNCTION_WORDS.split()
    return [word for word in dict.fromkeys(words) if word and word not in left_out]


def parts(text: str) -> Iterator[str]:
    """A page as passages: its paragraphs, put together up to 1,500 characters."""
    part = ""
    for paragraph in text.split("\n\n"):
        if part and len(part) + len(paragraph) > _CHARACTERS:
            yield part
            part = ""
        part += paragraph + "\n\n"
    yield part


def _pages(folder: Path) -> Iterator[tuple[str, str]]:
    for line in (folder / "pages.jsonl").open(encoding="utf-8"):
        page = json.loads(line)
        yield page["name"], page["text"]


def _found(passages: list[tuple[str, str]]) -> Found:
    """Passages, best first, each with the name of its page, which is shown above it."""
    names = list(dict.fromkeys(name for name, _ in passages))
    return Found(names, [f"{name}\n{text}" for name, text in passages[:SHOWN]], bool(passages))


# --- pages -----------------------------------------------------------------------------------------------------------


def real(file: Path) -> Path | None:
    """The file of a page that a link or a page of one line, `.so man1/tset.1`, stands for; None if there is none."""
    try:
        file = file.resolve(strict=True)
        if not file.is_relative_to(MANUAL):
            return None
        with gzip.open(file, "rt", errors="replace") if file.suffix == ".gz" else file.open() as opened:
            line = opened.readline().split()
    except OSError:
        return None
    if line[:1] != [".so"]:
        return file
    meant = [path for end in ("", ".gz") if (path := MANUAL / f"{line[1]}{end}").exists()]
    return real(meant[0]) if meant else None


def name_of(file: Path) -> str:
    """The name of a page: `du(1)` for `man1/du.1.gz`."""
    name, _, section = file.name.removesuffix(".gz").rpartition(".")
    return f"{name}({section})"


def file_of(name: str) -> str:
    """The name of its file, before `.gz`."""
    title, _, section = name.rstrip(")").rpartition("(")
    return f"{title}.{section}"


def rendered(file: Path) -> str:
    """A page as text: by mandoc, or by groff where that fails."""
    text = ""
    for program in ("mandoc -T utf8", "man --local-file -E UTF-8"):
        command = [*program.split(), str(file)]
        run = subprocess.run(command, capture_output=True, cwd=MANUAL, check=False)
        text = re.sub(".\b", "", run.stdout.decode("utf-8", "replace")).translate(_DASHES)
        if text.strip():
            break
    return text


# --- ours -------------------------------------------------------------------------------------------------------------


def _no_build(_folder: Path) -> None:
    """`peers.py` has indexed already."""


def _ragman(_folder: Path) -> Search:
    """The answer of the library, which `ragman` prints: what is cited first counts as the first page."""
    from vademecum import Library  # noqa: PLC0415 - other environments do not have it

    library = Library.open()

    def search(question: str) -> Found:
        answer = library.ask(question)
        cited = [
            answer.citations[place].document_ref
            for statement in (*answer.summary, *answer.steps)
            for place in statement.citations
        ]
        return Found(list(dict.fromkeys(cited)), [str(answer)], not answer.no_answer)

    return search


def _library(_folder: Path) -> Search:
    """Search, without an answer: each page with its best passage."""
    from vademecum import Library  # noqa: PLC0415 - likewise

    library = Library.open()

    def search(question: str) -> Found:
        hits = library.search(question, limit=10)
        texts = [f"{hit.reference}\n{hit.quote}" for hit in hits[:SHOWN]]
        return Found([hit.reference for hit in hits], texts, bool(hits))

    return search


# --- peers ------------------------------------------------------------------------------------------------------------


def _build_apropos(folder: Path) -> None:
    subprocess.run(["mandb", "--create", "--quiet", "--no-purge", folder / "man"], check=True)


def _printed(folder: Path, *arguments: str) -> list[str]:
    command = ["apropos", "--long", "--manpath", str(folder / "man"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def _lines(lines: list[str]) -> Found:
    """What `apropos` prints; three lines are one passage."""
    named = [match for line in lines if (match := re.match(r"(\S+) (\(\S+\))", line))]
    texts = ["\n".join(lines[start : start + 3]) for start in range(0, 3 * SHOWN, 3)]
    return Found([match[1] + match[2] for match in named], texts, bool(lines))


def _apropos(folder: Path) -> Search:
    """Lines with all content words; if there are none, lines with any of them. It sorts by name."""

    def search(question: str) -> Found:
        words = content_words(question)
        return _lines(_printed(folder, "--and", *words) or _printed(folder, *words))

    return search


def _apropos_sorted(folder: Path) -> Search:
    """Lines with any of the content words, those with most of them first, as a patient reader would look."""

    def search(question: str) -> Found:
        words = content_words(question)
        lines = _printed(folder, *words)
        return _lines(sorted(lines, key=lambda line: -sum(word in line.lower() for word in words)))

    return search


def _build_fts5(folder: Path) -> None:
    file = folder / "fts5.db"
    file.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute(
            "CREATE VIRTUAL TABLE passages USING fts5(page, text, tokenize = 'porter unicode61')"
        )
        rows = ((name, part) for name, text in _pages(folder) for part in parts(text))
        database.executemany("INSERT INTO passages VALUES (?, ?)", rows)


def _fts5(folder: Path) -> Search:
    """Any of the content words, ranked by its own bm25: it knows no function words."""
    database = sqlite3.connect(folder / "fts5.db")

    def search(question: str) -> Found:
        asked = " OR ".join(f'"{word}"' for word in content_words(question))
        query = "SELECT page, text FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?"
        return _found(database.execute(query, (asked, PASSAGES)).fetchall())

    return search


def _build_txtai(folder: Path, kept: str = "txtai", **settings: Any) -> None:
    embeddings = import_module("txtai").Embeddings(content=True, **(settings or {"keyword": True}))
    embeddings.index(
        (f"{name}#{place}", part, None)
        for name, text in _pages(folder)
        for place, part in enumerate(parts(text))
    )
    embeddings.save(str(folder / kept))


def _txtai(folder: Path, kept: str = "txtai") -> Search:
    """Its keyword index (BM25), over the passages that FTS5 has: it splits nothing by itself."""
    embeddings = import_module("txtai").Embeddings()
    embeddings.load(str(folder / kept))

    def search(question: str) -> Found:
        found = embeddings.search(question, PASSAGES)
        return _found([(row["id"].rpartition("#")[0], row["text"]) for row in found])

    return search


def _build_txtai_dense(folder: Path) -> None:
    with contextlib.redirect_stdout(sys.stderr):
        model = import_module("all_minilm_l6_v2").get_model_path(str(folder))
    _build_txtai(folder, "txtai-dense", path=str(model), hybrid=True)


def _txtai_dense(folder: Path) -> Search:
    """Its hybrid index, with the weights of its default model as a package ships them."""
    return _txtai(folder, "txtai-dense")


def _build_llamaindex(folder: Path) -> None:
    core, bm25 = import_module("llama_index.core"), import_module("llama_index.retrievers.bm25")
    documents = [core.Document(text=text, metadata={"page": name}) for name, text in _pages(folder)]
    nodes = core.node_parser.SentenceSplitter().get_nodes_from_documents(documents)
    shutil.rmtree(folder / "llamaindex", ignore_errors=True)
    retriever = bm25.BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=PASSAGES)
    retriever.persist(str(folder / "llamaindex"))


def _llamaindex(folder: Path) -> Search:
    """Its splitter (1,024 tokens) and BM25 retriever with its stemmer and stop words, as they come."""
    bm25 = import_module("llama_index.retrievers.bm25")
    retriever = bm25.BM25Retriever.from_persist_dir(str(folder / "llamaindex"))

    def search(question: str) -> Found:
        found = [hit for hit in retriever.retrieve(question) if hit.score]
        return _found([(hit.node.metadata["page"], hit.node.get_content()) for hit in found])

    return search


def _build_haystack(folder: Path) -> None:
    preprocessors = import_module("haystack.components.preprocessors")
    document = import_module("haystack").Document
    documents = [document(content=text, meta={"page": name}) for name, text in _pages(folder)]
    cleaned = preprocessors.DocumentCleaner().run(documents=documents)["documents"]
    splitter = preprocessors.DocumentSplitter()
    if hasattr(splitter, "warm_up"):
        splitter.warm_up()
    store = import_module("haystack.document_stores.in_memory").InMemoryDocumentStore()
    store.write_documents(splitter.run(documents=cleaned)["documents"])
    store.save_to_disk(str(folder / "haystack.json"))


def _haystack(folder: Path) -> Search:
    """Its cleaner, its splitter (200 words) and its BM25 retriever, as they come."""
    retrievers = import_module("haystack.components.retrievers.in_memory")
    stores = import_module("haystack.document_stores.in_memory")
    store = stores.InMemoryDocumentStore.load_from_disk(str(folder / "haystack.json"))
    retriever = retrievers.InMemoryBM25Retriever(document_store=store, top_k=PASSAGES)

    def search(question: str) -> Found:
        found = retriever.run(query=question)["documents"]
        return _found([(hit.meta["page"], hit.content) for hit in found])

    return search


WAYS: dict[str, tuple[Callable[[Path], None], Callable[[Path], Search]]] = {
    "ragman": (_no_build, _ragman),
    "library": (_no_build, _library),
    "apropos": (_build_apropos, _apropos),
    "apropos-sorted": (_build_apropos, _apropos_sorted),
    "fts5": (_build_fts5, _fts5),
    "txtai": (_build_txtai, _txtai),
    "txtai-dense": (_build_txtai_dense, _txtai_dense),
    "llamaindex": (_build_llamaindex, _llamaindex),
    "haystack": (_build_haystack, _haystack),
}


def memory_kb(name: str) -> int:
    """The most memory that this process held, or, for `apropos`, its processes (at least what this one does)."""
    if name.startswith("apropos"):
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    status = Path("/proc/self/status").read_text(
        encoding="utf-8"
    )  # `ru_maxrss` counts the parent's, before `exec`
    return int(status.partition("VmHWM:")[2].split()[0])


def cpu_s() -> float:
    """Seconds on a processor so far, of this process and of those that it ran."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def main() -> None:
    """Build, or ask; what libraries print goes to stderr."""
    name, what, folder, *files = sys.argv[1:]
    with contextlib.redirect_stdout(sys.stderr):
        result: dict[str, Any] = {}
        if what == "build":
            began_s, began_cpu_s = time.perf_counter(), cpu_s()
            WAYS[name][0](Path(folder))
            result["build_s"], result["build_cpu_s"] = time.perf_counter() - began_s, cpu_s() - began_cpu_s
        else:
            search = WAYS[name][1](Path(folder))
            result["answers"] = []
            for question in json.loads(Path(files[0]).read_text(encoding="utf-8")):
                began_s, began_cpu_s = time.perf_counter(), cpu_s()
                found = search(question)
                ms, cpu_ms = 1000 * (time.perf_counter() - began_s), 1000 * (cpu_s() - began_cpu_s)
                result["answers"].append({**found._asdict(), "ms": ms, "cpu_ms": cpu_ms})
        result["memory_mb"] = memory_kb(name) / 1000
    print(json.dumps(result))


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
    main()
