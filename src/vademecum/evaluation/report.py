"""A report as a person reads it: tables with aligned columns."""

from collections.abc import Iterable, Sequence

from vademecum.evaluation.intervals import Interval
from vademecum.evaluation.results import Result
from vademecum.evaluation.summary import PAGE_FIGURES, Figure, Report

LABELS = {
    "page_at_1": "right page first",
    "page_at_3": "right page in three",
    "page_at_10": "right page in ten",
    "mrr": "mean reciprocal rank",
    "answer_contains": "answer says what it must",
    "lead_answers": "lead says what it must",
    "any_line": "a line to type says it",
    "explained": "parts of command lines explained",
    "lines_per_answer": "lines to type, mean",
    "words_median": "words, median",
    "false_answer_rate": "unanswerable, but answered",
    "false_refusal_rate": "answerable, but refused",
    "auroc": "confidence tells answerable (AUROC)",
    "ece": "confidence off by (ECE, debiased)",
    "citation_exact": "citations exact",
    "sentences_cited": "sentences cited",
}
"""What each figure is called."""

NOTHING = "-"


def render(report: Report, *, title: str, baseline: str) -> str:
    """The whole report.

    Args:
        report: What was measured.
        title: What was asked, in a few words.
        baseline: What the baseline is called.

    Returns:
        Lines, each ended; figures with three decimals, where 1.000 and 0.000 are exact.
    """
    counts = report.counts
    blocks = [
        [f"{title}: {report.n} questions, {counts['answerable']} answerable, {counts['unanswerable']} not"],
        _figures(report, baseline),
        _sections(report, baseline),
        _kinds(report),
        _latencies(report, baseline),
        _remarks(report),
        *([] if report.worst is None else [_worst(result) for result in report.worst]),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines with aligned columns, two spaces apart: the first to the left, all others to the right.

    Args:
        header: One name a column.
        rows: As long as the header each; may be none.
    """
    lines = [tuple(header), *(tuple(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def number(value: float | None, *, sign: bool = False) -> str:
    """A figure with three decimals, which never rounds up to 1 or down to 0; a dash if there is none."""
    if value is None:
        return NOTHING
    shown = abs(value)
    if shown not in {0, 1}:
        shown = 0.999 if 0.999 < shown < 1 else max(0.001, shown)
    return f"{'-' if value < 0 else '+' if sign and value else ''}{shown:.3f}"


def _span(bounds: Interval | None, *, sign: bool = False) -> str:
    return NOTHING if bounds is None else " .. ".join(number(bound, sign=sign) for bound in bounds)


def _figures(report: Report, baseline: str) -> list[str]:
    nothing = Figure(None, None)
    rows = []
    for name, figure in report.figures.items():
        theirs, gain = report.baseline.get(name, nothing), report.difference.get(name, nothing)
        shown = [LABELS[name], number(figure.value), _span(figure.interval), number(theirs.value)]
        rows.append([*shown, number(gain.value, sign=True), _span(gain.interval, sign=True)])
    return table(["", "", "95 % interval", baseline, "difference", "95 % interval"], rows)


def _sections(report: Report, baseline: str) -> list[str]:
    if not report.by_section:
        return []
    header = ["section", "n", *(LABELS[name].removeprefix("right page ") for name in PAGE_FIGURES)]
    rows = [
        [
            name,
            str(group.n),
            *(
                f"{number(group.figures[figure])} ({number(group.baseline[figure])})"
                for figure in PAGE_FIGURES
            ),
        ]
        for name, group in report.by_section.items()
    ]
    return [f"Right page by section ({baseline})", *table(header, rows)]


def _kinds(report: Report) -> list[str]:
    rows = [
        [name, str(kind.n), number(kind.answered), number(kind.page_at_1)]
        for name, kind in report.by_kind.items()
    ]
    return table(["kind", "n", "answered", "right page first"], rows) if rows else []


def _latencies(report: Report, baseline: str) -> list[str]:
    timed = {"answer": report.latency, "search": report.search_latency, baseline: report.baseline_latency}
    rows = [
        [name, *(NOTHING if time_ms is None else f"{time_ms:.1f}" for time_ms in at)]
        for name, at in timed.items()
    ]
    return table(["milliseconds", "median", "95th percentile"], rows)


def _remarks(report: Report) -> list[str]:
    """What must not be overlooked."""
    remarks = list(report.faults)
    if report.answers_without_citation:
        remarks.insert(0, f"Answers that cite nothing: {report.answers_without_citation}")
    return remarks


def _worst(result: Result) -> list[str]:
    """A question, and what came instead."""
    question = result.question
    wanted = ", ".join(question.gold) or ("an answer" if question.answerable else "a refusal")
    done = "answered" if result.answered else "refused"
    return [
        question.question,
        f"  {'; '.join(result.complaints())}",
        f"  wanted {wanted}; came {', '.join(result.found[:3]) or 'nothing'}; {done} at {number(result.confidence)}",
    ]
