"""The contents of turns: which of them made the current template, and their wishes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from vademecum.core.models import Message
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.session.sessions import Turn
from vademecum.desks.composer.wish import Kind, Secret, Wish

_MAKING = frozenset(["new", "refinement", "suggestion"])
"""The kinds of turn that make or change a template."""

_TAKING_BACK = frozenset(["undo", "redo", "start-over"])
_SHORT = 60
_SINGLE = frozenset(
    ["disk_size", "hostname", "image_name", "image_version", "description", "timezone", "swap"]
)
"""What an image has one of."""

_KINDS = frozenset(get_args(Kind))


def stack_of(turns: Sequence[Turn]) -> list[int]:
    """The turns that made the template what it is now, by their places. What was undone is not among them."""
    stack: list[int] = []
    for place, turn in enumerate(turns):
        if turn.kind in _MAKING:
            stack.append(place)
        elif turn.kind in _TAKING_BACK:
            # A session's file may have been changed by hand, or lack a turn.
            kept = [one for edit in turn.edits if isinstance(one := edit.get("stack"), list)]
            possible = {at for at in range(place) if turns[at].kind in _MAKING}
            stack = [one for one in kept[-1] if isinstance(one, int) and one in possible] if kept else stack
    return stack


def effective(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that made the template what it is now."""
    return [turns[place] for place in stack_of(turns)]


def wishes_of(turn: Turn) -> list[Wish]:
    """The wishes of a turn that came true, as they were kept; in the place of a password is its hash, from the template."""
    return [
        Wish(
            edit["kind"],
            str(edit.get("value", "")),
            bool(edit.get("wanted", True)),
            str(edit.get("said", "")),
            details={str(key): str(value) for key, value in _details(edit).items() if key != "fixed"},
            secret=_hash_in(turn.text_after, str(edit.get("value", ""))) if edit.get("secret") else None,
        )
        for edit in turn.edits
        if str(edit.get("kind")) in _KINDS and edit.get("state") in {"delivered", "already"}
    ]


def _details(edit: Mapping[str, Any]) -> Mapping[str, Any]:
    found = edit.get("details")
    return found if isinstance(found, Mapping) else {}


def _hash_in(text: str, account: str) -> Secret | None:
    """The hash of an account's password."""
    users = Document.read(text).get("systemConfig", "users") or ()
    found = (
        user.get("password") for user in users if isinstance(user, Mapping) and user.get("name") == account
    )
    password = next(found, None)
    return Secret(str(password)) if password else None


def last_wishes(turns: Sequence[Turn]) -> list[Wish]:
    """The wishes of the last change."""
    made = effective(turns)
    return wishes_of(made[-1]) if made else []


def merged(wishes: Sequence[Wish]) -> list[Wish]:
    """Wishes of several turns, where a later one takes the place of an earlier one about the same thing."""
    made: list[Wish] = []
    for wish in wishes:
        made = [
            one
            for one in made
            if one.kind != wish.kind or (wish.kind not in _SINGLE and one.value != wish.value)
        ]
        made.append(wish)
    return made


def named_by(name: str, turn: Turn) -> bool:
    """Return whether some words name what a turn was about."""
    values = " ".join(f"{edit.get('kind', '')} {edit.get('value', '')}" for edit in turn.edits)
    words = re.findall(r"[a-z0-9+./-]+", f"{turn.said} {values.replace('_', ' ')}".lower())
    return not set(name.lower().split()).isdisjoint(words)


def file_of(turns: Sequence[Turn]) -> str:
    """Where the template in work would lie."""
    return _noted(turns, "file")


def base_of(turns: Sequence[Turn]) -> str:
    """The template that the one in work was made from."""
    return _noted(turns, "base")


def reasons_of(turns: Sequence[Turn]) -> str:
    """Why the template in work was made from that one."""
    return _noted(turns, "why")


def first_text(turns: Sequence[Turn]) -> str:
    """The first form of the template in work; "" if there is none."""
    return next((turn.text_after for turn in reversed(effective(turns)) if turn.kind == "new"), "")


def offered(turns: Sequence[Turn]) -> list[str]:
    """What the last turn suggested."""
    last = turns[-1].edits if turns else ()
    return [str(one) for edit in last for one in edit.get("suggested", [])]


def history(turns: Sequence[Turn]) -> list[Message]:
    """What was said so far, for a model; the templates are left out."""
    said = (
        pair for turn in turns for pair in (Message("user", turn.said), Message("assistant", turn.summary))
    )
    return [one for one in said if one.text]


def short(said: str) -> str:
    """What was said, cut for a list."""
    return said if len(said) <= _SHORT else f"{said[: _SHORT - 1]}…"


def _noted(turns: Sequence[Turn], name: str) -> str:
    found = (str(edit[name]) for turn in reversed(effective(turns)) for edit in turn.edits if edit.get(name))
    return next(found, "")
