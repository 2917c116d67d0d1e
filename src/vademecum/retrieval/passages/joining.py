"""Join short neighbouring sections into passages that can be found and understood on their own.

Books are cut into many headings with a sentence or two below. A passage of one such sentence has too few words to
match a question that is put in others, and says too little to answer it.
"""

from collections.abc import Sequence

from vademecum.core.passages import SECTION, Passage

_APART = " > "
_BESIDE = "; "
_LONGEST_HEADING = 240


def joined(text: str, passages: Sequence[Passage], most_words: int) -> tuple[Passage, ...]:
    """The parts of sections, neighbours under one heading joined while they are together of at most so many words.

    A joined passage is under what its sections have in common, and then under all their names
    (`Logging > Usage; Configuration`); it has the anchor of the first. Entries of lists, which lie within, are left out.
    """
    found: list[Passage] = []
    words = 0
    for passage in passages:
        if passage.kind != SECTION:
            continue
        own = len(text[passage.start : passage.end].split())
        if found:
            last = found[-1]
            between = len(text[last.end : passage.start].split())
            common = _common(last.heading, passage.heading)
            heading = _both(last.heading, passage.heading, common)
            if words + between + own <= most_words and common and len(heading) <= _LONGEST_HEADING:
                found[-1] = Passage(SECTION, last.start, passage.end, last.start, heading, last.anchor)
                words += between + own
                continue
        found.append(passage)
        words = own
    return tuple(found)


def _common(one: str, other: str) -> list[str]:
    """The headings that two paths begin with."""
    common = []
    for first, second in zip(one.split(_APART), other.split(_APART), strict=False):
        if first != second:
            break
        common.append(first)
    return common


def _both(one: str, other: str, common: Sequence[str]) -> str:
    """One path for both: what they have in common, and after it the names of each."""
    names: dict[str, None] = {}
    for path in (one, other):
        rest = path.split(_APART)[len(common) :]
        if rest:
            names |= dict.fromkeys(name for part in rest for name in part.split(_BESIDE))
    return _APART.join([*common, _BESIDE.join(names)] if names else common)
