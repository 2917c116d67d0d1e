"""Statistics over all segments of a generation: term counts, links, and texts that are too common."""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress, islice
from pathlib import Path

from vademecum.core.settings import Method
from vademecum.index.integrity import FILE as CHECKSUMS
from vademecum.index.integrity import write_checksums
from vademecum.index.manifest import TERMS, SegmentInfo
from vademecum.index.segments import open_flat
from vademecum.retrieval import lexical
from vademecum.stores.flat import Counts, FlatReader, Groups, link_hashes

FILES = (*TERMS.values(), "links.bin", "common.bin", CHECKSUMS)
"""The files of statistics in a generation's folder. `common.bin` contains the numbers of texts that are too common, by segment."""

COMMON_TEXT = 3
"""The number of documents above which a shared text is ignored, because it does not distinguish them."""


def write_statistics(folder: Path, segments: Sequence[tuple[SegmentInfo, Path]]) -> dict[Method, int]:
    """Merge the statistics of segments, excluding deleted documents.

    Returns:
        The total weight of the live documents of each method, in 1/64.
    """
    opened = [(open_flat(place, info), frozenset(info.dead)) for info, place in segments]
    terms_of: dict[Method, Counter[int]] = {method: Counter() for method in TERMS}
    links: Counter[int] = Counter()
    totals: dict[Method, int] = dict.fromkeys(TERMS, 0)
    for (info, _), (flat, dead) in zip(segments, opened, strict=True):
        terms = terms_of[info.method]
        terms.update(dict(flat.terms().items()))
        links.update(dict(flat.links().items()))
        totals[info.method] += sum(flat.document(document).weight for document in range(len(flat)))
        for document in dead:
            entry = flat.entry(document)
            encoded = lexical.encode(entry)
            totals[info.method] -= encoded.weight
            terms.subtract(encoded.counts)
            links.subtract(link_hashes(entry.links))
    for method, file in TERMS.items():
        Counts.write(folder / file, {term: weight for term, weight in terms_of[method].items() if weight > 0})
    Counts.write(folder / "links.bin", {link: count for link, count in links.items() if count > 0})
    keys = [list(flat.keys()) for flat, _ in opened]
    spreads = [_spread(flat, dead, COMMON_TEXT + 1) for flat, dead in opened]
    Groups.write(folder / "common.bin", common_among(keys, spreads))
    write_checksums(folder)
    return totals


def common_among(keys: Sequence[Sequence[int]], spreads: Sequence[bytes | bytearray]) -> "list[array[int]]":
    """Return for each segment the numbers of texts that too many live documents share, across all segments."""
    enough = COMMON_TEXT + 1
    every: list[int] = []
    for of_segment, spread in zip(keys, spreads, strict=True):
        for documents in range(1, enough + 1):
            every.extend(compress(of_segment, (found >= documents for found in spread)))
    every.sort()
    common = {
        first for first, last in zip(every, islice(every, COMMON_TEXT, None), strict=False) if first == last
    }
    return [array("I", (text for text, key in enumerate(of_segment) if key in common)) for of_segment in keys]


def _spread(flat: FlatReader, dead: AbstractSet[int], enough: int) -> bytearray:
    """Count the live documents with each text, up to `enough`."""
    occurrences = flat.occurrences
    spread = bytearray(b"\x01") * len(occurrences)
    for text in {*occurrences.shared(), *_texts_of(flat, dead)}:
        documents: set[int] = set()
        for number in occurrences[text]:
            document = flat.passage(number).document
            if document not in dead:
                documents.add(document)
                if len(documents) == enough:
                    break
        spread[text] = len(documents)
    return spread


def _texts_of(flat: FlatReader, documents: AbstractSet[int]) -> Iterator[int]:
    for document in documents:
        record = flat.document(document)
        for number in range(record.first_passage, record.first_passage + record.passages):
            yield flat.passage(number).text
