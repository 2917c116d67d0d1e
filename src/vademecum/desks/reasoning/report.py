"""The figures of an evaluation as a person reads them."""

from typing import Any

from vademecum.evaluation.report import number, table

_LABELS = {
    "accuracy_at_1": "right template first",
    "accuracy_at_3": "right template in three",
    "fallback_precision": "fallback taken rightly",
    "fallback_recall": "fallback taken where none fits",
    "decided_right": "what comes first is right",
}
_MOST_PAIRS = 10


def render(figures: dict[str, Any]) -> str:
    """Tables of what `evaluate.summarise` gives, without an ending newline."""
    rows = []
    for name, label in _LABELS.items():
        span = figures["intervals"][name]
        spanned = "-" if span is None else " .. ".join(number(bound) for bound in span)
        rows.append([label, number(figures[name]), spanned, number(figures["baseline"].get(name))])
    times = figures["latency_ms"]
    blocks = [
        [
            f"Ways of reasoning: {figures['n']} problems, {figures['n_fitting']} with a template, {figures['n_fallback']} without"
        ],
        table(["", "", "95 % interval", "plain BM25"], rows),
        [f"Search: median {_ms(times['p50'])}, 95th percentile {_ms(times['p95'])}"],
    ]
    if pairs := figures["confusions"][:_MOST_PAIRS]:
        blocks.append(
            table(["expected", "came", "n"], [[one["expected"], one["came"], str(one["n"])] for one in pairs])
        )
    blocks += [
        [
            one["query"],
            f"  wanted {', '.join(one['expected'])}; came {', '.join(one['came'])}; any fits with {number(one['fits'])}",
        ]
        for one in figures.get("worst", ())
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


def _ms(time_ms: float | None) -> str:
    return "-" if time_ms is None else f"{time_ms:.1f} ms"
