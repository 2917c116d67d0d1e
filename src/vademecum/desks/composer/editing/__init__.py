"""Typed edits: one wish becomes one change of a template, or the reason why it does not."""

from vademecum.desks.composer.editing.applying import apply, apply_all, diff
from vademecum.desks.composer.editing.outcome import Outcome, Scene, State

__all__ = ["Outcome", "Scene", "State", "apply", "apply_all", "diff"]
