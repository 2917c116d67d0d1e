"""All searchable and displayable data of a segment, in memory-mapped files that need no parsing.

A folder holds, little-endian:

    texts.bin        every document's text, UTF-8, one after another
    strings.bin      every document's short fields, as `layout` joins them
    labels.bin       every distinct heading path and anchor once, each behind its 32-bit length in bytes
    documents.bin    one record a document      (`layout.DOCUMENT`)
    passages.bin     one record a passage       (`layout.PASSAGE`)
    needs.bin        one record a need          (`layout.NEED`)
    need_texts.bin   the needs' words, one after another
    occurrences.bin  for each distinct passage text the passages that carry it (offsets, then numbers)
    keys.bin         for each distinct passage text 64 bits of its hash, the same in every segment
    names.bin        hashes of names and digests, ascending, then their document numbers
    terms.bin        term numbers ascending, then the summed weight of the documents that have them
    *_words.bin      postings of documents, passage texts and needs     (`postings`)
    links.bin        hashes of the references that documents point to, ascending, then how many do

Documents and passages are numbered from 0 in the order they were added; a passage text that several
passages share is indexed once, under its *text number*. Dense vectors are files of their own (`vectors`).
"""

from vademecum.stores.flat.layout import PassageRecord
from vademecum.stores.flat.postings import Postings
from vademecum.stores.flat.reader import Ahead, FlatReader, Strings
from vademecum.stores.flat.tables import Counts, Groups
from vademecum.stores.flat.vectors import Vectors, VectorsWriter
from vademecum.stores.flat.writer import FlatWriter, link_hashes, name_hash

__all__ = [
    "Ahead",
    "Counts",
    "FlatReader",
    "FlatWriter",
    "Groups",
    "PassageRecord",
    "Postings",
    "Strings",
    "Vectors",
    "VectorsWriter",
    "link_hashes",
    "name_hash",
]
