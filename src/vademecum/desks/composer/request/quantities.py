"""Read the sizes of the disk, partitions and swap: one size and one thing per segment."""

import re
from collections.abc import Sequence
from itertools import pairwise

from vademecum.desks.composer.image_template import size_bytes
from vademecum.desks.composer.image_template.facts import MIB, written
from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.partitions import (
    extras_of,
    is_attribute,
    is_misspelled,
    is_place,
    is_place_alone,
    is_size,
    mark_data,
    mark_known,
    mount_of,
    read_factors,
    read_filesystem,
    read_growth,
    read_late_options,
    read_new_names,
    read_options,
)
from vademecum.desks.composer.request.words.word import Word

_UP = frozenset(["increase", "grow", "enlarge", "extend", "more", "larger", "bigger", "extra", "raise"])

_DOWN = frozenset(["reduce", "shrink", "smaller", "less"])

_BORDERS = frozenset(["on", "of", "from"])


def read_quantities(frame: Frame) -> None:
    """Make wishes of all sizes."""
    for sentence in frame.sentences():
        mark_known(frame, sentence)
        mark_data(sentence)
        _shares(frame, sentence)
        read_new_names(frame, sentence)
        read_growth(frame, sentence)
        read_options(frame, sentence)
        read_factors(frame, sentence)
    last_head: Word | None = None
    last_size: Word | None = None
    for sentence in frame.sentences():
        reported = [word for word in sentence if word.term.token.kind == "size" and not word.used]
        _lean(sentence, reported[0].norm if reported else last_size.norm if last_size else frame.context.unit)
        segments: dict[tuple[int, int], list[Word]] = {}
        places: dict[int, int] = {}
        for at, word in enumerate(sentence):
            if word.segment not in places:  # "/data: 4 GiB" is one segment here
                before = sentence[at - 1] if at else None
                own = [other for other in sentence if other.segment == word.segment]
                alone = (
                    before is not None
                    and ((word.joint == ":" and is_size(word)) or word.joint == "with")
                    and any(map(is_size, own))
                    and not any(map(is_place, own))
                    and not any(
                        map(is_size, [other for other in sentence if other.segment == before.segment])
                    )
                    and any(
                        is_place(other) and other.wanted
                        for other in sentence
                        if places.get(other.segment) == places[before.segment]
                    )
                )
                alone = alone or is_attribute(sentence, word) or is_place_alone(sentence, word)
                places[word.segment] = (
                    places[before.segment] if alone and before is not None else word.segment
                )
            part = sum(
                other.norm in _BORDERS and other.segment == word.segment for other in sentence[: at + 1]
            )
            segments.setdefault(
                (places[word.segment], part if places[word.segment] == word.segment else 0), []
            ).append(word)
        for segment in _joined(list(segments.values())):
            head, size = _segment(frame, segment, last_head)
            last_head, last_size = head or last_head, size or last_size
        read_filesystem(frame, sentence)
        read_late_options(frame, sentence)


def _joined(parts: list[list[Word]]) -> list[list[Word]]:
    """Parts of a segment put together again, where one of them has no size or no head of its own."""
    made: list[list[Word]] = []
    for part in parts:
        if made and made[-1][0].segment == part[0].segment and not (_is_whole(made[-1]) and _is_whole(part)):
            made[-1] = [*made[-1], *part]
        else:
            made.append(part)
    return made


def _is_whole(part: Sequence[Word]) -> bool:
    return any(map(is_size, part)) and any(map(is_place, part))


_SHARES = {
    "half": 2,
    "a third": 3,
    "one third": 3,
    "a quarter": 4,
    "one quarter": 4,
    "a fifth": 5,
    "a tenth": 10,
}
_SHARE = re.compile(rf"\b({'|'.join(_SHARES)})\s+of\s+(?:the\s+|its\s+|those\s+)?\Z")


def _shares(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "half of the 40 GB": a share of a size."""
    for word in sentence:
        found = _SHARE.search(frame.text[: word.term.start].lower())
        size = (
            size_bytes(word.norm)
            if found and word.term.token.kind == "size" and not word.term.senses
            else None
        )
        if found and size:
            share = written(size // _SHARES[found[1]] // MIB * MIB)
            word.term = word.term._replace(token=word.term.token._replace(norm=share))


def _lean(sentence: Sequence[Word], last: str) -> None:
    """Bare numbers that lean on the size before: "32 GB, no wait, make that 64", "500 GB, 450 of it for /srv"."""
    unit = last.lstrip("0123456789")
    if not unit:
        return
    for at, word in enumerate(sentence):
        if (
            not is_open(word)
            or not word.norm.isdigit()
            or word.term.token.kind != "number"
            or word.term.senses
        ):
            continue
        before = sentence[max(0, at - 2) : at]
        own = [other for other in sentence if other.segment == word.segment]
        of_it = [other.norm for other in sentence[at + 1 : at + 3]]
        if of_it in (["of", "it"], ["of", "that"], ["of", "them"]) or of_it[:1] in (["of it"], ["of that"]):
            word.counts = False
            word.term = word.term._replace(
                token=word.term.token._replace(kind="size", norm=f"{word.norm}{unit}")
            )
            continue
        if any(map(is_place, own)) and not any(map(is_size, own)) and not word.counts:
            word.term = word.term._replace(
                token=word.term.token._replace(kind="size", norm=f"{word.norm}{unit}")
            )
            continue
        if any(other.segment == word.segment for other in sentence[at + 1 :]):
            continue
        if word.replaces or (
            any(other.term.has("verb", "correction", "conjunction") for other in before)
            and not any(
                other.is_head for other in sentence if other.segment == word.segment and other is not word
            )
        ):
            word.term = word.term._replace(
                token=word.term.token._replace(kind="size", norm=f"{word.norm}{unit}")
            )
            word.replaces = True


def _is_beside(segment: Sequence[Word], word: Word) -> bool:
    at = next(place for place, other in enumerate(segment) if other is word)
    return any(
        other.norm in {"besides", "beside", "apart from", "next to"} for other in segment[max(0, at - 2) : at]
    )


def _segment(frame: Frame, segment: list[Word], last_head: Word | None) -> tuple[Word | None, Word | None]:
    sizes = [word for word in segment if is_size(word)]
    for first, second in pairwise(sizes):
        if (
            first.term.has("rest")
            and not second.term.has("rest")
            and any(
                word.norm == "of" and first.term.end <= word.term.start < second.term.start
                for word in segment
            )
        ):
            frame.wish("disk_size", second.norm, [second], wanted=True)  # "the rest of 20 GB"
            sizes.remove(second)
    heads = [word for word in segment if is_place(word)]
    if (
        len(heads) > 1 and sizes
    ):  # "besides root there is a volume for /srv": the first one only says where it comes
        heads = [word for word in heads if not _is_beside(segment, word)] or heads
    if len(heads) > 1:  # "a 20 GB disk for /data": the partition's word tells more than the disk's
        heads = [word for word in heads if not word.term.means("field", "disk")] or heads
    extras = [
        word for word in segment if is_open(word) and word.term.has("filesystem", "mount_option", "partition")
    ]
    unknown = [
        word for word in segment if is_open(word) and not word.term.senses and word.term.token.kind == "word"
    ]
    unavailable = [word for word in segment if is_open(word) and word.term.has("unavailable")]
    if unavailable and sizes:
        sense = unavailable[0].term.sense("unavailable")
        frame.wish("impossible", sense.value if sense else "", [*sizes, *unavailable], wanted=True)
        return None, None
    if not sizes and not heads:
        gone = [word for word in extras if word.term.has("partition")]
        named = [
            word
            for word in segment
            if is_open(word)
            and not word.wanted
            and (word.term.has("package") or not word.term.senses)
            and any(word.term.end + 1 == part.term.start for part in gone)
        ]
        if named:
            frame.unclear(
                f"Which partition is {named[0].term.text}? Say where it is mounted.", [*named, *gone]
            )
            return None, None
        if gone and frame.in_session and any(word.term.has("removal") for word in segment):
            frame.wish(
                "unclear",
                "Which partition is to be removed?",
                gone,
                wanted=False,
                op="that",
                what="partition",
            )
        return None, None
    if not sizes:
        if not _without_size(frame, heads, extras):
            return None, None
        return heads[-1], None
    if is_misspelled(frame, heads, sizes):
        return None, None
    if len(sizes) == len(heads) == 1:
        _make(frame, segment, heads[0], sizes[0], extras)
        return heads[0], sizes[0]
    if len(sizes) == len(heads):
        pairs = _in_turn(segment, sizes, heads)
        if pairs:
            for head, size in pairs:
                _make(frame, segment, head, size, [])
            return pairs[-1]
    if len(sizes) == 1 and len(heads) > 1:
        disks = [head for head in heads if head.term.means("field", "disk")]
        if len(disks) == len(heads):
            _make(frame, segment, heads[0], sizes[0], extras)
            for head in heads[1:]:
                head.used = True
            return heads[0], sizes[0]
    if len(sizes) == 1 and not heads:
        size = sizes[0]
        before = segment[: segment.index(size)]
        names = [word for word in unknown if word.term.start < size.term.end + 40]
        names += [word for word in segment if is_open(word) and word.term.has("kernel_key")]
        if size.term.has("rest"):
            return None, None
        if names and not frame.in_session:
            return None, size  # "1 GB hugepages" is not the disk's: the account tells
        open_partition = next(
            (
                wish
                for wish in reversed(frame.wishes)
                if wish.kind == "partition"
                and not wish.detail("size")
                and wish.value == _sizeless(last_head, size)
            ),
            None,
        )
        if open_partition is not None:
            frame.wishes.remove(open_partition)
            frame.wish(
                "partition",
                open_partition.value,
                [size],
                wanted=True,
                size=size.norm,
                fs=open_partition.detail("fs"),
            )
            return last_head, size
        if any(word.term.has("partition") for word in extras):
            service = next((word for word in segment if word.term.has("service_path")), None)
            if service is None:
                frame.unclear("Where is the partition to be mounted? Say it as in /data.", [size, *extras])
                return None, size
            mount = service.term.sense("service_path")
            alone = all(word.norm not in {"with", "add", "install"} for word in segment)
            words = [size, *extras, *([service] if alone else [])]
            frame.wish("partition", mount.value if mount else "", words, wanted=True, size=size.norm)
            service.used = False  # the service itself is wanted, too
            return None, size
        if (
            frame.in_session
            and last_head is not None
            and (size.replaces or _is_pronoun(before) or last_head.sentence == size.sentence)
        ):
            _make(frame, segment, last_head, size, extras)
            return last_head, size
        if size.replaces and last_head is not None:
            _make(frame, segment, last_head, size, extras)
            return last_head, size
        if frame.in_session and "of it" in frame.text[size.term.end : size.term.end + 7]:
            frame.unclear(f"What is to have {size.term.text}? Name it, as in: swap {size.term.text}.", [size])
            return None, None
        _disk(frame, segment, size, [size])
        return None, size
    frame.unclear("Which size is whose? Say one with each, as in: / 20GB, /data 40GB.", [*sizes, *heads])
    return None, None


def _sizeless(head: Word | None, size: Word) -> str:
    """The mount point right before a bare size: "/var on a partition of its own, 3 GiB"."""
    near = head is not None and head.sentence == size.sentence and size.segment - head.segment == 1
    return mount_of(head) if head is not None and near else "-"


def _is_pronoun(words: Sequence[Word]) -> bool:
    return any(word.norm in {"it", "that", "this", "them"} for word in words)


def _in_turn(
    segment: Sequence[Word], sizes: Sequence[Word], heads: Sequence[Word]
) -> list[tuple[Word, Word]]:
    """Heads and sizes that alternate, as pairs; empty if they do not."""
    order = [word for word in segment if word in sizes or word in heads]
    pairs = list(zip(order[::2], order[1::2], strict=True))
    if (
        all((first in heads) != (second in heads) for first, second in pairs)
        and len({first in heads for first, _ in pairs}) == 1
    ):
        return [(first, second) if first in heads else (second, first) for first, second in pairs]
    return []


def _operation(segment: Sequence[Word], size: Word) -> str:
    """Return whether a size is what there is to be, or what comes to it or goes from it."""
    norms = {word.norm for word in segment}
    behind = {word.norm for word in segment if word.term.start >= size.term.end}
    by = any(word.norm == "by" and word.term.end <= size.term.start for word in segment)
    if (norms & _UP and by) or behind & {"more", "extra", "larger", "bigger"}:
        return "grow"
    if (norms & _DOWN and by) or behind & {"less", "smaller"}:
        return "shrink"
    return ""


def _make(frame: Frame, segment: Sequence[Word], head: Word, size: Word, extras: Sequence[Word]) -> None:
    if head.term.means("field", "disk"):
        _disk(frame, segment, size, [head, size])
        return
    value = "rest" if size.term.has("rest") else size.norm
    words = [head, size, *extras]
    operation = _operation(segment, size)
    if head.term.means("flag", "swap"):
        frame.wish("swap", value, words, wanted=head.wanted, op=operation)
        return
    fs, options = extras_of(extras)
    frame.wish(
        "partition",
        mount_of(head),
        words,
        wanted=size.wanted and head.wanted,
        size=value,
        fs=fs,
        options=options,
        op=operation,
    )


def _disk(frame: Frame, segment: Sequence[Word], size: Word, words: list[Word]) -> None:
    if frame.text[: size.term.start].endswith("-"):
        frame.unclear(f"-{size.term.text} is not a size. Which size should the disk have?", words)
        return
    frame.wish("disk_size", size.norm, words, wanted=True, op=_operation(segment, size))


def _without_size(frame: Frame, heads: Sequence[Word], extras: Sequence[Word]) -> bool:
    """Partitions of which no size is said: "a separate /data partition", "no swap", "/var on xfs"."""
    made = False
    says_partition = any(word.term.has("partition") for word in extras)
    for head in heads:
        if head.term.means("flag", "swap"):
            frame.wish(
                "swap",
                "",
                [head, *[word for word in extras if word.term.has("partition")]],
                wanted=head.wanted,
            )
            made = True
        elif head.term.has("mount") or head.term.token.kind == "path":
            fs, options = extras_of(extras)
            sense = head.term.sense("mount")
            named = "partition" in head.norm or says_partition
            if sense and sense.value == "/" and not fs and not options and (head.wanted or not named):
                continue
            if (
                fs
                or options
                or (
                    named
                    and (
                        not frame.in_session
                        or not head.wanted
                        or mount_of(head) not in frame.context.partitions
                    )
                )
            ):
                frame.wish(
                    "partition", mount_of(head), [head, *extras], wanted=head.wanted, fs=fs, options=options
                )
                made = True
            elif not head.wanted and mount_of(head) in frame.context.partitions:
                frame.wish("partition", mount_of(head), [head, *extras], wanted=False)
                made = True
            elif mount_of(head) in frame.context.partitions and frame.in_session:
                head.used = named
                made = made or not named
    return made
