"""Match, the fourth step: find the first rule whose conditions are all met. It uses only plain data."""

from vademecum.desks.chat.profile import Profile
from vademecum.desks.chat.rules import CompiledRule, Tried, Trying


def match(profile: Profile, trying: Trying) -> tuple[CompiledRule, list[Tried]]:
    """The first rule that matches a profile, and every rule that was tried.

    Args:
        profile: All that is known of the question.
        trying: The rules, and what was found of them on the way.
    """
    return trying.knowing(profile).first()
