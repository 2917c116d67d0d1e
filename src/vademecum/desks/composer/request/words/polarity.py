"""Decide which parts of a sentence are wanted and which are excluded. No other module decides this.

A negator rules what follows it in its segment; a negated or switched-off predicate rules the subjects before it; a list carries its
polarity on.
"""

from collections.abc import Iterable, Sequence

from vademecum.desks.composer.request.words.word import Word

_BARE_NO = frozenset(["no", "not", "never", "none", "isn't", "aren't", "is not", "are not", "without"])

_PREPOSITIONS = frozenset(["on", "for", "in", "from"])

_ONWARDS = _PREPOSITIONS | {"that", "which", "who"}
"""What begins something that a negation before it is not about: "no firewall on the router", "no desktop that installs games"."""

_ENDED = frozenset(["at all", "whatsoever"])
"""What ends what a negator is about: "no docker at all and git"."""

_OWN_SUBJECT = frozenset(["where", "in which", "on which", "with which"])
"""What begins a clause that has a subject of its own: "a Debian where I never type a passphrase"."""

_AFTER_NO = frozenset(
    ["please", "thanks", "thank you", "either", "more", "at all", "anymore", "any more", "again", "for now"]
)
"""What may follow a negator that ends its segment ("encryption: no, please")."""


def decide_polarities(sentence: Sequence[Word], asked: Sequence[Word]) -> None:
    """What is ruled out."""
    segments: list[list[Word]] = []
    for word in sentence:
        if word.joint == "?":
            continue
        if not segments or segments[-1][0].segment != word.segment:
            segments.append([])
        segments[-1].append(word)
    default, previous_value = True, None
    for at, segment in enumerate(segments):
        wanted, since, kept = _carried(segments, at, default)
        negated = -1
        removing = is_open = False
        subjects: list[Word] = []
        for place, word in enumerate(segment):
            rest = segment[place + 1 :]
            term = word.term
            if word.norm in _OWN_SUBJECT:
                subjects = []
            if term.means("negator", "-free"):
                for subject in subjects[-1:]:
                    rule(subject, wanted=False, since=term.start)
                continue
            is_trailing = not any(later.is_head or later.is_value for later in rest)
            if (
                term.has("negator")
                and not wanted
                and subjects == []
                and place
                and segment[place - 1].norm == "but"
            ) or (
                term.has("negator")
                and word.joint == ""
                and at
                and not segments[at - 1][-1].wanted
                and segment[0].norm == "but"
            ):
                wanted, since, kept = True, -1, True  # "leave out strace, but not tcpdump"
                continue
            if term.has("negator") and not (term.has("off", "on") and is_trailing):
                if (
                    not _is_colon_next(segments, at)
                    and all(later.norm in _AFTER_NO for later in rest)
                    and not any(later.term.has("on", "off", "verb", "removal") for later in rest)
                ):
                    if any(earlier.norm in {"who", "which"} for earlier in segment[:place]):
                        continue  # "a login carol who is not": nothing is ruled out by that
                    targets = subjects or _before(segments, at, asked)
                    value = (
                        not previous_value if previous_value is not None and word.norm in _BARE_NO else False
                    )
                    _rule_all(targets, wanted=value, since=term.start)
                    previous_value = value
                    continue
                negated, is_open = term.start, True
                wanted, since, kept = False, term.start, False
            elif term.text in {"go", "goes"} and is_trailing and subjects:  # "lvm2 and mdadm go"
                word.used = True
                _rule_all([*subjects, *_list_before(segments, at)], wanted=False, since=term.start)
                continue
            elif (
                term.has("on", "off")
                and ((is_trailing and not (rest and word.norm in _PREPOSITIONS)) or word.norm == "away from")
                and (subjects or _follows(segments, at, asked, segment))
            ):
                value = term.has("on") is not (negated >= 0)
                plural = any(_is_plural(other) for other in segment[: place + 1])
                if word.norm in {"out", "off", "away"} and (taken := _taken(segments, at)):
                    _rule_all([*taken, *subjects], wanted=False, since=term.start)
                    continue
                targets = (
                    subjects
                    + (_list_before(segments, at) if plural or _ends_list(segments, at, subjects) else [])
                    if subjects
                    else _before(segments, at, asked)
                )
                if removing or not (value and all(target.wanted for target in targets)):
                    _rule_all(targets, wanted=value, since=term.start)
                previous_value, negated = value, -1
            elif term.has("on", "off") and not subjects and _is_colon_next(segments, at) and is_trailing:
                default = term.has("on") is not (negated >= 0)
            elif term.has("removal") and not (term.has("verb") and not rest):
                if negated >= 0:
                    wanted, since, kept, negated = True, -1, True, -1
                elif is_trailing and subjects:
                    _rule_all(subjects, wanted=False, since=term.start)
                else:
                    wanted, since, kept, is_open = False, term.start, False, True
                removing = True
            elif term.has("verb"):
                if negated >= 0 and is_trailing and subjects:
                    _rule_all(subjects, wanted=False, since=negated)
                    negated = -1
                elif negated < 0 and not removing:
                    wanted, since, kept = default, -1, False
            elif subjects and not wanted and word.norm in _ONWARDS:
                wanted, since, kept = (
                    True,
                    -1,
                    word.norm in _PREPOSITIONS,
                )  # "no firewall on the router" is not about the router
            if word.sign:
                wanted, since, kept = word.sign == "+", -1 if word.sign == "+" else term.start, False
            if word.is_head or word.is_value:
                word.wanted, word.since, word.kept = wanted, since, kept
                subjects.append(word)
                is_open = False
        if not wanted and is_open and _is_colon_next(segments, at):
            default = False  # "what I do not want: docker, snapd"


_TAKING = frozenset(["leave", "keep", "take", "throw", "kick", "strip"])


def _taken(segments: Sequence[Sequence[Word]], at: int) -> list[Word]:
    """As in "leave SELinux and encryption out": what comes between the verb and its end, in the segments before."""
    found: list[Word] = []
    for segment in reversed(segments[:at]):
        verb = next((place for place, word in enumerate(segment) if word.norm in _TAKING), None)
        found += [word for word in segment[verb or 0 :] if word.is_head or word.is_value]
        if verb is not None:
            return found
        if segment[0].joint not in {",", "and", "or"}:
            break
    return []


def _is_plural(word: Word) -> bool:
    return word.term.has("plural") or word.norm.startswith("are")


def rule(word: Word, *, wanted: bool, since: int) -> None:
    """Say of a word whether it is wanted, and where the negator is that rules it out."""
    word.wanted, word.since, word.kept = wanted, -1 if wanted else since, False


def _rule_all(words: Iterable[Word], *, wanted: bool, since: int) -> None:
    for word in words:
        rule(word, wanted=wanted, since=since)


def _carried(segments: Sequence[Sequence[Word]], at: int, default: bool) -> tuple[bool, int, bool]:
    """The polarity that a segment begins with."""
    fresh = (default, -1, False)
    if at and segments[at][0].joint == "with" and _is_open_negation(segments[at - 1]):
        negator = next(word for word in reversed(segments[at - 1]) if word.term.has("negator"))
        return False, negator.term.start, False
    if not at or segments[at][0].joint not in {",", "and", "or"} or segments[at][0].norm == "plus":
        return fresh
    heads = [word for word in segments[at] if word.is_head]
    before = [
        word
        for segment in segments[:at]
        for word in segment
        if word.is_head and word.clause == segments[at][0].clause
    ]
    said = [word for segment in segments[:at] for word in segment]
    if any(word.norm in {"instead of", "rather than"} for word in segments[at - 1]) or (
        segments[at][0].after_comma
        and any(word.wanted and word.is_head and word.group == "software" for word in said)
    ):
        return fresh
    if not heads or not before or before[-1].wanted or before[-1] not in segments[at - 1]:
        return fresh
    first = heads[0]
    lead = segments[at][: segments[at].index(first)]
    if any(
        word.term.has("verb", "removal", "negator", "adversative") or word.norm in _PREPOSITIONS
        for word in lead
    ):
        return fresh
    if segments[at][0].joint == "or" and before[-1].since < before[-1].term.start:
        return False, before[-1].since, False
    if before[-1].group != first.group:
        return fresh
    since = before[-1].since
    if (
        before[-1].term.start < since
    ):  # ruled out by a predicate behind it: what follows is a subject of its own
        return fresh
    earlier = [word for word in before if word.group == first.group and word.term.end <= since]
    is_apart = segments[at][0].joint == "," or segments[at][0].after_comma
    if (is_apart and any(word.wanted for word in earlier)) or any(
        word.norm in _ENDED for word in segments[at - 1]
    ):
        return fresh
    return False, since, before[-1].kept


def _is_open_negation(segment: Sequence[Word]) -> bool:
    """Return whether what a segment negates comes behind it: "I do not get along with GRUB"."""
    at = max((place for place, word in enumerate(segment) if word.term.has("negator")), default=-1)
    if at < 0 or any(word.is_head or word.is_value for word in segment):
        return False
    return any(not word.term.has("article") for word in segment[at + 1 :])


def _follows(
    segments: Sequence[Sequence[Word]], at: int, asked: Sequence[Word], segment: Sequence[Word]
) -> bool:
    """Return whether a segment that only has a predicate belongs to what is before it."""
    only = all(
        word.term.has("on", "off", "negator", "copula", "filler", "article", "plural") for word in segment
    )
    return only and bool(_before(segments, at, asked)) and not _is_colon_next(segments, at)


def _before(segments: Sequence[Sequence[Word]], at: int, asked: Sequence[Word]) -> list[Word]:
    """The subjects that a predicate without one is about."""
    if at:
        return [word for word in segments[at - 1] if word.is_head or word.is_value]
    return [word for word in asked if word.is_head][:1]


def _list_before(segments: Sequence[Sequence[Word]], at: int) -> list[Word]:
    """The subjects of the list that ends in a segment."""
    found: list[Word] = []
    for segment in reversed(segments[:at]):
        if segment[0].clause != segments[at][0].clause or any(
            word.term.has("verb", "removal", "on", "off") for word in segment
        ):
            break
        found += [word for word in segment if word.is_head]
        if segment[0].joint not in {",", "and", "or"}:
            break
    return found


def _ends_list(segments: Sequence[Sequence[Word]], at: int, subjects: Sequence[Word]) -> bool:
    """Return whether a predicate comes right behind the last one of a list of the same kind ("htop, docker and nginx can go")."""
    if (
        segments[at][0].joint != "and"
        or len(subjects) != 1
        or any(word.norm in {"is", "isn't"} for word in segments[at])
    ):
        return False
    before = [word for word in segments[at - 1] if word.is_head]
    return len(before) == 1 and before[0].group == subjects[0].group == "software"


def _is_colon_next(segments: Sequence[Sequence[Word]], at: int) -> bool:
    return at + 1 < len(segments) and segments[at + 1][0].joint == ":"
