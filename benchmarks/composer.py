"""Requests and refinements of the image composer, and those of strangers: how many are right, as `composer/README.md` says it is counted.

`python benchmarks/composer.py [--only requests|refinements|strangers|replies] [--each] [--templates DIR]`. Nothing is asked of a model or the network. Results are
kept in `results/` as those of other parts.
"""

import argparse
import json
import sys
from pathlib import Path

from composer_refinements import refinements
from composer_requests import Json, requests
from composer_strangers import strangers, with_replies
from records import circumstances, save

from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.draft import Around
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.packages.states import PackageIndex
from vademecum.desks.composer.settings import CacheSettings, ComposerSettings, SessionSettings

FOLDER = Path(__file__).parent / "composer"
_STRANGERS = (
    "strangers",
    "stranger_dialogues",
    "strangers_later",
    "stranger_dialogues_later",
    "stranger_facts",
    "strangers_last",
    "stranger_dialogues_last",
    "stranger_facts_last",
    "strangers_fourth",
    "stranger_dialogues_fourth",
    "stranger_facts_fourth",
)
TEMPLATES = Path(__file__).parents[2] / "shared" / "data" / "os-image-composer" / "image-templates"


def main() -> None:
    """Count, print, keep."""
    asked = _parser().parse_args()
    settings = ComposerSettings(
        provider="none", cache=CacheSettings(enabled=False), session=SessionSettings(persist=False)
    )
    results: Json = {"measured": circumstances(quick=asked.limit is not None)}
    index = PackageIndex.open(asked.index) if asked.index else None
    real = Agent(Around(library=TemplateLibrary.open(asked.templates), settings=settings, index=index))
    ours = Agent(Around(library=TemplateLibrary.open(), settings=settings, index=index))
    if asked.only in {None, "requests"}:
        results["requests"] = requests(real, _lines("requests.jsonl", asked.limit), each=asked.each)
        _show("requests", results["requests"])
    if asked.only in {None, "refinements"}:
        results["refinements"] = refinements(
            real, ours, settings, _lines("refinements.jsonl", asked.limit), each=asked.each
        )
        _show("refinements", results["refinements"])
    if asked.only in {None, "strangers"}:
        for name in _STRANGERS:
            lines = _lines(f"{name}.jsonl", asked.limit)
            results[name] = strangers(ours, real, settings, lines, each=asked.each)
            _show(name, results[name])
    if asked.only in {None, "replies"}:
        lines = _lines("strangers_last.jsonl", asked.limit)
        replies = {line["id"]: line["reply"] for line in _lines("strangers_last_replies.jsonl", None)}
        for library, agent in (("own", ours), ("upstream", real)):
            own = [line for line in lines if line["library"] == library]
            results[f"replies_{library}"] = with_replies(agent, settings, own, replies)
            _show(f"with a model's replies, {library} ({len(own)})", results[f"replies_{library}"])
    print(f"Kept in {save('composer', results)}")


# ------------------------------------------------------------------------------------------------------------------


def _lines(name: str, limit: int | None) -> list[Json]:
    lines = [
        json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    return lines[:limit]


def _show(part: str, results: Json) -> None:
    print(part)
    for key, value in results.items():
        shown = f"{value:.1%}" if isinstance(value, float) and value <= 1 else value
        print(f"  {key:22} {shown}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Count requests and refinements of the image composer.")
    parser.add_argument(
        "--only", choices=["requests", "refinements", "strangers", "replies"], help="only one of them"
    )
    parser.add_argument(
        "--templates",
        type=Path,
        default=TEMPLATES,
        metavar="DIR",
        help="the library that requests are made over (%(default)s)",
    )
    parser.add_argument("--index", type=Path, metavar="DIR", help="a folder of package indexes")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N only, to see that it works")
    parser.add_argument("--each", action="store_true", help="also each one that is not right")
    return parser


if __name__ == "__main__":
    sys.exit(main())
