"""Join short neighbouring sections into passages that can be found and understood on their own.

Books have many headings with only a sentence or two below. A passage with one such sentence contains too few words to
match a differently worded question, and too little text to answer it.
"""

from collections.abc import Sequence

from vademecum.core.passages import SECTION, Passage

_APART = " > "
_BESIDE = "; "
_LONGEST_HEADING = 240


def joined(text: str, passages: Sequence[Passage], most_words: int) -> tuple[Passage, ...]:
    """Join neighbouring sections under one heading, up to a number of words.

    A joined passage has the common headings of its sections, followed by all their names
    (`Logging > Usage; Configuration`), and the anchor of the first. Entries of lists inside them are omitted.
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
    """Return the common prefix of two heading paths."""
    common = []
    for first, second in zip(one.split(_APART), other.split(_APART), strict=False):
        if first != second:
            break
        common.append(first)
    return common


def _both(one: str, other: str, common: Sequence[str]) -> str:
    """Merge two heading paths: their common prefix, followed by the names of both."""
    names: dict[str, None] = {}
    for path in (one, other):
        rest = path.split(_APART)[len(common) :]
        if rest:
            names |= dict.fromkeys(name for part in rest for name in part.split(_BESIDE))
    return _APART.join([*common, _BESIDE.join(names)] if names else common)
