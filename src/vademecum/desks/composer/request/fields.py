"""Read fields with a value next to them, such as the names of the machine and of the image."""

import re

from vademecum.desks.composer.request.frames import Frame, is_open, value_after
from vademecum.desks.composer.request.kernel import read_kernel
from vademecum.desks.composer.request.repositories import read_commands, read_files, read_repositories
from vademecum.desks.composer.request.words.word import Word
from vademecum.desks.composer.request.zones import read_locality, read_zone
from vademecum.desks.composer.wish import Kind

_HOSTNAME = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}))*", re.ASCII
)
_IMAGE_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?", re.ASCII)
_IMAGE_VERSION = re.compile(r"[0-9]+(?:\.[0-9A-Za-z-]+){0,2}(?:\+[0-9A-Za-z.-]+)?", re.ASCII)
_BAD_VALUES = (
    "filler",
    "article",
    "negator",
    "conjunction",
    "correction",
    "hedge",
    "on",
    "off",
    "verb",
    "removal",
)


def read_fields(frame: Frame) -> None:
    """Make wishes of all fields that have a value next to them."""
    for sentence in frame.sentences():
        read_kernel(frame, sentence)
        read_repositories(frame, sentence)
        read_commands(frame, sentence)
        read_files(frame, sentence)
        _names(frame, sentence)
        read_zone(frame, sentence)
        read_locality(frame, sentence)


# --- names ----------------------------------------------------------------------------------------------------------


def _names(frame: Frame, sentence: list[Word]) -> None:
    of_image = frame.in_session and any(
        word.term.means("field", "image_version") for word in frame.words
    )  # "version 0.2.0. Name valve-ctl."
    for at, word in enumerate(sentence):
        if not is_open(word):
            continue
        if word.term.means("field", "called"):
            _called(frame, sentence, at)
        elif word.term.means("field", "hostname") and not word.wanted:
            frame.wish("hostname", "", [word], wanted=False)
        elif word.term.means("field", "hostname") or (
            word.norm == "name"
            and not any(_is_image(other.norm) for other in sentence if other.clause == word.clause)
            and not of_image
        ):
            _named(frame, sentence, at, "hostname", _HOSTNAME)
        elif word.term.means("field", "image_name"):
            _named(
                frame,
                sentence,
                at,
                "image_name",
                _IMAGE_NAME,
                only_after_colon=word.norm == "name" and not of_image,
            )
        elif word.term.means("field", "image_version"):
            _version(frame, sentence, at)
        elif word.term.means("field", "description"):
            place = value_after(sentence, at)
            if place is not None and sentence[place].term.token.kind == "quoted":
                frame.wish("description", sentence[place].term.token.text, [word, sentence[place]])


_MACHINES = frozenset(
    """machine machines computer computers box boxes host pc pcs laptop server node robot appliance network system vm""".split()  # noqa: SIM905
)
_IMAGES = frozenset(["image", "template", "output file", "file", "raw image", "disk image"])


def _is_image(norm: str) -> bool:
    return norm in _IMAGES or norm.endswith("image")


def _called(frame: Frame, sentence: list[Word], at: int) -> None:
    """As in "called X": the name of the machine or of the image, by what is called so."""
    word = sentence[at]
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    if following is not None and following.term.token.kind == "interface":
        word.used = True  # "the network plug is called eth0"
        return
    if any(
        other.norm in {"package", "packages", "program"}
        for other in sentence[:at]
        if other.clause == word.clause
    ):
        word.used = True  # "the package is called unattended-upgrades"
        return
    near = [other for other in sentence if other.clause == word.clause]
    norms = {other.norm for other in near}
    before = [other.norm for other in near if other.term.end <= word.term.start]
    subject = next((norm for norm in reversed(before) if norm in _MACHINES or _is_image(norm)), "")
    if "network" in norms or "network" in word.norm or subject in _MACHINES:
        _named(frame, sentence, at, "hostname", _HOSTNAME)
    elif _is_image(subject):
        _named(frame, sentence, at, "image_name", _IMAGE_NAME)
    else:
        _named(frame, sentence, at, "hostname", _HOSTNAME)


def _named(
    frame: Frame,
    sentence: list[Word],
    at: int,
    kind: Kind,
    form: re.Pattern[str],
    *,
    only_after_colon: bool = False,
) -> None:
    word = sentence[at]
    place = value_after(sentence, at)
    following = frame.text[word.term.end :].lstrip(" :=").removeprefix("to ")
    if (
        following[:1] in {"$", "`", "|", ";", "/", ".", "-"}
        and following[1:2] not in {"", " ", "\n", ">"}
        and word.wanted
    ):
        rest = [other for other in sentence[at + 1 :] if not other.used]
        frame.unclear(
            f"{following.split(' ')[0][:60]} cannot be the {_LABELS[kind]}. Which name should it have?",
            [word, *rest],
        )
        return
    direct = sentence[at + 1] if at + 1 < len(sentence) else None
    if (
        direct is not None
        and direct.segment == word.segment
        and not only_after_colon
        and direct.term.token.kind == "word"
        and not direct.used
        and (
            not direct.term.has("article")
            or at + 2 >= len(sentence)
            or sentence[at + 2].segment != word.segment
        )
        and not direct.term.has(
            "copula", "negator", "conjunction", "not_account", "version", "distribution", "field"
        )
        and direct.norm not in {"and", "with", "for", "setting", "settings", "from", "it", "them"}
    ):
        place = at + 1
    to = next(
        (
            spot
            for spot, other in enumerate(sentence)
            if spot > at and other.norm == "to" and other.segment == word.segment
        ),
        None,
    )
    if to is not None and to + 1 < len(sentence) and sentence[to + 1].segment == word.segment:
        place = direct_to = to + 1
        for other in sentence[at + 1 : direct_to]:
            other.used = True  # what it was called before
    if place is not None:
        candidate = sentence[place]
        joined = candidate.joint == ":" or candidate.segment == word.segment
        is_text = candidate.term.token.kind in {"quoted", "word", "interface", "version"}
        known = (
            candidate.term.has(
                *_BAD_VALUES,
                "version",
                "distribution",
                "image_type",
                "architecture",
                "field",
                "artifact",
                "compression",
            )
            and candidate.term.token.kind != "quoted"
            and (
                place not in {at + 1, (to or -2) + 1}
                or candidate.term.has("version")
                or (word.norm == "host" and candidate.term.has("distribution", "architecture"))
            )
        )
        if joined and is_text and not known and (not only_after_colon or candidate.joint == ":"):
            text = candidate.term.token.text
            correction = next(
                (
                    other
                    for other in sentence[place + 1 :]
                    if other.replaces
                    or (
                        not candidate.wanted
                        and other.wanted
                        and other.term.token.kind == "word"
                        and not other.term.senses
                    )
                ),
                None,
            )
            words = [word, candidate]
            if correction is not None and _fits(correction, form):
                words.append(correction)
                text = correction.term.token.text
            elif not candidate.wanted:
                return
            behind = sentence[place + 1 : place + 3]
            extra = [
                other
                for other in behind
                if other.segment == candidate.segment
                and is_open(other)
                and other.is_value
                and other.term.token.kind in {"number", "version"}
            ]
            if not form.fullmatch(text) or extra:
                frame.unclear(
                    f"{' '.join([text, *(other.norm for other in extra)])} cannot be the {_LABELS[kind]}. Which name should it have?",
                    [*words, *extra],
                )
                return
            frame.wish(kind, text, words, wanted=True)
            return
    before = sentence[at - 1] if at else None  # "docker is the hostname"
    subject = next(
        (
            other
            for other in reversed(sentence[:at])
            if other.segment == word.segment and not other.term.has("filler", "article", "copula")
        ),
        None,
    )
    joined = any(other.term.has("copula") or other.norm == "as" for other in sentence[:at])
    if (
        before is not None
        and subject is not None
        and word.norm != "host"
        and is_open(subject)
        and joined
        and _fits(subject, form)
        and not (word.term.means("field", "called") and subject.term.senses)
        and (before.term.has("copula", "article", "filler"))
    ):
        frame.wish(kind, subject.term.token.text, [subject, word], wanted=True)
        return
    if word.norm == "host" or word.norm in {"name", "call it", "name it"} or kind == "image_name":
        word.used = True  # "a docker host"
        return
    if kind == "hostname" and word.wanted and place is None:
        frame.unclear("Which host name should it have?", [word])


_LABELS = {"hostname": "host name", "image_name": "image's name"}


def _fits(word: Word, form: re.Pattern[str]) -> bool:
    return word.term.token.kind in {"word", "quoted"} and bool(form.fullmatch(word.term.token.text))


def _version(frame: Frame, sentence: list[Word], at: int) -> None:
    word = sentence[at]
    place = value_after(sentence, at)
    if place is None or sentence[place].term.token.kind not in {"version", "number", "quoted"}:
        return
    value = sentence[place]
    if any(other.term.means("field", "kernel") for other in sentence if other.segment == word.segment):
        return
    if not _IMAGE_VERSION.fullmatch(value.term.token.text):
        frame.unclear(
            f"{value.term.token.text} cannot be an image's version, which looks like 1.2.3. Which one should it have?",
            [word, value],
        )
        return
    frame.wish("image_version", value.term.token.text, [word, value], wanted=True)
