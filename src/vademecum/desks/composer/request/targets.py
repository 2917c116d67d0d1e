"""Read the target of an image: distribution, release, architecture and type."""

import re
from collections.abc import Sequence
from itertools import pairwise

from vademecum.desks.composer.image_template.model import RELEASES, SYSTEM_OF
from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.words.vocabulary import Vocabulary
from vademecum.desks.composer.request.words.word import Word

_STEMS = {
    "ubuntu": "ubuntu",
    "debian": "debian",
    "azure-linux": "azl",
    "edge-microvisor-toolkit": "emt",
    "wind-river-elxr": "elxr",
    "redhat-compatible-distro": "el",
}


def read_targets(frame: Frame, vocabulary: Vocabulary) -> None:
    """Distribution, release, architecture and type of image."""
    last: Word | None = None
    for sentence in frame.sentences():
        for at, word in enumerate(sentence):
            if word.mood == "report" and word.term.has("version", "distribution"):
                word.used = True  # what there was before is not asked for
            if not is_open(word):
                continue
            if _release_by_number(frame, word, sentence[at + 1] if at + 1 < len(sentence) else None):
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
                if release := _release(vocabulary, f"{stem} {word.norm}"):
                    _drop_systems(frame)
                    frame.wish("version", release, [word], wanted=True)
                    continue
            if sense := word.term.sense("version"):
                if word.replaces:
                    _drop_systems(frame)
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
                    if release := _release(vocabulary, f"{word.norm} {following.norm}"):
                        frame.wish("version", release, [word, following])
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
    _only_reported(frame)


def _release(vocabulary: Vocabulary, words: str) -> str:
    """The release that some words name; "" if none."""
    return next((sense.value for sense in vocabulary.senses_of(words) if sense.kind == "version"), "")


def _drop_systems(frame: Frame) -> None:
    """Drop the wishes for a distribution and a release, which are corrected."""
    frame.wishes = [wish for wish in frame.wishes if wish.kind not in {"version", "distribution"}]


def _only_reported(frame: Frame) -> None:
    """A distribution that is said only where something is reported or depends on a condition, as in "I was told to take Debian"."""
    if frame.in_session or any(wish.kind in {"version", "distribution"} for wish in frame.wishes):
        return
    for word in reversed(frame.words):
        sense = word.term.sense("version", "distribution")
        if (
            sense
            and word.mood != "wish"
            and (sense.kind == "version" or sense.value in RELEASES)
            and word.since < 0
        ):
            frame.wish(
                "version" if sense.kind == "version" else "distribution", sense.value, [word], wanted=True
            )
            return


def _release_by_number(frame: Frame, word: Word, following: Word | None) -> bool:
    """As in "use the 12 release instead": which release that is the words alone do not say."""
    if (
        following is None
        or word.term.token.kind != "number"
        or following.norm not in {"release", "version"}
        or not frame.in_session
    ):
        return False
    release = f"{_STEMS.get(frame.context.distribution, '-')}{word.norm}"
    if release in SYSTEM_OF:
        frame.wish("version", release, [word, following], wanted=True)
        return True
    frame.unclear(
        f"Which release is meant? Say it with the distribution, as in debian {word.norm}.", [word, following]
    )
    return True


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
    if value == "raw" and (others or frame.in_session) and not compression and "file" in word.norm.split():
        frame.wish("artifact", "raw", [word])
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
