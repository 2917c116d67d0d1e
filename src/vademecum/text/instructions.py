"""The verbs that instructions begin with."""

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
