"""Show the progress and the result of a reindex on a terminal."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.core.documents import Problem
from vademecum.core.errors import VademecumError
from vademecum.files.locks import is_locked
from vademecum.index.generations import Generations
from vademecum.index.progress import OnProgress, Progress, Report, SourceReport
from vademecum.index.recovery import standing
from vademecum.library import background
from vademecum.library.audit import audited, record
from vademecum.library.internal import InternalLibrary
from vademecum.library.service.client import Service
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from typing import TextIO


_APART = (
    "import json, os, sys; sys.path[:] = json.loads(sys.argv.pop(1)); os.nice(10); "
    "from vademecum.cli.ragadmin import main; main()"
)
_READING = "The rest is read in the background; ragadmin health says how it goes on."
_PATIENCE_S = 2.0
"""How long the process is watched if there is an index to ask already."""

_BAR = 24
_LIVE_EVERY_S, _PLAIN_EVERY_S = 0.1, 5.0
_SHOWN_PROBLEMS = 10
_STAGES = {
    "check": "checking",
    "scan": "looking",
    "build": "reading",
    "publish": "publishing",
    "copy": "writing",
    "embed": "embedding",
}


class Asked(NamedTuple):
    """The options of a reindex; see `Library.reindex`."""

    full: bool = False
    sources: Collection[str] | None = None
    dry_run: bool = False


def build(library: InternalLibrary, asked: Asked) -> Report:
    """Reindex, with progress on stderr."""
    if shutil.which("mandoc") is None and shutil.which("groff") is not None:
        print(
            "mandoc is not installed. groff is used instead, which takes several times as long.",
            file=sys.stderr,
        )
        print("Install it with: sudo apt install mandoc", file=sys.stderr)
    meter = Meter()
    try:
        return _audited(library, asked, meter.show)
    finally:
        meter.clear()


def build_apart(library: InternalLibrary, words: Sequence[str] = (), *, on: "TextIO") -> int | None:
    """Reindex in a process that goes on after this one, and wait until there is an index to ask.

    What the process prints is in `reindex.log`, in the library's folder, and here as long as this waits.

    Returns:
        The exit code of the process; None if it goes on.
    """
    log = library.places.data / "reindex.log"
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    generations = Generations(library.places.index_folder)
    had_index = standing(generations) is not None
    if had_index and is_locked(generations.folder / "lock"):
        print(_READING, file=on, flush=True)
        return None
    command = [sys.executable, "-P", "-c", _APART, json.dumps(sys.path), "reindex", *words]
    with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
    ends_s = time.monotonic() + (_PATIENCE_S if had_index else inf)
    with log.open(encoding="utf-8") as said:
        try:
            while True:
                code = process.poll()
                print(said.read(), end="", file=on, flush=True)
                if code is not None:
                    return code
                current = None if had_index else standing(generations)
                if time.monotonic() > ends_s or (current and any(entry.unread for entry in current.sources)):
                    break
                time.sleep(_LIVE_EVERY_S / 2)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
    print(_READING, file=on, flush=True)
    return None


def embed(library: InternalLibrary, *, as_json: bool = False) -> None:
    """Wait until the transformer has embedded all text, with progress on stderr, and print the result."""
    meter = Meter()
    try:
        done = library.embed(
            on_progress=lambda done: meter.show(Progress("embed", "", done.passages, done.total, 0))
        )
    finally:
        meter.clear()
    if as_json:
        print(json.dumps(done._asdict()))
    elif done.total:
        print(f"The transformer has embedded {done}.")
    else:
        print("There are no books, notes or archives to embed.")


def reading(library: InternalLibrary) -> str:
    """Return a note about text that the transformer has yet to embed in the background, or ""."""
    done = library.embedded() if background.is_on() else None
    if done is None or done.is_complete:
        return ""
    return f"The transformer is embedding the text in the background: {done} so far. Until then, search uses words only."


def stream(library: InternalLibrary, asked: Asked) -> Report:
    """Reindex, and print each progress report and finally the outcome as a line of JSON on stdout."""
    lines = _Lines()
    try:
        report = _audited(library, asked, lines.show)
    except VademecumError as error:
        said = {"code": error.code, "detail": error.message, "hint": error.hint}
        lines.say({"state": "failed", "error": said})
        raise
    except KeyboardInterrupt:
        lines.say({"state": "cancelled"})
        raise
    lines.say({"state": "succeeded", "report": report.to_dict()})
    return report


def _audited(library: InternalLibrary, asked: Asked, on_progress: OnProgress) -> Report:
    """Reindex, in the background service if it is running, and record the start, the repairs and the outcome in the audit log."""
    full, sources, dry_run = asked
    if dry_run:
        return library.reindex(full=full, sources=sources, dry_run=True, on_progress=on_progress)
    target = ", ".join(sources) if sources else "all"
    with audited(library.places, "reindex", target, announced=True) as going_on:
        service = Service.here()
        found = service.reindex(full=full, sources=sources, on_progress=on_progress) if service else None
        report = found or library.reindex(full=full, sources=sources, on_progress=on_progress)
        going_on.message = str(report)
        for said in report.recovered:
            record(library.places, "recovery", target, "succeeded", trace_id=going_on.trace_id, message=said)
    return report


class _Lines:
    """Progress as lines of JSON: the first and the last report, that of each new stage, and some in between."""

    def __init__(self) -> None:
        self._stage = ("", "")
        self._said_s = 0.0

    def show(self, progress: Progress) -> None:
        """Print a progress report, from time to time."""
        now_s, stage = time.monotonic(), (progress.stage, progress.alias)
        through = progress.total and progress.documents >= progress.total
        if stage != self._stage or through or now_s - self._said_s >= _LIVE_EVERY_S:
            self._stage, self._said_s = stage, now_s
            self.say(progress.to_dict())

    @staticmethod
    def say(what: dict[str, Any]) -> None:
        """Print a line of JSON. A closed pipe does not interrupt the command."""
        with suppress(OSError):
            print(json.dumps(what), flush=True)


def summary(report: Report, *, verbose: bool = False) -> str:
    """Return a report as text that ends in a newline."""
    lines = list(report.recovered)
    if report.dry_run:
        lines += ["Nothing was written. A reindex would make these changes:", *map(_foreseen, report.sources)]
    else:
        lines.append(f"{report}, in {report.duration_s:.1f} s")
    if report.dry_run:
        pass
    elif report.published:
        lines.append(
            f"  {report.added:,} added, {report.changed:,} changed, {report.removed:,} removed, "
            f"{report.unchanged:,} unchanged; {report.text_bytes / 1e6:.1f} MB of text read"
        )
    else:
        lines.append("  nothing has changed")
    if report.shared:
        lines.append(f"  shared in {report.shared}")
    shown = report.problems if verbose else report.problems[:_SHOWN_PROBLEMS]
    lines += [f"  {_problem(problem)}" for problem in shown]
    if len(shown) < len(report.problems):
        lines.append(f"  and {len(report.problems) - len(shown):,} more; use --verbose to list all")
    lines += [f"  {printable(said)}" for said in report.left_out]
    return "\n".join(lines) + "\n"


def _problem(problem: Problem) -> str:
    said = problem.message.removeprefix(f"{problem.place}: ")
    return printable(f"{problem.place}: {said} {problem.hint}".rstrip())


def _foreseen(source: SourceReport) -> str:
    """Return what a reindex would change for a source."""
    if source.outcome == "updated":
        return (
            f"  {source.alias}: {source.added:,} added, {source.changed:,} changed, {source.removed:,} removed, "
            f"{source.unchanged:,} unchanged"
        )
    if source.outcome == "unchanged":
        return f"  {source.alias}: nothing, its {source.unchanged:,} documents are unchanged"
    if source.removed:
        return f"  {source.alias}: {source.removed:,} removed: indexed by another version, and the source cannot be read"
    return f"  {source.alias}: nothing, because it cannot be read"


class Meter:
    """A progress display: a single line with a bar on a terminal, otherwise a line every few seconds."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._every_s = _LIVE_EVERY_S if self._live else _PLAIN_EVERY_S
        self._shown_s = time.monotonic()
        self._stage = ("", "")

    def show(self, progress: Progress) -> None:
        """Show a progress report, from time to time."""
        now_s = time.monotonic()
        stage = (progress.stage, progress.alias)
        if stage != self._stage:
            self._stage, self._shown_s = stage, 0.0 if self._live else now_s
        if now_s - self._shown_s < self._every_s and (progress.documents < progress.total or not self._live):
            return
        self._shown_s = now_s
        line = printable(self._line(progress))
        with suppress(OSError):
            if self._live:
                width = shutil.get_terminal_size().columns - 1
                print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)
            else:
                print(line, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the line on the terminal."""
        if self._live and self._stage != ("", ""):
            with suppress(OSError):
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _line(self, progress: Progress) -> str:
        head = " ".join(
            part for part in (_STAGES.get(progress.stage, progress.stage), progress.alias) if part
        )
        percent = progress.percent_complete
        if percent is None:
            return head
        parts = [head]
        if self._live:
            filled = int(percent / 100 * _BAR)
            parts.append("█" * filled + "░" * (_BAR - filled))
        of = f"  {progress.documents:,} of {progress.total:,}" if progress.total else ""
        parts.append(f"{percent:3.0f}%{of}")
        if progress.spent_s > 1 and progress.rate_mb_s is not None and progress.left_s is not None:
            parts.append(f"{progress.rate_mb_s:.1f} MB/s")
            parts.append(f"{_time(progress.left_s)} left")
        return "  ".join(parts)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
