"""Planted faults: how many of them a verifier detects, and how many correct sentences it rejects."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from vademecum.answering.checker import Checked, Checker
from vademecum.answering.claims.classifier import THRESHOLD
from vademecum.answering.prompt import Numbered
from vademecum.answering.reply import Claim
from vademecum.core.evidence import Evidence, Span

FAITHFUL = "none"
WRONG_PASSAGE = "wrong_passage"


class Sentence(NamedTuple):
    """A sentence of an answer.

    Attributes:
        claim: As a model would have written it.
        fault: The kind of fault planted in it, or "none".
        note: How it was made, or what the text really says.
    """

    claim: Claim
    fault: str
    note: str


class Planted(NamedTuple):
    """An answer, and the passages it cites.

    Attributes:
        id: Its name.
        question: What was asked.
        passages: Reference and text of each, numbered from 1.
        sentences: In order.
    """

    id: str
    question: str
    passages: tuple[tuple[str, str], ...]
    sentences: tuple[Sentence, ...]

    @property
    def held(self) -> bool:
        """Return whether nothing may be fitted on it, nor looked at in it: about half of all, by a hash of the name."""
        return bool(hashlib.sha256(self.id.encode()).digest()[0] % 2)


class Outcome(NamedTuple):
    """What became of a sentence.

    Attributes:
        fault: The kind of fault planted in it, or "none".
        note: How it was made.
        became: `written`, it came through as it was; `quoted`, the words of its passages were put in its place; `moved`, it
            cites another passage; `dropped`.
        checked: What the verifier thought.
    """

    fault: str
    note: str
    became: Literal["written", "quoted", "moved", "dropped"]
    checked: Checked

    @property
    def is_caught(self) -> bool:
        """Return whether the reader does not see the fault. A wrong citation is caught if another passage is cited."""
        return self.became != "written" and (self.became != "moved" or self.fault == WRONG_PASSAGE)


def load(path: Path) -> Iterator[Planted]:
    """The answers of a file, a line of JSON each (`benchmarks/verification/README.md` says how)."""
    for line in path.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        numbers = {one["number"]: place for place, one in enumerate(data["passages"], 1)}
        yield Planted(
            data["id"],
            data["question"],
            tuple((one["reference"], one["text"]) for one in data["passages"]),
            tuple(
                Sentence(
                    Claim(
                        "steps" if one["kind"] == "step" else "summary",
                        one["text"],
                        one.get("command") or "",
                        tuple(numbers[number] for number in one["cites"]),
                        (),
                    ),
                    one["fault"] or FAITHFUL,
                    one["note"],
                )
                for one in data["sentences"]
            ),
        )


def checker_of(answer: Planted, threshold: float = THRESHOLD) -> Checker:
    """A verifier that has seen the passages of an answer; from which doubt on a sentence does not hold."""
    evidence = [
        Evidence("planted", "0" * 64, reference, reference, "", text, ())
        for reference, text in answer.passages
    ]
    passages = [
        Numbered(place + 1, Span(place, 0, len(one.text), ""), "", ()) for place, one in enumerate(evidence)
    ]
    return Checker(answer.question, evidence, passages)


def outcomes(answers: Sequence[Planted], threshold: float = THRESHOLD) -> list[list[Outcome]]:
    """What becomes of each sentence of each answer."""
    found = []
    for answer in answers:
        checker = checker_of(answer, threshold)
        found.append([_outcome(checker.check(sentence.claim), sentence) for sentence in answer.sentences])
    return found


def _outcome(checked: Checked, sentence: Sentence) -> Outcome:
    if checked.verdict != "supported":
        return Outcome(sentence.fault, sentence.note, "dropped", checked)
    moved = set(checked.cites).isdisjoint(sentence.claim.cites)
    return Outcome(
        sentence.fault,
        sentence.note,
        "quoted" if checked.quoted else "moved" if moved else "written",
        checked,
    )


def share(
    results: Sequence[Sequence[Outcome]], wanted: Callable[[Outcome], bool], became: Callable[[Outcome], bool]
) -> float | None:
    """The share of the wanted sentences that became so, 0 to 1; None of none."""
    chosen = [became(one) for answer in results for one in answer if wanted(one)]
    return sum(chosen) / len(chosen) if chosen else None
