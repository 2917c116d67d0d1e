"""Read packages, the capabilities that an image should have, and what takes the place of something else."""

import re
from collections.abc import Sequence
from itertools import pairwise

from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.values import instead_of, is_unit
from vademecum.desks.composer.request.words.vocabulary import Vocabulary, section
from vademecum.desks.composer.request.words.word import Word
from vademecum.text.words import terms


def read_software(frame: Frame, vocabulary: Vocabulary) -> None:
    """Packages and purposes."""
    for sentence in frame.sentences():
        _replaced(frame, sentence, vocabulary)
        _enabled(frame, sentence)
        for at, word in enumerate(sentence):
            if not is_open(word):
                continue
            if sense := word.term.sense("package"):
                if not _is_software(sentence, at):
                    if word.term.means("ability", word.norm) and word.norm in section("unasked"):
                        _ability(frame, sentence[:at], word)
                    continue
                corrects = ""
                if instead_of(sentence, word):
                    word.wanted, corrects = False, "yes"
                if not word.wanted and frame.text[word.since :].lower().startswith(
                    ("disabled", "switched off", "turned off", "deactivated")
                ):
                    frame.wish("service", word.norm, [word], wanted=False)
                    continue
                if word.kept and word.wanted:
                    word.used = True
                    continue
                following = sentence[at + 1] if at + 1 < len(sentence) else None
                if sense.value == "tpm-tools" and word.wanted and _unlocks(sentence):
                    frame.wish("impossible", "A template cannot bind the disk to a TPM.", [word])
                    continue
                words = [word]
                release = ""
                if (
                    following is not None
                    and is_open(following)
                    and following.segment == word.segment
                    and following.term.token.kind in {"number", "version"}
                ):
                    words.append(following)
                    release = following.norm
                frame.wish(
                    "package",
                    vocabulary.package(word.norm, sense.value),
                    words,
                    release=release,
                    plausible="yes" if word.should else "",
                    corrects=corrects,
                )
            elif word.term.has("family"):
                frame.wish("package", word.norm, [word], plausible="yes")
            elif word.term.has("ability", "capability"):
                _ability(frame, sentence[:at], word)


def _unlocks(sentence: Sequence[Word]) -> bool:
    return any(word.norm.startswith(("unlock", "unseal")) for word in sentence)


_SURE_WORDS = 3
"""From so many content words on a hint at a purpose is surely one: "survive power cuts"."""


def _ability(frame: Frame, before: Sequence[Word], word: Word) -> None:
    """As in "a box for music", "no desktop". In "mpv for the films" the purpose is that of software which is named."""
    sense = word.term.sense("ability", "capability")
    own = [other for other in before if other.clause == word.clause]
    joint = max((place for place, other in enumerate(own) if other.norm in _PURPOSE), default=0)
    is_explained = any(other.used and other.term.has("package", "family") for other in own[:joint])
    if sense and sense.value == "minimal" and (not word.wanted or _is_measured(frame, word)):
        word.used = True  # "not minimal", "a minimal disk"
        return
    is_named = (
        sense is not None
        and sense.value == word.norm.rstrip("s").replace(" ", "-")
        and sense.value in section("unasked")
    )
    if sense and is_named and word.wanted:
        frame.wish("capability", sense.value, [word])
        return
    if sense and not (
        word.wanted and ((sense.kind == "capability" and len(terms(word.norm)) < _SURE_WORDS) or is_explained)
    ):
        frame.wish("capability", sense.value, [word])
    elif sense and not is_explained:
        frame.hints.append((sense.value, word.term.text))
    word.used = True


def _is_measured(frame: Frame, word: Word) -> bool:
    """Return whether "minimal" says how large something of the image is."""
    following = next((other for other in frame.words if other.term.start >= word.term.end), None)
    return (
        following is not None
        and following.segment == word.segment
        and (following.term.has("field", "partition", "mount", "kernel_key") or following.is_value)
    )


_PURPOSE = frozenset(["for", "to", "so that"])


def _replaced(frame: Frame, sentence: Sequence[Word], vocabulary: Vocabulary) -> None:
    """As in "replace nginx with apache"."""
    at = next(
        (place for place, word in enumerate(sentence) if word.norm in {"replace", "exchange", "swap"}), None
    )
    if at is None:
        return
    joint = next(
        (place for place, word in enumerate(sentence) if place > at and word.norm in {"with", "by", "for"}),
        None,
    )
    if joint is None:
        return
    old = next(
        (word for word in sentence[at + 1 : joint] if is_open(word) and word.term.has("package", "family")),
        None,
    )
    new = next(
        (word for word in sentence[joint + 1 :] if is_open(word) and word.term.has("package", "family")), None
    )
    if old is None or new is None:
        return
    names = []
    for word in (old, new):
        sense = word.term.sense("package")
        names.append(vocabulary.package(word.norm, sense.value) if sense else word.norm)
    frame.wish("package", names[0], [old], wanted=False, op="replace")
    frame.wish("package", names[1], [new], wanted=True, op="replace", instead=names[0])


_AT_BOOT = frozenset(["at boot", "on boot", "at startup", "at start", "on startup", "automatically"])


def _enabled(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "enable docker at boot"."""
    for at, word in enumerate(sentence[:-1]):
        if word.norm not in {"enable", "start", "disable", "mask"}:
            continue
        by_command = at > 0 and sentence[at - 1].norm == "systemctl"
        behind = frame.text[sentence[at + 1].term.end :].strip().lower()
        unit = sentence[at + 1]
        if is_unit(unit) and (by_command or behind.startswith(tuple(_AT_BOOT))):
            negative = any(
                other.term.has("negator") for other in sentence[:at] if other.segment == word.segment
            )
            frame.wish(
                "service",
                unit.term.text.lower(),
                [word, unit],
                wanted=(word.norm in {"enable", "start"}) is not negative,
            )


def _is_software(sentence: Sequence[Word], at: int) -> bool:
    """Return whether a word is meant as software, where it is an ordinary word, too: in a list of software, or named a package."""
    word = sentence[at]
    if not word.term.has(
        "ordinary",
        "filler",
        "verb",
        "article",
        "copula",
        "field",
        "report",
        "removal",
        "on",
        "off",
        "negator",
        "conjunction",
        "correction",
        "plural",
    ):
        return True
    own = [
        other
        for other in sentence
        if other.segment == word.segment and other.norm not in {"and", "or", "also", "with", "plus", "please"}
    ]
    before = [other for other in sentence[:at] if other.segment == word.segment - 1]
    after = [other for other in sentence[at + 1 :] if other.segment == word.segment + 1]
    neighbours = [
        other
        for other in (*before, *after)
        if other.term.has("package") and not other.term.has("filler", "verb", "ordinary")
    ]
    own = [
        other
        for other in own
        if other is word
        or (
            not other.term.has("verb", "article", "negator", "removal")
            and other.norm not in {"yes", "installed", "included"}
        )
    ]
    if (
        own == [word]
        and neighbours
        and (word.joint in {",", "and", "with"} or (after and after[0].joint in {",", "and"}))
    ):
        return True
    lead = sentence[at - 1] if at else None
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    if (
        own == [word]
        and word.term.has("ordinary")
        and following is not None
        and following.norm in {"yes", "installed", "included"}
    ):
        return True
    if (
        [other for other in own if lead is None or other.term.start >= lead.term.end] == [word]
        and word.term.has("ordinary")
        and not word.term.has("filler")
        and lead is not None
        and (
            lead.norm in {"with", "without", "no", "install", "add", "remove", "include", "uninstall"}
            or lead.term.has("removal", "negator", "verb")
        )
    ):
        return True
    return (following is not None and following.norm in {"package", "packages"}) or (
        word.term.means("field", "sudo") and not word.used
    )


_BEFORE_OLD = re.compile(
    r"\b(?:instead of|rather than|in place of|not|from|of|no longer|isn't|was)(?: the)?\s*\Z"
)
_GONE = frozenset(["used", "taken", "in use", "occupied", "not", "instead", "rather", "wrong"])
_BEFORE_NEW = frozenset(["to", "but", "now", "becomes", "become", "should be", "take", "use", "call it"])
_BYTE = 255
_PAIR = 2


def read_replacements(frame: Frame) -> None:
    """Make wishes of new values that are said with the old ones, and use up old ones that are said beside a new one."""
    for sentence in frame.sentences():
        for word in sentence:
            kind = frame.context.values.get(word.norm)
            is_software = word.term.has("package", "family", "capability", "ability")
            if (
                kind
                and is_open(word)
                and not word.account
                and not is_software
                and (new := _new_for(frame, sentence, word))
            ):
                op, old = ("rename", word.term.token.text) if kind == "user" else ("", "")
                heads = [other for other in sentence if is_open(other) and other.term.means("field", kind)]
                frame.wish(kind, new.term.token.text, [new, word, *heads], wanted=True, op=op, old=old)
    _last_byte(frame)


def use_old_values(frame: Frame) -> None:
    """What is left over and only says what there was: "panic=10 in place of 30"."""
    for sentence in frame.sentences():
        for word in sentence:
            if (
                is_open(word)
                and word.is_value
                and word.norm in frame.context.numbers
                and _is_old(frame, word)
            ):
                word.used = any(other.used and other.is_value for other in sentence)


def _is_old(frame: Frame, word: Word) -> bool:
    """Return whether a word is ruled out, or comes right behind "instead of"."""
    return not word.wanted or _BEFORE_OLD.search(frame.text[: word.term.start].lower()) is not None


def _new_for(frame: Frame, sentence: Sequence[Word], old: Word) -> Word | None:
    """The only other name in a sentence that says what an old one is replaced by; `None` if there is none, or several."""
    others = [
        word
        for word in sentence
        if is_open(word)
        and word is not old
        and word.wanted
        and word.term.token.kind == old.term.token.kind
        and (not word.term.senses or word.term.has("package", "family"))
        and not word.term.has("filler", "ordinary", "verb")
    ]
    turned = [
        word
        for before, word in pairwise(sentence)
        if before.norm in _BEFORE_NEW
        and any(word is other for other in others)
        and word.term.start > old.term.start
    ]
    if len(turned) == 1:
        return turned[0]
    return (
        others[0]
        if len(others) == 1 and _is_old(frame, old) and others[0].term.start < old.term.start
        else None
    )


def _last_byte(frame: Frame) -> None:
    """As in "the address ends in 18, not 8" and "20 is taken. Use 21.": the last number of an address."""
    numbers = [word for word in frame.words if is_open(word) and word.term.token.kind == "number"]
    if len(numbers) != _PAIR or not any(word.norm in _GONE or not word.wanted for word in frame.words):
        return
    for old, new in (numbers, numbers[::-1]):
        faces = [
            (face, address)
            for face, address in frame.context.addresses
            if address.partition("/")[0].rpartition(".")[2] == old.norm
        ]
        if len(faces) != 1 or not new.wanted or not new.norm.isdigit() or int(new.norm) > _BYTE:
            continue
        face, address = faces[0]
        bare, slash, prefix = address.partition("/")
        heads = [word for word in frame.words if is_open(word) and word.term.means("field", "address")]
        text = f"{bare.rpartition('.')[0]}.{new.norm}{slash}{prefix}"
        frame.wish("network", face, [new, old, *heads], wanted=True, address=text)
        return
