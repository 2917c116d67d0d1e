"""Undo, redo and start over, using the turns of a conversation, never the template alone."""

from collections.abc import Sequence
from typing import NamedTuple

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.draft import Around, scene_of
from vademecum.desks.composer.editing.applying import apply_all
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.session.sessions import Turn
from vademecum.desks.composer.session.turns import file_of, named_by, short, stack_of, wishes_of

_BESIDE = frozenset(["question", "talk", "validate", "diff", "show", "save"])
"""The kinds of turn that leave everything as it was."""


class TakenBack(NamedTuple):
    """What is left.

    Attributes:
        stack: The turns that made the template as it is now, by their places.
    """

    stack: list[int]
    text: str
    says: str


def undone(turns: Sequence[Turn], steps: int, back_to: int) -> TakenBack | str:
    """The last changes taken back.

    Returns:
        What is left, or why nothing could be undone.
    """
    stack = stack_of(turns)
    if not stack:
        return "There is nothing to undo."
    left = stack[:back_to] if back_to else stack[:-steps] if steps < len(stack) else stack[:1]
    if left == stack:
        return (
            "There is nothing to undo: this is the first template."
            if len(stack) == 1
            else "It is like that already."
        )
    gone = "; ".join(short(turns[place].said) for place in stack[len(left) :])
    return TakenBack(left, turns[left[-1]].text_after, f"Undone: {gone}.")


def undone_by_name(turns: Sequence[Turn], name: str, around: Around) -> TakenBack | str:
    """One change taken back; those after it are made again without it.

    Returns:
        What is left, or why nothing could be undone.
    """
    stack = stack_of(turns)
    if not stack:
        return "There is nothing to undo."
    wanted = [place for place in stack[1:] if named_by(name, turns[place])]
    if not wanted:
        message = f"No change is known by: {name}."
        raise AnswerError(message, hint='Say "undo", or which turn to go back to, as in: back to turn 2.')
    gone = wanted[-1]
    if gone == stack[-1]:
        return undone(turns, 1, 0)
    at = stack.index(gone)
    document = Document.read(turns[stack[at - 1]].text_after)
    for place in stack[at + 1 :]:
        scene = scene_of(around, str(document.get("target", "os")), file_of(turns), drafting=False)
        document, _ = apply_all(document, wishes_of(turns[place]), scene)
    says = f"Undone: {short(turns[gone].said)}; what came after it was kept."
    return TakenBack([one for one in stack if one != gone], document.text, says)


def redone(turns: Sequence[Turn]) -> TakenBack | str:
    """What was undone last, back again.

    Returns:
        What is there then, or why nothing could be brought back.
    """
    last = next((place for place in reversed(range(len(turns))) if turns[place].kind not in _BESIDE), 0)
    if not last or turns[last].kind != "undo":
        return "There is nothing to redo."
    before = next((turn.text_after for turn in reversed(turns[:last]) if turn.text_after), "")
    return TakenBack(stack_of(turns[:last]), before, "What was undone is back.")


def begun_again(turns: Sequence[Turn]) -> TakenBack:
    """The first template, and a clean slate for what is asked next."""
    firsts = [place for place in stack_of(turns) if turns[place].kind == "new"][-1:]
    text = turns[firsts[0]].text_after if firsts else ""
    says = "Started over: this is the first template again. " if text else "Started over. "
    return TakenBack(firsts, text, f"{says}Say what the image is to be, or what to change.")
