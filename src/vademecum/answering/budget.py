"""Budget: of a draft as much as may be shown."""

from collections.abc import Sequence

from vademecum.core.evidence import Draft, DraftStatement


def within(draft: Draft, characters: int) -> tuple[Draft, int]:
    """The statements that come first, as many as fit; at least one of them.

    Args:
        draft: What was composed.
        characters: How many its statements may hold.

    Returns:
        The draft, and how many statements were left out.
    """
    kept: list[Sequence[DraftStatement]] = []
    used, some = 0, False
    for statements in draft:
        count = 0
        for statement in statements:
            used += len(statement.text) + len(statement.command)
            if some and used > characters:
                break
            some, count = True, count + 1
        kept.append(statements[:count])
    summary, steps = kept
    return Draft(tuple(summary), tuple(steps)), sum(map(len, draft)) - sum(map(len, kept))
