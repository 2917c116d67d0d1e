"""Progress reports of a reindex, and its final report."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Literal, NamedTuple

from vademecum.core.documents import Problem

Outcome = Literal["updated", "unchanged", "failed", "quarantined"]


class Progress(NamedTuple):
    """The progress of a reindex.

    Attributes:
        stage: `check` (whether the source has changed), `scan`, `build`, `publish`, or `copy` (into a store).
        alias: The alias of the current source.
        documents: The number of finished documents in this source.
        total: The number of documents to do in this source; 0 if unknown.
        text_bytes: The size of the text built so far; in `check`, of the archive read so far.
        spent_s: The time since the start of this stage, in seconds.
        total_bytes: In `check`, the size of the archive; otherwise 0.

    Example:
        >>> steps = []
        >>> report = library.reindex(full=True, on_progress=steps.append)
        >>> [step.stage for step in steps][-1]
        'publish'
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
        """The progress of this stage, 0 to 100; `None` if unknown."""
        share = self._share
        return None if share is None else round(100 * share, 1)

    @property
    def rate_mb_s(self) -> float | None:
        """The rate of this stage in MB per second; `None` if unknown."""
        return self.text_bytes / 1e6 / self.spent_s if self.spent_s > 0 and self.text_bytes else None

    @property
    def left_s(self) -> float | None:
        """The estimated remaining time of this stage in seconds; `None` if unknown."""
        share = self._share
        return self.spent_s / share - self.spent_s if share and self.spent_s > 0 else None

    @property
    def _share(self) -> float | None:
        if self.total:
            return min(self.documents / self.total, 1.0)
        return min(self.text_bytes / self.total_bytes, 1.0) if self.total_bytes else None

    def to_dict(self) -> dict[str, Any]:
        """Convert the progress to plain data, including derived values.

        Example:
            >>> steps = []
            >>> report = library.reindex(full=True, on_progress=steps.append)
            >>> "stage" in steps[-1].to_dict()
            True
        """
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
    """The result of a reindex for a source.

    Attributes:
        alias: The alias of the source.
        outcome: `updated` (it was read), `unchanged` (it was not read again), `failed`, or `quarantined` (it failed
            before, is unchanged, and was not read).
        added: The number of new documents.
        changed: The number of documents that were read again.
        removed: The number of removed documents.
        unchanged: The number of unchanged documents.
        message: Why it failed.

    Example:
        >>> library.reindex(full=True).sources[0].alias
        'notes'
    """

    alias: str
    outcome: Outcome
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    message: str = ""


class Report(NamedTuple):
    """The result of a reindex; with `dry_run`, what it would do.

    Attributes:
        documents: The number of documents in the index, from all sources.
        passages: The number of passages in the index.
        added: The number of new documents.
        changed: The number of documents that were read again.
        removed: The number of removed documents.
        unchanged: The number of unchanged documents.
        text_bytes: The size of the text parsed in this run.
        problems: The documents that could not be read, in this run or before.
        duration_s: The wall time in seconds.
        published: Whether a new generation was published.
        sources: The results of the sources, in order.
        recovered: Repairs after an earlier run that was interrupted, as sentences.
        version: The version of the index: the same for the same sources and rules.
        dry_run: Whether nothing was changed.
        shared: The store that the index was copied into, and the generation there; "" for none.
        left_out: The files and folders that are not read on purpose, as sentences.

    Example:
        >>> library.reindex().unchanged
        2
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
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        counts = {"document": self.documents, "passage": self.passages, "problem": len(self.problems)}
        return ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())

    def to_dict(self) -> dict[str, Any]:
        """Convert the report to plain data.

        Example:
            >>> library.reindex().to_dict()["documents"]
            2
        """
        return {
            **self._asdict(),
            "problems": [asdict(problem) for problem in self.problems],
            "sources": [source._asdict() for source in self.sources],
            "recovered": list(self.recovered),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Report":
        """Create a report from plain data.

        Raises:
            TypeError: The data is not a report. Also `KeyError`.

        Example:
            >>> report = library.reindex()
            >>> Report.from_dict(report.to_dict()) == report
            True
        """
        return cls(
            **{
                **data,
                "problems": tuple(Problem(**problem) for problem in data["problems"]),
                "sources": tuple(SourceReport(**source) for source in data["sources"]),
                "recovered": tuple(data["recovered"]),
                "left_out": tuple(data.get("left_out", ())),
            }
        )
