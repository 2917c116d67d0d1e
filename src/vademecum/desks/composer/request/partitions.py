"""Read partitions apart from their sizes: names, options, file systems, which one grows, and by what factor."""

from collections.abc import Sequence
from itertools import pairwise

from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.words.spelling import corrected
from vademecum.desks.composer.request.words.vocabulary import Sense
from vademecum.desks.composer.request.words.word import Word

_FACTORS = {"double": "2", "twice": "2", "halve": "0.5", "triple": "3"}


def read_late_options(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "/var/log 8 GiB xfs, mounted nodev,nosuid": the options of the partition right before them."""
    for word in sentence:
        parts = [
            at
            for at, wish in enumerate(frame.wishes)
            if wish.kind == "partition"
            and wish.wanted
            and sentence[0].term.start <= wish.start < word.term.start
        ]
        if not is_open(word) or not word.term.has("mount_option") or not parts:
            continue
        last = max(parts, key=lambda at: frame.wishes[at].start)
        wish, sense = frame.wishes[last], word.term.sense("mount_option")
        options = ",".join(filter(None, [wish.detail("options"), sense.value if sense else ""]))
        frame.wishes[last] = wish._replace(details={**wish.details, "options": options})
        word.used = True


_FILESYSTEM = frozenset(
    ["filesystem", "file system", "formatted", "formatted as", "formatted with", "format it as"]
)


def read_filesystem(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "30 GB for /srv; XFS as the file system": the file system of the partition before it."""
    named = [word for word in sentence if is_open(word) and word.term.has("filesystem") and word.wanted]
    parts = [
        at
        for at, wish in enumerate(frame.wishes)
        if wish.kind == "partition" and wish.wanted and not wish.detail("fs")
    ]
    if (
        len(named) != 1
        or not parts
        or not any(word.norm in _FILESYSTEM and word.segment == named[0].segment for word in sentence)
    ):
        return
    named[0].used = True
    last = frame.wishes[parts[-1]]
    sense = named[0].term.sense("filesystem")
    frame.wishes[parts[-1]] = last._replace(details={**last.details, "fs": sense.value if sense else ""})


def mark_data(sentence: Sequence[Word]) -> None:
    """As in "docker data": what a service keeps is where the service keeps it."""
    for service, word in pairwise(sentence):
        place = service.term.sense("service_path")
        if (
            place
            and word.norm == "data"
            and word.segment == service.segment
            and word.term.means("mount", "/data")
        ):
            word.term = word.term._replace(senses=(Sense("mount", place.value),))


def read_growth(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "the last partition is to take whatever is left": it grows."""
    norms = [word.norm for word in sentence]
    at = next(
        (
            place
            for place, word in enumerate(sentence[1:], 1)
            if word.term.has("partition") and norms[place - 1] in {"last", "final"}
        ),
        None,
    )
    rest = [word for word in sentence if is_open(word) and word.term.has("rest")]
    if (
        at is not None
        and rest
        and not any(
            word.term.token.kind == "size"
            for word in sentence
            if word.clause == rest[0].clause and word.segment == rest[0].segment
        )
    ):
        frame.wish("grow", "", [sentence[at], rest[0]], wanted=rest[0].wanted)
        for word in sentence:
            if word.term.means("field", "disk") and word.segment == rest[0].segment:
                word.used = True


def read_factors(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "double the disk" and "the card is too small, make it twice as big"."""
    vague = [word for word in sentence if is_open(word) and word.norm in _VAGUE]
    disks = [word for word in sentence if is_open(word) and word.term.means("field", "disk")]
    if vague and disks and not frame.in_session and not any(map(is_size, sentence)):
        frame.unclear("How large is the disk to be? Say it as in 32 GB.", [disks[0], vague[0]])
        return
    factors = [word for word in sentence if is_open(word) and word.norm in _FACTORS]
    if not factors or not frame.in_session or any(map(is_size, sentence)):
        return
    heads = [word for word in sentence if is_place(word)]
    if heads and heads[0].term.means("field", "disk"):
        frame.wish("disk_size", _FACTORS[factors[0].norm], [heads[0], factors[0]], wanted=True, op="times")
    elif heads and heads[0].term.means("flag", "swap"):
        frame.wish("swap", _FACTORS[factors[0].norm], [heads[0], factors[0]], wanted=True, op="times")
    elif heads:
        factor = _FACTORS[factors[0].norm]
        frame.wish(
            "partition", mount_of(heads[0]), [heads[0], factors[0]], wanted=True, size=factor, op="times"
        )
    elif any(word.norm in _LARGE for word in sentence):
        frame.unclear(f"What is to be {factors[0].norm} that size? Name it, as in: the disk.", factors)


_VAGUE = frozenset(["bigger", "larger", "smaller"])

_LARGE = frozenset(["big", "large", "size", "room", "space"])


def read_options(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "mount /tmp with noexec and nosuid": options in segments of their own are those of the partition before them."""
    options = [word for word in sentence if is_open(word) and word.term.has("mount_option")]
    heads = [
        word
        for word in sentence
        if is_open(word) and (word.term.has("mount") or word.term.token.kind == "path")
    ]
    apart = bool(options) and len(heads) == 1 and heads[0].segment != options[-1].segment
    if apart and not any(map(is_size, sentence)):
        _, names = extras_of(options)
        frame.wish("partition", mount_of(heads[0]), [heads[0], *options], wanted=True, options=names)


def mark_known(frame: Frame, sentence: Sequence[Word]) -> None:
    """Partitions of the template in work by id: "the pgdata partition"."""
    for at, word in enumerate(sentence):
        name = word.term.token.text
        following = sentence[at + 1] if at + 1 < len(sentence) else None
        before = sentence[at - 1] if at else None
        beside = (following is not None and following.term.has("partition")) or (
            before is not None and before.term.has("partition")
        )
        if not is_open(word) or not (beside or not word.term.senses):
            continue
        if name in frame.context.partitions or (
            beside and any(known.rpartition("/")[2] == name for known in frame.context.partitions)
        ):
            mount = (
                name
                if name in frame.context.partitions
                else next(
                    known for known in sorted(frame.context.partitions) if known.rpartition("/")[2] == name
                )
            )
            word.term = word.term._replace(senses=(Sense("mount", mount),))


def read_new_names(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "rename the partition metrics to tsdb", "mount the data partition at /srv instead of /data"."""
    heads = [word for word in sentence if is_open(word) and word.term.has("mount")]
    if not frame.in_session or not heads:
        return
    names = [word.norm for word in sentence]
    if "rename" in names and "to" in names:
        at = names.index("to")
        new = next(
            (word for word in sentence[at + 1 : at + 3] if is_open(word) and word is not heads[0]), None
        )
        if new is not None:
            frame.wish(
                "partition", mount_of(heads[0]), [heads[0], new], wanted=True, op="rename", new=new.term.text
            )
    elif "mount" in names and ("at" in names or "on" in names or "to" in names):
        paths = [
            word
            for word in sentence
            if is_open(word) and word.term.token.kind == "path" and word is not heads[0]
        ]
        if paths and not any(map(is_size, sentence)):
            frame.wish(
                "partition",
                mount_of(heads[0]),
                [heads[0], *paths],
                wanted=True,
                op="rename",
                new=paths[0].term.text,
            )


def is_size(word: Word) -> bool:
    """Return whether a word is a size that nothing has yet, or "the rest"."""
    return is_open(word) and (
        (word.term.token.kind == "size" and not word.term.senses) or word.term.has("rest")
    )


def is_place(word: Word) -> bool:
    """Return whether a word names what may have a size: the disk, swap, a partition."""
    return is_open(word) and (
        word.term.has("mount")
        or word.term.means("field", "disk")
        or word.term.means("flag", "swap")
        or (word.term.token.kind == "path" and not word.term.senses and word.term.text.startswith("/"))
    )


_USUAL = frozenset(["home", "var", "opt", "srv", "tmp", "usr", "data", "boot", "media", "root"])


def is_misspelled(frame: Frame, heads: Sequence[Word], sizes: Sequence[Word]) -> bool:
    """As in "/hmoe 10 GB": a path that is nearly one that every system has is asked back."""
    for head in heads:
        name = head.term.text.strip("/")
        meant = corrected(name, _USUAL) if head.term.token.kind == "path" and not head.term.senses else ""
        if meant and name not in _USUAL and f"/{name}" not in frame.context.partitions:
            frame.unclear(f"Is {head.term.text} to be /{meant}? Say its path again.", [head, *sizes])
            return True
    return False


def extras_of(words: Sequence[Word]) -> tuple[str, str]:
    """The file system and the mount options that some words name."""
    fs = next((sense.value for word in words if word.wanted and (sense := word.term.sense("filesystem"))), "")
    options = ",".join(sense.value for word in words if (sense := word.term.sense("mount_option")))
    return fs, options


def mount_of(word: Word) -> str:
    """Where the partition is mounted that a word names."""
    sense = word.term.sense("mount")
    return sense.value if sense else word.term.text.rstrip("/") or "/"


def is_attribute(sentence: Sequence[Word], word: Word) -> bool:
    """Return whether a segment is only a size or a file system right behind a path: "/srv, 10 GiB, xfs"."""
    segments: dict[int, list[Word]] = {}
    for other in sentence:
        segments.setdefault(other.segment, []).append(other)
    for segment in range(word.segment, -1, -1):
        own = segments.get(segment, [])
        if own and all(is_size(other) or other.term.has("filesystem") for other in own):
            if own[0].joint != ",":
                return False
            continue
        paths = [other for other in own if other.term.token.kind == "path" and is_place(other)]
        return segment != word.segment and len(paths) == 1 and own[-1] is paths[0]
    return False


def is_place_alone(sentence: Sequence[Word], word: Word) -> bool:
    """Return whether a segment is only a path right behind a size that has no place: "5 GB, at /media/audio"."""
    own = [other for other in sentence if other.segment == word.segment]
    before = [other for other in sentence if other.segment == word.segment - 1]
    says = [other for other in own if not other.term.has("filler", "article")]
    return (
        word.joint == ","
        and len(says) == 1
        and says[0].term.token.kind == "path"
        and is_place(says[0])
        and len(before) == 1
        and is_size(before[0])
    )
