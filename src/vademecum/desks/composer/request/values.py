"""Read flags and values that imply their field: encryption, boot loader, output formats, services and so on."""

import re
from collections.abc import Callable, Sequence

from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.partitions import mount_of
from vademecum.desks.composer.request.words.word import Word
from vademecum.desks.composer.wish import Kind

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


def _encrypted_parts(sentence: Sequence[Word], word: Word) -> list[Word]:
    """As in "/home encrypted", "LUKS on the data partition": what alone is to be encrypted, where that is not the root."""
    own = [
        other
        for other in sentence
        if other.segment == word.segment
        and other is not word
        and (
            (other.term.has("mount") and not other.term.means("mount", "/"))
            or (
                other.term.token.kind == "path"
                and other.term.text.startswith("/")
                and not other.norm.endswith(_FILES)
            )
            or other.term.means("flag", "swap")
        )
    ]
    is_root = any(
        other.segment == word.segment
        and (other.term.means("mount", "/") or other.term.means("field", "disk"))
        for other in sentence
    )
    return [] if is_root else [other for other in own if other.wanted]


_FILES = (".key", ".txt", ".pass", ".pem", ".bin")


def mount_or_swap(word: Word) -> str:
    """What a template calls what a word names: a mount point, or `swap`."""
    return "swap" if word.term.means("flag", "swap") else mount_of(word)


_ALL = (
    "full disk",
    "full-disk",
    "whole disk",
    "everything",
    "entire disk",
    "all partitions",
    "every partition",
    "complete disk",
)


def _is_all(sentence: Sequence[Word], word: Word) -> bool:
    """Return whether all that is on the disk is to be encrypted."""
    said = " ".join(other.norm for other in sentence if other.segment == word.segment)
    return any(phrase in said for phrase in _ALL)


def _flag(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    sense = word.term.sense("flag")
    value = sense.value if sense else ""
    if value == "unencrypted":
        if any(
            (other.used and other.term.has("mount")) or other.term.token.kind == "path"
            for other in sentence
            if other.segment == word.segment
        ) or any(
            other.used and other.term.means("flag", "swap") and other.clause == word.clause
            for other in sentence
        ):
            word.used = True  # "a swap of 4 GB, unencrypted is fine" says nothing of the rest
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
    elif value == "swapless":
        frame.wish("swap", "", [word], wanted=not word.wanted)
    elif value == "uki":
        frame.wish("boot_loader", "systemd-boot", [word], uki="yes") if word.wanted else frame.wish(
            "uki", "", [word]
        )
    elif value == "encryption" and word.wanted and (others := _encrypted_parts(sentence, word)):
        frame.wish("encryption", "", [word, *others], wanted=True, what=",".join(map(mount_or_swap, others)))
    elif value == "encryption":
        unlocks = (
            [other for other in frame.words if is_open(other) and other.term.has("unlock") and other.wanted]
            if word.wanted
            else []
        )
        details = {"unlock": unlocks[0].term.sense("unlock").value} if unlocks else {}  # type: ignore[union-attr]
        if word.wanted and _is_all(sentence, word):
            details["what"] = "all"
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
        compression = (
            "none" if value and (value.value == "none" or not packed.wanted) else value.value if value else ""
        )
        compression = "gz" if compression == "some" else compression
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
    if instead_of(sentence, word):
        word.used = True
        return
    if any(
        is_open(other) and other.term.has("artifact") for other in sentence if other.segment == word.segment
    ):
        return  # it is that file's
    sense = word.term.sense("compression")
    value = sense.value if sense else ""
    before = [
        wish
        for wish in frame.wishes
        if wish.kind == "artifact" and sentence[0].term.start <= wish.start < word.term.start
    ]
    if frame.in_session and len(before) == 1 and not any(other.term.has("plural") for other in sentence):
        chosen = "none" if not word.wanted else {"some": "gz"}.get(value, value)
        details = {**before[0].details, "compression": chosen}
        frame.wishes[frame.wishes.index(before[0])] = before[0]._replace(details=details)
        word.used = True
    elif value == "none" or not word.wanted:
        frame.wish("compression", "", [word], wanted=True)
    elif value == "some" and any(
        other is not word and other.clause == word.clause and other.term.has("compression")
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
    if (before is not None and before.norm == "of") or instead_of(sentence, word):
        word.used = True
        return
    _plain("boot_loader")(frame, sentence, word)


def instead_of(sentence: Sequence[Word], word: Word) -> bool:
    """Return whether a word only names what something else comes in place of."""
    at = next(place for place, other in enumerate(sentence) if other is word)
    before = [other.norm for other in sentence[max(0, at - 3) : at] if other.segment == word.segment]
    if before[-1:] == ["than"] and any(other.norm == "rather" for other in sentence):
        return True
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
        if other.clause == word.clause and other.term.end <= word.term.start and is_unit(other)
    ]
    own = [other for other in same if other.segment == word.segment]
    plural = any(other.term.has("plural") for other in sentence if other.segment == word.segment)
    before = [
        other
        for other in sentence
        if other.term.end <= word.term.start and is_unit(other) and other.clause == word.clause - 1
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


def is_unit(word: Word) -> bool:
    """Return whether a word may be the name of a service."""
    return is_open(word) and (
        word.term.has("package") or (word.term.token.kind in {"word", "path"} and not word.term.senses)
    )


def _unavailable(frame: Frame, sentence: Sequence[Word], word: Word) -> None:
    sense = word.term.sense("unavailable")
    is_setting = (
        sense is not None and "settings of sshd" in sense.value
    )  # "ssh login for root forbidden" is asked for, too
    if not word.wanted and not is_setting:
        word.used = True
        return
    if sense is not None and sense.value.startswith("The memory") and not _is_demanded(sentence, word):
        word.used = True  # "a computer with little memory"
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


def _is_demanded(sentence: Sequence[Word], word: Word) -> bool:
    """Return whether memory is asked for: with a size, or more of it."""
    return any(
        other.term.token.kind in {"size", "number"} or other.norm in {"more", "much", "lots of", "limit"}
        for other in sentence
        if other.segment == word.segment
    )


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
