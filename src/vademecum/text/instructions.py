"""Tell instructions from statements, by their first words."""

import re

from vademecum.text.patterns import Pattern

DOING = frozenset(
    """add adjust allow apply arrange assign attach authenticate avoid back begin bind block book boot bring browse build
    bypass calculate calibrate call cancel capture change charge check choose clean clear clone close collect combine
    compare compile compress compute configure connect control convert copy correct count create customise customize cut
    debug decode decrease decrypt define delete deploy detach detect determine disable disconnect display divide download
    draw drive drop dump duplicate edit email embed enable encrypt enforce ensure enter estimate execute exit expand export
    extend extract fetch filter find fit fix flash fly fold follow force format free freeze generate get give go group
    handle hide hold host identify ignore implement import improve include increase insert inspect install integrate invert
    invite join keep kill launch let limit link list load lock log loop make manage map mark measure merge migrate mix mock
    model modify monitor mount move mute navigate notify open order organise organize override overwrite pack pair parse
    pass patch pause perform pick pin plan play plot point port prevent print process profile program protect provide
    publish pull push put query quit raise read reboot rebuild receive recognise record recover reduce register reinstall
    release reload remap remove rename render repair repeat replace replay report request require reserve reset resize
    resolve restart restore restrict resume retrieve return reuse revert revoke rewrite rotate route run sample save scale
    scan schedule search secure see select send separate serve set share shift show shut sign silence simulate skip sleep
    slow snap solder solve sort spawn specify speed spin split start step stop store stream strip subscribe supply suppress
    swap switch sync teach tell terminate test throttle throw toggle trace track train transfer transform translate
    transmit trigger trim tune turn undo uninstall unlock unmount unpack update upgrade upload use validate verify view
    visualise visualize vote wait wake walk warn watch wipe wire wrap write zip zoom""".split()  # noqa: SIM905
)
"""Verbs of tasks. Text that begins with one, and is not a question by its form, asks for an instruction or gives one."""

_MORE = frozenset(
    """ask book bring call collect contact dial drive email empty fill fetch feed go hand hang hold insert lay leave lift
    log lower mail meet mix order paste pay phone pour press quote refill rinse ring roll say scroll sign speak stir
    submit take tap text tick top twist visit warm wash write""".split()  # noqa: SIM905
)
"""Verbs that only instructions begin with: a question that begins with them is seldom one."""

_BEFORE = Pattern(
    r"(?:\d{1,3}[.)] |[•*–-] )?(?:(?:first|then|next|now|finally|please|just|simply|always|in order to [^,]{3,60}|to [^,]{3,60}|"
    r"(?:if|when|once|after|before|on|in) [^,]{3,80}),? )?"
)
_STATES = Pattern(
    r"\w+(?: [\w'-]+){0,3}? (?:is|are|was|were|has|have|can|could|must|will|would|should|may|does|did|do)\b",
    flags=0,
)
_DENIES = Pattern(r"\A(?:never|do not|don't|not)\b")


def instructs(text: str) -> bool:
    """Return whether a sentence tells somebody to do something.

    >>> instructs("Start the client and choose heron."), instructs("Never connect from public computers.")
    (True, False)
    >>> instructs("To restore a dump, run `pg_restore`."), instructs("Order numbers are on the invoice.")
    (True, False)
    """
    start = _BEFORE.match(text)
    rest = text[start.end() if start else 0 :]
    verb = re.match(r"[A-Za-z]+", rest)
    if verb is None or verb[0].lower() not in DOING | _MORE or _DENIES.match(text):
        return False
    return not _STATES.match(rest)
