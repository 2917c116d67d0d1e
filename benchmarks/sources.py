"""Measures indexing of a large library of about 1 GB of text: an archive, a folder of Markdown, manual pages and info manuals.

Each source's text a second, the most memory held, how good the estimates of the time left were, and what 5 GB would
take at that pace. Beside them stands what one process takes to read articles and split them into words, and nothing
else; and processor time, since a machine that others use gives less of it. `README.md` says how it is called.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from archives import INFO, PAGES, write_archive, write_folder
from places import Home, command, private_home, some_pages
from processes import Failed, PeakMemory, run
from records import circumstances, save

from vademecum.core.documents import Document, DocumentRef
from vademecum.library.service.client import SWITCH
from vademecum.sources.zim import ZimSource

WHOLE_MB = 765
"""What the archive holds when nothing else is said: 1 GB with all others. With less, there is as much less of them."""

NOTES_MB = 150

ALL_PAGES = 20_000
TO_REACH_S, TO_REACH_MB = 600, 5000
ESTIMATED_AT = (0.1, 0.25, 0.5, 0.75)
BASELINE_MB = 20

_WARNINGS = 3

Json = dict[str, Any]


def main() -> None:
    """Make the library, index it, print what it took, and keep it."""
    asked = _parser().parse_args()
    how = circumstances(quick=asked.megabytes < WHOLE_MB)
    try:
        with private_home() as home:
            home.environment[SWITCH] = "off"
            results = {"measured": how, "megabytes": asked.megabytes, **measured(home, asked)}
    except Failed as failure:
        sys.exit(str(failure))
    path = save("sources", results)
    print(table(results))
    print(f"Kept in {path}")


def measured(home: Home, asked: argparse.Namespace) -> Json:
    """Index all three at once.

    Raises:
        Failed: A command failed.
    """
    archive = asked.archive or home.folder / "shuffled.zim"
    if not archive.exists():
        write_archive(archive, asked.megabytes, asked.seed, say)
    notes = home.folder / "notes"
    write_folder(notes, NOTES_MB * min(1, asked.megabytes / WHOLE_MB), asked.seed, say)
    pages = PAGES
    if asked.megabytes < WHOLE_MB:
        count = int(ALL_PAGES * asked.megabytes / WHOLE_MB)
        pages = some_pages(PAGES, home.folder / "pages", count)
    (home.library / "catalog.json").write_text('{"format": 2, "generation": 0, "sources": []}')
    for place in (archive, notes, pages, INFO):
        run([command("ragadmin"), "sources", "add", str(place)], home.environment)
    say("reading articles, and nothing else")
    before = reading(archive)
    say("indexing")
    used_s = children_s()
    with PeakMemory() as memory:
        wall_s, lines = watched([command("ragadmin"), "reindex", "--json"], home)
    used_s = children_s() - used_s
    report = lines[-1][1]["report"]
    text_mb = report["text_bytes"] / 1e6
    rate_mb_s = text_mb / wall_s
    return {
        "wall_s": wall_s,
        "text_mb": text_mb,
        "text_mb_per_s": rate_mb_s,
        "cpu_s": used_s,
        "text_mb_per_cpu_s": text_mb / used_s,
        "processors_busy": used_s / wall_s,
        "load_after": os.getloadavg()[0],
        "reading": [before, reading(archive)],
        "peak_mb": memory.peak_bytes / 1e6,
        "index_mb": sum(path.stat().st_blocks for path in home.index.rglob("*")) * 512 / 1e6,
        "archive_mb": archive.stat().st_size / 1e6,
        "documents": report["documents"],
        "passages": report["passages"],
        "problems": len(report["problems"]),
        "sources": by_source(lines),
        "time_left": estimates(lines),
        "five_gigabytes_s": TO_REACH_MB / rate_mb_s,
    }


def children_s() -> float:
    """Processor time of all processes that this one started and waited for, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def reading(archive: Path) -> Json:
    """What it takes one process to read some articles and split them into words: text a second, of both clocks."""
    source = ZimSource(archive, "shuffled")
    refs = (ref for ref in source.scan() if isinstance(ref, DocumentRef))
    wall_s = cpu_s = read_mb = 0.0
    while read_mb < BASELINE_MB and (batch := list(islice(refs, 200))):
        wall_s, cpu_s = wall_s - time.perf_counter(), cpu_s - time.process_time()
        for found in source.read(batch):
            if isinstance(found, Document):
                found.text.split()
                read_mb += len(found.text.encode()) / 1e6
        wall_s, cpu_s = wall_s + time.perf_counter(), cpu_s + time.process_time()
    return {"text_mb_per_s": read_mb / wall_s, "text_mb_per_cpu_s": read_mb / cpu_s}


def watched(asked: list[str], home: Home) -> tuple[float, list[tuple[float, Json]]]:
    """Run a command that prints lines of JSON; its time, and when it printed what.

    Raises:
        Failed: It failed.
    """
    began_s = time.perf_counter()
    process = subprocess.Popen(
        asked, env=home.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    if process.stdout is None:
        raise AssertionError("there is a pipe")
    with process:
        lines = [(time.perf_counter() - began_s, json.loads(line)) for line in process.stdout]
    if process.returncode not in {0, _WARNINGS}:
        raise Failed(f"{' '.join(asked)} ended with {process.returncode}")
    return time.perf_counter() - began_s, lines


def by_source(lines: list[tuple[float, Json]]) -> Json:
    """What each stage of each source took, and its text a second over all of them."""
    found: dict[str, Json] = {}
    marks = [(at_s, line.get("source", ""), line.get("stage", "")) for at_s, line in lines]
    for (at_s, alias, stage), (next_s, *_) in pairwise(marks):
        if alias:
            stages_s = found.setdefault(alias, {"stages_s": {}})["stages_s"]
            stages_s[stage] = stages_s.get(stage, 0.0) + next_s - at_s
    for alias, one in found.items():
        built = [line for _, line in lines if line.get("source") == alias and line.get("stage") == "build"]
        one["text_mb"] = built[-1]["text_bytes"] / 1e6 if built else 0.0
        one["documents"] = built[-1]["documents"] if built else 0
        one["text_mb_per_s"] = one["text_mb"] / sum(one["stages_s"].values())
    return found


def estimates(lines: list[tuple[float, Json]]) -> Json:
    """What the largest source said was left at some moments of its building, beside what then was left."""
    sizes = {line["source"]: line["text_bytes"] for _, line in lines if line.get("stage") == "build"}
    largest = max(sizes, key=lambda alias: sizes[alias])
    told = [
        (at_s, line) for at_s, line in lines
        if line.get("source") == largest and line.get("stage") == "build" and line["left_s"] is not None
    ]  # fmt: skip
    if not told:
        return {}
    done_s = told[-1][0]
    found = {}
    for share in ESTIMATED_AT:
        at_s, line = next(one for one in told if one[1]["percent_complete"] >= 100 * share)
        found[f"{share:.0%}"] = {"said_s": line["left_s"], "was_s": done_s - at_s}
    errors = [abs(one["said_s"] - one["was_s"]) / done_s for one in found.values()]
    return {**found, "median_error": statistics.median(errors)}


def table(results: Json) -> str:
    """The results for people."""
    five_min, reach_min = results["five_gigabytes_s"] / 60, TO_REACH_S / 60
    lines = [
        f"{results['text_mb']:.1f} MB of text, {results['documents']:,} documents, {results['passages']:,} passages",
        f"{results['wall_s']:.1f} s, {results['text_mb_per_s']:.2f} MB/s, {results['problems']} problems",
        f"{results['cpu_s']:.1f} s of processor time, {results['text_mb_per_cpu_s']:.2f} MB/s of it",
        f"{results['processors_busy']:.2f} processors busy, load {results['load_after']:.1f} at the end",
        *(
            f"only reading articles, one process: {one['text_mb_per_s']:.2f} MB/s, "
            f"{one['text_mb_per_cpu_s']:.2f} MB/s of processor time"
            for one in results["reading"]
        ),
        f"memory at its peak {results['peak_mb']:.0f} MB, index {results['index_mb']:.0f} MB",
        f"5 GB at that pace: {five_min:.0f} min; to reach {reach_min:.0f} min, {TO_REACH_MB / TO_REACH_S:.1f} MB/s",
    ]
    for alias, one in results["sources"].items():
        stages = ", ".join(f"{stage} {spent_s:.1f} s" for stage, spent_s in one["stages_s"].items())
        pace = f"{one['text_mb']:.1f} MB, {one['text_mb_per_s']:.2f} MB/s"
        lines.append(f"  {alias}: {one['documents']:,} documents, {pace} ({stages})")
    told = ((share, results["time_left"].get(f"{share:.0%}")) for share in ESTIMATED_AT)
    lines += [
        f"  at {share:.0%} it said {one['said_s']:.0f} s were left, and {one['was_s']:.0f} s were"
        for share, one in told
        if one
    ]
    return "\n".join(lines)


def say(what: str) -> None:
    """Tell a person who waits what is being done."""
    print(what, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Measure indexing of a large archive, notes in Markdown, manual pages and info manuals."
    )
    parser.add_argument(
        "--megabytes", type=float, default=WHOLE_MB, metavar="N", help="of text in the archive (%(default)s)"
    )
    parser.add_argument("--archive", type=Path, metavar="FILE", help="made there if it is missing, and kept")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of what the archive is made by (%(default)s)"
    )
    return parser


if __name__ == "__main__":
    main()
