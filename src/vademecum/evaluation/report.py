"""Render tables of figures as text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from vademecum.evaluation.figures import Measure

NOTHING = "-"


def joined(blocks: Iterable[Sequence[str]]) -> str:
    """Blocks of lines with a blank line between any two; empty ones are left out."""
    return "\n\n".join("\n".join(block) for block in blocks if block)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines with aligned columns, two spaces apart: the first to the left, all others to the right."""
    lines = [tuple(header), *(tuple(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def measured(measures: Iterable[Measure[Any]], data: Mapping[str, Any], baseline: str) -> list[str]:
    """A table of figures with their intervals, next to those of a baseline; with the differences, if the data has them."""
    intervals, differences = data.get("intervals", {}), data.get("difference", {})
    header = ["", "", "95 % interval", baseline]
    rows = []
    for measure in measures:
        name = measure.name
        shown = [measure.label, number(data[name]), span(intervals.get(name))]
        rows.append([*shown, number(data["baseline"].get(name))])
        if differences:
            gain = differences.get(name, {"value": None, "interval": None})
            rows[-1] += [number(gain["value"], sign=True), span(gain["interval"], sign=True)]
    return table([*header, "difference", "95 % interval"] if differences else header, rows)


def group_table(
    header: Sequence[str], groups: Mapping[str, Any], cells: Callable[[Any], Iterable[str]]
) -> list[str]:
    """A table with a row for each group: its name, its number of outcomes, and further cells. No lines without groups."""
    rows = [[name, str(group["n"]), *cells(group)] for name, group in groups.items()]
    return table(header, rows) if rows else []


def number(value: float | None, *, sign: bool = False) -> str:
    """A figure with three decimals, which never rounds up to 1 or down to 0; a dash if there is none."""
    if value is None:
        return NOTHING
    shown = abs(value)
    if shown not in {0, 1}:
        shown = 0.999 if 0.999 < shown < 1 else max(0.001, shown)
    return f"{'-' if value < 0 else '+' if sign and value else ''}{shown:.3f}"


def span(bounds: Sequence[float] | None, *, sign: bool = False) -> str:
    """An interval; a dash if there is none."""
    return NOTHING if bounds is None else " .. ".join(number(bound, sign=sign) for bound in bounds)


def duration(latency: Mapping[str, float | None]) -> str:
    """Median and 95th percentile, in a line."""
    shown = {name: NOTHING if ms is None else f"{ms:.1f} ms" for name, ms in latency.items()}
    return f"median {shown['p50']}, 95th percentile {shown['p95']}"
