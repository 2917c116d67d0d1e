"""Measures speed and quality next to their baselines, prints one table, and keeps the results.

`README.md` says how it is called.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from curve import draw
from figures import markdown, printed, put
from places import PAGES, Home, private_home, set_pages, some_pages
from processes import Failed
from quality import evaluate, held, spread_evenly
from records import circumstances, load, save
from speed import cold, indexing

RUNS = 20
QUICK_RUNS = 4
QUICK_PAGES = 400
QUICK_EVALUATION = ("--limit", "40", "--bootstrap", "50")

Json = dict[str, Any]


def main() -> None:
    """Do what was asked for."""
    if sys.argv[1:2] == ["engines"]:
        from engines import main as measure_engines  # noqa: PLC0415 - servers are started for it

        sys.argv.pop(1)
        measure_engines()
        return
    asked = _parser().parse_args()
    if asked.table:
        results = load(asked.table)
        put("figures", markdown(results))
        if points := results.get("quality", {}).get("held", {}).get("risk_coverage", {}).get("points"):
            draw(points, results["quality"]["held"]["n"])
        return
    try:
        with private_home(asked.index) as home:
            path = measure(home, asked)
    except Failed as failure:
        sys.exit(str(failure))
    print(printed(load(path)))
    print(f"Kept in {path}")


def measure(home: Home, asked: argparse.Namespace) -> Path:
    """Measure what was asked for; returns the file it is kept in.

    Raises:
        Failed: A command failed.
    """
    how = circumstances(quick=asked.quick)
    speed: Json = {"measured": how}
    if asked.index is None:
        pages = some_pages(asked.pages, home.folder / "pages", QUICK_PAGES) if asked.quick else asked.pages
        set_pages(home, pages)
        speed["indexing"] = indexing(home, say)
        built = speed["indexing"]["from_nothing"]
        how["index"] = {name: built[name] for name in ("documents", "passages")}
    path = None
    if asked.only != "quality":
        texts = [question["question"] for question in held(answerable=True)]
        speed["cold"] = cold(home, spread_evenly(texts, QUICK_RUNS if asked.quick else RUNS), say)
        path = save("speed", speed)
    if asked.only != "speed":
        found = evaluate(home, say, QUICK_EVALUATION if asked.quick else ())
        path = save("quality", {"measured": how, **found})
    if path is None:
        raise AssertionError("nothing was asked for")
    return path


def say(what: str) -> None:
    """Tell a person who waits what is being done."""
    print(what, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Measure speed and quality next to their baselines, print one table, and keep the results."
    )
    parser.add_argument("--only", choices=["speed", "quality"], help="only one of the two")
    parser.add_argument(
        "--index",
        type=Path,
        metavar="DIR",
        help="an index that is there, or the folder that holds it; indexing is not measured then",
    )
    parser.add_argument(
        "--pages", type=Path, default=PAGES, metavar="DIR", help="the manual pages (%(default)s)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="some pages and questions only, to see that it works"
    )
    parser.add_argument(
        "--table",
        type=Path,
        metavar="RESULTS.json",
        help="measure nothing; put these results into benchmarks/README.md, and draw their curve",
    )
    return parser


if __name__ == "__main__":
    main()
