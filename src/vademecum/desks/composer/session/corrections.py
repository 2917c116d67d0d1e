"""Resolve short messages that depend on earlier turns: "24 rather", "no wait, alicia", "and certbot", "make him a sudoer"."""

import re
from collections.abc import Sequence

from vademecum.desks.composer.editing import geometry
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.request.words.intents import correction
from vademecum.desks.composer.session.sessions import Turn
from vademecum.desks.composer.session.turns import effective, last_wishes, wishes_of
from vademecum.desks.composer.wish import Wish
from vademecum.desks.composer.wishes import Wishes
from vademecum.text.patterns import Pattern

_ONE_VALUE = frozenset(["hostname", "image_name", "image_version", "kernel_version", "timezone"])
_GUESSED = frozenset(["unknown", "impossible"])


def with_pronouns(read: Wishes, turns: Sequence[Turn]) -> Wishes:
    """The wishes, where an account without a name is the one that was spoken of last."""
    if not any(wish.kind == "user" and not wish.value and not wish.secret for wish in read.wishes):
        return read
    name = _last_account(turns)
    if not name:
        return read
    named = (
        wish._replace(value=name) if wish.kind == "user" and not wish.value else wish for wish in read.wishes
    )
    return read._replace(wishes=tuple(named))


def with_last(read: Wishes, turns: Sequence[Turn]) -> Wishes:
    """The wishes, where what "it" takes out is what the last turn brought in."""
    if not any(wish.detail("op") == "that" for wish in read.wishes):
        return read
    brought = [wish for wish in last_wishes(turns) if wish.wanted and wish.kind in _TAKEN_OUT]
    out = [
        wish._replace(value=wish.detail("new") or wish.value, wanted=False, details={}) for wish in brought
    ]
    wishes: list[Wish] = []
    for wish in read.wishes:
        gone = _last_of(turns, wish.detail("what")) if wish.detail("what") else out
        if wish.detail("op") == "that" and gone:
            wishes += [one._replace(start=wish.start, said=wish.said) for one in gone]
        else:
            wishes.append(wish)
    return read._replace(wishes=tuple(wishes))


_NEEDED = frozenset(["/", "/boot", "/boot/efi"])


def _last_of(turns: Sequence[Turn], kind: str) -> tuple[Wish, ...]:
    """The last thing of a kind that was added, as a wish to take it out."""
    added = [
        wish
        for turn in effective(turns)
        for wish in wishes_of(turn)
        if wish.kind == kind and wish.wanted and wish.value not in _NEEDED
    ]
    return tuple(wish._replace(wanted=False, details={}) for wish in added[-1:])


def _last_account(turns: Sequence[Turn]) -> str:
    """The account that was spoken of last; "" if none was."""
    names = [
        one.value for turn in effective(turns) for one in wishes_of(turn) if one.kind == "user" and one.value
    ]
    return names[-1] if names else ""


def corrected(read: Wishes, turns: Sequence[Turn]) -> Wishes | None:
    """A value in the place of the last one, or one more of its kind.

    Returns:
        `None` if the words stand for themselves, or there is nothing that they could correct.
    """
    if not all(wish.kind in _GUESSED or wish.detail("plausible") for wish in read.wishes):
        return None
    found, last = correction(read.request), last_wishes(turns)
    if not found or not last:
        return None
    value, adds = found
    if adds:
        made = _one_more(last[-1], value)
    elif last[-1].kind == "package" and any(wish.kind == "unknown" for wish in read.wishes):
        made = None
    else:
        made = _another(last[-1], value)
    return None if made is None else read._replace(wishes=(made,))


def _one_more(last: Wish, value: str) -> Wish | None:
    if last.kind != "package":
        return None
    return last._replace(
        value=value, said=value, details={"literal": "yes", "anyway": "yes"}, start=0, note=""
    )


def _another(last: Wish, value: str) -> Wish | None:
    if last.kind == "disk_size":
        unit = "".join(filter(str.isalpha, last.value)) if value.isdigit() else ""
        return Wish("disk_size", f"{value}{unit}", said=value)
    if last.kind == "user":
        return Wish("user", value, said=value, details={"op": "rename", "old": last.value})
    if last.kind in _ONE_VALUE:
        return Wish(last.kind, value, said=value)
    if last.kind not in {"partition", "swap"} or not any(map(str.isdigit, value)):
        return None
    unit = "".join(filter(str.isalpha, last.value if last.kind == "swap" else last.detail("size")))
    size = f"{value}{unit or 'GiB'}" if value.isdigit() else value
    if last.kind == "swap":
        return last._replace(value=size, said=value)
    return last._replace(details={**last.details, "size": size}, said=value)


_REMOVAL = Pattern(
    r"^\W*(?:(?:please|ok|and|then|now|also|no|actually)\W+)*(?:remove|delete|drop|lose|ditch|kick\s+out|throw\s+out|take\s+out|get\s+rid\s+of|no\s+more|without)\s+(?:the\s+)?"
    r"(?P<name>/?[\w][\w./=,-]*|/)(?:\s+(?:kernel|boot|user|account|option|parameter|partition|module|again|altogether|too|as\s+well|also|please|entirely|completely|from\s+(?:it|the\s+image|there)))*\W*$"
)
_SWITCH = Pattern(
    r"^\W*(?:(?:please|ok|and|then|now|no|actually)\W+)*(?:turn|switch|put)\s+(?:it|that|this)\s+(?:back\s+)?(?P<how>on|off)\b(?:\W+(?:again|please|too))*\W*$|^\W*(?:please\W+)?(?P<verb>disable|enable)\s+(?:it|that|this)\b(?:\W+(?:again|please))*\W*$"
)
_CALLED = Pattern(
    r"^\W*(?:(?:please|ok|and|then|now|no|wait|sorry|actually|better|rather)\W+)*(?:(?:call|name|rename)\s+(?:him|her|them|that\s+one)\s+(?:to\s+)?|(?:change|set)\s+(?:his|her|their)\s+(?:user\s?|account\s)?name\s+(?:to|into)\s+)(?P<name>[A-Za-z_][\w-]{0,31})\b(?:\W+(?:instead|rather|please|then))*\W*$"
)
_SWITCHES_OFF = Pattern(r"disable|=off|=0$|^no[a-z]")
_SWITCHED = frozenset(["secure_boot", "read_only_root", "encryption", "grow", "service", "kernel_option", "network_backend"])  # fmt: skip


def by_context(read: Wishes, turns: Sequence[Turn], document: Document) -> Wishes | None:
    """What some words mean because the template has something of that name ("remove quiet", "drop bob"), or the last turn had.

    Returns:
        `None` if they stand for themselves.
    """
    if found := _SWITCH.match(read.request):
        last = [last_wish for last_wish in last_wishes(turns) if last_wish.kind in _SWITCHED]
        is_on = (found["how"] or found["verb"] or "").lower() in {"on", "enable"}
        if last and last[-1].kind == "kernel_option" and _SWITCHES_OFF.search(last[-1].value):
            is_on = not is_on
        return read._replace(wishes=(last[-1]._replace(wanted=is_on, start=0),)) if last else None
    if (found := _PLACED.match(read.request)) and (
        named := _by_place(turns, found["which"].split()[0].lower())
    ):
        return read._replace(
            wishes=(named._replace(wanted=False, start=0, details={}, said=found[0].strip()),)
        )
    if (said := _SPELLED.match(read.request)) and (name := _last_account(turns)):
        renamed = Wish("user", said["name"], said=said[0].strip(), details={"op": "rename", "old": name})
        return read._replace(wishes=(renamed,))
    if said := _UNWANTED.match(read.request):
        return _without_the_last(read, turns, said["what"] or "")
    if (said := _CALLED.match(read.request)) and (name := _last_account(turns)):
        renamed = Wish("user", said["name"], said=said[0].strip(), details={"op": "rename", "old": name})
        return read._replace(wishes=(renamed,))
    found = _REMOVAL.match(read.request)
    if not found or any(one.kind not in _GUESSED | {"package"} for one in read.wishes):
        return None
    name = found["name"].rstrip(".,")
    wish = _thing_called(name, document)
    return read._replace(wishes=(wish,)) if wish else None


_PLACED = Pattern(
    r"^\W*(?:(?:please|ok|and|then|now|no|actually)\W+)*(?:remove|drop|delete|lose|leave\s+out|take(?:\s+out)?|without|not)\s+(?:the\s+)?(?P<which>(?:former|latter|first|second|third|last)(?:\s+one)?)(?:\W+(?:out|away|again|instead|please))*\W*$"
)
_SPELLED = Pattern(
    r"^\W*(?:(?:no|sorry|wait|and|oh)\W+)*(?:(?:he|she|they)\s+(?:spells?|writes?)\s+(?:it|(?:his|her|their)\s+name)|(?:it|that)(?:'s|\s+is)\s+(?:spelled|spelt|written))\s+(?P<name>[A-Za-z_][\w-]{0,31})\W*$"
)
_PLACES = {"former": 0, "first": 0, "second": 1, "third": 2, "latter": -1, "last": -1}


def _by_place(turns: Sequence[Turn], which: str) -> Wish | None:
    """As in "drop the latter": one of several things that the last change put in."""
    added = [wish for wish in last_wishes(turns) if wish.wanted and wish.kind in _TAKEN_OUT]
    place = _PLACES[which]
    return added[place] if len(added) > 1 and -len(added) <= place < len(added) else None


_UNWANTED = Pattern(
    r"^\W*(?:(?:please|ok|and|then|now|no|nope|wait|hm+|oh|actually|sorry)\W+)*(?:(?:remove|delete|drop|take|kick)\s+(?:it|that|them|those|this)(?:\s+(?:out|away))?|not\s+(?:the\s+)?(?P<what>[\w./+-]+(?:\s+[\w./+-]+)?))(?:\W+(?:again|please|after\s+all|though))*\W*$"
)
_TAKEN_OUT = frozenset(
    ["package", "user", "partition", "swap", "kernel_option", "kernel_module", "repository", "artifact", "service"]
)  # fmt: skip


def _without_the_last(read: Wishes, turns: Sequence[Turn], what: str) -> Wishes | None:
    """What the last turn put in, out again: all of it, or what some words name."""
    last = [
        last_wish for last_wish in last_wishes(turns) if last_wish.wanted and last_wish.kind in _TAKEN_OUT
    ]
    named = set(what.lower().split())
    if named:
        last = [one for one in last if named <= set(re.split(r"[\s-]", one.value.lower()))]
    out = tuple(
        one._replace(value=one.detail("new") or one.value, wanted=False, start=at, details={})
        for at, one in enumerate(last)
    )
    return read._replace(wishes=out) if out else None


def _thing_called(name: str, document: Document) -> Wish | None:
    """The wish that takes out what a template calls so: an account, a kernel option, a module, a partition."""
    users = document.get("systemConfig", "users") or ()
    if any(isinstance(user, dict) and user.get("name") == name for user in users):
        return Wish("user", name, wanted=False, said=name)
    kernel = document.get("systemConfig", "kernel")
    kernel = kernel if isinstance(kernel, dict) else {}
    options = str(kernel.get("cmdline", "")).split()
    if name in options or name in {option.split("=")[0] for option in options}:
        return Wish("kernel_option", name, wanted=False, said=name)
    if name in str(kernel.get("enableExtraModules", "")).split():
        return Wish("kernel_module", name, wanted=False, said=name)
    packages = document.get("systemConfig", "packages") or ()
    disk = document.get("disk")
    if name not in packages and isinstance(disk, dict) and geometry.find(disk, name) is not None:
        return Wish("partition", name, wanted=False, said=name)
    return None
