"""Match, the fourth step: find the first rule whose conditions are all met. It uses only plain data."""

from vademecum.desks.chat.profile import Profile
from vademecum.desks.chat.rules import CompiledRule, Tried, Trying


def match(profile: Profile, trying: Trying) -> tuple[CompiledRule, list[Tried]]:
    """Return the first rule that matches a profile, and all rules that were tried.

    Args:
        profile: The profile of the question.
        trying: The rules, with the pattern searches so far.
    """
    return trying.knowing(profile).first()
