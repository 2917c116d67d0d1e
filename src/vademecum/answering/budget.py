"""Shorten a draft to the number of characters that may be shown."""

from vademecum.core.evidence import Draft


def within(draft: Draft, characters: float) -> tuple[Draft, int]:
    """The statements that come first, as many as fit; of summary and steps at least one each, where there are any.

    Args:
        draft: What was composed.
        characters: How many its statements may hold.

    Returns:
        The draft, and how many statements were left out.
    """
    left = characters - sum(len(one.text) + len(one.command) for part in draft for one in part[:1])
    kept = []
    for part in draft:
        count = len(part[:1])
        for statement in part[1:]:
            left -= len(statement.text) + len(statement.command)
            if left < 0:
                break
            count += 1
        kept.append(part[:count])
    summary, steps = kept
    return Draft(summary, steps), sum(map(len, draft)) - len(summary) - len(steps)
