"""Find the passages of a document that meet its needs."""

import re
from collections.abc import Iterable, Sequence

from vademecum.core.documents import Document, Need
from vademecum.core.passages import SECTION, MetNeed, Passage

_BORDER = re.compile(r"[\s,|=<>\[\](){}\"'‘’]+")
_MOST_PASSAGES = 4
"""The maximum number of passages with the same tag: a page can list an option in several places."""


def met_needs(
    document: Document, passages: Sequence[Passage], shown: Iterable[Need] = ()
) -> tuple[MetNeed, ...]:
    """Return a document's needs and the tasks that it shows, each with the positions of passages with its tags, in the order of the tags."""
    needs = tuple(dict.fromkeys((*document.needs, *shown)))
    if not needs:
        return ()
    by_tag: dict[str, list[int]] = {}
    for position, passage in enumerate(passages):
        if passage.kind != SECTION:
            for word in dict.fromkeys(_BORDER.split(document.text[passage.start : passage.tag_end])):
                by_tag.setdefault(word, []).append(position)
    return tuple(
        MetNeed(
            need.text,
            tuple(dict.fromkeys(at for tag in need.tags for at in by_tag.get(tag, ())[:_MOST_PASSAGES])),
            need.line,
        )
        for need in needs
    )
