"""How well a model chooses, and the confidence that its choice deserves."""

import json
import re
from contextlib import suppress
from math import log
from typing import NamedTuple

from vademecum.core.fitted import chance_of, log_odds
from vademecum.core.protocols import ChatModel
from vademecum.files.places import default_places
from vademecum.files.write import replace_file

_FILE = "models.json"
_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)(m|b)(?![a-z])", re.IGNORECASE)
_TINY = re.compile(r"smol|tiny", re.IGNORECASE)
_SMALL, _LARGE = 2.0, 7.0
"""The sizes from which a model is not small, and from which it is large, in billions of weights."""

_FIRST, _OFFERED = 0.5, 0.5
"""The share of wrong picks that are our first line. If ours is wrong, a right line is offered at least as often as this share of all answers."""


class Skill(NamedTuple):
    """How well a model chooses among lines of documents.

    Attributes:
        agrees: The share (0-1) of questions for which it picks our first line, if that is right.
        right: The share for which it picks a right line first, if ours is wrong and a right one is offered.
        chooses: The share for which it picks any line, if a right one is offered.
        invents: The share for which it picks any line, if none is right.
        composes: The share of its command lines that are right, of those that the pages prove; 0 if it must not write any.
    """

    agrees: float
    right: float
    chooses: float
    invents: float
    composes: float

    @property
    def names(self) -> bool:
        """Return whether it is asked for pages before it chooses."""
        return self.composes > 0

    def shown(
        self, position: int | None, own: float, there: float, *, is_prose: bool, is_required: bool
    ) -> float | None:
        """Return the confidence of an answer that begins with what the model picked first; None to keep ours.

        Args:
            position: See `of_pick`.
            is_prose: Whether it writes sentences, which need not begin with the answer.
            is_required: Whether its choice is shown even if ours is likelier to be right.
        """
        chance = self.of_pick(position, own, there)
        if is_prose:
            return max(chance, own)
        is_likelier = position == 0 or chance >= self.of_other(own)
        return chance if is_likelier or is_required else None

    def of_pick(self, position: int | None, own: float, there: float) -> float:
        """Return the probability (0-1) that what it picked first is right.

        Args:
            position: The position of the line, from 0, which is that of the answer without a model; None for a line that the model wrote.
            own: The probability that the answer without a model is right.
            there: The probability that the documents contain an answer, at least `own`.
        """
        if position is None:
            return self.composes
        if position == 0:
            right = own * self.agrees
            return max(own, right / (right + (1 - own) * _FIRST * (1 - self.right))) if own else 0.0
        is_there = max(_OFFERED * there, (there - own) / (1 - own)) if own < 1 else 0.0
        right = (1 - own) * is_there * self.right
        wrong = own * (1 - self.agrees) + (1 - own) * (
            is_there * (self.chooses - self.right) + (1 - is_there) * self.invents
        )
        return right / (right + wrong) if right else 0.0

    def of_other(self, own: float) -> float:
        """Return the probability (0-1) that our answer is right, from that before the model picked something else."""
        return chance_of(log_odds(own) + log(1 - self.agrees))

    def of_none(self, own: float) -> float:
        """Return the probability (0-1) that our answer is right, from that before the model found none."""
        return chance_of(log_odds(own) + log((1 - self.chooses) / (1 - self.invents)))


SMALL = Skill(0.3, 0.15, 0.65, 0.65, 0.0)
MIDDLE = Skill(0.75, 0.45, 0.9, 0.35, 0.5)
LARGE = Skill(0.88, 0.65, 0.95, 0.1, 0.75)
"""The skills of models by size: those of a small and of a large one were measured with development questions, and the one between is assumed. That
a small one finds nothing says nothing."""


def skill_of(model: ChatModel) -> Skill:
    """Return the skill of a model: as measured by `vademecum models try`, or else by its size."""
    file = default_places().data / _FILE
    with suppress(OSError, ValueError, TypeError, KeyError):
        return Skill(*json.loads(file.read_bytes())[model.name])
    return usual_skill(model.name, is_here=getattr(model, "is_here", False))


def usual_skill(name: str, *, is_here: bool = False) -> Skill:
    """Return the skill of a model by the size in its name. One without a size is taken for large, but not if it runs on this machine.

    >>> usual_skill("ollama:gemma3:1b") is SMALL, usual_skill("openai:gpt-4o-mini") is LARGE
    (True, True)
    """
    size = _size_of(name)
    if size is None:
        return SMALL if name.startswith("llamacpp:") else MIDDLE if is_here else LARGE
    return SMALL if size < _SMALL else MIDDLE if size < _LARGE else LARGE


def measured_skill(name: str, right: float, chooses: float, invents: float) -> Skill:
    """Return the skill of a model by its shares in a trial, which count as much as those that are usual for its size."""
    usual = usual_skill(name)
    found = Skill(
        agrees=(right + usual.agrees) / 2,
        right=(right * usual.right / usual.agrees + usual.right) / 2,
        chooses=(chooses + usual.chooses) / 2,
        invents=(invents + usual.invents) / 2,
        composes=usual.composes,
    )
    is_able = found.agrees >= MIDDLE.agrees and found.invents <= MIDDLE.invents
    return found._replace(composes=max(usual.composes, MIDDLE.composes) if is_able else 0.0)


def keep_skill(name: str, skill: Skill) -> None:
    """Keep the measured skill of a model in the data folder of this user."""
    file = default_places().data / _FILE
    known: dict[str, list[float]] = {}
    with suppress(OSError, ValueError):
        known = json.loads(file.read_bytes())
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, json.dumps(known | {name: list(skill)}))


def _size_of(name: str) -> float | None:
    """Return the number of weights in billions; None if the name does not say it."""
    if _TINY.search(name):
        return 0.0
    sizes = [float(count) / (1000 if unit in "mM" else 1) for count, unit in _SIZE.findall(name)]
    return sizes[-1] if sizes else None
