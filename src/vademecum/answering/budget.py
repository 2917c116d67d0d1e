"""Shorten a draft to the number of characters that may be shown."""

from vademecum.core.evidence import Draft


def within(draft: Draft, characters: float) -> tuple[Draft, int]:
    """Keep the first statements that fit, and at least one each of summary and steps.

    Args:
        draft: The draft.
        characters: The maximum total length of the statements.

    Returns:
        The shortened draft, and the number of omitted statements.
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
