"""The reasoning desk: choose the reasoning template that fits a problem, or report that none does."""

from vademecum.desks.reasoning.library import ReasoningLibrary
from vademecum.desks.reasoning.match import Match, Selection

__all__ = ["Match", "ReasoningLibrary", "Selection"]
