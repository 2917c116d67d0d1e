"""Results at rest: one file a day and commit, each part with what it was measured of."""

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "results"

Json = dict[str, Any]


def save(part: str, results: Json) -> Path:
    """Keep a part's results, beside other parts of the same day and commit.

    Args:
        part: `speed`, `quality` or `ablation`.
        results: With `measured`, as `circumstances` gives it.

    Returns:
        The file. A quick run has one of its own, which is not committed.
    """
    measured = results["measured"]
    quick = "-quick" if measured["quick"] else ""
    path = FOLDER / f"{measured['date']}-{measured['commit']}{quick}.json"
    FOLDER.mkdir(exist_ok=True)
    path.write_text(
        json.dumps({**(load(path) if path.exists() else {}), part: results}, indent=1, ensure_ascii=False)
        + "\n",
        encoding="utf-8",
    )
    return path


def load(path: Path) -> Json:
    """A file of results."""
    data: Json = json.loads(path.read_text(encoding="utf-8"))
    return data


def circumstances(*, quick: bool) -> Json:
    """When, of what and on what something is measured."""
    commit = _git("rev-parse", "--short", "HEAD") or "unknown"
    changed = bool(_git("status", "--porcelain", "--", "src", "benchmarks", "training"))
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit,
        "tree": f"{commit} with changes" if changed else commit,
        "quick": quick,
        "processors": os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "kernel": platform.release(),
    }


def _git(*arguments: str) -> str:
    try:
        found = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return found.stdout.strip() if not found.returncode else ""
