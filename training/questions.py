"""The development questions, and the one split of them that every recipe here uses.

Questions are split by the page that answers them, so that no page is known from its questions where it is
measured: `held` is never fitted on, by no recipe; `fit` is.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

OWN = Path(__file__).parents[1] / "benchmarks" / "questions"
OWN_FILES = (
    "linux_programming.jsonl",
    "linux_formats.jsonl",
    "linux_commands.jsonl",
    "linux_everyday.jsonl",
    "linux_unanswerable.jsonl",
)
INTENTS = Path(__file__).parents[2] / "shared" / "data" / "eval" / "linux_intents_dev.jsonl"


SHELL = "bash(1)"
"""One page answers all questions on shell builtins; they are split by question, or none could be fitted on."""


class DevQuestion(NamedTuple):
    """A development question; `part` is `held` or `fit`; `origin` is the file's stem."""

    text: str
    gold: tuple[str, ...]
    flags: tuple[str, ...]
    origin: str
    part: str


def development_questions() -> Iterator[DevQuestion]:
    """All questions that are there: our own, and the intents where they are at hand."""
    for path in (*(OWN / name for name in OWN_FILES), INTENTS):
        if not path.exists():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            data = json.loads(line)
            gold = tuple(sorted(data.get("gold", ())))
            part = split(gold[0] if gold and gold[0] != SHELL else data["question"], own=path.parent == OWN)
            yield DevQuestion(data["question"], gold, tuple(data.get("flags", ())), path.stem, part)


def split(page: str, *, own: bool) -> str:
    """Which part a page's questions belong to. A quarter of our own pages is held out; intents never are."""
    number = crc32(page.encode()) % 8
    return "held" if own and number < 2 else "fit"
