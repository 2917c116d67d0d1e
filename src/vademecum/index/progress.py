"""Progress reports of a reindex, and its final report."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Literal, NamedTuple

from vademecum.core.documents import Problem

JobState = Literal["queued", "running", "succeeded", "failed", "cancelled"]
"""What a job can be. A run that is watched is `running`, then one of the last three."""

Outcome = Literal["updated", "unchanged", "failed", "quarantined"]


class Progress(NamedTuple):
    """How far a reindex has come.

    Attributes:
        stage: `check` (is the source another one than it was?), `scan`, `build`, `publish`, or `copy` (into a store).
        alias: The source at hand.
        documents: Done so far in this source.
        total: To do in this source; 0 while that is not known.
        text_bytes: Of the text built so far; at `check` of the archive read so far.
        spent_s: Since this stage of this source began.
        total_bytes: At `check` the archive's size, else 0.
    """

    stage: str
    alias: str
    documents: int
    total: int
    text_bytes: int
    spent_s: float = 0.0
    total_bytes: int = 0

    @property
    def percent_complete(self) -> float | None:
        """Of this stage of this source, 0 to 100; `None` when it is not known."""
        share = self._share
        return None if share is None else round(100 * share, 1)

    @property
    def rate_mb_s(self) -> float | None:
        """Millions of bytes a second in this stage; `None` before there is anything to tell it from."""
        return self.text_bytes / 1e6 / self.spent_s if self.spent_s > 0 and self.text_bytes else None

    @property
    def left_s(self) -> float | None:
        """Seconds this stage of this source will still take, if it goes on so; `None` when it is not known."""
        share = self._share
        return self.spent_s / share - self.spent_s if share and self.spent_s > 0 else None

    @property
    def _share(self) -> float | None:
        if self.total:
            return min(self.documents / self.total, 1.0)
        return min(self.text_bytes / self.total_bytes, 1.0) if self.total_bytes else None

    def to_dict(self) -> dict[str, Any]:
        """The snapshot as data, with what follows from it."""
        rate, left = self.rate_mb_s, self.left_s
        return {
            "state": "running",
            "stage": self.stage,
            "source": self.alias,
            "documents": self.documents,
            "total": self.total,
            "text_bytes": self.text_bytes,
            "percent_complete": self.percent_complete,
            "rate_mb_s": None if rate is None else float(f"{rate:.3g}"),
            "left_s": None if left is None else round(left, 1),
        }


OnProgress = Callable[[Progress], None]


class SourceReport(NamedTuple):
    """What a reindex did with one source.

    Attributes:
        alias: The source.
        outcome: `updated` (it was read), `unchanged` (it was not, being what it was), `failed`, or `quarantined`
            (it failed before, has not changed since, and was not tried).
        added: New documents.
        changed: Documents read again.
        removed: Documents that are gone.
        unchanged: Documents that were not touched.
        message: Why it failed.
    """

    alias: str
    outcome: Outcome
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    message: str = ""


class Report(NamedTuple):
    """What a reindex did; with `dry_run`, what it would do.

    Attributes:
        documents: Live in the index now, of all sources.
        passages: In the live segments.
        added: New documents.
        changed: Documents read again.
        removed: Documents that are gone.
        unchanged: Documents that were not touched.
        text_bytes: Of text parsed in this run.
        problems: What could not be read, this time or before.
        duration_s: Wall time.
        published: Whether a new generation was made.
        sources: Each source that was looked at, in order.
        recovered: What was put right first, since a run before this one was cut short; a sentence each.
        version: Of the index now: the same for the same sources under the same rules.
        dry_run: Whether it only looked.
        shared: The store that it was copied into, and the generation there; "" for none.
    """

    documents: int
    passages: int
    added: int
    changed: int
    removed: int
    unchanged: int
    text_bytes: int
    problems: tuple[Problem, ...]
    duration_s: float
    published: bool
    sources: tuple[SourceReport, ...] = ()
    recovered: tuple[str, ...] = ()
    version: str = ""
    dry_run: bool = False
    shared: str = ""

    def __str__(self) -> str:
        counts = {"document": self.documents, "passage": self.passages, "problem": len(self.problems)}
        return ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())

    def to_dict(self) -> dict[str, Any]:
        """The report as data."""
        return {
            **self._asdict(),
            "problems": [asdict(problem) for problem in self.problems],
            "sources": [source._asdict() for source in self.sources],
            "recovered": list(self.recovered),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Report":
        """The report again from its data.

        Raises:
            TypeError: The data is not that of a report; or a `KeyError`.
        """
        return cls(
            **{
                **data,
                "problems": tuple(Problem(**problem) for problem in data["problems"]),
                "sources": tuple(SourceReport(**source) for source in data["sources"]),
                "recovered": tuple(data["recovered"]),
            }
        )
