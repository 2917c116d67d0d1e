"""The reasoning desk: the right way of reasoning for a problem, or the honest fallback."""

from vademecum.desks.reasoning.library import ReasoningLibrary
from vademecum.desks.reasoning.match import Match, Selection

__all__ = ["Match", "ReasoningLibrary", "Selection"]
