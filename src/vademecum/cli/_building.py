"""Building the index where a person can watch, and what is said of it after."""

import shutil
import sys
import time
from collections.abc import Collection

from vademecum.core.documents import Problem
from vademecum.library.indexing import Progress, Report
from vademecum.library.library import Library

_BAR = 24
_SHOWN_PROBLEMS = 10
_STAGES = {"scan": "looking", "build": "reading", "publish": "publishing"}


def build(library: Library, *, full: bool = False, sources: Collection[str] | None = None) -> Report:
    """Reindex with progress on stderr.

    Raises:
        VademecumError: As `Library.reindex`.
    """
    if shutil.which("mandoc") is None and shutil.which("groff") is not None:
        print("mandoc is not installed; groff does its work, about 30 times slower.", file=sys.stderr)
        print("It is worth having: sudo apt install mandoc", file=sys.stderr)
    meter = Meter()
    try:
        return library.reindex(full=full, sources=sources, on_progress=meter.show)
    finally:
        meter.clear()


def summary(report: Report, *, verbose: bool = False) -> str:
    """A report for people, ending in a newline."""
    lines = [f"{report}, in {report.duration_s:.1f} s"]
    if report.published:
        lines.append(
            f"  {report.added:,} added, {report.changed:,} changed, {report.removed:,} removed, "
            f"{report.unchanged:,} unchanged; {report.text_bytes / 1e6:.1f} MB of text read"
        )
    else:
        lines.append("  nothing has changed")
    shown = report.problems if verbose else report.problems[:_SHOWN_PROBLEMS]
    lines += [f"  {_problem(problem)}" for problem in shown]
    if len(shown) < len(report.problems):
        lines.append(f"  and {len(report.problems) - len(shown):,} more; --verbose shows all")
    return "\n".join(lines) + "\n"


def _problem(problem: Problem) -> str:
    return f"{problem.place}: {problem.message}" + (f" {problem.hint}" if problem.hint else "")


class Meter:
    """Shows progress: on a terminal as one line with a bar, else as a line every few seconds."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._every_s = 0.1 if self._live else 5.0
        self._began_s = self._shown_s = time.monotonic()
        self._stage = ("", "")

    def show(self, progress: Progress) -> None:
        """Take in how far it is, and show it now and then."""
        now_s = time.monotonic()
        stage = (progress.stage, progress.alias)
        if stage != self._stage:
            self._stage, self._began_s, self._shown_s = stage, now_s, 0.0 if self._live else now_s
        if now_s - self._shown_s < self._every_s and (progress.documents < progress.total or not self._live):
            return
        self._shown_s = now_s
        line = self._line(progress, now_s - self._began_s)
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave no half line behind."""
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _line(self, progress: Progress, spent_s: float) -> str:
        head = " ".join(
            part for part in (_STAGES.get(progress.stage, progress.stage), progress.alias) if part
        )
        if not progress.total:
            return head
        share = progress.documents / progress.total
        parts = [head]
        if self._live:
            filled = int(share * _BAR)
            parts.append("█" * filled + "░" * (_BAR - filled))
        parts.append(f"{share:4.0%}  {progress.documents:,} of {progress.total:,}")
        if spent_s > 1 and progress.documents:
            parts.append(f"{progress.text_bytes / 1e6 / spent_s:.1f} MB/s")
            parts.append(f"{_time(spent_s / share - spent_s)} left")
        return "  ".join(parts)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
