"""Sizes of a request: of the disk, of partitions and of swap, one size and one head in a segment."""

from collections.abc import Sequence
from itertools import pairwise

from vademecum.desks.composer.request.clauses import Word
from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.vocabulary import Sense

_UP = frozenset(["increase", "grow", "enlarge", "extend", "more", "larger", "bigger", "extra", "raise"])
_DOWN = frozenset(["reduce", "shrink", "smaller", "less"])
_FACTORS = {"double": "2", "twice": "2", "halve": "0.5", "triple": "3"}
_BORDERS = frozenset(["on", "of", "from"])


def read_quantities(frame: Frame) -> None:
    """Make wishes of all sizes."""
    for sentence in frame.sentences():
        _mark_known(frame, sentence)
        _renamed(frame, sentence)
        _options(frame, sentence)
    last_head: Word | None = None
    last_size: Word | None = None
    for sentence in frame.sentences():
        reported = [word for word in sentence if word.term.token.kind == "size" and not word.used]
        _lean(sentence, reported[0] if reported else last_size)
        segments: dict[tuple[int, int], list[Word]] = {}
        places: dict[int, int] = {}
        for at, word in enumerate(sentence):
            if word.segment not in places:  # "/data: 4 GiB" is one segment here
                before = sentence[at - 1] if at else None
                own = [other for other in sentence if other.segment == word.segment]
                alone = (
                    before is not None
                    and ((word.joint == ":" and _is_size(word)) or word.joint == "with")
                    and any(map(_is_size, own))
                    and not any(map(_is_place, own))
                    and not any(
                        map(_is_size, [other for other in sentence if other.segment == before.segment])
                    )
                    and any(
                        _is_place(other) and other.wanted
                        for other in sentence
                        if places.get(other.segment) == places[before.segment]
                    )
                )
                alone = alone or _is_attribute(sentence, word)
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


def _is_attribute(sentence: Sequence[Word], word: Word) -> bool:
    """Whether a segment is only a size or a file system right behind a path: "/srv, 10 GiB, xfs"."""
    segments: dict[int, list[Word]] = {}
    for other in sentence:
        segments.setdefault(other.segment, []).append(other)
    for segment in range(word.segment, -1, -1):
        own = segments.get(segment, [])
        if own and all(_is_size(other) or other.term.has("filesystem") for other in own):
            if own[0].joint != ",":
                return False
            continue
        paths = [other for other in own if other.term.token.kind == "path" and _is_place(other)]
        return segment != word.segment and len(paths) == 1 and own[-1] is paths[0]
    return False


def _options(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "mount /tmp with noexec and nosuid": options in segments of their own are those of the partition before them."""
    options = [word for word in sentence if is_open(word) and word.term.has("mount_option")]
    heads = [
        word
        for word in sentence
        if is_open(word) and (word.term.has("mount") or word.term.token.kind == "path")
    ]
    apart = bool(options) and len(heads) == 1 and heads[0].segment != options[-1].segment
    if apart and not any(map(_is_size, sentence)):
        _, names = _extras(options)
        frame.wish("partition", _mount(heads[0]), [heads[0], *options], wanted=True, options=names)


def _mark_known(frame: Frame, sentence: Sequence[Word]) -> None:
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


def _renamed(frame: Frame, sentence: Sequence[Word]) -> None:
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
                "partition", _mount(heads[0]), [heads[0], new], wanted=True, op="rename", new=new.term.text
            )
    elif "mount" in names and ("at" in names or "on" in names or "to" in names):
        paths = [
            word
            for word in sentence
            if is_open(word) and word.term.token.kind == "path" and word is not heads[0]
        ]
        if paths and not any(map(_is_size, sentence)):
            frame.wish(
                "partition",
                _mount(heads[0]),
                [heads[0], *paths],
                wanted=True,
                op="rename",
                new=paths[0].term.text,
            )


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
    return any(map(_is_size, part)) and any(map(_is_place, part))


def _is_size(word: Word) -> bool:
    return is_open(word) and (
        (word.term.token.kind == "size" and not word.term.senses) or word.term.has("rest")
    )


def _lean(sentence: Sequence[Word], last: Word | None) -> None:
    """Bare numbers that lean on the size before: "32 GB, no wait, make that 64"."""
    if last is None:
        return
    unit = last.norm.lstrip("0123456789")
    for at, word in enumerate(sentence):
        if not is_open(word) or word.term.token.kind != "number" or word.term.senses:
            continue
        before = sentence[max(0, at - 2) : at]
        own = [other for other in sentence if other.segment == word.segment]
        if any(map(_is_place, own)) and not any(map(_is_size, own)) and not word.counts:
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


def _is_place(word: Word) -> bool:
    return is_open(word) and (
        word.term.has("mount")
        or word.term.means("field", "disk")
        or word.term.means("flag", "swap")
        or (word.term.token.kind == "path" and not word.term.senses and word.term.text.startswith("/"))
    )


def _segment(frame: Frame, segment: list[Word], last_head: Word | None) -> tuple[Word | None, Word | None]:
    sizes = [word for word in segment if _is_size(word)]
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
    heads = [word for word in segment if _is_place(word)]
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
    factor = next((_FACTORS[word.norm] for word in segment if word.norm in _FACTORS), "")
    if not sizes and factor and frame.in_session and heads and heads[0].term.means("field", "disk"):
        frame.wish("disk_size", factor, [heads[0]], wanted=True, op="times")
        return heads[0], None
    if not sizes and factor and frame.in_session and heads:
        frame.unclear(
            f"How large is {heads[0].term.text} to be? Say it as in: {heads[0].term.text} 4 GB.", heads
        )
        return heads[0], None
    if not sizes:
        if not _without_size(frame, heads, extras):
            return None, None
        return heads[-1], None
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
        _disk(frame, segment, size, [size])
        return None, size
    frame.unclear("Which size is whose? Say one with each, as in: / 20GB, /data 40GB.", [*sizes, *heads])
    return None, None


def _sizeless(head: Word | None, size: Word) -> str:
    """The mount point right before a bare size: "/var on a partition of its own, 3 GiB"."""
    near = head is not None and head.sentence == size.sentence and size.segment - head.segment == 1
    return _mount(head) if head is not None and near else "-"


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
    """Whether a size is what there is to be, or what comes to it or goes from it."""
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
    fs, options = _extras(extras)
    frame.wish(
        "partition",
        _mount(head),
        words,
        wanted=size.wanted and head.wanted,
        size=value,
        fs=fs,
        options=options,
        op=operation,
    )


def _extras(words: Sequence[Word]) -> tuple[str, str]:
    fs = next((sense.value for word in words if word.wanted and (sense := word.term.sense("filesystem"))), "")
    options = ",".join(sense.value for word in words if (sense := word.term.sense("mount_option")))
    return fs, options


def _mount(word: Word) -> str:
    sense = word.term.sense("mount")
    return sense.value if sense else word.term.text.rstrip("/") or "/"


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
            fs, options = _extras(extras)
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
                        or _mount(head) not in frame.context.partitions
                    )
                )
            ):
                frame.wish(
                    "partition", _mount(head), [head, *extras], wanted=head.wanted, fs=fs, options=options
                )
                made = True
            elif not head.wanted and _mount(head) in frame.context.partitions:
                frame.wish("partition", _mount(head), [head, *extras], wanted=False)
                made = True
            elif _mount(head) in frame.context.partitions and frame.in_session:
                head.used = named
                made = made or not named
    return made
