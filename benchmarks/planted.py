"""Answers with planted faults, and which of their sentences are built from the words that they cite."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vademecum.answering.wording import is_said

FAITHFUL = "none"
_LINE = re.compile(r"(?<=[.;!?])\s+(?=[A-Z(-])|\n")


class Sentence(NamedTuple):
    """A sentence of an answer.

    Attributes:
        cites: The numbers of the passages that it cites, from 1.
        fault: The kind of fault planted in it, or "none".
        note: How it was made, or what the text really says.
    """

    text: str
    cites: tuple[int, ...]
    fault: str
    note: str

    def is_said(self, answer: "Planted") -> bool:
        """Return whether a line of the passages that it cites says it."""
        texts = [answer.passages[number - 1] for number in self.cites] or answer.passages
        lines = (line for text in texts for line in _LINE.split(text) if line.strip())
        return any(is_said(self.text, [line], answer.question) for line in lines)


class Planted(NamedTuple):
    """An answer, and the texts of the passages it cites, numbered from 1."""

    id: str
    question: str
    passages: tuple[str, ...]
    sentences: tuple[Sentence, ...]


def load(path: Path) -> Iterator[Planted]:
    """Yield the answers of a file, a line of JSON each (`benchmarks/verification/README.md` says how)."""
    for line in path.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        numbers = {passage["number"]: place for place, passage in enumerate(data["passages"], 1)}
        yield Planted(
            data["id"],
            data["question"],
            tuple(passage["text"] for passage in data["passages"]),
            tuple(
                Sentence(
                    sentence["text"],
                    tuple(numbers[number] for number in sentence["cites"]),
                    sentence["fault"] or FAITHFUL,
                    sentence["note"],
                )
                for sentence in data["sentences"]
            ),
        )
