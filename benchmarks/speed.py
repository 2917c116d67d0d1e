"""Speed: indexing from nothing, a second run, and `ragman` as whole cold processes beside `apropos`."""

import json
import os
import re
import shutil
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from places import Home, command
from processes import PeakMemory, Usage, run

MAN_DATABASES = Path("/var/cache/man")
"""What `apropos` reads."""

_WARNINGS = 3
_NOTHING_APPROPRIATE = 16
_KEYWORDS = 2
_SMALL_WORDS = frozenset(
    """about after also and another any are before but can does each for from have how into just line make
    more not one only other out same show some something that the their them then there they this two use
    using want way what when where which while who why will with without you your""".split()  # noqa: SIM905
)

Json = dict[str, Any]


def indexing(home: Home, say: Callable[[str], None]) -> Json:
    """Index from nothing, then again with nothing changed.

    Raises:
        Failed: `ragadmin` failed.
    """
    results = {}
    for name in ("from_nothing", "unchanged"):
        say(f"indexing: {name.replace('_', ' ')}")
        with PeakMemory() as memory:
            used = run([command("ragadmin"), "reindex", "--json"], home.environment, accepted=(0, _WARNINGS))
        report = json.loads(used.output.splitlines()[-1])["report"]
        results[name] = {
            "wall_s": used.wall_ms / 1000,
            "cpu_s": used.cpu_ms / 1000,
            "peak_mb": memory.peak_bytes / 1e6,
            "text_mb": report["text_bytes"] / 1e6,
            "text_mb_per_s": report["text_bytes"] / 1e3 / used.wall_ms,
            "documents": report["documents"],
            "passages": report["passages"],
            "problems": len(report["problems"]),
        }
    results["from_nothing"]["index_mb"] = sum(path.stat().st_blocks for path in files(home.index)) * 512 / 1e6
    return results


def cold(home: Home, questions: Sequence[str], say: Callable[[str], None]) -> Json:
    """Ask each question of a new `ragman`, in turn with `apropos` and an empty Python.

    Once with all files in the page cache (everything was run before, uncounted), once with the index, and the
    database of `apropos`, evicted before each of them. Programs and libraries stay in the cache.

    Args:
        home: Where the index is.
        questions: One a round.
        say: Told what is being done.

    Raises:
        Failed: A command failed.
    """
    _round(home, questions[0])
    results: Json = {"n": len(questions)}
    for state in ("cached", "evicted"):
        say(f"ragman, {state}: {len(questions)} questions")
        used: dict[str, list[Usage]] = {}
        before = (lambda: evict(home)) if state == "evicted" else (lambda: None)
        for question in questions:
            for name, usage in _round(home, question, before).items():
                used.setdefault(name, []).append(usage)
        results[state] = {name: summary(usages) for name, usages in used.items()}
        if "apropos" in used:
            ours, theirs = (results[state][name]["wall_ms"]["p50"] for name in ("ragman", "apropos"))
            results[state]["times_apropos"] = ours / theirs
    return results


def _round(home: Home, question: str, before: Callable[[], None] = lambda: None) -> dict[str, Usage]:
    """Each command once, by name."""
    found = {}
    before()
    found["ragman"] = run([command("ragman"), question], home.environment)
    if shutil.which("apropos"):
        before()
        asked = ["apropos", "--", *keywords(question)]
        found["apropos"] = run(asked, home.environment, accepted=(0, _NOTHING_APPROPRIATE))
    found["python"] = run([sys.executable, "-c", "pass"], home.environment)
    return found


def summary(usages: Sequence[Usage]) -> Json:
    """Medians and 95th percentiles."""
    return {
        "wall_ms": spread([usage.wall_ms for usage in usages]),
        "cpu_ms": spread([usage.cpu_ms for usage in usages]),
        "read_mb": statistics.median(usage.read_bytes / 1e6 for usage in usages),
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile, linear between neighbours."""
    if len(values) < 2:
        return {"p50": values[0], "p95": values[0]}
    return {
        "p50": statistics.median(values),
        "p95": statistics.quantiles(values, n=20, method="inclusive")[-1],
    }


def keywords(question: str) -> list[str]:
    """What a person would give to `apropos` instead: the longest words, in their order; at least one."""
    words = list(dict.fromkeys(re.findall(r"[a-z][a-z-]+", question.lower())))
    telling = [word for word in words if len(word) > 2 and word not in _SMALL_WORDS] or words or ["manual"]
    longest = sorted(telling, key=len, reverse=True)[:_KEYWORDS]
    return [word for word in telling if word in longest]


def evict(home: Home) -> None:
    """Take the files of the index and of `apropos` out of the page cache.

    The kernel keeps what is not written yet, so that goes first; and what another process maps just now.
    """
    os.sync()
    for path in (*files(home.index), *files(MAN_DATABASES)):
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def files(folder: Path) -> Iterable[Path]:
    """All files below a folder."""
    return [path for path in folder.rglob("*") if path.is_file()]
