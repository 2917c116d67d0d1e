"""Fits how much each signal of nearness counts when the composer desk ranks image templates.

    python training/templates.py --templates-dir DIR --out src/vademecum/desks/composer/search/nearness.py

From development requests whose right templates are known: those for the templates of a folder, and those for our own. A
conditional logit (McFadden 1974) over the signals of all templates that fulfil a request's constraints, with weights that may not
be negative and an L2 penalty. Each half of the requests, split by a hash of their text, is measured with weights that were fitted
on the other half; that is what is printed, and what to expect of requests in new words is less, since the phrases of
capabilities were written by people who knew some of these requests. What is written is fitted on all of them.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.optimize import minimize

from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.search.scoring import SIGNALS
from vademecum.desks.composer.search.search import search
from vademecum.desks.composer.settings import CacheSettings, ComposerSettings, ScoringSettings

ROOT = Path(__file__).parents[1]
QUESTIONS = ROOT / "benchmarks/questions"
_DECAY = 0.003
_BESIDE = 2
"""The signals `keyword` and `package`, which are fitted along and whose weights the settings say."""


class Request:
    """A request, the signals of every template that is left for it, and which of these are right."""

    def __init__(
        self, text: str, wording: str, found: Sequence[tuple[str, Sequence[float]]], right: set[str]
    ) -> None:
        self.wording = wording
        self.half = crc32(text.encode()) % 2
        self.features = np.array([values for _, values in found])
        self.right = np.array([file in right for file, _ in found])


def requests(library: TemplateLibrary, file: Path, settings: ComposerSettings) -> list[Request]:
    """The requests of a file, measured."""
    made = []
    for line in file.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        found = search(data["query"], library, settings).ranked
        rows = [(one.file, (*one.parts, one.keyword**3, one.package)) for one in found]
        right = {entry.file for name in data["relevant"] if (entry := library.entry(name))}
        if rows:
            made.append(Request(data["query"], data.get("wording", ""), rows, right))
    return made


def fit(chosen: Sequence[Request]) -> np.ndarray:
    """The weights that make the right templates likeliest."""
    some = [one for one in chosen if one.right.any() and not one.right.all()]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = 0.0, np.zeros(len(weights))
        for one in some:
            scores = one.features @ weights
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            met = chances[one.right].sum() + 1e-12
            total -= np.log(met)
            slope += one.features.T @ (chances - chances * one.right / met)
        return total / len(some) + _DECAY * weights @ weights, slope / len(some) + 2 * _DECAY * weights

    start = np.ones(len(SIGNALS) + _BESIDE)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start))
    return np.array(found.x)


def hits(chosen: Sequence[Request], weights_of: Callable[[Request], np.ndarray], limit: int) -> float:
    """The share of requests with a right template among the first."""
    met = [
        one.right[np.argsort(-(one.features @ weights_of(one)), kind="stable")[:limit]].any()
        for one in chosen
    ]
    return float(np.mean(met))


def main() -> None:
    """Fit, print and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--templates-dir", type=Path, help="the templates that templates.jsonl is about")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        settings = ComposerSettings(
            cache=CacheSettings(dir=Path(cache)), scoring=ScoringSettings(min_score_threshold=0.0)
        )
        found = requests(TemplateLibrary.open(), QUESTIONS / "templates_own.jsonl", settings)
        if arguments.templates_dir:
            library = TemplateLibrary.open(arguments.templates_dir)
            found += requests(library, QUESTIONS / "templates.jsonl", settings)
    fitted = [fit([one for one in found if one.half != half]) for half in (0, 1)]
    for name, some in (
        ("all", found),
        *((kind, [one for one in found if one.wording == kind]) for kind in ("close", "lay")),
    ):
        first, three = (hits(some, lambda one: fitted[one.half], limit) for limit in (1, 3))
        print(
            f"{name:6} {len(some):4} requests: first {first:.3f}, in three {three:.3f} (fitted on the other half)"
        )
    weights = fit(found)
    print(dict(zip((*SIGNALS, "keyword", "package"), weights.round(3).tolist(), strict=True)))
    if arguments.out:
        parts = weights[: len(SIGNALS)]
        numbers = ", ".join(f"{value:.4g}" for value in parts / parts.sum())
        head = '"""How much each signal of nearness counts, as fitted by `training/templates.py`. Generated: do not edit."""'
        arguments.out.write_text(f"{head}\n\nNEARNESS = ({numbers})\n", encoding="utf-8")


if __name__ == "__main__":
    main()
