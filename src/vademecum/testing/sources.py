"""Contract checks for sources.

Run it in your own tests:

    from vademecum.testing import broken_promises
    assert broken_promises(MySource(...)) == []
"""

import pickle
from collections.abc import Iterator
from itertools import pairwise
from typing import get_args

from vademecum.core.documents import BlockKind, Document, DocumentRef, Problem
from vademecum.core.protocols import Source


def broken_promises(source: Source) -> list[str]:
    """What the source does not hold to of `core.protocols.Source` and `core.documents`, a sentence each.

    It reads every document. A source that lists nothing is broken, since nothing could be checked.
    """
    return list(_broken(source))


def _broken(source: Source) -> Iterator[str]:
    missing = [name for name in ("alias", "parser", "scan", "read") if not hasattr(source, name)]
    if missing:
        yield f"It has no {' and no '.join(missing)}."
        return
    try:
        yield from _broken_in_use(source)
    except Exception as error:  # noqa: BLE001 - whatever it raises breaks its promises
        yield f"It raised {type(error).__name__}: {error}"


def _broken_in_use(source: Source) -> Iterator[str]:
    listed = list(source.scan())
    refs = [one for one in listed if isinstance(one, DocumentRef)]
    if not refs:
        yield "It lists no document."
        return
    if list(source.scan()) != listed:
        yield "A second scan of the same content lists something else."
    if len({ref.key for ref in refs}) < len(refs):
        yield "Two documents have the same key."
    results = list(source.read(refs))
    if len(results) != len(refs):
        yield f"It gave {len(results)} results for {len(refs)} documents."
        return
    if list(pickle.loads(pickle.dumps(source)).read(refs)) != results:  # noqa: S301 - ours, a moment ago
        yield "A copy in another process would read something else."
    if list(source.read(refs[::-1]))[::-1] != results:
        yield "What it gives for a document depends on the others in the batch, or is out of order."
    if list(source.read([])):
        yield "It gives something for nothing."
    documents = [one for one in results if isinstance(one, Document)]
    if not documents:
        yield "It could not read a single document."
    if len({document.reference for document in documents}) < len(documents):
        yield "Two documents have the same reference."
    for ref, result in zip(refs, results, strict=True):
        if isinstance(result, Problem):
            if not (result.fault and result.message):
                yield f"{ref.key}: a problem without a name or a message."
        else:
            yield from (f"{ref.key}: {fault}" for fault in _faults(result, ref))


def _faults(document: Document, ref: DocumentRef) -> Iterator[str]:
    if document.key != ref.key:
        yield f"it has another key, {document.key}."
    if not document.names or document.names[0] != document.reference:
        yield "its own reference is not the first of its names."
    if ref.names and ref.names != document.names:
        yield f"it was listed under {ref.names}, and answers to {document.names}."
    if document.text != document.text.strip():
        yield "its text begins or ends with white space."
    if not document.blocks and document.text:
        yield "it has text outside of all blocks."
    if any(first.end > second.start for first, second in pairwise(document.blocks)):
        yield "its blocks overlap or are out of order."
    for block in document.blocks:
        if block.kind not in get_args(BlockKind):
            yield f"a block is of no known kind: {block}."
        words = document.text[block.start : block.end]
        if not 0 <= block.start < block.end <= len(document.text) or words != words.strip():
            yield f"a block is empty, not within the text, or not trimmed: {block}."
        if block.kind == "item" and not block.start <= block.tag_end <= block.end:
            yield f"an item's tag is not at its start: {block}."
        if block.kind == "heading" and block.level < 1:
            yield f"a heading has no level: {block}."
    try:
        document.digest()
    except UnicodeEncodeError:
        yield "its text cannot be written as UTF-8."
