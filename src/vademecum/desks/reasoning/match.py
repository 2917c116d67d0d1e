"""The result of choosing a reasoning template."""

from dataclasses import dataclass
from typing import Self

from vademecum.core.trace import Json
from vademecum.desks.reasoning.templates import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A template for a problem.

    Attributes:
        score: 0-1, falling with the rank. The chance that this is the right one; in a library with a `threshold` or an
            embedder the cosine; of the fallback always 0.5, which says nothing.
        description: What it does and what it is for.
        content: The text of the template.
        is_fallback: Whether it is in because none fits.
        why: Why it was chosen, in a sentence.
    """

    id: str
    name: str
    score: float
    description: str
    content: str
    is_fallback: bool = False
    why: str = ""

    @classmethod
    def of(cls, template: Template, score: float, why: str) -> Self:
        """Return a match of a template."""
        return cls(
            id=template.id,
            name=template.name,
            score=score,
            description=template.description,
            content=template.content,
            is_fallback=template.is_fallback,
            why=why,
        )

    def to_dict(self) -> dict[str, Json]:
        """All of it as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A template under consideration.

    Attributes:
        share: The chance (0-1) that it is the right one, if any is.
        cosine: By the embedder that was named, else, with a `threshold`, the best cosine of the problem with a line of the
            template by the built-in word vectors; `None` where neither was asked for.
        measured: What was measured of it, by name.
        line: The question or line of it that is nearest to the problem; "" if none shares a word.
    """

    id: str
    share: float
    cosine: float | None
    measured: dict[str, float]
    line: str

    def to_dict(self) -> dict[str, Json]:
        """All of it as plain data."""
        return {
            "id": self.id,
            "share": round(self.share, 4),
            "cosine": None if self.cosine is None else round(self.cosine, 4),
            "measured": {name: round(value, 4) for name, value in self.measured.items()},
            "nearest_line": self.line,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What was chosen for a problem, and what it rests on.

    Attributes:
        matches: Best first; the fallback alone if none fits.
        fits: The chance (0-1) that any template fits.
        border: What that is held against.
        reason: Why the fallback was taken; "" if it was not.
        candidates: Every template, best first.
        signals: What `fits` rests on, by name.
        duration_ms: Wall time.
    """

    problem: str
    matches: tuple[Match, ...]
    fits: float
    border: float
    reason: str
    candidates: tuple[Candidate, ...]
    signals: dict[str, float]
    duration_ms: float

    @property
    def is_fallback(self) -> bool:
        """Return whether no template fits."""
        return self.matches[0].is_fallback

    def to_dict(self, *, explain: bool = False) -> dict[str, Json]:
        """The choice as plain data; with `explain` also what it rests on."""
        data: dict[str, Json] = {
            "problem": self.problem,
            "matches": [match.to_dict() for match in self.matches],
            "fits": round(self.fits, 4),
            "reason": self.reason,
        }
        if explain:
            data["explain"] = {
                "border": self.border,
                "signals": {name: round(value, 4) for name, value in self.signals.items()},
                "candidates": [candidate.to_dict() for candidate in self.candidates],
                "duration_ms": round(self.duration_ms, 3),
            }
        return data
