"""Read packages, and the capabilities that an image should have."""

from collections.abc import Sequence

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
