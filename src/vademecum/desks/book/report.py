"""The figures of an evaluation as a person reads them."""

from typing import Any

from vademecum.evaluation.report import number, table

_RANKS = {
    "passage_at_1": "right passage first",
    "passage_at_5": "right passage in five",
    "passage_at_30": "right passage in thirty",
    "ndcg_at_10": "gain of the first ten",
    "file_at_5": "right page in five",
}
_ANSWERS = {
    "answer_has_phrase": "the answer holds the phrase",
    "lead_has_phrase": "its first 300 characters do",
    "defines": "what is to be explained is defined first",
    "auroc": "answerable told from not (AUROC)",
    "ece": "error of the confidence (ECE)",
    "coverage_at_5pct_error": "answered with 5 % errors",
    "false_answer_rate": "answered without an answer there",
    "false_refusal_rate": "refused with an answer there",
    "citation_exact": "citations exact",
}


def render(figures: dict[str, Any]) -> str:
    """Tables of what `evaluate.summarise` gives, without an ending newline."""
    ranks = [[label, number(figures[name]), number(figures["bm25"][name])] for name, label in _RANKS.items()]
    times = figures["latency_ms"]
    blocks = [
        [
            f"Book: {figures['n']} questions, {figures['n_answerable']} that it answers, {figures['n_unanswerable']} that it does not"
        ],
        table(["", "", "plain BM25"], ranks),
        table(["", ""], [[label, number(figures[name])] for name, label in _ANSWERS.items()]),
        table(
            ["kind of question", "asked", "lead has phrase", "refused", "characters"],
            [
                [
                    kind,
                    str(of_kind["n"]),
                    number(of_kind["lead_has_phrase"]),
                    number(of_kind["false_refusal_rate"]),
                    number(of_kind["characters_median"]),
                ]
                for kind, of_kind in figures["by_kind"].items()
            ],
        ),
        [
            "; ".join(
                (
                    f"Answers: median {_ms(times['p50'])}, 95th percentile {_ms(times['p95'])}",
                    f"{number(figures['characters_median'])} characters at the median",
                )
            )
        ],
    ]
    for one in figures.get("worst", ()):
        came = f"rank {one['rank']}" if one["answerable"] else "no answer there"
        blocks.append(
            [one["question"], f"  {came}; answerability {number(one['answerability'])}: {one['answer']}"]
        )
    return "\n\n".join("\n".join(block) for block in blocks)


def _ms(time_ms: float | None) -> str:
    return "-" if time_ms is None else f"{time_ms:.1f} ms"
