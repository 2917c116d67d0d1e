"""The figures to reach, beside those of a run: for the terminal, and for `README.md`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

README = Path(__file__).parent / "README.md"

Json = dict[str, Any]
Unit = Literal["%", "MB", "MB/s", "ms", "s", "times", ""]

_PAGE_FIGURES = ("page_at_1", "page_at_3", "page_at_10")
_UNMEASURED = "–"


class Goal(NamedTuple):
    """A figure, and what it is to reach.

    Attributes:
        what: In words.
        path: Where it stands in the results, keys joined by dots.
        unit: How it is written; "%" takes 0-1.
        least: What it must at least be.
        most: What it must at most be. With neither it is only reported.
        baseline: Where the baseline's figure stands, or "".
    """

    what: str
    path: str
    unit: Unit
    least: float | None = None
    most: float | None = None
    baseline: str = ""


GOALS = (
    Goal("index from nothing", "speed.indexing.from_nothing.wall_s", "s", most=60),
    Goal("… text a second", "speed.indexing.from_nothing.text_mb_per_s", "MB/s", least=8.5),
    Goal("… memory, sum of RssAnon at its peak", "speed.indexing.from_nothing.peak_mb", "MB", most=1000),
    Goal("index again, nothing changed", "speed.indexing.unchanged.wall_s", "s", most=2),
    *(
        Goal(
            f"{'`ragman`, ' + files if not i else '…'} {label}",
            f"speed.cold.{state}.ragman.{path}",
            "ms",
            most=most,
            baseline=f"speed.cold.{state}.apropos.{path}",
        )
        for state, files, bounds in (
            ("cached", "files in the page cache:", (250, 400)),
            ("evicted", "files evicted:", (600, None)),
        )
        for i, (label, path, most) in enumerate(
            (("median", "wall_ms.p50", bounds[0]), ("p95", "wall_ms.p95", bounds[1]))
        )
    ),
    Goal(
        "… processor time, in the page cache, median",
        "speed.cold.cached.ragman.cpu_ms.p50",
        "ms",
        baseline="speed.cold.cached.apropos.cpu_ms.p50",
    ),
    Goal("… read from the disk when evicted, median", "speed.cold.evicted.ragman.read_mb", "MB"),
    Goal("… median as a multiple of `apropos`", "speed.cold.cached.times_apropos", "times"),
    Goal("an empty Python, median", "speed.cold.cached.python.wall_ms.p50", "ms"),
    *(
        Goal(what, f"quality.held.{name}", "%", least=least, baseline=f"quality.held.baseline.{name}")
        for what, name, least in (
            ("right page first", "page_at_1", 0.60),
            ("… in the first 3", "page_at_3", 0.80),
            ("… in the first 10", "page_at_10", 0.92),
        )
    ),
    Goal("mean reciprocal rank", "quality.held.mrr", "", baseline="quality.held.baseline.mrr"),
    Goal("the answer holds the command and option", "quality.held.answer_contains", "%", least=0.80),
    Goal("citations exact", "quality.held.citation_exact", "%", least=1.0),
    Goal("sentences that are cited", "quality.held.sentences_cited", "%", least=1.0),
    Goal("unanswerable questions answered", "quality.held.false_answer_rate", "%", most=0.10),
    Goal("answerable questions refused", "quality.held.false_refusal_rate", "%", most=0.05),
    Goal("answerable or not, AUROC", "quality.held.auroc", "", least=0.90),
    Goal("calibration error of the confidence", "quality.held.ece", ""),
    Goal("with all unanswerable: answered", "quality.refusals.false_answer_rate", "%", most=0.10),
    Goal("… AUROC", "quality.refusals.auroc", "", least=0.90),
)


class Row(NamedTuple):
    """A goal beside what was measured, all as text."""

    what: str
    reach: str
    measured: str
    baseline: str
    met: str


HEAD = Row("what", "to reach", "measured", "baseline", "met")


def rows(results: Json) -> list[Row]:
    """Every goal beside a run's figures; what was not measured has a dash."""
    return [_row(goal, results) for goal in GOALS]


def section_rows(results: Json) -> list[tuple[str, ...]]:
    """The page figures of the held questions by the manual's section, a head first; empty if not measured."""
    report = at(results, "quality.held")
    if report is None:
        return []
    table = [("section", "questions", "first / in 3 / in 10", "plain BM25")]
    for name, group in report["by_section"].items():
        ours, theirs = (_page_figures(figures) for figures in (group, group["baseline"]))
        table.append((name, str(group["n"]), ours, theirs))
    return table


def _page_figures(figures: Json) -> str:
    return " / ".join(written(figures[name], "%").removesuffix(" %") for name in _PAGE_FIGURES) + " %"


def _row(goal: Goal, results: Json) -> Row:
    value = at(results, goal.path)
    measured = written(value, goal.unit)
    bounds = at(results, _beside(goal.path, "intervals"))
    if value is not None and bounds:
        low, high = (written(bound, goal.unit).removesuffix(" %") for bound in bounds)
        measured += f" ({low}–{high})"
    return Row(goal.what, _reach(goal), measured, _baseline(goal, results), _met(goal, value))


def _baseline(goal: Goal, results: Json) -> str:
    value = at(results, goal.baseline) if goal.baseline else None
    return written(value, goal.unit) if value is not None else ""


def _beside(path: str, key: str) -> str:
    """The path of what stands under the same name in a neighbouring group."""
    group, _, name = path.rpartition(".")
    return f"{group}.{key}.{name}"


def _reach(goal: Goal) -> str:
    if goal.least is not None:
        return f"{'≥ ' if goal.least != 1 else ''}{written(goal.least, goal.unit)}"
    return f"≤ {written(goal.most, goal.unit)}" if goal.most is not None else ""


def _met(goal: Goal, value: float | None) -> str:
    if value is None or (goal.least is None and goal.most is None):
        return ""
    low = goal.least is not None and value < goal.least
    high = goal.most is not None and value > goal.most
    return "no" if low or high else "yes"


def at(results: Json, path: str) -> Any:
    """What stands at a path of keys joined by dots; `None` if nothing does."""
    found: Any = results
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def written(value: float | None, unit: Unit) -> str:
    """A figure with its unit: percentages whole where they are whole, three digits or so elsewhere."""
    if value is None:
        return _UNMEASURED
    if unit == "%":
        percent = value * 100
        if percent.is_integer():
            return f"{percent:.0f} %"
        return f"{min(99.9, max(0.1, percent)):.1f} %"  # nearly all is not all, hardly any not none
    if unit == "":
        return f"{value:.2f}"
    return f"{value:,.0f} {unit}" if value >= 100 or float(value).is_integer() else f"{value:.1f} {unit}"


def provenance(results: Json) -> list[str]:
    """When, of what and on what each part was measured, a line each."""
    lines = []
    for part in ("speed", "quality", "ablation", "embedders"):
        how = at(results, f"{part}.measured")
        if how is None:
            continue
        index = at(results, f"{part}.measured.index") or {}
        pages = f", {index['documents']:,} documents" if index.get("documents") else ""
        counts = at(results, f"{part}.held.counts")
        asked = (
            f", {counts['answerable']} answerable and {counts['unanswerable']} other questions"
            if counts
            else ""
        )
        quick = "; a quick run, only to see that it works" if how["quick"] else ""
        lines.append(
            f"{part.capitalize()}: {how['date']}, {how['tree']}, {how['processors']} processors, "
            f"load {how['load']:.1f}{pages}{asked}{quick}."
        )
    return lines


def as_text(table: Sequence[Sequence[str]]) -> str:
    """A table for a terminal, its first row the head; without the marks of Markdown."""
    table = [[cell.replace("`", "") for cell in row] for row in table]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
    lines.insert(1, "  ".join("─" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def as_markdown(table: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, its first row the head."""
    lines = [f"| {' | '.join(row)} |".replace("|  |", "| |").replace("|  |", "| |") for row in table]
    lines.insert(1, f"|{' --- |' * len(table[0])}")
    return "\n".join(lines) + "\n"


def printed(results: Json) -> str:
    """A run, for a terminal."""
    parts = [as_text([HEAD, *rows(results)])]
    if sections := section_rows(results):
        parts.append(as_text(sections))
    parts.append("\n".join(provenance(results)) + "\n")
    return "\n".join(parts)


def markdown(results: Json) -> str:
    """A run, for the README."""
    parts = [as_markdown([HEAD, *rows(results)])]
    if sections := section_rows(results):
        parts.append(as_markdown(sections))
    parts.append("\n".join(provenance(results)) + "\n")
    return "\n".join(parts)


def put(name: str, text: str, readme: Path = README) -> None:
    """Put a text into the README, between the markers of a name.

    Raises:
        ValueError: It has no such markers.
    """
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
    before, found, rest = readme.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise ValueError(f"{readme} has no place marked {begin.strip()} … {end.strip()}")
    readme.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
