"""Targets, flags, values and software of a request, and the words that nothing was made of."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from vademecum.desks.composer.request.clauses import Word
from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.vocabulary import Vocabulary
from vademecum.desks.composer.template.model import RELEASES, SYSTEM_OF
from vademecum.desks.composer.wish import Kind

_STEMS = {
    "ubuntu": "ubuntu",
    "debian": "debian",
    "azure-linux": "azl",
    "edge-microvisor-toolkit": "emt",
    "wind-river-elxr": "elxr",
    "redhat-compatible-distro": "el",
}
_PACKAGE_LIKE = re.compile(r"[a-z0-9][a-z0-9+_.-]*[a-z0-9+]")
_LONG_CLAUSE = 5
"""Words of a clause that may be a sentence of a story."""


def read_targets(frame: Frame, vocabulary: Vocabulary) -> None:
    """Distribution, release, architecture and type of image."""
    last: Word | None = None
    for sentence in frame.sentences():
        for at, word in enumerate(sentence):
            if word.mood == "report" and word.term.has("version", "distribution"):
                word.used = True  # what there was before is not asked for
            if not is_open(word):
                continue
            if word.replaces and (sense := word.term.sense("architecture", "image_type")):
                frame.wishes = [wish for wish in frame.wishes if wish.kind != sense.kind]
            if (
                word.replaces
                and last is not None
                and word.term.token.kind in {"version", "number"}
                and not word.term.senses
            ):
                stem = re.sub(r"[\d.]+.*$", "", last.term.text).strip() or last.term.text
                sense = next(
                    (
                        sense
                        for sense in vocabulary.senses_of(f"{stem} {word.norm}")
                        if sense.kind == "version"
                    ),
                    None,
                )
                if sense:
                    frame.wishes = [
                        wish for wish in frame.wishes if wish.kind not in {"version", "distribution"}
                    ]
                    frame.wish("version", sense.value, [word], wanted=True)
                    continue
            if sense := word.term.sense("version"):
                frame.wish("version", sense.value, [word])
                last = word
            elif sense := word.term.sense("distribution"):
                following = next(
                    (
                        other
                        for other in sentence[at + 1 : at + 4]
                        if not other.term.has("filler", "capability")
                    ),
                    None,
                )
                if (
                    following is not None
                    and is_open(following)
                    and following.segment == word.segment
                    and following.term.token.kind in {"version", "number"}
                    and not following.term.senses
                ):
                    known = next(
                        (
                            found
                            for found in vocabulary.senses_of(f"{word.norm} {following.norm}")
                            if found.kind == "version"
                        ),
                        None,
                    )
                    if known:
                        frame.wish("version", known.value, [word, following])
                        last = word
                        continue
                    major = following.norm.partition(".")[0]
                    if sense.value in _STEMS:
                        frame.wish("version", f"{_STEMS[sense.value]}{major}", [word, following])
                    else:
                        frame.wish("distribution", sense.value, [word, following])
                elif newest := _newest(sentence, word, sense.value):
                    frame.wish("version", newest, [word])
                else:
                    frame.wish("distribution", sense.value, [word])
                last = word
            elif sense := word.term.sense("architecture"):
                frame.wish("architecture", sense.value, [word])
            elif sense := word.term.sense("image_type"):
                _image_type(frame, sentence, word, sense.value)
    _alternatives(frame)


def _newest(sentence: Sequence[Word], word: Word, distribution: str) -> str:
    """The newest release of a distribution, where that is asked for; else ""."""
    near = any(other.term.has("newest") for other in sentence if other.segment == word.segment)
    releases = RELEASES.get(distribution) if near and word.wanted else None
    return max(releases, key=lambda release: int(re.sub(r"\D", "", release))) if releases else ""


def _image_type(frame: Frame, sentence: Sequence[Word], word: Word, value: str) -> None:
    if word.norm == "initrd" and re.search(
        r"\bin(?:to)? (?:the|its|an) $", frame.text[: word.term.start].lower()
    ):
        word.used = True  # something in the initrd, and not an image that is one
        return
    compression = word.norm.partition("raw.")[2]
    others = any(other.term.has("artifact") and other.wanted for other in frame.words)
    if value == "raw" and not word.wanted and others:
        frame.wish("artifact", "raw", [word], wanted=False)
        return
    if (
        value == "raw"
        and (others or frame.in_session)
        and not compression
        and any(
            other.norm in {"output", "file", "files", "format"}
            for other in sentence
            if other.segment == word.segment
        )
    ):
        frame.wish("artifact", "raw", [word])
        return
    packed = [
        other
        for other in sentence
        if other.segment == word.segment and is_open(other) and other.term.has("compression")
    ]
    if value == "raw" and packed and not others and not compression:
        found = packed[0].term.sense("compression")
        if found and found.value not in {"none", "some"} and packed[0].wanted:
            compression = found.value
            packed[0].used = True
    frame.wish("image_type", value, [word])
    if compression:
        frame.wish("artifact", "raw", [word], compression=compression)


def _alternatives(frame: Frame) -> None:
    """As in "Fedora or else Debian 13": of what is joined by "or", what can be had."""
    named = [wish for wish in frame.wishes if wish.kind in {"distribution", "version"} and wish.wanted]
    if len({_system(wish.kind, wish.value) for wish in named}) < 2:
        return
    for first, second in pairwise(named):
        between = frame.text[first.start + len(first.said) : second.start].lower()
        if re.search(r"\bor\b", between) and _system(first.kind, first.value) != _system(
            second.kind, second.value
        ):
            possible = [wish for wish in (first, second) if _is_possible(wish.kind, wish.value)]
            gone = [wish for wish in (first, second) if possible and wish is not possible[0]]
            frame.wishes = [wish for wish in frame.wishes if wish not in gone]


def _system(kind: str, value: str) -> str:
    return value if kind == "distribution" else SYSTEM_OF.get(value, value)


def _is_possible(kind: str, value: str) -> bool:
    return value in RELEASES if kind == "distribution" else value in SYSTEM_OF


_RESOLUTION = re.compile(r"\d{3,4}x\d{3,4}")


def read_values(frame: Frame) -> None:
    """Flags and values that stand for a field: encryption, read-only root, boot loader, output formats and so on."""
    for word in frame.words:
        if not word.used and _RESOLUTION.fullmatch(word.norm):
            frame.wish("impossible", "A template has no field for the screen.", [word], wanted=True)
    for sentence in frame.sentences():
        for word in sentence:
            if not is_open(word):
                continue
            for kind, bind in _VALUES.items():
                if word.term.has(kind):
                    bind(frame, sentence, word)
                    break
    _one_loader(frame)
    _one_format(frame)


def _one_format(frame: Frame) -> None:
    """The formats that a new template is asked for come in place of those of the template it is based on."""
    formats = [wish for wish in frame.wishes if wish.kind == "artifact" and wish.wanted]
    if formats and not frame.in_session:
        first = min(formats, key=lambda wish: wish.start)
        frame.wishes = [
            wish._replace(details={**wish.details, "op": "replace"}) if wish is first else wish
            for wish in frame.wishes
        ]


def _flag(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    sense = word.term.sense("flag")
    value = sense.value if sense else ""
    if value == "unencrypted":
        if any(
            (other.used and other.term.has("mount")) or other.term.token.kind == "path"
            for other in sentence
            if other.segment == word.segment
        ):
            word.used = True
            return
        frame.wish("encryption", "", [word], wanted=not word.wanted)
    elif value == "writable":
        if any(
            (other.term.has("mount") and not other.term.means("mount", "/"))
            or other.term.token.kind == "path"
            for other in sentence
            if other.segment == word.segment
        ):
            word.used = True
            return
        frame.wish("read_only_root", "", [word], wanted=not word.wanted)
    elif value == "uki":
        frame.wish("boot_loader", "systemd-boot", [word], uki="yes") if word.wanted else frame.wish(
            "uki", "", [word]
        )
    elif value == "encryption":
        unlocks = (
            [other for other in frame.words if is_open(other) and other.term.has("unlock") and other.wanted]
            if word.wanted
            else []
        )
        details = {"unlock": unlocks[0].term.sense("unlock").value} if unlocks else {}  # type: ignore[union-attr]
        frame.wish(
            "encryption",
            "",
            [word, *unlocks[:1]] if unlocks and unlocks[0].sentence == word.sentence else [word],
            wanted=word.wanted,
            secret=None,
            **details,
        )
        for other in unlocks:
            other.used = True
    elif value:
        frame.wish(value, "", [word])  # type: ignore[arg-type]


def _unlock(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    sense = word.term.sense("unlock")
    wished = any(wish.kind == "encryption" for wish in frame.wishes) or any(
        other.term.means("flag", "encryption") for other in frame.words
    )
    value = sense.value if sense else ""
    if not word.wanted and not word.norm.startswith("without"):
        value = {"manual": "auto", "auto": "manual"}[value]
    if word.norm.startswith("without typing") or (wished or frame.in_session or "passphrase" in word.norm):
        frame.wish("encryption", "", [word], wanted=True, unlock=value)
    else:
        word.used = True
    del sentence


def _artifact(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    sense = word.term.sense("artifact")
    near = [other for other in sentence if other.segment == word.segment]
    packed = next((other for other in near if is_open(other) and other.term.has("compression")), None)
    words, compression = [word], ""
    if packed is not None:
        value = packed.term.sense("compression")
        compression = value.value if value and packed.wanted and value.value not in {"none", "some"} else ""
        words.append(packed)
    alone = any(
        other.norm in {"only", "-only", "nothing else", "change", "switch", "convert"}
        for other in sentence
        if other.clause == word.clause
    )
    frame.wish(
        "artifact",
        sense.value if sense else "",
        words,
        wanted=word.wanted,
        compression=compression,
        op="replace" if alone else "",
    )


def _compression(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    if _instead_of(sentence, word):
        word.used = True
        return
    if any(
        is_open(other) and other.term.has("artifact") for other in sentence if other.segment == word.segment
    ):
        return  # it is that file's
    sense = word.term.sense("compression")
    value = sense.value if sense else ""
    if value == "none" or not word.wanted:
        frame.wish("compression", "", [word], wanted=True)
    elif value == "some" and any(
        other is not word and other.segment == word.segment and other.term.has("compression")
        for other in sentence
    ):
        word.used = True
    elif value == "some":
        frame.wish("compression", "gz", [word])
    else:
        frame.wish("compression", value, [word])
    del sentence


def _plain(kind: Kind) -> Callable[[Frame, Sequence[Word], Word], None]:
    def bind(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
        sense = word.term.sense(kind)
        frame.wish(kind, sense.value if sense else "", [word])
        del sentence

    return bind


def _loader(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    before = next((other for other in reversed(sentence) if other.term.end <= word.term.start), None)
    if (before is not None and before.norm == "of") or _instead_of(sentence, word):
        word.used = True
        return
    _plain("boot_loader")(frame, sentence, word)


def _instead_of(sentence: Sequence[Word], word: Word) -> bool:
    """Whether a word only names what something else comes in place of."""
    at = next(place for place, other in enumerate(sentence) if other is word)
    before = [other.norm for other in sentence[max(0, at - 3) : at]]
    return bool(before) and (
        "instead of" in before
        or "rather than" in before
        or (len(before) > 1 and before[-1] == "of" and before[-2] in {"instead", "insted", "place", "lieu"})
    )


def _policy(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    sense = word.term.sense("disk_policy")
    if sense and sense.value == "exclude_removable":
        frame.wish(
            "field",
            "disk.selectionPolicy.excludeRemovable",
            [word],
            wanted=True,
            value="false" if word.wanted else "true",
        )
    else:
        frame.wish(
            "field",
            "disk.selectionPolicy.requireEmpty",
            [word],
            wanted=True,
            value="false" if word.wanted else "true",
        )
    del sentence


def _service(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    """As in "postgresql enabled at boot": the subjects of the predicate are services."""
    on = word.term.has("service_on")
    same = [
        other
        for other in sentence
        if other.clause == word.clause and other.term.end <= word.term.start and _is_unit(other)
    ]
    own = [other for other in same if other.segment == word.segment]
    plural = any(other.term.has("plural") for other in sentence if other.segment == word.segment)
    before = [
        other
        for other in sentence
        if other.term.end <= word.term.start and _is_unit(other) and other.clause == word.clause - 1
    ]
    subjects = same if plural and same else own or (before if plural else same[-1:])
    for subject in subjects:
        name = subject.term.text.lower()
        frame.wish(
            "service",
            name.removesuffix(".service"),
            [subject, word] if subject is subjects[-1] else [subject],
            wanted=on is word.wanted,
        )
        subject.used = not (on and subject.term.has("package"))
        if on and subject.term.has("package"):
            subject.wanted = True
    word.used = True


def _is_unit(word: Word) -> bool:
    return is_open(word) and (
        word.term.has("package") or (word.term.token.kind in {"word", "path"} and not word.term.senses)
    )


def _unavailable(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    sense = word.term.sense("unavailable")
    if not word.wanted:
        word.used = True
        return
    near = [
        other
        for other in sentence
        if other.segment == word.segment
        and is_open(other)
        and (other.is_value or not other.term.senses)
        and other is not word
    ]
    near += [
        other
        for other in sentence
        if other.segment == word.segment + 1
        and other.joint == "and"
        and is_open(other)
        and other.term.token.kind == "number"
    ]
    frame.wish("impossible", sense.value if sense else "", [word, *near], wanted=True)


_VALUES: dict[str, Callable[[Frame, Sequence[Word], Word], None]] = {
    "unavailable": _unavailable,
    "flag": _flag,
    "service_on": _service,
    "service_off": _service,
    "artifact": _artifact,
    "compression": _compression,
    "boot_loader": _loader,
    "boot_type": _plain("boot_type"),
    "network_backend": _plain("network_backend"),
    "partition_table": _plain("partition_table"),
    "disk_selection": _plain("disk_selection"),
    "disk_policy": _policy,
    "kernel_flavour": _plain("kernel_flavour"),
    "unlock": _unlock,
}


def _one_loader(frame: Frame) -> None:
    """Where one loader is asked for, the other one is ruled out anyway."""
    wanted = [wish for wish in frame.wishes if wish.kind == "boot_loader" and wish.wanted]
    if wanted:
        frame.wishes = [wish for wish in frame.wishes if wish.kind != "boot_loader" or wish.wanted]


# --- software -------------------------------------------------------------------------------------------------------


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
                    continue
                corrects = ""
                if _instead_of(sentence, word):
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


def _ability(frame: Frame, before: Sequence[Word], word: Word) -> None:
    """As in "a box for music", "no desktop". In "mpv for the films" the purpose is that of software which is named."""
    sense = word.term.sense("ability", "capability")
    own = [other for other in before if other.clause == word.clause]
    joint = max((place for place, other in enumerate(own) if other.norm in _PURPOSE), default=0)
    is_explained = any(other.used and other.term.has("package", "family") for other in own[:joint])
    if sense and sense.value == "minimal" and (not word.wanted or _is_measured(frame, word)):
        word.used = True  # "not minimal", "a minimal disk"
        return
    if sense and not (word.wanted and (sense.kind == "capability" or is_explained)):
        frame.wish("capability", sense.value, [word])
    word.used = True


def _is_measured(frame: Frame, word: Word) -> bool:
    """Whether "minimal" says how large something of the image is."""
    following = next((other for other in frame.words if other.term.start >= word.term.end), None)
    return (
        following is not None
        and following.segment == word.segment
        and (following.term.has("field", "partition", "mount", "kernel_key") or following.is_value)
    )


_PURPOSE = frozenset(["for", "to", "so that"])
_PRONOUNS = frozenset(["it", "them", "that", "those", "this"])


def _pronouns(frame: Frame) -> None:
    """As in "remove it again": what the last turn brought."""
    for sentence in frame.sentences():
        for at, word in enumerate(sentence[:-1]):
            pronoun = sentence[at + 1]
            others = [
                other
                for other in sentence
                if other.segment == word.segment and (other.is_head or other.is_value)
            ]
            if word.term.has("removal") and pronoun.norm in _PRONOUNS and not others:
                frame.wish(
                    "unclear", "What is to be removed? Name it.", [word, pronoun], wanted=False, op="that"
                )


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
        if _is_unit(unit) and (by_command or behind.startswith(tuple(_AT_BOOT))):
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
    """Whether a word is meant as software, where it is an ordinary word, too: in a list of software, or named a package."""
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
        other for other in own if not other.term.has("verb", "article", "negator", "removal") or other is word
    ]
    if (
        own == [word]
        and neighbours
        and (word.joint in {",", "and", "with"} or (after and after[0].joint in {",", "and"}))
    ):
        return True
    lead = sentence[at - 1] if at else None
    if (
        own == [word]
        and word.term.has("ordinary")
        and not word.term.has("filler")
        and lead is not None
        and (
            lead.norm in {"with", "without", "no", "install", "add", "remove", "include", "uninstall"}
            or lead.term.has("removal", "negator", "verb")
        )
    ):
        return True
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    return (following is not None and following.norm in {"package", "packages"}) or (
        word.term.means("field", "sudo") and not word.used
    )


def read_leftovers(frame: Frame) -> list[str]:
    """What nothing was made of: asked back or not understood; and, returned, what is only background."""
    if frame.in_session:
        _pronouns(frame)
    background: list[str] = []
    clauses: dict[int, list[Word]] = {}
    for word in frame.words:
        clauses.setdefault(word.clause, []).append(word)
    for words in clauses.values():
        open_words = [word for word in words if not word.used and _says_something(word)]
        if not open_words:
            continue
        is_story = (
            all(word.term.token.kind == "word" for word in open_words)
            and len(words) >= _LONG_CLAUSE
            and len(clauses) > 1
            and not any(word.mood == "condition" for word in open_words)
            and not any(word.used and word.is_head for word in words)
            and not any(word.term.has("verb") and word.wanted for word in words)
        )
        if words[0].mood == "report" or is_story:
            background.append(frame.said(open_words))
            continue
        for group in _grouped(open_words):
            _left(frame, group)
    return background


def _says_something(word: Word) -> bool:
    if word.mood == "report":
        return not word.term.senses
    if word.mood == "condition":
        return word.is_head and not word.term.has("filler") and bool(word.term.senses)
    if word.is_value:
        return not (word.term.token.kind == "number" and word.counts)
    if not word.term.senses:
        return word.term.token.kind != "mark" and len(word.norm) > 1
    if all(sense.kind in {"package", "ordinary"} for sense in word.term.senses):
        return True  # an ordinary word that was not meant as software
    if word.term.has("field"):
        return word.term.means("field", "password", "root_account") and word.wanted
    return (
        word.term.has("mount", "rest", "kernel_key", "mount_option", "filesystem")
        and not word.term.means("mount", "/")
        and not word.term.has("filler")
    )


def _grouped(words: Sequence[Word]) -> list[list[Word]]:
    """Unknown words next to each other together."""
    made: list[list[Word]] = []
    for word in words:
        before = made[-1][-1] if made else None
        if (
            before is not None
            and before.segment == word.segment
            and not before.term.senses
            and not word.term.senses
            and word.term.start - before.term.end <= 1
            and before.wanted == word.wanted
        ):
            made[-1].append(word)
        else:
            made.append([word])
    return made


_MODAL = re.compile(
    r"(?:(?:can|could|must|may|should|shall|will|would|do|does|did|is|are)(?: not|n't|n’t)|cannot|never|nobody can|nobody may)(?: ever)? (?:be |being |get )?$"
)


def _is_predicate(frame: Frame, word: Word) -> bool:
    """As in "cannot be changed" and "must not break": not the name of something that is ruled out."""
    return _MODAL.search(frame.text[: word.term.start].lower()) is not None


def _left(frame: Frame, words: list[Word]) -> None:
    first = words[0]
    text = frame.said(words)
    if first.term.means("field", "called"):
        first.used = True
    elif first.mood == "condition":
        frame.unclear(f"{text} hangs on a condition. Say whether it is wanted.", words)
    elif first.term.means("field", "password"):
        frame.unclear("Which password? Say it, or leave the account without one.", words)
    elif first.term.token.kind in {"size", "number", "path", "address", "interface"} or first.term.has(
        "mount", "rest", "mount_option", "filesystem"
    ):
        if first.wanted:
            frame.unclear(f"What is {text} for?", words)
        else:
            first.used = True
    elif (
        not first.wanted
        and all(word.term.token.kind == "word" for word in words)
        and not _is_predicate(frame, first)
    ):
        frame.wish("package", text.lower(), words, wanted=False)
    else:
        shape = "package" if len(words) == 1 and _PACKAGE_LIKE.fullmatch(text) else ""
        frame.wish("unknown", text, words, shape=shape)
